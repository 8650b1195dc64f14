#include "stiction/solvers/auto/auto_dense.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "stiction/contact/judge.h"
#include "stiction/problem_files/sequence.h"
#include "stiction/solvers/stopping_test.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/random_problems.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

const std::string robot_problems = testing::scene_file("robot-problems/");

testing::RandomProblemOptions mixed(unsigned seed) {
  testing::RandomProblemOptions options;
  options.seed = seed;
  options.contacts = 6;
  options.limits = 2;
  options.bilateral = 2;
  options.dry_friction = 2;
  options.friction = -1.0;
  return options;
}

TEST(AutoResidual, EqualsTheStoppingTest) {
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = testing::random_problem(mixed(seed)).in_form(DelassusForm::dense);
    VectorX lambda(problem.num_rows()), sigma(problem.num_rows());
    for (int trial = 0; trial < 50; ++trial) {
      const double size = std::pow(10.0, trial % 7 - 3);
      for (double& x : lambda) x = size * normal(generator);
      for (double& x : sigma) x = normal(generator);
      if (trial % 3 == 0) lambda = lambda.cwiseMax(0.0);
      if (trial % 5 == 0) sigma = sigma.cwiseMax(0.0);
      const StoppingResidual expected = stopping_residual(problem, ContactModel::ncp, lambda, sigma);
      for (const bool relative : {false, true}) {
        const AutoResidualScale scale(problem, relative);
        const double value = expected.measure(relative);
        const auto residual = [&](double limit) {
          return auto_residual(scale, problem.constraints(), lambda.data(), sigma.data(), limit);
        };
        EXPECT_NEAR(residual(1e300), value, 1e-12 * value);
        EXPECT_GT(residual(0.5 * value), 0.5 * value);
      }
    }
    lambda[4] = std::nan("");
    const AutoResidualScale scale(problem, false);
    EXPECT_EQ(auto_residual(scale, problem.constraints(), lambda.data(), sigma.data(), 1e300),
              std::numeric_limits<double>::infinity());
  }
}

struct Tally {
  int steps = 0, solved = 0;
  double worst = 0.0;
  StageCounts stages;
};

Tally run_sequence(const std::string& name, double tolerance, bool warm) {
  const Sequence sequence = read_sequence(robot_problems + name + ".hdf5");
  AutoDense dense;
  SolveGoal goal;
  goal.tolerance = tolerance;
  Tally tally;
  VectorX impulse, guess;
  ContactProblem before;
  for (std::size_t k = 0; k < sequence.steps.size(); ++k) {
    const ContactProblem problem = sequence.steps[k].problem.in_form(DelassusForm::dense);
    guess.setZero(problem.num_rows());
    if (warm && k > 0) {
      carry_over(sequence.steps[k - 1].id, before, impulse, sequence.steps[k].id, problem, guess);
    }
    impulse = guess;
    const SolveOutcome outcome = dense.solve(problem, goal, impulse);
    const double eps = judge(problem, impulse).eps_nat;
    ++tally.steps;
    tally.solved += outcome.converged && eps <= tolerance;
    tally.worst = std::max(tally.worst, eps);
    tally.stages.add(outcome.stage);
    before = problem;
  }
  return tally;
}

class AutoDenseSequence : public ::testing::TestWithParam<const char*> {};

