#include "stiction/solvers/auto/auto_many_bodies.h"

#include <gtest/gtest.h>

#include "stiction/contact/judge.h"
#include "stiction/problem_files/sequence.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/random_problems.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

const std::string robot_problems = testing::scene_file("robot-problems/");

SolveGoal goal_of(double tolerance) {
  SolveGoal goal;
  goal.tolerance = tolerance;
  return goal;
}

TEST(AutoManyBodies, SpheresReachTheToleranceColdAndWarm) {
  const Sequence sequence = read_sequence(robot_problems + "spheres-216.hdf5");
  AutoManyBodies solver;
  VectorX warm;
  for (std::size_t k = 0; k < sequence.steps.size(); k += 3) {
    const ContactProblem& problem = sequence.steps[k].problem;
    VectorX cold = VectorX::Zero(problem.num_rows());
    EXPECT_TRUE(solver.solve(problem, goal_of(1e-9), cold).converged) << "cold step " << k;
    EXPECT_LE(judge(problem, cold).eps_nat, 1e-9) << "cold step " << k;
    if (k + 1 == sequence.steps.size()) break;
    const ContactProblem& next = sequence.steps[k + 1].problem;
    warm.setZero(next.num_rows());
    carry_over(sequence.steps[k].id, problem, cold, sequence.steps[k + 1].id, next, warm);
    const SolveOutcome outcome = solver.solve(next, goal_of(1e-9), warm);
    EXPECT_TRUE(outcome.converged) << "warm step " << k + 1;
    EXPECT_EQ(outcome.stage, AutoStage::many_bodies);
    EXPECT_LE(judge(next, warm).eps_nat, 1e-9) << "warm step " << k + 1;
    VectorX velocity(next.num_rows());
    next.velocity(warm, velocity);
    EXPECT_LT((solver.velocity() - velocity).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(AutoManyBodies, RelaxationSavesSweeps) {
  const Sequence sequence = read_sequence(robot_problems + "spheres-216.hdf5");
  const ContactProblem& problem = sequence.steps[20].problem;
  AutoManyBodies plain, relaxed;
  plain.settings.relaxation = 1.0;
  plain.settings.max_sweeps = 2000;
  VectorX a = VectorX::Zero(problem.num_rows()), b = a;
  const SolveOutcome slow = plain.solve(problem, goal_of(1e-9), a), fast = relaxed.solve(problem, goal_of(1e-9), b);
  ASSERT_TRUE(slow.converged && fast.converged);
  EXPECT_LT(2 * fast.iterations, slow.iterations);
}

// Nothing of an earlier problem comes back where the residual of a guess is not a number.
TEST(AutoManyBodies, GuessBeyondAllBoundsComesBack) {
  testing::RandomProblemOptions options;
  options.contacts = 12;
  const ContactProblem large = testing::random_problem(options);
  options.contacts = 5;
  const ContactProblem small = testing::random_problem(options);
  AutoManyBodies solver;
  VectorX first = VectorX::Zero(large.num_rows());
  solver.solve(large, goal_of(1e-9), first);
  VectorX impulse(small.num_rows());
  for (int k = 0; k < small.num_rows(); ++k) impulse[k] = k % 2 == 0 ? 1e308 : -1e308;
  const VectorX guess = impulse;
  EXPECT_FALSE(solver.solve(small, goal_of(1e-9), impulse).converged);
  ASSERT_EQ(impulse.size(), small.num_rows());
  EXPECT_EQ(impulse, guess);
}

TEST(AutoManyBodies, RecognisesAStiffPileEarly) {
  const Sequence sequence = read_sequence(robot_problems + "kapla.hdf5");
  const ContactProblem& problem = sequence.steps[3].problem;
  AutoManyBodies solver;
  VectorX impulse = VectorX::Zero(problem.num_rows());
  const double guess = judge(problem, impulse).eps_nat;
  const SolveOutcome outcome = solver.solve(problem, goal_of(1e-9), impulse);
  EXPECT_FALSE(outcome.converged);
  EXPECT_LE(outcome.iterations, 64);
  EXPECT_LE(judge(problem, impulse).eps_nat, guess * (1.0 + 1e-9));
  EXPECT_NEAR(judge(problem, impulse).eps_nat, outcome.residual, 1e-9 * outcome.residual);
}

TEST(AutoManyBodies, MixedKindsAndCompliance) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    testing::RandomProblemOptions options;
    options.seed = seed;
    options.bodies = 12;
    options.contacts = 10;
    options.limits = 3;
    options.bilateral = 3;
    options.dry_friction = 3;
    options.compliance = 0.5;
    const ContactProblem problem = testing::random_problem(options);
    AutoManyBodies solver;
    solver.settings.max_sweeps = 5000;
    VectorX impulse = VectorX::Zero(problem.num_rows());
    const SolveOutcome outcome = solver.solve(problem, goal_of(1e-9), impulse);
    EXPECT_TRUE(outcome.converged) << "seed " << seed << ", residual " << outcome.residual;
    EXPECT_LE(judge(problem, impulse).eps_nat, 1e-9) << "seed " << seed;
  }
}

TEST(AutoManyBodies, SecondSolveAllocatesNothing) {
  testing::RandomProblemOptions options;
  options.limits = 2;
  options.compliance = 0.2;
  const ContactProblem problem = testing::random_problem(options);
  AutoManyBodies solver;
  VectorX impulse = VectorX::Zero(problem.num_rows());
  solver.solve(problem, goal_of(1e-9), impulse);
  impulse.setZero();
  const testing::AllocationGuard guard;
  solver.solve(problem, goal_of(1e-9), impulse);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace stiction
