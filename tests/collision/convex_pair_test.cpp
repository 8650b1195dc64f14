#include "stiction/collision/convex/convex_pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../support/convex_oracle.h"
#include "../support/sanitized.h"

namespace stiction {
namespace {

using namespace stiction::testing;

const int num_poses = num_samples(4000, 100000);

// Support function and distance to the inside (≤ 0 inside, roughly) in the shape's frame, by closed forms.
double height(const Sphere& s, const Vector3&) {
  return s.radius;
}
double height(const Capsule& s, const Vector3& n) {
  return s.radius + s.half_length * std::abs(n.z());
}
double height(const Cylinder& s, const Vector3& n) {
  return s.radius * std::hypot(n.x(), n.y()) + s.half_length * std::abs(n.z());
}
double height(const Ellipsoid& s, const Vector3& n) {
  return s.radii.cwiseProduct(n).norm();
}
double height(const Box& s, const Vector3& n) {
  return s.half_size.dot(n.cwiseAbs());
}
double height(const ConvexHull& s, const Vector3& n) {
  double h = -1e300;
  for (const Vector3& v : s.vertices()) h = std::max(h, n.dot(v));
  return h;
}
double height(const SupportTriangle& s, const Vector3& n) {
  return std::max({n.dot(s.corners[0]), n.dot(s.corners[1]), n.dot(s.corners[2])});
}

// How far outside a point is, at least; ≤ 0 means inside.
double outside(const Sphere& s, const Vector3& p) {
  return p.norm() - s.radius;
}
double outside(const Capsule& s, const Vector3& p) {
  return (p - Vector3(0, 0, std::clamp(p.z(), -s.half_length, s.half_length))).norm() - s.radius;
}
double outside(const Cylinder& s, const Vector3& p) {
  return std::max(std::hypot(p.x(), p.y()) - s.radius, std::abs(p.z()) - s.half_length);
}
double outside(const Ellipsoid& s, const Vector3& p) {
  return (p.cwiseQuotient(s.radii).norm() - 1.0) * s.radii.minCoeff();
}
double outside(const Box& s, const Vector3& p) {
  return (p.cwiseAbs() - s.half_size).maxCoeff();
}
double outside(const ConvexHull& s, const Vector3& p) {
  double worst = -1e300;
  for (const auto& f : s.faces()) worst = std::max(worst, f.normal.dot(p) - f.offset);
  return worst;
}
double outside(const SupportTriangle& s, const Vector3& p) {
  const Vector3 n = (s.corners[1] - s.corners[0]).cross(s.corners[2] - s.corners[0]).normalized();
  double worst = std::abs(n.dot(p - s.corners[0]));
  for (int k = 0; k < 3; ++k) {
    const Vector3 e = (s.corners[(k + 1) % 3] - s.corners[k]).normalized();
    worst = std::max(worst, e.cross(n).dot(p - s.corners[k]));
  }
  return worst;
}

double largest(const auto& shape) {
  return std::max({height(shape, Vector3::UnitX()), height(shape, Vector3::UnitY()), height(shape, Vector3::UnitZ()),
                   height(shape, -Vector3::UnitX()), height(shape, -Vector3::UnitY())});
}

// A gap is proven by a plane that separates the shapes by it (from below) and by two points of theirs at that distance
// (from above). Both are checked with closed forms, for random poses near touching.
template <class A, class B>
void expect_proven(const char* name, const A& a, const B& b, double deepest, double tolerance) {
  SCOPED_TRACE(name);
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> gaps(deepest, 0.01);
  double worst_plane = 0.0, worst_point = 0.0;
  for (int sample = 0; sample < num_poses; ++sample) {
    const Pose X_WA = random_pose(generator, 0.3);
    Pose X_WB = random_pose(generator, 0.0);
    X_WB.position = X_WA.position + (largest(a) + largest(b)) * random_direction(generator);
    const double aim = gaps(generator);
    Manifold points;
    ConvexPairCache cache;
    for (int round = 0; round < 3; ++round) {
      cache = {};
      const double now = collide_convex(a, X_WA, b, X_WB, 1e3, cache, points);
      X_WB.position += (aim - now) * (X_WA.rotation * Vector3(cache.axis[0], cache.axis[1], cache.axis[2]));
    }
    cache = {};
    const double gap = collide_convex(a, X_WA, b, X_WB, 1e3, cache, points);
    ASSERT_GE(points.size, 1);
    const Vector3 n = X_WA.rotation * Vector3(cache.axis[0], cache.axis[1], cache.axis[2]);
    const double plane = n.dot(X_WB.position - X_WA.position) - height(a, X_WA.rotation.transpose() * n) -
                         height(b, -(X_WB.rotation.transpose() * n));
    worst_plane = std::max(worst_plane, std::abs(plane - gap));
    // The deepest reported point, where it is the witness: halfway between surfaces along its normal.
    for (int k = 0; k < points.size; ++k) {
      if (std::is_same_v<B, SupportTriangle> && gap < 0.0) continue;  // its way out need not be the shortest
      if (std::abs(points.gap[k] - gap) > 1e-12 || points.normal[k].dot(-n) < 1.0 - 1e-12) continue;
      const Vector3 on_a = points.position[k] + 0.5 * gap * points.normal[k];
      const Vector3 on_b = points.position[k] - 0.5 * gap * points.normal[k];
      worst_point = std::max({worst_point, outside(a, X_WA.to_local(on_a)), outside(b, X_WB.to_local(on_b))});
    }
  }
  EXPECT_LT(worst_plane, tolerance);
  EXPECT_LT(worst_point, 1e-4);  // of smooth shapes the root of the tolerance
  std::printf("  %-22s plane %.1e, points %.1e\n", name, worst_plane, worst_point);
}

TEST(CollideConvex, gap_is_proven_by_a_plane_and_two_points) {
  std::mt19937 generator(3);
  const auto hull = random_hull(generator, 20, 0.2);
  const Sphere sphere{0.1};
  const Capsule capsule{0.05, 0.2};
  const Cylinder cylinder{0.1, 0.15}, disc{0.2, 0.02};
  const Ellipsoid ellipsoid{{0.1, 0.15, 0.2}};
  const Box box{{0.1, 0.2, 0.05}};
  const SupportTriangle triangle{{{-0.3, -0.2, 0.0}, {0.3, -0.1, 0.05}, {0.0, 0.3, 0.0}}};
  expect_proven("sphere, hull", sphere, *hull, -0.2, 1e-12);
  expect_proven("capsule, hull", capsule, *hull, -0.1, 1e-12);
  expect_proven("box, hull", box, *hull, -0.02, 1e-12);
  expect_proven("hull, triangle", *hull, triangle, -0.02, 1e-12);
  expect_proven("box, triangle", box, triangle, -0.02, 1e-12);
  expect_proven("sphere, triangle", sphere, triangle, -0.05, 1e-12);
  expect_proven("capsule, triangle", capsule, triangle, -0.02, 1e-12);
  expect_proven("cylinder, hull", cylinder, *hull, -0.02, 1e-8);
  expect_proven("ellipsoid, hull", ellipsoid, *hull, -0.02, 1e-8);
  expect_proven("cylinder, box", disc, box, -0.01, 1e-8);
  expect_proven("cylinder, cylinder", cylinder, disc, -0.01, 1e-8);
  expect_proven("cylinder, ellipsoid", cylinder, ellipsoid, -0.02, 1e-8);
  expect_proven("ellipsoid, ellipsoid", ellipsoid, ellipsoid, -0.02, 1e-8);
  expect_proven("ellipsoid, box", ellipsoid, box, -0.02, 1e-8);
  expect_proven("capsule, cylinder", capsule, cylinder, -0.02, 1e-8);
  expect_proven("capsule, ellipsoid", capsule, ellipsoid, -0.02, 1e-8);
  expect_proven("cylinder, triangle", cylinder, triangle, -0.02, 1e-8);
  expect_proven("ellipsoid, triangle", ellipsoid, triangle, -0.02, 1e-8);
}

}  // namespace
}  // namespace stiction