TEST_P(AutoDenseSequence, EveryStepReachesTheToleranceColdAndWarm) {
  for (const bool warm : {false, true}) {
    const Tally tally = run_sequence(GetParam(), 1e-9, warm);
    EXPECT_EQ(tally.solved, tally.steps) << (warm ? "warm" : "cold") << ", worst " << tally.worst;
  }
}
INSTANTIATE_TEST_SUITE_P(Robots, AutoDenseSequence,
                         ::testing::Values("quadruped-stand", "quadruped-fall", "humanoid-fall", "talos-fall",
                                           "hand-cube"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// As DenseView wants it.
VectorX padded_free_velocity(const ContactProblem& problem) {
  VectorX padded = VectorX::Zero(problem.dense().stride + 8);
  padded.head(problem.num_rows()) = problem.free_velocity();
  return padded;
}

DenseView view_of(const ContactProblem& problem, const VectorX& padded_free_velocity) {
  DenseView view;
  view.rows = problem.dense().size;
  view.stride = problem.dense().stride;
  view.delassus = problem.dense().data.data();
  view.free_velocity = padded_free_velocity.data();
  view.constraints = problem.constraints();
  return view;
}

// What a step that failed left behind does not reach the next problem.
TEST(AutoActiveSet, ForgetsAProblemThatWentWrong) {
  testing::RandomProblemOptions options;
  options.bilateral = 2;
  options.friction = 1e3;
  AutoActiveSet fresh, used;
  VectorX of_fresh, of_used;
  for (const int contacts : {8, 6}) {
    options.contacts = contacts;
    const ContactProblem problem = testing::random_problem(options).in_form(DelassusForm::dense);
    const VectorX g = padded_free_velocity(problem), sigma = VectorX::Zero(g.size());
    const DenseView view = view_of(problem, g);
    if (contacts == 8) {
      VectorX broken = VectorX::Constant(g.size(), std::numeric_limits<double>::infinity());
      used.step(view, 1e-5, broken.data(), sigma.data(), 0.0);
      continue;
    }
    of_fresh = of_used = VectorX::Ones(view.stride);
    ASSERT_TRUE(fresh.step(view, 1e-5, of_fresh.data(), sigma.data(), 0.0));
    ASSERT_TRUE(used.step(view, 1e-5, of_used.data(), sigma.data(), 0.0));
    fresh.release(view, of_fresh.data());
    used.release(view, of_used.data());
    EXPECT_TRUE(of_fresh.head(view.rows).allFinite());
    EXPECT_EQ(of_fresh.head(view.rows), of_used.head(view.rows));
  }
}

// All contacts stick at a tiny σ: after a step σ is what the proximal term left, and nothing once that is released.
TEST(AutoActiveSet, ReleasesWhatTheProximalTermHeldBack) {
  testing::RandomProblemOptions options;
  options.contacts = 6;
  options.bilateral = 2;
  options.friction = 1e3;
  const ContactProblem problem = testing::random_problem(options).in_form(DelassusForm::dense);
  const VectorX free_velocity = padded_free_velocity(problem);
  const DenseView view = view_of(problem, free_velocity);
  VectorX lambda = VectorX::Ones(view.stride), sigma = VectorX::Zero(view.stride);
  AutoActiveSet active_set;
  ASSERT_TRUE(active_set.step(view, 1e-5, lambda.data(), sigma.data(), 0.0));
  dense_velocity(view, lambda.data(), sigma.data());
  const double held = sigma.lpNorm<Eigen::Infinity>();
  EXPECT_GT(held, 1e-9);
  EXPECT_NEAR(active_set.held_back(), held, 1e-6 * held);
  active_set.release(view, lambda.data());
  dense_velocity(view, lambda.data(), sigma.data());
  EXPECT_LT(sigma.lpNorm<Eigen::Infinity>(), 0.1 * held);
}

// Two contacts at the same place share a load, the first at the edge of its cone or near it: a step from that guess
// draws it inside, if the edge is as wide as that.
TEST(AutoActiveSet, DrawsAGuessFromTheEdgeWhereContactsShareTheLoad) {
  MatrixX g = MatrixX::Zero(6, 6);
  for (int k = 0; k < 3; ++k) g(k, k) = g(k + 3, k) = g(k, k + 3) = g(k + 3, k + 3) = 1.0;
  VectorX free_velocity(6);
  free_velocity << -0.3, 0.0, -1.0, -0.3, 0.0, -1.0;
  const ContactProblem problem = ContactProblem::from_dense(
      {Constraint::make_frictional(0.5), Constraint::make_frictional(0.5)}, g, free_velocity);
  const VectorX padded = padded_free_velocity(problem);
  const DenseView view = view_of(problem, padded);
  for (const double tangent : {0.25, 0.23}) {
    for (const double edge : {0.0, 1e-6, 0.3}) {
      VectorX lambda(8), sigma = VectorX::Zero(8);
      lambda << tangent, 0.0, 0.5, 0.3 - tangent, 0.0, 0.5, 0.0, 0.0;
      AutoActiveSet active_set;
      ASSERT_TRUE(active_set.step(view, 1e-5, lambda.data(), sigma.data(), edge));
      dense_velocity(view, lambda.data(), sigma.data());
      EXPECT_LT(sigma.lpNorm<Eigen::Infinity>(), 1e-6);
      const bool drawn = edge > (tangent == 0.25 ? 0.0 : 0.1);
      // The other contact takes over half of what is missing.
      EXPECT_NEAR(lambda[0], drawn ? (1.0 - 0.5 * 0.03) * tangent : tangent, 1e-4) << tangent << " " << edge;
    }
  }
}

TEST(AutoDense, EachStageIsReached) {
  const Tally tally = run_sequence("quadruped-fall", 1e-9, true);
  EXPECT_GT(tally.stages.of(AutoStage::warm_start), 0);
  EXPECT_GT(tally.stages.of(AutoStage::sweep), 0);
  EXPECT_GT(tally.stages.of(AutoStage::active_set), 0);
}

TEST(AutoDense, MixedKindsAndCompliance) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    testing::RandomProblemOptions options = mixed(seed);
    options.compliance = seed % 2 ? 0.05 : 0.0;
    const ContactProblem problem = testing::random_problem(options).in_form(DelassusForm::dense);
    AutoDense dense;
    SolveGoal goal;
    goal.tolerance = 1e-9;
    VectorX impulse = VectorX::Zero(problem.num_rows());
    const SolveOutcome outcome = dense.solve(problem, goal, impulse);
    EXPECT_TRUE(outcome.converged) << "seed " << seed << " residual " << outcome.residual;
    EXPECT_LE(judge(problem, impulse).eps_nat, 1e-9) << "seed " << seed;
    VectorX velocity(problem.num_rows());
    problem.velocity(impulse, velocity);
    const ConstVectorMap own(dense.velocity(), problem.num_rows());
    EXPECT_LT((own - velocity).cwiseAbs().maxCoeff(), 1e-12 * problem.largest_free_velocity());
  }
}

