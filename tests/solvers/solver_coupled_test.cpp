// Torsional and rolling friction by any method: rounds over problems whose bounds are held.
#include <gtest/gtest.h>

#include <cmath>

#include "../support/allocation_guard.h"
#include "../support/random_problems.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/coupled_bounds.h"
#include "stiction/solvers/solver.h"

namespace stiction {
namespace {

using testing::random_problem;

// Torques of any size, up to those of levers as long as the bodies themselves: there some have no fixed point that is
// found, and say so.
TEST(SolverCoupled, SolvesRandomProblemsToTheCoupledLaw) {
  for (const double torque : {1e-3, 0.05, 0.3}) {
    int rounds = 0, unsolved = 0;
    constexpr int count = 60;
    for (unsigned seed = 0; seed < count; ++seed) {
      const ContactProblem problem = random_problem({.seed = seed,
                                                     .bodies = 6,
                                                     .contacts = 8,
                                                     .limits = 1,
                                                     .dry_friction = 1,
                                                     .torsional = 8,
                                                     .rolling = 8,
                                                     .torque = torque,
                                                     .friction = 0.4});
      const auto solver = make_solver("auto");
      ContactSolution solution;
      const SolveReport report = solver->solve(problem, solution);
      rounds += report.rounds;
      unsolved += report.status != SolveStatus::converged;
      const double judged = judge(problem, solution.impulse).eps_nat;
      if (report.status == SolveStatus::converged) {
        EXPECT_LE(judged, 1e-7) << torque << ", " << seed;
      } else {
        EXPECT_GT(judged, 1e-7) << torque << ", " << seed << ": " << to_string(report.status);
      }
    }
    EXPECT_LE(unsolved, torque < 0.1 ? 0 : 4) << torque;
    EXPECT_LE(rounds, (torque < 0.01 ? 6 : torque < 0.1 ? 9 : 16) * count) << torque;
  }
}

TEST(SolverCoupled, AWarmStartNeedsOneRound) {
  const ContactProblem problem =
      random_problem({.seed = 3, .bodies = 6, .contacts = 6, .torsional = 6, .rolling = 6, .friction = 0.4});
  const auto solver = make_solver("auto");
  ContactSolution solution;
  EXPECT_GT(solver->solve(problem, solution).rounds, 1);
  EXPECT_EQ(solver->solve(problem, solution).rounds, 1);
}

// A body on one point that pushes by λ_N whatever turns about it: torsion takes r λ_N of its spin.
TEST(SolverCoupled, ClosedFormOfOnePoint) {
  const double r = 0.02, load = 3.0, spin = 5.0;
  for (const double g_spin : {1.0, 1e3}) {
    MatrixX g = MatrixX::Identity(7, 7);
    g(3, 3) = g(4, 4) = g(5, 5) = g_spin;
    g(6, 6) = 0.0;
    VectorX free(7);
    free << 0.0, 0.0, -load, spin, 3.0, 4.0, 0.0;
    const ContactProblem problem = ContactProblem::from_dense(
        {Constraint::make_frictional(0.5), Constraint::make_torsional(r, 0), Constraint::make_rolling(r, 0)}, g, free);
    const auto solver = make_solver("auto");
    ContactSolution solution;
    ASSERT_EQ(solver->solve(problem, solution).status, SolveStatus::converged);
    const double most = r * load, torsion = std::min(most, spin / g_spin), rolling = std::min(most, 5.0 / g_spin);
    EXPECT_NEAR(solution.impulse[3], -torsion, 1e-9);
    EXPECT_NEAR(solution.impulse[4], -0.6 * rolling, 1e-9);
    EXPECT_NEAR(solution.impulse[5], -0.8 * rolling, 1e-9);
    EXPECT_EQ(solution.impulse[6], 0.0);
    EXPECT_EQ(solution.velocity[6], 0.0);
  }
}

TEST(SolverCoupled, SolvingAgainAllocatesNothing) {
  const ContactProblem problem =
      random_problem({.seed = 4, .bodies = 6, .contacts = 6, .torsional = 6, .rolling = 6, .friction = 0.4});
  for (const DelassusForm form : {DelassusForm::factored, DelassusForm::dense}) {
    const ContactProblem same = form == DelassusForm::factored ? problem : problem.in_form(form);
    const auto solver = make_solver("auto");
    ContactSolution solution;
    solver->solve(same, solution);
    solution.impulse.setZero();
    solver->solve(same, solution);
    solution.impulse.setZero();
    const testing::AllocationGuard guard;
    solver->solve(same, solution);
    EXPECT_EQ(guard.count(), 0);
  }
}

TEST(SolverCoupled, AnIterationLimitHoldsForAllRoundsTogether) {
  const ContactProblem problem =
      random_problem({.seed = 5, .bodies = 6, .contacts = 8, .torsional = 8, .rolling = 8, .torque = 0.3});
  const auto solver = make_solver("ncp-gs");
  solver->settings().max_iterations = 5;
  ContactSolution solution;
  const SolveReport report = solver->solve(problem, solution);
  EXPECT_LE(report.iterations, 5);
  EXPECT_EQ(report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(solver->settings().max_iterations, 5);
}

// A linear map that contracts hardly, or not at all: a few rounds all the same.
TEST(CoupledBoundsTest, FindsTheFixedPointOfALinearMap) {
  for (const double slope : {0.5, 0.99, -1.5}) {
    CoupledBounds search;
    search.start(2);
    VectorX bounds = VectorX::Zero(2);
    const auto map = [&](const VectorX& b) { return VectorX(Vector2(1.0 + slope * b[1], 2.0 + 0.3 * slope * b[0])); };
    int rounds = 0;
    while ((map(bounds) - bounds).norm() > 1e-10 && rounds < 20) {
      search.improve(map(bounds), bounds);
      ++rounds;
    }
    EXPECT_LE(rounds, 6) << slope;
  }
}

}  // namespace
}  // namespace stiction
