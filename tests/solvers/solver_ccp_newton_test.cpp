#include "stiction/solvers/newton/solver_ccp_newton.h"

#include <gtest/gtest.h>

#include "../support/random_problems.h"
#include "stiction/contact/judge.h"

namespace stiction {
namespace {

using testing::random_problem;
using testing::RandomProblemOptions;

// One contact pressed straight: λ_N = −g_N/(G_NN + R_N), the compliance in closed form.
TEST(SolverCcpNewton, NormalImpulseIsLinearInCompliance) {
  const Matrix3 w = Vector3(2.0, 2.0, 4.0).asDiagonal();
  for (double r : {1e-6, 0.1, 1.0, 4.0}) {
    const auto problem =
        ContactProblem::from_dense({Constraint::make_frictional(0.5)}, w, Vector3(0, 0, -4), Vector3::Constant(r));
    SolverCcpNewton solver;
    solver.settings().tolerance = 1e-12;
    ContactSolution solution;
    const SolveReport report = solver.solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_FALSE(report.regularised);
    EXPECT_NEAR(solution.impulse[2], 4.0 / (4.0 + r), 1e-9);
  }
}

TEST(SolverCcpNewton, AgreesWithOtherConvexSolversOfTheSameCompliance) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    RandomProblemOptions options{
        .seed = seed, .bodies = 5, .contacts = 10, .limits = 3, .bilateral = 2, .dry_friction = 2};
    options.friction = -1.0;
    options.compliance = seed % 2 ? 1e-3 : 0.05;
    const ContactProblem factored = random_problem(options);
    ContactSolution reference;
    const auto admm = make_solver("ccp-admm");
    admm->settings().tolerance = 1e-11;
    admm->settings().max_iterations = 20000;
    ASSERT_EQ(admm->solve(factored, reference).status, SolveStatus::converged) << "seed " << seed;
    for (DelassusForm form : {DelassusForm::factored, DelassusForm::dense, DelassusForm::sparse}) {
      const ContactProblem problem = factored.in_form(form);
      SolverCcpNewton solver;
      solver.settings().tolerance = 1e-11;
      ContactSolution solution;
      const SolveReport report = solver.solve(problem, solution);
      EXPECT_EQ(report.status, SolveStatus::converged) << "seed " << seed << " form " << static_cast<int>(form);
      EXPECT_LE(report.iterations, 40);
      EXPECT_FALSE(report.regularised);
      EXPECT_LE(judge(problem, solution.impulse, {.model = ContactModel::ccp}).eps_nat, 1.01e-11);
      // R > 0: the impulse itself is unique.
      EXPECT_LE((solution.impulse - reference.impulse).norm(), 1e-6 * reference.impulse.norm()) << "seed " << seed;
    }
  }
}

// Unequal compliance of the two tangents makes the metric cone anisotropic.
TEST(SolverCcpNewton, UnequalTangentCompliance) {
  Matrix3 w;
  w << 2.0, 0.3, 0.8, 0.3, 1.5, -0.5, 0.8, -0.5, 3.0;
  const auto problem = ContactProblem::from_dense({Constraint::make_frictional(0.4)}, w, Vector3(2.0, -1.0, -1.0),
                                                  Vector3(0.5, 0.02, 0.1));
  SolverCcpNewton solver;
  solver.settings().tolerance = 1e-12;
  ContactSolution solution;
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged);
  EXPECT_LE(judge(problem, solution.impulse, {.model = ContactModel::ccp}).eps_nat, 1.01e-12);
}

// A rigid problem: the answer belongs to the problem with the completed R, and the report says so.
TEST(SolverCcpNewton, SaysThatItRegularisesRigidProblems) {
  const testing::Mechanics mechanics = testing::random_mechanics({.seed = 4, .bodies = 3, .contacts = 8});
  const ContactProblem rigid = mechanics.problem();
  double last = 1.0;
  for (double alpha : {1e-1, 1e-2, 1e-3, 1e-4}) {
    SolverCcpNewton solver;
    solver.settings().regularisation = alpha;
    ContactSolution solution;
    const SolveReport report = solver.solve(rigid, solution);
    EXPECT_EQ(report.status, SolveStatus::regularised);
    EXPECT_TRUE(report.regularised);
    testing::Mechanics soft = mechanics;
    soft.compliance = solver.compliance();
    EXPECT_LE(judge(soft.problem(), solution.impulse, {.model = ContactModel::ccp}).eps_nat, 1.01e-8);
    // The rigid law is violated in proportion to α, and the judge sees it.
    const double violation = judge(rigid, solution.impulse, {.model = ContactModel::ccp}).eps_nat;
    EXPECT_GT(violation, 1e-3 * alpha);
    EXPECT_LT(violation, last);
    last = violation;
  }
}

}  // namespace
}  // namespace stiction
