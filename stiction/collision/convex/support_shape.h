// Shapes as GJK sees them: a convex core given by its support point in any direction, around it a radius.
//
// A support shape has
//   Key                          what names a support point: a vertex number, or for smooth shapes the point itself;
//   Key support(d, Key hint)     the point farthest along d (any length), in the shape's own frame;
//   Vector3 point(Key)           where it is;
//   double extent()              how large the core is (radius of a sphere about it), for tolerances.
// A sphere is a point with a radius, a capsule a segment with a radius: gap = distance of the cores − radii.
#pragma once

#include <cmath>

#include "stiction/model/geometry/convex_hull.h"

namespace stiction {

struct SupportHull {
  using Key = int;
  const ConvexHull& hull;
  int support(const Vector3& d, int hint) const { return hull.support(d, hint); }
  const Vector3& point(int key) const { return hull.vertex(key); }
  double extent() const { return hull.radius(); }
};

// The origin.
struct SupportPoint {
  using Key = int;
  int support(const Vector3&, int) const { return 0; }
  Vector3 point(int) const { return Vector3::Zero(); }
  double extent() const { return 0.0; }
};

// Along z, from −half_length (key 0) to +half_length (key 1).
struct SupportSegment {
  using Key = int;
  double half_length;
  int support(const Vector3& d, int) const { return d.z() > 0.0 ? 1 : 0; }
  Vector3 point(int key) const { return {0.0, 0.0, key ? half_length : -half_length}; }
  double extent() const { return half_length; }
};

// Corners numbered as in ConvexHull::box.
struct SupportBox {
  using Key = int;
  Vector3 half_size;
  int support(const Vector3& d, int) const {
    return (d.x() > 0.0 ? 1 : 0) | (d.y() > 0.0 ? 2 : 0) | (d.z() > 0.0 ? 4 : 0);
  }
  Vector3 point(int key) const {
    return {key & 1 ? half_size.x() : -half_size.x(), key & 2 ? half_size.y() : -half_size.y(),
            key & 4 ? half_size.z() : -half_size.z()};
  }
  double extent() const { return half_size.norm(); }
  Vector3 nearest(const Vector3& x) const { return x.cwiseMax(-half_size).cwiseMin(half_size); }
};

struct SupportTriangle {
  using Key = int;
  Vector3 corners[3];
  int support(const Vector3& d, int) const {
    const double a = d.dot(corners[0]), b = d.dot(corners[1]), c = d.dot(corners[2]);
    return b > a ? (c > b ? 2 : 1) : (c > a ? 2 : 0);
  }
  const Vector3& point(int key) const { return corners[key]; }
  double extent() const { return std::max((corners[1] - corners[0]).norm(), (corners[2] - corners[0]).norm()); }
};

// About z.
struct SupportCylinder {
  using Key = Vector3;
  double radius, half_length;
  Vector3 support(const Vector3& d, const Vector3&) const {
    const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
    const double scale = across > 0.0 ? radius / across : 0.0;
    return {scale * d.x(), scale * d.y(), d.z() > 0.0 ? half_length : -half_length};
  }
  const Vector3& point(const Vector3& key) const { return key; }
  double extent() const { return std::sqrt(radius * radius + half_length * half_length); }
  Vector3 nearest(const Vector3& x) const {
    const double across = std::sqrt(x.x() * x.x() + x.y() * x.y());
    const double scale = across > radius ? radius / across : 1.0;
    return {scale * x.x(), scale * x.y(), std::clamp(x.z(), -half_length, half_length)};
  }
};

struct SupportEllipsoid {
  using Key = Vector3;
  static constexpr bool is_strictly_convex = true;  // the witness is the support point
  Vector3 radii;
  Vector3 support(const Vector3& d, const Vector3&) const {
    const Vector3 scaled = radii.cwiseProduct(d);
    const double length = scaled.norm();
    return length > 0.0 ? Vector3(radii.cwiseProduct(scaled) / length) : Vector3(radii.x(), 0.0, 0.0);
  }
  const Vector3& point(const Vector3& key) const { return key; }
  double extent() const { return radii.maxCoeff(); }
};

}  // namespace stiction
