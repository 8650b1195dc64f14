#include "stiction/collision/convex/nearest_points.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "stiction/collision/convex/convex_gap.h"

namespace stiction {
namespace {

using Uniform = std::uniform_real_distribution<double>;

Pose random_pose(std::mt19937& random, double distance) {
  std::normal_distribution<double> normal;
  const Vector3 direction = Vector3(normal(random), normal(random), normal(random)).normalized();
  const Eigen::Quaterniond q(normal(random), normal(random), normal(random), normal(random));
  return Pose(q.normalized().toRotationMatrix(), distance * direction);
}

Matrix3 turn(double angle, const Vector3& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

// Whatever it finds is what GJK finds, from the distance down to the planes that prove it. Returns how often it does.
template <class A, class B>
int compare_with_gjk(const A& a, const B& b, int count) {
  std::mt19937 random(3);
  int found_by_projection = 0;
  for (int k = 0; k < count; ++k) {
    const Pose X_AB = random_pose(random, Uniform(0.0, 0.6)(random));
    KeysOf<A, B> keys, keys_of_gjk;
    GjkResult projected, expected;
    if (!project_in_turns(a, b, X_AB, X_AB.position, keys, projected)) continue;
    gjk(a, b, X_AB, X_AB.position, keys_of_gjk, expected);
    ++found_by_projection;
    EXPECT_FALSE(expected.overlapping);
    EXPECT_NEAR(projected.distance, expected.distance, 1e-8 * expected.distance);  // as far as GJK goes
    EXPECT_LE(projected.lower_bound, projected.distance);
    EXPECT_NEAR(projected.lower_bound, projected.distance, 1e-13);
    const Vector3 q = witness_a(a, keys, projected.weight) + projected.distance * projected.normal();
    EXPECT_LT((b.nearest(X_AB.to_local(q)) - X_AB.to_local(q)).norm(), 1e-12);
  }
  return found_by_projection;
}

TEST(NearestPoints, AgreeWithGjk) {
  const SupportCylinder wheel{0.1, 0.03}, needle{0.001, 0.2};
  const SupportBox bar{Vector3(0.02, 0.3, 0.008)}, cube{Vector3(0.1, 0.1, 0.1)};
  EXPECT_GT(compare_with_gjk(wheel, bar, 3000), 500);
  EXPECT_GT(compare_with_gjk(wheel, cube, 3000), 500);
  EXPECT_GT(compare_with_gjk(needle, cube, 3000), 500);
  EXPECT_GT(compare_with_gjk(wheel, wheel, 3000), 500);
  EXPECT_GT(compare_with_gjk(wheel, needle, 3000), 500);
}

TEST(NearestPoints, OverlapsAreLeftToOthers) {
  const SupportCylinder wheel{0.1, 0.03};
  const SupportBox cube{Vector3(0.1, 0.1, 0.1)};
  KeysOf<SupportCylinder, SupportBox> keys;
  GjkResult found;
  EXPECT_FALSE(
      project_in_turns(wheel, cube, Pose(Matrix3::Identity(), {0.05, 0.02, 0.1}), Vector3::UnitZ(), keys, found));
}

// A wheel that rolls towards a bar and over its edge, level but for some microradians: what this is for. Nearly always
// found, and the gap is that of a circle and a corner.
TEST(NearestPoints, WheelsOverBars) {
  const SupportCylinder wheel{0.1, 0.03};
  const SupportBox bar{Vector3(0.02, 0.6, 0.008)};
  std::mt19937 random(5);
  Uniform along(0.025, 0.12), above(2e-3, 3e-2), tilt(-1e-4, 1e-4), spin(0.0, 6.3);
  int tried = 0, num_found = 0;
  for (int k = 0; k < 2000; ++k) {
    const double x = -along(random), gap = above(random);
    const double dx = x + 0.02, height = 0.008 + std::sqrt((0.1 + gap) * (0.1 + gap) - dx * dx);
    if (!(height > 0.008)) continue;
    // The wheel's axis is along y of the bar.
    const double exact = k % 2 == 0 ? 0.0 : tilt(random);
    const Matrix3 R = turn(exact, {1.0, 0.3, 0.7}) * turn(-std::numbers::pi / 2, Vector3::UnitX()) *
                      turn(spin(random), Vector3::UnitZ());
    const Pose X_WA(R, Vector3(x, 0.24, height));
    const Pose X_AB(R.transpose(), R.transpose() * -X_WA.position);
    KeysOf<SupportCylinder, SupportBox> keys;
    GjkResult found;
    // Where the normal was a step ago.
    const Vector3 before = turn(0.02, Vector3::UnitY()) * Vector3(-0.02 - x, 0.0, 0.008 - height);
    ++tried;
    if (!project_in_turns(wheel, bar, X_AB, R.transpose() * before, keys, found)) continue;
    ++num_found;
    EXPECT_NEAR(found.distance, gap, 1e-15 + 0.05 * std::abs(exact));
    EXPECT_NEAR(found.distance, found.lower_bound, 2e-14);
  }
  EXPECT_GT(tried, 1000);
  EXPECT_GT(num_found, 0.9 * tried);
}

// Through zero and back: the gap from the remembered axis is the one from nothing.
TEST(NearestPoints, GapsFromTheAxisOfBeforeAreThoseFromNothing) {
  const SupportCylinder wheel{0.1, 0.03};
  const SupportBox bar{Vector3(0.02, 0.6, 0.008)};
  const Matrix3 R = turn(2e-5, {1.0, 0.3, 0.7}) * turn(-std::numbers::pi / 2, Vector3::UnitX());
  GapMemory memory;
  for (int k = 0; k < 400; ++k) {
    const double height = 0.108 + 1e-3 * std::cos(0.05 * k);
    const Pose X_AB(R.transpose(), R.transpose() * -Vector3(-0.01, 0.24, height));
    ConvexGap<SupportCylinder, SupportBox> kept, cold;
    ASSERT_TRUE(find_gap(wheel, bar, X_AB, memory, {}, kept));
    ASSERT_TRUE(find_gap(wheel, bar, X_AB, {}, {}, cold));
    EXPECT_NEAR(kept.gap, cold.gap, 1e-13) << k;
    EXPECT_NEAR(kept.gap, height - 0.108, 2e-6);
    EXPECT_LT((kept.normal - cold.normal).norm(), 1e-7) << k;
    memory = {kept.normal, kept.gap};
  }
}

}  // namespace
}  // namespace stiction
