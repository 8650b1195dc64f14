#include "stiction/solvers/admm/solver_staggered.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "../support/random_problems.h"
#include "stiction/contact/judge.h"
#include "stiction/problem_files/fclib.h"
#include "stiction/solvers/admm/solver_admm.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

using testing::random_problem;
using testing::RandomProblemOptions;

const Matrix3 decoupled = Vector3(2.0, 2.0, 4.0).asDiagonal();

Vector3 solve_one(ContactModel model, const Matrix3& g, const Vector3& velocity, double mu,
                  const VectorX& compliance = {}) {
  SolverStaggered solver(model);
  solver.settings().tolerance = 1e-11;
  ContactSolution solution;
  const auto problem = ContactProblem::from_dense({Constraint::make_frictional(mu)}, g, velocity, compliance);
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged);
  return solution.impulse;
}

TEST(SolverStaggered, OneContactInThreeRegimes) {
  for (ContactModel model : {ContactModel::ncp, ContactModel::lcp}) {
    EXPECT_EQ(solve_one(model, decoupled, {0.3, 0.0, 0.5}, 0.5).norm(), 0.0);
    EXPECT_LE((solve_one(model, decoupled, {0.2, -0.1, -4.0}, 0.5) - Vector3(-0.1, 0.05, 1.0)).norm(), 1e-9);
  }
  // Sliding against g_T = 5 (0.6, 0.8): along it on the disc, into the corner of the pyramid.
  EXPECT_LE((solve_one(ContactModel::ncp, decoupled, {3.0, 4.0, -4.0}, 0.5) - Vector3(-0.3, -0.4, 1.0)).norm(), 1e-9);
  EXPECT_LE((solve_one(ContactModel::lcp, decoupled, {3.0, 4.0, -4.0}, 0.5) - Vector3(-0.5, -0.5, 1.0)).norm(), 1e-9);
}

TEST(SolverStaggered, CoupledSlideAndCompliance) {
  Matrix3 coupled = decoupled;
  coupled(0, 2) = coupled(2, 0) = 0.5;
  // (4 + R) λ_N + 0.5 λ_1 = 4 with λ_1 = −0.5 λ_N.
  for (double r : {0.0, 1e-6, 0.5, 3.0}) {
    const Vector3 impulse = solve_one(ContactModel::ncp, coupled, {3.0, 0.0, -4.0}, 0.5, Vector3(0.0, 0.0, r));
    EXPECT_LE((impulse - Vector3(-0.5, 0.0, 1.0) * (4.0 / (3.75 + r))).norm(), 1e-9) << r;
  }
}

TEST(SolverStaggered, MixedKindsAgreeWithAdmm) {
  int converged = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const ContactProblem problem = random_problem({.seed = seed,
                                                   .bodies = 4,
                                                   .contacts = 6,
                                                   .limits = 2,
                                                   .bilateral = 2,
                                                   .dry_friction = 2,
                                                   .friction = 0.4,
                                                   .compliance = seed % 2 ? 0.01 : 0.0});
    SolverStaggered solver;
    ContactSolution solution;
    const SolveReport report = solver.solve(problem, solution);
    const double judged = judge(problem, solution.impulse).eps_nat;
    // Whatever the outcome, the status is honest.
    EXPECT_EQ(report.status == SolveStatus::converged, judged <= 1.0001e-8) << seed << " " << judged;
    EXPECT_NEAR(judged, report.residual, 1e-3 * judged + 1e-12);
    if (report.status != SolveStatus::converged) continue;
    ++converged;
    SolverAdmm admm;
    ContactSolution reference;
    ASSERT_EQ(admm.solve(problem, reference).status, SolveStatus::converged);
    EXPECT_LE((solution.velocity - reference.velocity).norm(), 1e-5) << seed;
  }
  EXPECT_GE(converged, 11);
}

