#include "stiction/solvers/admm/admm_core.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../support/random_problems.h"
#include "stiction/math/dense.h"

namespace stiction {
namespace {

using testing::random_problem;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::vector<AdmmSet> sets_of(const ContactProblem& problem) {
  std::vector<AdmmSet> sets;
  for (const Constraint& c : problem.constraints()) sets.push_back(admm_set(c));
  return sets;
}

ContactProblem mixed_problem(double compliance = 0.0) {
  return random_problem({.seed = 3,
                         .bodies = 4,
                         .contacts = 6,
                         .limits = 2,
                         .bilateral = 2,
                         .dry_friction = 2,
                         .compliance = compliance});
}

// G + R with w_i = tr/3 per constraint (per row where bilateral) scaled to one, computed here from the dense matrix.
MatrixX equilibrated(const ContactProblem& problem) {
  MatrixX g = problem.to_dense();
  g.diagonal() += problem.compliance();
  VectorX s(problem.num_rows());
  for (const Constraint& c : problem.constraints()) {
    const double mean = g.diagonal().segment(c.first_row, c.rows).mean();
    for (int r = 0; r < c.rows; ++r) {
      const double own = g(c.first_row + r, c.first_row + r);
      s[c.first_row + r] = 1.0 / std::sqrt(c.kind == ConstraintKind::bilateral ? own : mean);
    }
  }
  return s.asDiagonal() * g * s.asDiagonal();
}

TEST(AdmmCore, PenaltyFollowsTheSpectralFormula) {
  for (double compliance : {0.0, 0.05}) {
    const ContactProblem problem = mixed_problem(compliance);
    const MatrixX g = equilibrated(problem);
    const SymmetricEigen eigen = symmetric_eigen(g);
    AdmmSettings parameters;
    parameters.p = 0.3;
    AdmmCore core;
    core.set_up(problem, sets_of(problem), true, parameters);
    const double largest = eigen.values.maxCoeff() + parameters.eta;
    // Power iteration comes from below and stops at a few per cent.
    EXPECT_LE(core.largest_eigenvalue(), largest * (1.0 + 1e-12));
    EXPECT_GE(core.largest_eigenvalue(), 0.9 * largest);

    double least = std::numeric_limits<double>::infinity();
    const MatrixX rigid = problem.to_dense();
    for (int r = 0; r < problem.num_rows(); ++r) {
      const double scale = g(r, r) / (rigid(r, r) + problem.compliance()[r]);
      least = std::min(least, problem.compliance()[r] * scale);
    }
    const double m = parameters.eta + least, l = core.largest_eigenvalue();
    const auto sets = sets_of(problem);
    const VectorX zero = VectorX::Zero(problem.num_rows());
    ASSERT_TRUE(core.begin(problem.free_velocity(), zero, VectorX(), unknown, sets));
    EXPECT_NEAR(core.penalty(), std::sqrt(m * l) * std::pow(l / m, 0.3), 1e-9 * core.penalty());
    EXPECT_NEAR(core.penalty_exponent(), 0.3, 1e-9);
    ASSERT_TRUE(core.begin(problem.free_velocity(), zero, VectorX(), core.penalty_exponent(), sets));
    EXPECT_EQ(core.factorisations(), 1);
    ASSERT_TRUE(core.begin(problem.free_velocity(), zero, VectorX(), 0.1, sets));
    EXPECT_EQ(core.factorisations(), 2);
  }
}

TEST(AdmmCore, EveryIterateLiesInItsSetsAndItsDualPointsOutward) {
  const ContactProblem problem = mixed_problem();
  const auto sets = sets_of(problem);
  AdmmCore core;
  core.set_up(problem, sets, true, {});
  const int m = problem.num_rows();
  ASSERT_TRUE(core.begin(problem.free_velocity(), VectorX::Zero(m), VectorX(), unknown, sets));
  VectorX y(m), z(m);
  for (int k = 0; k < 30; ++k) {
    ASSERT_TRUE(core.step());
    core.impulse(y);
    core.dual(z);
    for (const Constraint& c : problem.constraints()) {
      const auto yi = y.segment(c.first_row, c.rows), zi = z.segment(c.first_row, c.rows);
      switch (c.kind) {
        case ConstraintKind::frictional:
          EXPECT_LE(yi.head(2).norm(), c.friction * yi[2] + 1e-12);
          EXPECT_LE(c.friction * zi.head(2).norm(), zi[2] + 1e-12);
          EXPECT_NEAR(yi.dot(zi), 0.0, 1e-11);
          break;
        case ConstraintKind::unilateral:
          EXPECT_GE(yi[0], 0.0);
          EXPECT_GE(zi[0], 0.0);
          EXPECT_EQ(yi[0] * zi[0], 0.0);
          break;
        case ConstraintKind::bilateral:
          EXPECT_LE(zi.norm(), 1e-12);
          break;
        default:
          EXPECT_LE(std::abs(yi[0]), c.bound * (1.0 + 1e-12));
          EXPECT_LE(zi[0] * yi[0], 1e-12);
      }
    }
    ASSERT_TRUE(core.advance());
  }
}

TEST(AdmmCore, VelocityEstimateIsTheVelocityAtTheLimit) {
  const ContactProblem problem = mixed_problem(0.01);
  const auto sets = sets_of(problem);
  AdmmCore core;
  core.set_up(problem, sets, false, {});
  const int m = problem.num_rows();
  ASSERT_TRUE(core.begin(problem.free_velocity(), VectorX::Zero(m), VectorX(), unknown, sets));
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(core.step());
    if (std::max(core.primal_residual(), core.dual_residual()) < 1e-12) break;
    ASSERT_TRUE(core.advance());
  }
  VectorX impulse(m), estimate(m), velocity(m), dual(m);
  core.impulse(impulse);
  core.velocity_estimate(estimate);
  core.dual(dual);
  problem.velocity(impulse, velocity);
  EXPECT_LE((estimate - velocity).norm(), 1e-9);
  EXPECT_LE((dual - velocity).norm(), 1e-9);  // without Γ the dual is σ
}

TEST(AdmmCore, LeavesRowsOutThatTheSetsDoNotName) {
  const ContactProblem problem = random_problem({.seed = 1, .contacts = 5, .limits = 2});
  std::vector<AdmmSet> sets(problem.num_constraints(), {AdmmSet::Kind::normal, 0.0});
  sets[5] = {AdmmSet::Kind::ray, 0.0};
  sets[6] = {AdmmSet::Kind::nothing, 0.0};
  AdmmCore core;
  core.set_up(problem, sets, false, {});
  const int m = problem.num_rows();
  ASSERT_TRUE(core.begin(problem.free_velocity(), VectorX::Ones(m), VectorX(), unknown, sets));
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(core.step());
    ASSERT_TRUE(core.advance());
  }
  VectorX impulse(m), velocity(m);
  core.impulse(impulse);
  problem.velocity(impulse, velocity);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(impulse.segment(3 * i, 2).norm(), 0.0);
    EXPECT_GE(velocity[3 * i + 2], -1e-8);
    EXPECT_NEAR(impulse[3 * i + 2] * velocity[3 * i + 2], 0.0, 1e-8);
  }
  EXPECT_EQ(impulse[m - 1], 0.0);
}

TEST(AdmmCore, LinearRuleMultipliesByTau) {
  const ContactProblem problem = mixed_problem();
  const auto sets = sets_of(problem);
  AdmmSettings parameters;
  parameters.penalty_linear = true;
  parameters.tau = 8.0;
  parameters.hold = 0;
  parameters.alpha = 1.0001;  // acts at nearly every iteration
  AdmmCore core;
  core.set_up(problem, sets, true, parameters);
  const int m = problem.num_rows();
  ASSERT_TRUE(core.begin(problem.free_velocity(), VectorX::Zero(m), VectorX(), unknown, sets));
  const double before = core.penalty();
  ASSERT_TRUE(core.step());
  const double factor = core.primal_residual() > core.dual_residual() ? 8.0 : 1.0 / 8.0;
  ASSERT_TRUE(core.advance());
  EXPECT_NEAR(core.penalty(), before * factor, 1e-12 * before * factor);
  EXPECT_EQ(core.factorisations(), 2);
}

}  // namespace
}  // namespace stiction
