#include "stiction/solvers/pivoting/solver_dantzig.h"

#include <gtest/gtest.h>

#include "../support/random_problems.h"
#include "stiction/contact/energy.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/pivoting/solver_lemke.h"

namespace stiction {
namespace {

using testing::mass_ratio_stack;
using testing::random_mechanics;

double frictionless_residual(const ContactProblem& problem, const VectorX& impulse) {
  return judge(problem, impulse, {.model = ContactModel::frictionless}).eps_nat;
}

TEST(SolverDantzig, OneContactByHand) {
  SolverDantzig solver;
  ContactSolution solution;
  const ContactProblem problem = ContactProblem::from_dense({Constraint::make_frictional(0.8)},
                                                            2.0 * MatrixX::Identity(3, 3), Vector3(1.0, -2.0, -3.0));
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged);
  EXPECT_LE((solution.impulse - Vector3(0, 0, 1.5)).norm(), 1e-15);
}

// With μ = 0 Lemke solves the same problem.
TEST(SolverDantzig, AgreesWithLemkeOnFrictionlessProblems) {
  SolverDantzig dantzig;
  SolverLemke lemke;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const ContactProblem problem = random_mechanics({.seed = seed,
                                                     .bodies = 3 + static_cast<int>(seed % 3),
                                                     .contacts = 6 + static_cast<int>(seed % 11),
                                                     .limits = 2,
                                                     .bilateral = static_cast<int>(seed % 4),
                                                     .dry_friction = 2,
                                                     .friction = 0.0,
                                                     .compliance = seed % 5 == 0 ? 1e-3 : 0.0})
                                       .problem();
    ContactSolution a, b;
    EXPECT_EQ(dantzig.solve(problem, a).status, SolveStatus::converged) << seed;
    EXPECT_EQ(lemke.solve(problem, b).status, SolveStatus::converged) << seed;
    EXPECT_LE(frictionless_residual(problem, a.impulse), 1e-10) << seed;
    EXPECT_LE((a.velocity - b.velocity).lpNorm<Eigen::Infinity>(), 1e-9) << seed;
    EXPECT_LE(contact_energy(problem, a.impulse).change, 1e-12) << seed;
  }
}

// At a ratio r the largest |G| |λ| is about 0.1 r, so that rounding alone leaves some 1e-17 r in σ: 1e-16 r is asked. G
// is singular and the solution degenerate: free impulses that rounding carries below zero must not just be clamped.
TEST(SolverDantzig, MassRatioStackStandsStill) {
  for (int cubes : {3, 4, 5, 6, 8, 12}) {
    for (double ratio : {1e2, 1e4, 1e5, 1e6, 1e7}) {
      SolverDantzig dantzig;
      const ContactProblem problem = mass_ratio_stack(ratio, cubes).problem();
      ContactSolution solution;
      // Impulses that are zero in the solution hold the rounding of those that are not; the status says so.
      const SolveStatus status = dantzig.solve(problem, solution).status;
      const bool claims = status == SolveStatus::converged;
      EXPECT_TRUE(claims || (ratio > 1e2 && status == SolveStatus::rounding)) << cubes << " cubes, " << ratio;
      EXPECT_LE(solution.velocity.lpNorm<Eigen::Infinity>(), 1e-16 * ratio + 1e-13) << cubes << " cubes, " << ratio;
    }
  }
}

TEST(SolverDantzig, UsesTheSymmetricPartAndSaysSo) {
  MatrixX g = MatrixX::Identity(2, 2);
  g(0, 1) = 1e-3;
  const ContactProblem problem = ContactProblem::from_dense(
      {Constraint::make_unilateral(), Constraint::make_unilateral()}, g, VectorX::Constant(2, -1.0));
  SolverDantzig dantzig;
  ContactSolution solution;
  EXPECT_TRUE(dantzig.solve(problem, solution).symmetrised);
  EXPECT_NEAR(solution.impulse[0], 1.0 / 1.0005, 1e-14);
}

TEST(SolverDantzig, ContradictingRowsAreARay) {
  const ContactProblem problem =
      ContactProblem::from_dense({Constraint::make_unilateral(), Constraint::make_unilateral()},
                                 (MatrixX(2, 2) << 1, -1, -1, 1).finished(), (VectorX(2) << -1, -1).finished());
  SolverDantzig dantzig;
  ContactSolution solution;
  EXPECT_EQ(dantzig.solve(problem, solution).status, SolveStatus::ray);
  EXPECT_TRUE(solution.impulse.allFinite());
}

}  // namespace
}  // namespace stiction
