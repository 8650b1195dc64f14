#include "stiction/solvers/auto/auto_proximal.h"

#include <gtest/gtest.h>

#include "stiction/contact/judge.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/random_problems.h"

namespace stiction {
namespace {

constexpr double tolerance = 1e-10;

struct Attempt {
  AutoProximal::Outcome outcome;
  double judged = 0.0;
};

// AutoProximal alone, from zero.
Attempt run_from_zero(const ContactProblem& problem, AutoProximal& proximal, AutoActiveSet& active_set,
                      int most_steps) {
  const DelassusDense& g = problem.dense();
  VectorX free_velocity = VectorX::Zero(g.stride + 8), lambda = VectorX::Zero(g.stride), sigma = lambda;
  free_velocity.head(g.size) = problem.free_velocity();
  const DenseView view{
      g.size, g.stride, g.data.data(), free_velocity.data(), problem.constraints(), 1e-13 * problem.largest_diagonal()};
  const AutoResidualScale scale(problem, false);
  dense_velocity(view, lambda.data(), sigma.data());
  const double first =
      auto_residual(scale, view.constraints, lambda.data(), sigma.data(), std::numeric_limits<double>::infinity());
  Attempt run;
  BestDense best;
  best.resize(g.stride);
  best.start(g.stride, lambda.data(), sigma.data(), first);
  run.outcome = proximal.run(view, scale, tolerance, most_steps, active_set, best);
  std::copy_n(best.lambda.data(), g.stride, lambda.data());
  std::copy_n(best.sigma.data(), g.stride, sigma.data());
  EXPECT_LE(run.outcome.residual, first) << "worse than where it began";
  EXPECT_LE(run.outcome.steps, most_steps);
  run.judged = judge(problem, lambda.head(g.size), {}).eps_nat;
  // σ is that of the impulse left behind.
  VectorX velocity(g.size);
  problem.velocity(lambda.head(g.size), velocity);
  EXPECT_LT((velocity - sigma.head(g.size)).norm(), 1e-9 * (1.0 + velocity.norm()));
  return run;
}

// Two bodies held by more rows than they have velocities, half of them dry friction: what carries what is open.
TEST(AutoProximal, SolvesWhereManyBoundedRowsShareALoad) {
  AutoProximal proximal;
  AutoActiveSet active_set;
  int solved = 0;
  constexpr int problems = 60;
  for (unsigned seed = 0; seed < problems; ++seed) {
    const ContactProblem problem =
        testing::random_problem({.seed = seed, .bodies = 2, .contacts = 5, .limits = 2, .dry_friction = 12})
            .in_form(DelassusForm::dense);
    const Attempt run = run_from_zero(problem, proximal, active_set, 80);
    EXPECT_EQ(run.outcome.converged, run.outcome.residual <= tolerance) << seed;
    EXPECT_TRUE(!run.outcome.converged || run.judged <= 1.01 * tolerance) << seed;
    solved += run.outcome.converged;
  }
  EXPECT_GE(solved, 57);
}

// Two rows that nearly say the same share a load: λ moves from one to the other along a direction in which G hardly
// moves anything, to where both are at rest, or to the bound of the weaker one.
TEST(AutoProximal, GoesToTheEndAtOnceWhereItCreeps) {
  constexpr double little = 1e-7;
  for (const double difference : {2.0, 20.0}) {  // of the impulses, without bounds
    MatrixX g(2, 2);
    g << 1.0, 1.0 - little, 1.0 - little, 1.0;
    VectorX free_velocity(2);
    free_velocity << -5.0 + difference * little, -5.0;
    const ContactProblem problem = ContactProblem::from_dense(
        {Constraint::make_dry_friction(4.0), Constraint::make_dry_friction(20.0)}, g, free_velocity);
    AutoActiveSet active_set;
    AutoProximal creeps, goes;
    creeps.settings.creeping = std::numeric_limits<double>::infinity();
    creeps.settings.least = goes.settings.least = 1e-4;
    EXPECT_FALSE(run_from_zero(problem, creeps, active_set, 60).outcome.converged) << difference;
    const Attempt run = run_from_zero(problem, goes, active_set, 60);
    EXPECT_TRUE(run.outcome.converged) << difference << ": " << run.outcome.residual;
    EXPECT_LE(run.judged, 1.01 * tolerance) << difference;
  }
}

TEST(AutoProximal, AllocatesNothingTheSecondTime) {
  AutoProximal proximal;
  AutoActiveSet active_set;
  const ContactProblem problem =
      testing::random_problem({.seed = 3, .bodies = 2, .contacts = 5, .dry_friction = 12}).in_form(DelassusForm::dense);
  const DelassusDense& g = problem.dense();
  VectorX free_velocity = VectorX::Zero(g.stride + 8), lambda = VectorX::Zero(g.stride), sigma = lambda;
  free_velocity.head(g.size) = problem.free_velocity();
  const DenseView view{g.size, g.stride, g.data.data(), free_velocity.data(), problem.constraints(), 0.0};
  const AutoResidualScale scale(problem, false);
  BestDense best;
  best.resize(g.stride);
  const auto run = [&] {
    lambda.setZero();
    dense_velocity(view, lambda.data(), sigma.data());
    best.start(g.stride, lambda.data(), sigma.data(), 1.0);
    return proximal.run(view, scale, tolerance, 80, active_set, best);
  };
  run();
  testing::AllocationGuard guard;
  run();
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace stiction
