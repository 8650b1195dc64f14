// Limits of one solve: they hold for it, and the settings are those of before.
#include <gtest/gtest.h>

#include <stdexcept>

#include "stiction/solvers/solver.h"
#include "tests/support/random_problems.h"

namespace stiction {
namespace {

class SolveLimitsTest : public ::testing::Test {
 protected:
  SolveLimitsTest() { solver_->settings().tolerance = 1e-9; }
  SolveReport solve(const SolveLimits& limits) {
    ContactSolution solution;
    return solver_->solve(problem_, solution, limits);
  }
  ContactProblem problem_ = testing::random_problem({.seed = 3, .bodies = 5, .contacts = 8});
  std::unique_ptr<ContactSolver> solver_ = make_solver("ncp-pgs");
};

TEST_F(SolveLimitsTest, IterationsOfOneSolve) {
  solver_->settings().max_iterations = 100000;
  EXPECT_EQ(solve({}).status, SolveStatus::converged);
  const SolveReport report = solve({.max_iterations = 3});
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(solver_->settings().max_iterations, 100000);
  EXPECT_EQ(solve({}).status, SolveStatus::converged);
}

TEST_F(SolveLimitsTest, InterruptOfOneSolve) {
  Interrupt interrupt;
  interrupt.request();
  EXPECT_EQ(solve({.interrupt = &interrupt}).status, SolveStatus::interrupted);
  EXPECT_EQ(solver_->settings().interrupt, nullptr);
  EXPECT_NE(solve({}).status, SolveStatus::interrupted);
}

TEST_F(SolveLimitsTest, ASolveThatThrowsLeavesTheSettings) {
  solver_->settings().max_iterations = 7;
  EXPECT_THROW(solve({.max_iterations = -1}), std::invalid_argument);
  EXPECT_EQ(solver_->settings().max_iterations, 7);
}

}  // namespace
}  // namespace stiction
