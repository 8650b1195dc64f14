#include "stiction/solvers/sweeps/solver_pgs.h"

#include <gtest/gtest.h>

#include "../support/random_problems.h"
#include "stiction/contact/judge.h"

namespace stiction {
namespace {

using testing::mass_ratio_stack;
using testing::random_mechanics;
using testing::random_problem;
using testing::RandomProblemOptions;

ContactProblem one_contact(const Vector3& g, double mu) {
  return ContactProblem::from_dense({Constraint::make_frictional(mu)},
                                    Vector3(2.0, 2.0, 4.0).asDiagonal().toDenseMatrix(), g);
}

// A block sliding along the diagonal: the NCP opposes the motion, the pyramid pulls to its corner, the cone lifts off.
TEST(SolverPgs, OneSlidingContactInEachModel) {
  const ContactProblem problem = one_contact({3.0, 3.0, -4.0}, 0.5);
  ContactSolution ncp, lcp, ccp;
  EXPECT_EQ(SolverPgs(ContactModel::ncp).solve(problem, ncp).status, SolveStatus::converged);
  EXPECT_EQ(SolverPgs(ContactModel::lcp).solve(problem, lcp).status, SolveStatus::converged);
  EXPECT_EQ(SolverPgs(ContactModel::ccp).solve(problem, ccp).status, SolveStatus::converged);
  const double h = std::sqrt(0.5);
  EXPECT_LE((ncp.impulse - Vector3(-0.5 * h, -0.5 * h, 1.0)).norm(), 1e-8);
  EXPECT_LE((lcp.impulse - Vector3(-0.5, -0.5, 1.0)).norm(), 1e-8);
  EXPECT_NEAR(ccp.velocity[2], 0.5 * ccp.velocity.head<2>().norm(), 1e-7);  // lift-off σ_N = μ ‖σ_T‖
}

TEST(SolverPgs, MixedKindsAndComplianceInAllForms) {
  RandomProblemOptions options{.seed = 5, .bodies = 6, .contacts = 6, .limits = 2, .bilateral = 2, .dry_friction = 2};
  options.compliance = 0.05;
  const ContactProblem factored = random_problem(options);
  for (ContactModel model : {ContactModel::ncp, ContactModel::ccp, ContactModel::lcp}) {
    for (DelassusForm form : {DelassusForm::dense, DelassusForm::sparse, DelassusForm::factored}) {
      const ContactProblem problem = factored.in_form(form);
      SolverPgs solver(model);
      solver.settings().max_iterations = 20000;
      ContactSolution solution;
      EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged) << to_string(model);
      EXPECT_LE(judge(problem, solution.impulse, {.model = model}).eps_nat, 1.1e-8) << to_string(model);
    }
  }
}

TEST(SolverPgs, ConeObjectiveNeverRises) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const ContactProblem problem = random_problem({.seed = seed, .bodies = 4, .contacts = 12, .limits = 2});
    ContactSolution solution;
    SolverPgs solver(ContactModel::ccp);
    solver.settings().max_iterations = 1;
    solver.settings().tolerance = 1e-12;
    double last = 0.0;
    VectorX product(problem.num_rows());
    for (int sweep = 0; sweep < 200; ++sweep) {
      const VectorX before = solution.impulse;
      solver.solve(problem, solution);
      if (before.size() && solution.impulse == before) break;  // the residual rose, so the better guess came back
      problem.apply(solution.impulse, product);
      const double objective = solution.impulse.dot(0.5 * product + problem.free_velocity());
      EXPECT_LE(objective, last + 1e-14 * std::abs(last)) << "sweep " << sweep;
      last = objective;
    }
    EXPECT_LT(last, 0.0);
  }
}

// A heavy cube on light ones: what Gauss–Seidel cannot do is reported, not hidden.
TEST(SolverPgs, MassRatioOfAMillionIsNotReached) {
  const ContactProblem stack = mass_ratio_stack(1e6).problem();
  ContactSolution solution;
  SolverPgs solver(ContactModel::ncp);
  solver.settings().tolerance = 1e-6;
  const SolveReport report = solver.solve(stack, solution);
  EXPECT_EQ(report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(report.iterations, 1000);
  EXPECT_GT(judge(stack, solution.impulse).eps_nat, 1e-6);
  EXPECT_NEAR(judge(stack, solution.impulse).eps_nat, report.residual, 1e-6 * report.residual);

  ContactSolution light;
  EXPECT_EQ(solver.solve(mass_ratio_stack(1.0).problem(), light).status, SolveStatus::converged);
}

TEST(SolverPgs, WarmStartsAndNeverReturnsWorseThanTheGuess) {
  const ContactProblem problem = random_problem({.seed = 2, .contacts = 10});
  SolverPgs solver(ContactModel::ncp);
  solver.settings().max_iterations = 50000;
  ContactSolution solution;
  ASSERT_EQ(solver.solve(problem, solution).status, SolveStatus::converged);
  EXPECT_EQ(solver.solve(problem, solution).iterations, 0);
  solver.settings().tolerance = 1e-300;
  solver.settings().max_iterations = 3;
  const double before = judge(problem, solution.impulse).eps_nat;
  solver.solve(problem, solution);
  EXPECT_LE(judge(problem, solution.impulse).eps_nat, before * (1 + 1e-6));
}

TEST(SolverPgs, RefusesSettingsOutOfRange) {
  EXPECT_THROW(SolverPgs{ContactModel::raisim}, std::invalid_argument);
  SolverPgs solver(ContactModel::ncp);
  EXPECT_THROW(solver.set_option("over_relaxation", 2.0), std::invalid_argument);
  solver.settings().over_relaxation = 2.0;
  ContactSolution solution;
  EXPECT_THROW(solver.solve(one_contact({1, 0, -1}, 0.5), solution), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
