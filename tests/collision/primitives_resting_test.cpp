// Bodies at rest keep their contact points; degenerate poses give sensible ones; symmetry of the kernels.
#include <gtest/gtest.h>

#include <set>

#include "oracles.h"
#include "stiction/collision/primitives/box_box.h"
#include "stiction/collision/primitives/primitives.h"

namespace stiction {
namespace {

using testing::Random;

constexpr double margin = 1e-3;

std::set<std::uint64_t> features(const Manifold& m) {
  return {m.feature, m.feature + m.size};
}

// Share of steps at which the features change while `kernel` sees the first body jitter about a pose.
template <class Kernel>
double share_of_changes(const Pose& rest, double jitter, Kernel&& kernel, std::size_t expected_points) {
  Random random(17);
  std::set<std::uint64_t> last;
  int changes = 0;
  constexpr int settling = 500, steps = 5000;  // flush faces settle on the vertices of one of them
  for (int i = 0; i < steps; ++i) {
    const Pose pose(random.small_rotation(jitter) * rest.rotation, rest.position + random.vector(jitter));
    Manifold m;
    kernel(pose, m);
    EXPECT_EQ(static_cast<std::size_t>(m.size), expected_points);
    changes += i >= settling && features(m) != last;
    last = features(m);
  }
  return static_cast<double>(changes) / (steps - settling);
}

class Jitter : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Jitter, ::testing::Values(1e-6, 1e-5, 1e-4));

TEST_P(Jitter, BoxOnPlane) {
  const Box box{{0.1, 0.05, 0.02}};
  const auto kernel = [&](const Pose& X, Manifold& m) { collide_box_plane(box, X, Pose(), margin, m); };
  EXPECT_EQ(share_of_changes(Pose(Vector3(0, 0, 0.02)), GetParam(), kernel, 4), 0.0);
}

TEST_P(Jitter, BoxOnLargerBoxTurned) {
  const Box box{{0.1, 0.05, 0.02}}, table{{0.5, 0.5, 0.1}};
  for (const double angle : {0.0, 0.3, 0.7853981633974483}) {
    BoxPairMemory memory;
    const Pose X_table(Vector3(0, 0, -0.1));
    const auto kernel = [&](const Pose& X, Manifold& m) { collide_boxes(box, X, table, X_table, margin, memory, m); };
    const Pose rest(Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix(), Vector3(0.1, 0.2, 0.02));
    EXPECT_LT(share_of_changes(rest, GetParam(), kernel, 4), 1e-3);
  }
}

TEST_P(Jitter, CrossedBoxesAndOctagon) {
  // Eight candidates at 45°: without the keep rule the choice of four would change.
  const Box a{{0.1, 0.1, 0.02}}, b{{0.1, 0.1, 0.05}};
  BoxPairMemory memory;
  const Pose X_b(Vector3(0, 0, -0.05));
  const auto kernel = [&](const Pose& X, Manifold& m) { collide_boxes(a, X, b, X_b, margin, memory, m); };
  const Pose rest(Eigen::AngleAxisd(0.78, Vector3::UnitZ()).toRotationMatrix(), Vector3(0, 0, 0.02));
  EXPECT_LT(share_of_changes(rest, GetParam(), kernel, 4), 1e-3);
}

TEST_P(Jitter, EqualBoxesStackedFlush) {
  const Box box{{0.1, 0.05, 0.02}};
  BoxPairMemory memory;
  const Pose below(Vector3(0, 0, -0.02));
  const auto kernel = [&](const Pose& X, Manifold& m) { collide_boxes(box, X, box, below, margin, memory, m); };
  EXPECT_LT(share_of_changes(Pose(Vector3(0, 0, 0.02)), GetParam(), kernel, 4), 1e-3);
}

TEST_P(Jitter, CapsuleOnPlaneBoxAndCapsule) {
  const Capsule capsule{0.05, 0.2};
  const Matrix3 lying = Eigen::AngleAxisd(1.5707963267948966, Vector3::UnitY()).toRotationMatrix();
  const Pose rest(lying, Vector3(0, 0, 0.05));
  const auto on_plane = [&](const Pose& X, Manifold& m) { collide_capsule_plane(capsule, X, Pose(), margin, m); };
  EXPECT_EQ(share_of_changes(rest, GetParam(), on_plane, 2), 0.0);
  const Box small{{0.1, 0.3, 0.1}};
  const Pose X_box(Vector3(0, 0, -0.1));
  const auto on_box = [&](const Pose& X, Manifold& m) { collide_capsule_box(capsule, X, small, X_box, margin, m); };
  EXPECT_EQ(share_of_changes(rest, GetParam(), on_box, 2), 0.0);
  const Pose below(lying, Vector3(0, 0, -0.05));
  const auto on_capsule = [&](const Pose& X, Manifold& m) { collide_capsules(capsule, X, capsule, below, margin, m); };
  EXPECT_EQ(share_of_changes(rest, GetParam(), on_capsule, 2), 0.0);
}

TEST_P(Jitter, CylinderStandingAndLying) {
  const Cylinder cylinder{0.05, 0.1};
  const auto kernel = [&](const Pose& X, Manifold& m) { collide_cylinder_plane(cylinder, X, Pose(), margin, m); };
  EXPECT_EQ(share_of_changes(Pose(Vector3(0, 0, 0.1)), GetParam(), kernel, 4), 0.0);
  const Matrix3 lying = Eigen::AngleAxisd(1.5707963267948966, Vector3::UnitY()).toRotationMatrix();
  EXPECT_EQ(share_of_changes(Pose(lying, Vector3(0, 0, 0.05)), GetParam(), kernel, 2), 0.0);
}

TEST(Degenerate, ConcentricSpheres) {
  Manifold m;
  EXPECT_DOUBLE_EQ(collide_spheres({0.1}, Pose(), {0.2}, Pose(), margin, m), -0.3);
  ASSERT_EQ(m.size, 1);
  EXPECT_DOUBLE_EQ(m.normal[0].norm(), 1.0);
}

TEST(Degenerate, SphereCentreInBox) {
  Manifold m;
  const Box box{{0.3, 0.2, 0.1}};
  const Pose X(Vector3(0.0, -0.15, 0.01));
  EXPECT_NEAR(collide_sphere_box({0.05}, X, box, Pose(), margin, m), -0.1, 1e-15);
  ASSERT_EQ(m.size, 1);
  EXPECT_EQ(m.normal[0], Vector3(0, -1, 0));
  EXPECT_TRUE(m.position[0].isApprox(Vector3(0.0, -0.15, 0.01), 1e-14));
}

TEST(Degenerate, CapsulesCrossingThroughEachOther) {
  Manifold m;
  const Pose turned(Eigen::AngleAxisd(1.5707963267948966, Vector3::UnitX()).toRotationMatrix(), Vector3::Zero());
  EXPECT_NEAR(collide_capsules({0.1, 0.5}, Pose(), {0.1, 0.5}, turned, margin, m), -0.2, 1e-15);
  ASSERT_EQ(m.size, 1);
  EXPECT_NEAR(std::abs(m.normal[0].x()), 1.0, 1e-12);  // across both axes
  EXPECT_NEAR(collide_capsules({0.1, 0.5}, Pose(), {0.1, 0.5}, Pose(), margin, m), -0.2, 1e-15);
  ASSERT_EQ(m.size, 2);
  EXPECT_NEAR(m.normal[0].z(), 0.0, 1e-12);
}

TEST(Degenerate, BoxExactlyOnBox) {
  const Box a{{0.1, 0.2, 0.3}}, b{{0.3, 0.3, 0.1}};
  Manifold m;
  BoxPairMemory memory;
  EXPECT_NEAR(collide_boxes(a, Pose(Vector3(0, 0, 0.4)), b, Pose(), margin, memory, m), 0.0, 1e-15);
  ASSERT_EQ(m.size, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(m.normal[i], Vector3(0, 0, 1));
    EXPECT_NEAR(m.gap[i], 0.0, 1e-15);
    EXPECT_NEAR(std::abs(m.position[i].x()), 0.1, 1e-15);
    EXPECT_NEAR(std::abs(m.position[i].y()), 0.2, 1e-15);
  }
  // The same box in the same place: some face, the least depth.
  EXPECT_NEAR(collide_boxes(a, Pose(), a, Pose(), margin, memory, m), -0.2, 1e-15);
  EXPECT_EQ(m.size, 4);
}

TEST(Degenerate, ParallelEdgesOfBoxesMeetInALine) {
  // The lower edge of a box on its edge, over the upper face, near its rim and outside it.
  const Box a{{0.1, 0.1, 0.1}};
  const Matrix3 on_edge = Eigen::AngleAxisd(0.7853981633974483, Vector3::UnitX()).toRotationMatrix();
  Manifold m;
  BoxPairMemory memory;
  const double up = 0.1 + 0.1 * std::sqrt(2.0);
  EXPECT_NEAR(collide_boxes(a, Pose(on_edge, Vector3(0, 0, up)), a, Pose(), margin, memory, m), 0.0, 1e-15);
  EXPECT_EQ(m.size, 2);
  // Edge beside edge, 0.3 mm apart in y and in z: the distance is not along any of the fifteen axes.
  const double d = 0.2 + 3e-4;
  EXPECT_NEAR(collide_boxes(a, Pose(Vector3(0.05, d, d)), a, Pose(), margin, memory, m), 3e-4 * std::sqrt(2.0), 1e-15);
  ASSERT_GE(m.size, 1);
  EXPECT_NEAR(m.normal[0].dot(Vector3(0, 1, 1).normalized()), 1.0, 1e-9);
}

// A manifold as a set of points that a mirror or a turn maps onto another. Where four are chosen of more, equally good
// choices are decided by rounding; then the normal must be right.
void expect_mapped(const Manifold& a, const Manifold& b, const Matrix3& map, double normal_sign) {
  ASSERT_EQ(a.size, b.size);
  if (a.size == Manifold::max_points) {
    EXPECT_LT((normal_sign * (map * a.normal[0]) - b.normal[0]).norm(), 1e-8);
    return;
  }
  for (int i = 0; i < a.size; ++i) {
    bool found = false;
    for (int j = 0; j < b.size && !found; ++j)
      found = (map * a.position[i] - b.position[j]).norm() < 1e-9 && std::abs(a.gap[i] - b.gap[j]) < 1e-11 &&
              (normal_sign * (map * a.normal[i]) - b.normal[j]).norm() < 1e-8;
    EXPECT_TRUE(found) << i << " of " << a.size << ", gap " << a.gap[i] << " at " << (map * a.position[i]).transpose()
                       << " normal " << (normal_sign * (map * a.normal[i])).transpose() << ", not " << b.gap[0]
                       << " at " << b.position[0].transpose() << " normal " << b.normal[0].transpose();
  }
}

TEST(Symmetry, TurnedScenesGiveTurnedPoints) {
  Random random(23);
  int touching = 0;
  for (int i = 0; i < 4000; ++i) {
    const Box a{Vector3(random.uniform(0.05, 0.2), random.uniform(0.05, 0.2), random.uniform(0.05, 0.2))};
    const Box b{Vector3(random.uniform(0.05, 0.2), random.uniform(0.05, 0.2), random.uniform(0.05, 0.2))};
    const Pose X(random.rotation(), Vector3::Zero()), Y(random.rotation(), random.vector(0.25));
    const Pose T(random.rotation(), Vector3::Zero());
    Manifold m, turned, swapped;
    BoxPairMemory m1, m2, m3;
    const double gap = collide_boxes(a, X, b, Y, margin, m1, m);
    EXPECT_NEAR(collide_boxes(a, T * X, b, T * Y, margin, m2, turned), gap, 1e-12);
    EXPECT_NEAR(collide_boxes(b, Y, a, X, margin, m3, swapped), gap, 1e-12);
    expect_mapped(m, turned, T.rotation, 1.0);
    expect_mapped(m, swapped, Matrix3::Identity(), -1.0);
    touching += m.size > 0;
    const Capsule c{a.half_size[0], a.half_size[1]}, d{b.half_size[0], b.half_size[1]};
    collide_capsules(c, X, d, Y, margin, m);
    collide_capsules(c, T * X, d, T * Y, margin, turned);
    collide_capsules(d, Y, c, X, margin, swapped);
    expect_mapped(m, turned, T.rotation, 1.0);
    expect_mapped(m, swapped, Matrix3::Identity(), -1.0);
    collide_capsule_box(c, X, b, Y, margin, m);
    collide_capsule_box(c, T * X, b, T * Y, margin, turned);
    expect_mapped(m, turned, T.rotation, 1.0);
    if (HasFailure()) FAIL() << "pose " << i;
  }
  EXPECT_GT(touching, 400);
}

TEST(Symmetry, MirroredBoxesHaveTheSameGaps) {
  // A box is its own mirror image, so the mirrored scene is a scene of boxes again.
  Random random(29);
  const Matrix3 mirror = Vector3(-1, 1, 1).asDiagonal();
  for (int i = 0; i < 2000; ++i) {
    const Box a{Vector3(0.1, 0.2, 0.15)}, b{Vector3(0.12, 0.07, 0.2)};
    const Pose X(random.rotation(), Vector3::Zero()), Y(random.rotation(), random.vector(0.25));
    const auto reflect = [&](const Pose& P) { return Pose(mirror * P.rotation * mirror, mirror * P.position); };
    Manifold m, mirrored;
    BoxPairMemory m1, m2;
    const double gap = collide_boxes(a, X, b, Y, margin, m1, m);
    EXPECT_NEAR(collide_boxes(a, reflect(X), b, reflect(Y), margin, m2, mirrored), gap, 1e-12);
    expect_mapped(m, mirrored, mirror, 1.0);
    if (HasFailure()) FAIL() << "pose " << i;
  }
}

TEST(Cylinder, LowestPointOnPlaneIsExact) {
  Random random(31);
  for (int i = 0; i < 20000; ++i) {
    const Cylinder c{random.uniform(0.02, 0.2), random.uniform(0.02, 0.2)};
    Pose X(i % 2 ? random.rotation() : random.small_rotation(1e-2), Vector3::Zero());
    // Support of a cylinder along −z: h |cos| + r sin, by its own trigonometry.
    const double angle = std::acos(std::clamp(X.rotation(2, 2), -1.0, 1.0));
    X.position.z() =
        c.half_length * std::abs(std::cos(angle)) + c.radius * std::sin(angle) + random.uniform(-0.01, 0.002);
    const double truth = X.position.z() - c.half_length * std::abs(std::cos(angle)) - c.radius * std::sin(angle);
    Manifold m;
    const double gap = collide_cylinder_plane(c, X, Pose(), margin, m);
    EXPECT_NEAR(gap, truth, 1e-9);
    if (gap > margin) {
      EXPECT_EQ(m.size, 0);
      continue;
    }
    ASSERT_GT(m.size, 0);
    EXPECT_NEAR(*std::min_element(m.gap, m.gap + m.size), gap, 1e-12);
    for (int k = 0; k < m.size; ++k) {
      // On the rim, and as high as the gap says.
      const Vector3 p = X.to_local(m.position[k] + Vector3(0, 0, 0.5 * m.gap[k]));
      EXPECT_NEAR(p.head<2>().norm(), c.radius, 1e-12);
      EXPECT_NEAR(std::abs(p.z()), c.half_length, 1e-12);
    }
  }
}

TEST(Ellipsoid, LowestPointOnPlane) {
  Random random(37);
  for (int i = 0; i < 200; ++i) {
    const Ellipsoid e{Vector3(random.uniform(0.05, 0.2), random.uniform(0.05, 0.2), random.uniform(0.05, 0.2))};
    const Pose X(random.rotation(), Vector3(0, 0, 0.05));
    double lowest = 1.0;
    for (int k = 0; k < 2000; ++k) lowest = std::min(lowest, (X * e.radii.cwiseProduct(random.unit()).eval()).z());
    Manifold m;
    const double gap = collide_ellipsoid_plane(e, X, Pose(), margin, m);
    EXPECT_LE(gap, lowest);
    EXPECT_NEAR(gap, lowest, 3e-3);
    ASSERT_EQ(m.size, 1);
    const Vector3 p = X.to_local(m.position[0] + Vector3(0, 0, 0.5 * gap)).cwiseQuotient(e.radii);
    EXPECT_NEAR(p.norm(), 1.0, 1e-12);
  }
}

TEST(Cylinder, SphereAgainstItsProfile) {
  // In the half plane through the axis a cylinder is a rectangle: brute force over its outline.
  Random random(41);
  for (int i = 0; i < 3000; ++i) {
    const Cylinder c{random.uniform(0.05, 0.2), random.uniform(0.05, 0.2)};
    const Sphere s{random.uniform(0.02, 0.1)};
    const Pose X_WC = random.pose(0.5);
    const Vector3 p = random.vector(0.3);
    const double rho = p.head<2>().norm();
    const double out_r = std::max(rho - c.radius, 0.0), out_z = std::max(std::abs(p.z()) - c.half_length, 0.0);
    const bool inside = rho < c.radius && std::abs(p.z()) < c.half_length;
    const double truth =
        (inside ? -std::min(c.radius - rho, c.half_length - std::abs(p.z())) : std::hypot(out_r, out_z));
    Manifold m;
    const double gap = collide_sphere_cylinder(s, Pose(X_WC * p), c, X_WC, 1.0, m);
    EXPECT_NEAR(gap, truth - s.radius, 1e-14);
    ASSERT_EQ(m.size, 1);
    // Moved along the normal by the distance, the centre is on the surface.
    const Vector3 foot = p - truth * (X_WC.rotation.transpose() * m.normal[0]);
    EXPECT_NEAR(std::max(foot.head<2>().norm() - c.radius, std::abs(foot.z()) - c.half_length), 0.0, 1e-13);
  }
}

TEST(Ellipsoid, SphereAgainstNearestPoint) {
  Random random(43);
  for (int i = 0; i < 20000; ++i) {
    Ellipsoid e{Vector3(random.uniform(0.02, 0.3), random.uniform(0.02, 0.3), random.uniform(0.02, 0.3))};
    if (i % 5 == 0) e.radii[1] = e.radii[0];
    if (i % 7 == 0) e.radii[2] = e.radii[0];
    Vector3 p = random.vector(0.4);
    for (int k = 0; k < 3; ++k)
      if (random.index(4) == 0) p[k] = random.index(2) ? 0.0 : 1e-12;
    Manifold m;
    const double gap = collide_sphere_ellipsoid({0.01}, Pose(p), e, Pose(), 1.0, m);
    ASSERT_EQ(m.size, 1);
    const double distance = gap + 0.01;
    const Vector3 foot = p - distance * m.normal[0];
    EXPECT_NEAR(foot.cwiseQuotient(e.radii).norm(), 1.0, 1e-9) << p.transpose() << " / " << e.radii.transpose();
    EXPECT_EQ(distance > 0.0, p.cwiseQuotient(e.radii).norm() > 1.0);
    // No point of the surface is nearer.
    for (int k = 0; k < 20; ++k) {
      Vector3 q = e.radii.cwiseProduct(random.unit());
      if (k % 2) q = e.radii.cwiseProduct((foot.cwiseQuotient(e.radii) + 0.01 * random.vector(1.0)).normalized());
      EXPECT_GE((q - p).norm(), std::abs(distance) - 1e-9);
    }
    if (HasFailure()) FAIL() << i;
  }
}

}  // namespace
}  // namespace stiction