TEST(AutoDense, UsesANonSymmetricMatrixAsItIs) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const ContactProblem symmetric = testing::random_problem(mixed(seed));
    MatrixX g = symmetric.to_dense();
    for (int i = 0; i < g.rows(); ++i) {
      for (int j = 0; j < i; ++j) g(i, j) *= 1.0 + 1e-3 * ((i * 7 + j) % 5 - 2);
    }
    const ContactProblem problem = ContactProblem::from_dense(
        {symmetric.constraints().begin(), symmetric.constraints().end()}, g, symmetric.free_velocity());
    ASSERT_FALSE(problem.is_symmetric());
    AutoDense dense;
    SolveGoal goal;
    goal.tolerance = 1e-10;
    VectorX impulse = VectorX::Zero(problem.num_rows());
    EXPECT_TRUE(dense.solve(problem, goal, impulse).converged) << "seed " << seed;
    EXPECT_LE(judge(problem, impulse).eps_nat, 1e-10) << "seed " << seed;
  }
}

// An interior point beside what Newton has reached is quicker than hundreds of sweeps.
TEST(AutoDense, GivesUpSoonWhereTheBestIsNear) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const ContactProblem problem = testing::random_problem(mixed(seed)).in_form(DelassusForm::dense);
    AutoDense dense;
    SolveGoal goal;
    goal.tolerance = 1e-300;
    VectorX impulse = VectorX::Zero(problem.num_rows());
    const SolveOutcome outcome = dense.solve(problem, goal, impulse);
    EXPECT_FALSE(outcome.converged) << "seed " << seed;
    EXPECT_LT(outcome.residual, dense.settings.near) << "seed " << seed;
    EXPECT_LE(outcome.iterations, 100) << "seed " << seed;
  }
}

TEST(AutoDense, SweepsWithoutFriction) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    testing::RandomProblemOptions options;
    options.seed = seed;
    options.contacts = 3;
    options.friction = 0.0;
    const ContactProblem problem = testing::random_problem(options).in_form(DelassusForm::dense);
    AutoDense dense;
    dense.settings.sweeps = 2000;
    dense.settings.light_coupling = 1e9;
    dense.settings.use_newton = false;
    SolveGoal goal;
    goal.tolerance = 1e-9;
    VectorX impulse = VectorX::Ones(problem.num_rows());
    ASSERT_TRUE(dense.solve(problem, goal, impulse).converged) << "seed " << seed;
    EXPECT_LE(judge(problem, impulse).eps_nat, 1e-9) << "seed " << seed;
    for (const Constraint& c : problem.constraints()) {
      EXPECT_EQ(impulse[c.first_row], 0.0);
      EXPECT_EQ(impulse[c.first_row + 1], 0.0);
    }
  }
}

TEST(AutoDense, ReturnsTheGuessWhereItFindsNothingBetter) {
  const ContactProblem problem = testing::random_problem(mixed(1)).in_form(DelassusForm::dense);
  AutoDense dense;
  SolveGoal goal;
  goal.tolerance = 1e-9;
  VectorX solution = VectorX::Zero(problem.num_rows());
  ASSERT_TRUE(dense.solve(problem, goal, solution).converged);
  goal.tolerance = 1e-30;  // out of reach: every stage is tried
  VectorX impulse = solution;
  const SolveOutcome outcome = dense.solve(problem, goal, impulse);
  EXPECT_FALSE(outcome.converged);
  EXPECT_LE(judge(problem, impulse).eps_nat, std::max(1e-15, judge(problem, solution).eps_nat));
}

// A guess can be so bad that all Newton steps stay in its corner: zero is tried as well.
TEST(AutoDense, SurvivesAbsurdGuesses) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int solved = 0, solved_cold = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    testing::RandomProblemOptions options = mixed(seed);
    options.friction = 1000.0;
    const ContactProblem problem = testing::random_problem(options).in_form(DelassusForm::dense);
    SolveGoal goal;
    goal.tolerance = 1e-9;
    AutoDense dense;
    VectorX impulse = VectorX::Zero(problem.num_rows());
    solved_cold += dense.solve(problem, goal, impulse).converged;
    for (double& x : impulse) x = 1e6 * normal(random);
    solved += dense.solve(problem, goal, impulse).converged;
  }
  EXPECT_GT(solved_cold, 100);
  EXPECT_GE(solved, solved_cold - 2);  // one at the edge may fall either way
}

TEST(AutoDense, SecondSolveAllocatesNothing) {
  testing::RandomProblemOptions options = mixed(5);
  options.compliance = 0.01;
  const ContactProblem problem = testing::random_problem(options).in_form(DelassusForm::dense);
  AutoDense dense;
  SolveGoal goal;
  goal.tolerance = 1e-10;
  VectorX impulse = VectorX::Zero(problem.num_rows());
  dense.solve(problem, goal, impulse);
  impulse.setZero();
  const testing::AllocationGuard guard;
  dense.solve(problem, goal, impulse);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace stiction
