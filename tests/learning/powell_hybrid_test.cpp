// Standard problems of Moré, Garbow and Hillstrom, from their standard starts.
#include "stiction/learning/powell_hybrid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../support/refused.h"

namespace stiction {
namespace {

PowellReport solve(const VectorFunction& f, VectorX& x, double tolerance = 1e-10) {
  return powell_hybrid(f, x, {.tolerance = tolerance});
}

TEST(PowellHybrid, LinearTakesOneJacobian) {
  MatrixX a(3, 3);
  a << 4, 1, 0, 1, 3, -1, 2, 0, 5;
  const Vector3 b(1, 2, 3);
  VectorX x = VectorX::Ones(3);
  const PowellReport report = solve([&](VectorView y, VectorOut f) { f = a * y - b; }, x);
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.jacobians, 1);
  EXPECT_LE(report.evaluations, 7);
  EXPECT_LT((a * x - b).norm(), 1e-10);
}

TEST(PowellHybrid, Rosenbrock) {
  VectorX x = Vector2(-1.2, 1.0);
  EXPECT_TRUE(solve([](VectorView y, VectorOut f) { f << 10 * (y[1] - y[0] * y[0]), 1 - y[0]; }, x).converged());
  EXPECT_LT((x - Vector2(1, 1)).norm(), 1e-9);
}

// The Jacobian is singular at the solution: convergence is slow, the residual gets there all the same.
TEST(PowellHybrid, PowellSingular) {
  VectorX x(4);
  x << 3, -1, 0, 1;
  const PowellReport report = solve(
      [](VectorView y, VectorOut f) {
        f << y[0] + 10 * y[1], std::sqrt(5.0) * (y[2] - y[3]), (y[1] - 2 * y[2]) * (y[1] - 2 * y[2]),
            std::sqrt(10.0) * (y[0] - y[3]) * (y[0] - y[3]);
      },
      x, 1e-8);
  EXPECT_TRUE(report.converged()) << to_string(report.status) << " " << report.residual;
  EXPECT_LT(x.norm(), 1e-3);
}

TEST(PowellHybrid, PowellBadlyScaled) {
  VectorX x = Vector2(0.0, 1.0);
  const PowellReport report = powell_hybrid(
      [](VectorView y, VectorOut f) { f << 1e4 * y[0] * y[1] - 1, std::exp(-y[0]) + std::exp(-y[1]) - 1.0001; }, x,
      {.tolerance = 1e-9, .max_evaluations = 2000, .least_difference = 1e-12});
  EXPECT_TRUE(report.converged()) << to_string(report.status) << " " << report.residual;
  EXPECT_NEAR(x[1], 9.106146739, 1e-4);
}

TEST(PowellHybrid, HelicalValley) {
  VectorX x = Vector3(-1, 0, 0);
  const PowellReport report = solve(
      [](VectorView y, VectorOut f) {
        double angle = std::atan2(y[1], y[0]) / (2 * std::numbers::pi);
        f << 10 * (y[2] - 10 * angle), 10 * (std::hypot(y[0], y[1]) - 1), y[2];
      },
      x);
  EXPECT_TRUE(report.converged()) << to_string(report.status) << " " << report.residual;
  EXPECT_LT((x - Vector3(1, 0, 0)).norm(), 1e-9);
}

TEST(PowellHybrid, BroydenTridiagonal) {
  VectorX x = VectorX::Constant(10, -1.0);
  const PowellReport report = solve(
      [](VectorView y, VectorOut f) {
        for (int i = 0; i < 10; ++i) {
          f[i] = (3 - 2 * y[i]) * y[i] - (i > 0 ? y[i - 1] : 0.0) - 2 * (i < 9 ? y[i + 1] : 0.0) + 1;
        }
      },
      x);
  EXPECT_TRUE(report.converged());
  EXPECT_LT(report.evaluations, 60);
}

TEST(PowellHybrid, SaysWhereThereIsNoZero) {
  VectorX x = VectorX::Constant(1, 2.0);
  const PowellReport report = solve([](VectorView y, VectorOut f) { f << y[0] * y[0] + 1; }, x);
  EXPECT_FALSE(report.converged());
  EXPECT_NEAR(x[0], 0.0, 1e-3);
  EXPECT_NEAR(report.residual, 1.0, 1e-6);
  // A jump over zero.
  x << 0.7;
  EXPECT_FALSE(solve([](VectorView y, VectorOut f) { f << (y[0] > 0.3 ? 1.0 : -1.0); }, x).converged());
  x << 1.0;
  EXPECT_EQ(solve([](VectorView, VectorOut f) { f << std::nan(""); }, x).status, PowellStatus::not_finite);
  EXPECT_REFUSED(powell_hybrid({}, x, {.tolerance = -1}), "tolerance is -1");
}

}  // namespace
}  // namespace stiction