TEST(SolverStaggered, PyramidModelByTheJudge) {
  int converged = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const ContactProblem problem = random_problem({.seed = seed, .bodies = 4, .contacts = 8, .friction = 0.4});
    SolverStaggered solver(ContactModel::lcp);
    ContactSolution solution;
    const SolveReport report = solver.solve(problem, solution);
    const double judged = judge(problem, solution.impulse, {.model = ContactModel::lcp}).eps_nat;
    EXPECT_EQ(report.status == SolveStatus::converged, judged <= 1.0001e-8) << seed;
    converged += report.status == SolveStatus::converged;
  }
  EXPECT_GE(converged, 11);
}

TEST(SolverStaggered, ProblemsWithOneHalfOnly) {
  for (const RandomProblemOptions& options : {RandomProblemOptions{.seed = 1, .contacts = 0, .limits = 5},
                                              RandomProblemOptions{.seed = 2, .contacts = 0, .dry_friction = 5},
                                              RandomProblemOptions{.seed = 3, .contacts = 0, .bilateral = 3},
                                              RandomProblemOptions{.seed = 4, .contacts = 4, .friction = 0.0}}) {
    const ContactProblem problem = random_problem(options);
    SolverStaggered solver;
    ContactSolution solution;
    EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::converged) << options.seed;
    EXPECT_LE(judge(problem, solution.impulse).eps_nat, 1.0001e-8) << options.seed;
  }
}

TEST(SolverStaggered, EveryFormGivesTheSameVelocity) {
  const ContactProblem factored =
      random_problem({.seed = 9, .bodies = 8, .contacts = 20, .limits = 3, .friction = 0.3});
  ContactSolution reference;
  SolverStaggered solver;
  ASSERT_EQ(solver.solve(factored, reference).status, SolveStatus::converged);
  for (DelassusForm form : {DelassusForm::dense, DelassusForm::sparse}) {
    ContactSolution solution;
    SolverStaggered other;
    EXPECT_EQ(other.solve(factored.in_form(form), solution).status, SolveStatus::converged);
    EXPECT_LE((solution.velocity - reference.velocity).norm(), 1e-5);
  }
}

TEST(SolverStaggered, WarmStartHistoryAndFactorisations) {
  const ContactProblem problem = random_problem({.seed = 5, .bodies = 6, .contacts = 14, .friction = 0.4});
  SolverStaggered solver;
  solver.settings().record_history = true;
  ContactSolution solution;
  const SolveReport report = solver.solve(problem, solution);
  ASSERT_EQ(report.status, SolveStatus::converged);
  ASSERT_EQ(static_cast<int>(solver.history().size()), report.iterations);
  EXPECT_EQ(solver.history().back().residual, report.residual);
  EXPECT_GE(report.factorisations, 2);
  EXPECT_GE(solver.inner_iterations(), 2 * report.iterations);
  EXPECT_EQ(solver.solve(problem, solution).iterations, 0);
}

TEST(SolverStaggered, RefusesSettingsOutOfRange) {
  for (const auto& [name, value] :
       {std::pair<const char*, double>{"outer_anderson", 31}, {"inner_iterations", 0}, {"eta", -1.0}}) {
    EXPECT_THROW(SolverStaggered().set_option(name, value), std::invalid_argument) << name;
  }
  EXPECT_THROW(SolverStaggered{ContactModel::ccp}, std::invalid_argument);
}

TEST(SolverStaggered, Fclib) {
  const char* names[] = {"Box_Stacks-i0122-82-5", "Capsules-i125-1213", "Confeti-ex03-Fc3D-SBM",
                         "NESpheres_10_1",        "Rover1041",          "Rover4516",
                         "Spheres-i099-356-679"};
  for (const char* name : names) {
    const FclibProblem file = read_fclib(testing::scene_file("fclib/") + name + ".hdf5");
    SolverStaggered solver;
    solver.settings().tolerance = 1e-6;
    solver.settings().use_relative = true;
    ContactSolution solution;
    EXPECT_EQ(solver.solve(file.problem, solution).status, SolveStatus::converged) << name;
    EXPECT_LE(judge(file.problem, solution.impulse).eps_rel, 1.0001e-6) << name;
  }
}

}  // namespace
}  // namespace stiction
