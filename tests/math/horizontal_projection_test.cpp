#include "stiction/math/horizontal_projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace stiction {
namespace {

TEST(HorizontalProjection, KeepsTheNormalAndTheDirectionOfTheTangent) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 2000; ++k) {
    const double mu = std::abs(normal(generator));
    const double x[3] = {normal(generator), normal(generator), normal(generator)};
    double y[3] = {x[0], x[1], x[2]};
    const bool changed = project_horizontally(mu, y);
    const double tangent = std::hypot(x[0], x[1]), reach = mu * std::max(0.0, x[2]);
    EXPECT_EQ(y[2], std::max(0.0, x[2]));
    EXPECT_NEAR(std::hypot(y[0], y[1]), std::min(tangent, reach), 1e-15 * (1.0 + reach));
    EXPECT_NEAR(x[0] * y[1], x[1] * y[0], 1e-15 * (1.0 + tangent * tangent));
    EXPECT_GE(x[0] * y[0] + x[1] * y[1], 0.0);
    EXPECT_EQ(changed, x[2] < 0.0 || tangent > reach);
    EXPECT_TRUE(changed || (y[0] == x[0] && y[1] == x[1]));
  }
}

TEST(HorizontalProjection, EdgesOfTheCone) {
  double apex[3] = {0.0, 0.0, 0.0}, below[3] = {1.0, 2.0, -3.0}, smooth[3] = {1.0, 2.0, 3.0}, on[3] = {3.0, 4.0, 10.0};
  EXPECT_FALSE(project_horizontally(0.5, apex));
  EXPECT_TRUE(project_horizontally(0.5, below));
  EXPECT_TRUE(below[0] == 0.0 && below[1] == 0.0 && below[2] == 0.0);
  EXPECT_TRUE(project_horizontally(0.0, smooth));
  EXPECT_TRUE(smooth[0] == 0.0 && smooth[1] == 0.0 && smooth[2] == 3.0);
  EXPECT_FALSE(project_horizontally(0.5, on));
}

}  // namespace
}  // namespace stiction
