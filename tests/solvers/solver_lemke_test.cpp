#include "stiction/solvers/pivoting/solver_lemke.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_problems.h"
#include "stiction/contact/energy.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/pivoting/solver_anitescu_potra.h"
#include "tests/support/dense.h"

namespace stiction {
namespace {

using testing::mass_ratio_stack;
using testing::random_mechanics;
using testing::RandomProblemOptions;

double lcp_residual(const ContactProblem& problem, const VectorX& impulse) {
  return judge(problem, impulse, {.model = ContactModel::lcp}).eps_nat;
}

ContactProblem one_contact(const Vector3& free_velocity, double mu) {
  return ContactProblem::from_dense({Constraint::make_frictional(mu)}, MatrixX::Identity(3, 3), free_velocity);
}

TEST(SolverLemke, OneContactByHand) {
  SolverLemke solver;
  ContactSolution solution;
  // take-off
  EXPECT_EQ(solver.solve(one_contact({1, 2, 3}, 0.5), solution).status, SolveStatus::converged);
  EXPECT_EQ(solution.impulse, VectorX::Zero(3));
  // stick: −g inside the pyramid
  solution = {};
  solver.solve(one_contact({0.3, -0.4, -1.0}, 0.5), solution);
  EXPECT_LE((solution.impulse - Vector3(-0.3, 0.4, 1.0)).norm(), 1e-14);
  // slip: each axis on its own side, λ_t = −μ λ_N sign(σ_t)
  solution = {};
  solver.solve(one_contact({2.0, -3.0, -1.0}, 0.5), solution);
  EXPECT_LE((solution.impulse - Vector3(-0.5, 0.5, 1.0)).norm(), 1e-14);
  EXPECT_LE((solution.velocity - Vector3(1.5, -2.5, 0.0)).norm(), 1e-14);
  // one axis sticks while the other slips: this is what the pyramid does
  solution = {};
  solver.solve(one_contact({2.0, 0.1, -1.0}, 0.5), solution);
  EXPECT_LE((solution.impulse - Vector3(-0.5, -0.1, 1.0)).norm(), 1e-14);
  // no friction
  solution = {};
  solver.solve(one_contact({2.0, 0.1, -1.0}, 0.0), solution);
  EXPECT_LE((solution.impulse - Vector3(0, 0, 1.0)).norm(), 1e-14);
}

TEST(SolverLemke, DryFrictionAndBilateralRowsByHand) {
  const std::vector<Constraint> rows{Constraint::make_dry_friction(0.5), Constraint::make_dry_friction(0.5),
                                     Constraint::make_dry_friction(0.0), Constraint::make_bilateral(1)};
  const VectorX g = (VectorX(4) << 0.2, -2.0, 1.0, 3.0).finished();
  const ContactProblem problem = ContactProblem::from_dense(rows, MatrixX::Identity(4, 4), g);
  SolverLemke solver;
  ContactSolution solution;
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged);
  EXPECT_LE((solution.impulse - (VectorX(4) << -0.2, 0.5, 0.0, -3.0).finished()).norm(), 1e-14);
}

struct Case {
  const char* name;
  RandomProblemOptions options;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class LcpSolvers : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Kinds, LcpSolvers,
    ::testing::Values(Case{"few", {.bodies = 4, .contacts = 6}},
                      Case{"hyperstatic", {.bodies = 3, .contacts = 16, .friction = 0.2}},
                      Case{"frictions", {.bodies = 4, .contacts = 10, .friction = -1.0}},
                      Case{"slippery", {.bodies = 4, .contacts = 10, .friction = 0.0}},
                      Case{"rough", {.bodies = 4, .contacts = 8, .friction = 20.0}},
                      Case{"mixed", {.bodies = 6, .contacts = 8, .limits = 3, .bilateral = 3, .dry_friction = 3}},
                      Case{"compliant",
                           {.bodies = 4,
                            .contacts = 10,
                            .limits = 2,
                            .bilateral = 2,
                            .dry_friction = 2,
                            .friction = -1.0,
                            .compliance = 1e-2}}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(LcpSolvers, SolveRandomProblemsAndAgreeInVelocity) {
  SolverLemke lemke;
  SolverAnitescuPotra anitescu_potra;
  for (unsigned seed = 0; seed < 12; ++seed) {
    RandomProblemOptions options = GetParam().options;
    options.seed = seed;
    const ContactProblem problem = random_mechanics(options).problem();
    ContactSolution a, b;
    EXPECT_EQ(lemke.solve(problem, a).status, SolveStatus::converged) << seed;
    EXPECT_EQ(anitescu_potra.solve(problem, b).status, SolveStatus::converged) << seed;
    EXPECT_LE(lcp_residual(problem, a.impulse), 1e-9) << seed;
    EXPECT_LE(lcp_residual(problem, b.impulse), 1e-9) << seed;
    if (options.friction <= 0.7) {  // the LCP of steep pyramids may have several motions
      EXPECT_LE((a.velocity - b.velocity).lpNorm<Eigen::Infinity>(), 1e-8 * problem.largest_free_velocity()) << seed;
    }
  }
}

TEST_P(LcpSolvers, FormsAndUnitsDoNotMatter) {
  SolverLemke lemke;
  RandomProblemOptions options = GetParam().options;
  options.seed = 5;
  const ContactProblem problem = random_mechanics(options).problem();
  ContactSolution reference;
  ASSERT_EQ(lemke.solve(problem, reference).status, SolveStatus::converged);
  for (const DelassusForm form : {DelassusForm::dense, DelassusForm::sparse}) {
    ContactSolution solution;
    EXPECT_EQ(lemke.solve(problem.in_form(form), solution).status, SolveStatus::converged);
    EXPECT_LE((solution.velocity - reference.velocity).norm(), 1e-8);
  }
  // G of 1e-4 or 1e3 with impulses of 1e5: σ scales, λ̂ stays
  for (const auto& [g_scale, v_scale] : {std::pair{1e-4, 10.0}, std::pair{1e3, 1e-2}}) {
    std::vector<Constraint> constraints(problem.constraints().begin(), problem.constraints().end());
    for (Constraint& c : constraints) c.bound *= v_scale / g_scale;
    const ContactProblem scaled = ContactProblem::from_dense(
        constraints, g_scale * problem.to_dense(), v_scale * problem.free_velocity(), g_scale * problem.compliance());
    ContactSolution solution;
    EXPECT_EQ(lemke.solve(scaled, solution).status, SolveStatus::converged);
    EXPECT_LE((solution.velocity / v_scale - reference.velocity).norm(), 1e-8);
  }
}

TEST(SolverLemke, HeavyOnLightStackStandsStill) {
  SolverLemke lemke;
  for (const double ratio : {1.0, 1e2, 1e4}) {
    const ContactProblem problem = mass_ratio_stack(ratio).problem();
    ContactSolution solution;
    EXPECT_EQ(lemke.solve(problem, solution).status, SolveStatus::converged) << ratio;
    EXPECT_LE(solution.velocity.lpNorm<Eigen::Infinity>(), 1e-10) << ratio;
  }
}

TEST(SolverLemke, EnergyNeverGrows) {
  SolverLemke lemke;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const ContactProblem problem =
        random_mechanics({.seed = seed, .bodies = 4, .contacts = 9, .limits = 2, .bilateral = 2}).problem();
    ContactSolution solution;
    lemke.solve(problem, solution);
    EXPECT_LE(contact_energy(problem, solution.impulse).change, 1e-12);
  }
}

TEST(SolverLemke, RedundantBilateralRowsAreHarmless) {
  auto mechanics = random_mechanics({.seed = 2, .bodies = 3, .contacts = 4, .bilateral = 2});
  // the last (single) bilateral row twice
  const int m = static_cast<int>(mechanics.jacobian.rows());
  MatrixX jacobian(m + 1, mechanics.jacobian.cols());
  jacobian.topRows(m) = MatrixX(mechanics.jacobian);
  jacobian.row(m) = jacobian.row(m - 1);
  mechanics.constraints.push_back(Constraint::make_bilateral(1));
  const MatrixX g = testing::congruent(jacobian, testing::inverse(mechanics.inertia));
  const ContactProblem problem =
      ContactProblem::from_dense(mechanics.constraints, 0.5 * (g + g.transpose()), jacobian * mechanics.velocity_free);
  SolverLemke lemke;
  ContactSolution solution;
  EXPECT_EQ(lemke.solve(problem, solution).status, SolveStatus::converged);
  EXPECT_LE(lcp_residual(problem, solution.impulse), 1e-10);
}

TEST(SolverLemke, SlightlyAsymmetricMatrixIsSolvedAsItIs) {
  const ContactProblem problem = random_mechanics({.seed = 4, .bodies = 3, .contacts = 5}).problem();
  MatrixX g = problem.to_dense();
  for (int j = 0; j < g.cols(); ++j) {
    for (int i = 0; i < j; ++i) g(i, j) *= 1.0 + 1e-3 * std::sin(i + 3.0 * j);
  }
  const std::vector<Constraint> constraints(problem.constraints().begin(), problem.constraints().end());
  const ContactProblem bent = ContactProblem::from_dense(constraints, g, problem.free_velocity());
  SolverLemke lemke;
  ContactSolution solution;
  const SolveReport report = lemke.solve(bent, solution);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_FALSE(report.symmetrised);
  EXPECT_LE(lcp_residual(bent, solution.impulse), 1e-10);
}

TEST(SolverLemke, ContradictingRowsEndWithAStatusAndAFiniteImpulse) {
  // two contacts on the same line pushed into from both sides: λ grows without end
  const ContactProblem problem =
      ContactProblem::from_dense({Constraint::make_unilateral(), Constraint::make_unilateral()},
                                 (MatrixX(2, 2) << 1, -1, -1, 1).finished(), (VectorX(2) << -1, -1).finished());
  SolverLemke lemke;
  lemke.set_option("regularisation", 0.0);
  ContactSolution solution;
  EXPECT_EQ(lemke.solve(problem, solution).status, SolveStatus::ray);
  EXPECT_TRUE(solution.impulse.allFinite());
}

TEST(SolverLemke, IterationLimitIsAStatusAndTheGuessIsNeverMadeWorse) {
  const ContactProblem problem = random_mechanics({.seed = 1, .bodies = 4, .contacts = 8}).problem();
  SolverLemke lemke;
  ContactSolution exact;
  lemke.solve(problem, exact);
  ContactSolution near;
  near.impulse = 1.0001 * exact.impulse;
  const double before = lcp_residual(problem, near.impulse);
  lemke.settings().max_iterations = 2;
  EXPECT_EQ(lemke.solve(problem, near).status, SolveStatus::iteration_limit);
  EXPECT_LE(lcp_residual(problem, near.impulse), before);
  ContactSolution again = exact;
  EXPECT_EQ(lemke.solve(problem, again).iterations, 0);
}

}  // namespace
}  // namespace stiction
