#include "stiction/math/scalar_root.h"

#include <gtest/gtest.h>

#include <limits>

namespace stiction {
namespace {

TEST(ScalarRoot, FindsRootsOfSmoothFunctions) {
  const auto cubic = [](double x) { return ValueAndSlope{x * x * x - 2.0, 3.0 * x * x}; };
  const ScalarRoot root = find_root(cubic, 0.0, 10.0);
  EXPECT_NEAR(root.x, std::cbrt(2.0), 1e-15);
  EXPECT_LE(root.evaluations, 20);
  EXPECT_TRUE(root.bracketed);
  const auto falling = [](double x) { return ValueAndSlope{std::exp(-x) - 1e-9, -std::exp(-x)}; };
  EXPECT_NEAR(find_root(falling, 0.0, 100.0).x, 9.0 * std::log(10.0), 1e-13);
}

TEST(ScalarRoot, EndsMayBeRoots) {
  const auto line = [](double x) { return ValueAndSlope{x, 1.0}; };
  EXPECT_EQ(find_root(line, 0.0, 1.0).x, 0.0);
  EXPECT_EQ(find_root(line, -1.0, 0.0).x, 0.0);
}

TEST(ScalarRoot, SurvivesWrongAndMissingSlopes) {
  for (double slope : {0.0, -1.0, 0.1, std::numeric_limits<double>::quiet_NaN()}) {
    const auto f = [&](double x) { return ValueAndSlope{x - 0.3, slope}; };
    const ScalarRoot root = find_root(f, 0.0, 1.0);
    EXPECT_NEAR(root.x, 0.3, 1e-15) << slope;
  }
  const auto kink = [](double x) { return ValueAndSlope{x < 0.7 ? -1.0 : 1e6 * (x - 0.7) + 1e-3, 0.0}; };
  EXPECT_NEAR(find_root(kink, 0.0, 1.0).x, 0.7, 1e-15);
}

TEST(ScalarRoot, SmallRootsKeepTheirDigits) {
  const auto f = [](double x) { return ValueAndSlope{1.0 / (1e-12 + x) - 5e11, -1.0 / ((1e-12 + x) * (1e-12 + x))}; };
  EXPECT_NEAR(find_root(f, 0.0, 1.0).x / 1e-12, 1.0, 1e-13);
}

TEST(ScalarRoot, SaysWhenThereIsNoSignChange) {
  const auto f = [](double x) { return ValueAndSlope{1.0 + x, 1.0}; };
  const ScalarRoot root = find_root(f, 0.0, 1.0);
  EXPECT_FALSE(root.bracketed);
  EXPECT_EQ(root.x, 0.0);
}

}  // namespace
}  // namespace stiction
