// Energy of contact impulses against kinetic energies computed from M, J and velocities.
#include "stiction/contact/energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../support/random_problems.h"
#include "stiction/contact/judge.h"
#include "tests/support/dense.h"

namespace stiction {
namespace {

using testing::Mechanics;
using testing::random_mechanics;

VectorX random_vector(int size, unsigned seed, double scale = 1.0) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-scale, scale);
  VectorX x(size);
  for (int k = 0; k < size; ++k) x[k] = uniform(generator);
  return x;
}

double kinetic(const Mechanics& mechanics, const VectorX& velocity) {
  return 0.5 * velocity.dot(mechanics.inertia * velocity);
}

VectorX velocity_after(const Mechanics& mechanics, const VectorX& impulse) {
  return mechanics.velocity_free +
         testing::solve_positive(mechanics.inertia, VectorX(mechanics.jacobian.transpose() * impulse));
}

TEST(ContactEnergy, ChangeIsExactForAnyImpulse) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Mechanics mechanics = random_mechanics(
        {.seed = seed, .bodies = 6, .contacts = 10, .limits = 2, .bilateral = 2, .dry_friction = 2, .compliance = 0.1});
    if (seed % 2) mechanics.offset = random_vector(static_cast<int>(mechanics.jacobian.rows()), seed + 50);
    const VectorX impulse = random_vector(static_cast<int>(mechanics.jacobian.rows()), seed + 100, 3.0);
    const VectorX after = velocity_after(mechanics, impulse);
    const double before_energy = kinetic(mechanics, mechanics.velocity_free), after_energy = kinetic(mechanics, after);
    const ContactEnergy energy = contact_energy(mechanics.problem(), impulse, mechanics.offset);
    const double size = before_energy + after_energy;
    EXPECT_NEAR(energy.change, after_energy - before_energy, 1e-12 * size) << seed;
    // Theory (1-16) itself.
    const double work = 0.5 * impulse.dot(mechanics.jacobian * (mechanics.velocity_free + after));
    EXPECT_NEAR(energy.change, work, 1e-12 * size) << seed;
  }
}

// A solution by construction: free motion chosen such that given (λ, c) obey the law.
TEST(ContactEnergy, AtASolutionImpactAndFrictionLoseIt) {
  const double mu = 0.5, bound = 0.3;
  const std::vector<Constraint> constraints{
      Constraint::make_frictional(mu), Constraint::make_frictional(mu), Constraint::make_anisotropic(0.4, 0.8),
      Constraint::make_unilateral(),   Constraint::make_bilateral(1),   Constraint::make_dry_friction(bound)};
  VectorX impulse(12), c(12);
  const double slip_1 = 0.4 * 0.6, slip_2 = 0.8 * -1.2, slip = std::hypot(slip_1, slip_2), push = 1.5;
  impulse << -mu * 2.0, 0, 2.0,                                        // slides along t1
      0.1, 0.2, 1.0,                                                   // sticks
      -0.4 * push * slip_1 / slip, -0.8 * push * slip_2 / slip, push,  // slides, anisotropic
      0.7, -0.9, bound;                                                // limit, loop, joint
  c << 3.0, 0, 0, 0, 0, 0, 0.6, -1.2, 0, 0, 0, -2.0;
  MatrixX jacobian(12, 20);
  for (int k = 0; k < 20; ++k) jacobian.col(k) = random_vector(12, 40 + k);
  MatrixX root(20, 20);
  for (int k = 0; k < 20; ++k) root.col(k) = random_vector(20, 70 + k);
  const MatrixX inertia = product_with_transposed(root, root) + MatrixX::Identity(20, 20);
  const MatrixX response = testing::solve_positive(inertia, jacobian.transpose());
  const MatrixX g = product(jacobian, response);
  // v_f with J v_f = c − G λ.
  const VectorX free = response * testing::solve_positive(g, c - g * impulse);
  const ContactProblem problem = ContactProblem::from_dense(constraints, g, jacobian * free);
  ASSERT_LE(judge(problem, impulse).eps_abs, 1e-11);

  const ContactEnergy energy = contact_energy(problem, impulse);
  const VectorX after = free + response * impulse;
  const double change = 0.5 * after.dot(inertia * after) - 0.5 * free.dot(inertia * free);
  EXPECT_NEAR(energy.change, change, 1e-10 * std::abs(change));
  EXPECT_NEAR(energy.dissipated, mu * 2.0 * 3.0 + push * slip + bound * 2.0, 1e-10);
  EXPECT_NEAR(energy.impact_loss, 0.5 * impulse.dot(g * impulse), 1e-10);
  EXPECT_NEAR(energy.change, -energy.impact_loss - energy.dissipated, 1e-10);
  EXPECT_LT(energy.change, 0.0);
}

TEST(ContactEnergy, BadSizesAndEmptyProblem) {
  const ContactProblem problem = testing::random_problem({});
  EXPECT_THROW(contact_energy(problem, VectorX::Zero(2)), std::invalid_argument);
  EXPECT_THROW(contact_energy(problem, VectorX::Zero(problem.num_rows()), VectorX::Zero(2)), std::invalid_argument);
  EXPECT_THROW(split_internal_forces(problem, VectorX::Zero(2)), std::invalid_argument);
  EXPECT_EQ(contact_energy(ContactProblem(), VectorX()).change, 0.0);
  EXPECT_TRUE(split_internal_forces(ContactProblem(), VectorX()).feasible);
}

TEST(InternalForces, SplitIsOrthogonalAndMovesNothing) {
  // Two bodies with 12 contacts: 36 rows against 12 velocities.
  const Mechanics mechanics = random_mechanics({.seed = 3, .bodies = 2, .contacts = 12});
  const ContactProblem problem = mechanics.problem();
  const VectorX impulse = random_vector(problem.num_rows(), 1);
  const InternalForceSplit split = split_internal_forces(problem, impulse);
  EXPECT_LE((split.external + split.internal - impulse).norm(), 1e-14);
  EXPECT_GT(split.internal.norm(), 0.1);
  EXPECT_LE((mechanics.jacobian.transpose() * split.internal).norm(), 1e-10 * impulse.norm());
  VectorX moved(problem.num_rows());
  problem.apply(split.internal, moved);
  EXPECT_LE(moved.norm(), 1e-10 * problem.largest_diagonal());
  EXPECT_LE(std::abs(split.external.dot(split.internal)), 1e-12) << "minimum norm: orthogonal to ker G";
  // External parts have no internal part left.
  EXPECT_LE(split_internal_forces(problem, split.external).internal.norm(), 1e-12);
}

TEST(InternalForces, FeasibilityIsThatOfTheExternalPart) {
  // A cube on four corners, pressed together sideways: the squeeze is internal, the weight external.
  const ContactProblem problem = testing::mass_ratio_stack(1.0, 1).problem();
  VectorX impulse = VectorX::Zero(12);
  for (int i = 0; i < 4; ++i) {
    impulse[3 * i + 2] = 1.0;
    impulse[3 * i] = i & 1 ? -0.4 : 0.4;
  }
  const InternalForceSplit split = split_internal_forces(problem, impulse);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(split.external[3 * i], 0.0, 1e-14);
    EXPECT_NEAR(split.external[3 * i + 2], 1.0, 1e-14);
    EXPECT_NEAR(split.internal[3 * i], i & 1 ? -0.4 : 0.4, 1e-14);
  }
  EXPECT_TRUE(split.feasible);
  impulse[0] += 9.0;  // a push that no friction holds
  EXPECT_FALSE(split_internal_forces(problem, impulse).feasible);
}

}  // namespace
}  // namespace stiction
