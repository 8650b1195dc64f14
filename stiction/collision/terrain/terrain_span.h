// Edges and corners of a terrain as support shapes, the cores of the shapes that meet them, and what comes out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "stiction/collision/convex/support_shape.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

// An edge of a terrain; a vertex where both ends are the same.
struct SupportSpan {
  using Key = int;
  Vector3 ends[2];
  int support(const Vector3& d, int) const { return d.dot(ends[1] - ends[0]) > 0.0 ? 1 : 0; }
  const Vector3& point(int key) const { return ends[key]; }
  double extent() const { return 0.5 * (ends[1] - ends[0]).norm(); }
  // Where p is nearest, 0 … 1 from the first to the second end.
  double foot(const Vector3& p) const {
    const Vector3 e = ends[1] - ends[0];
    const double length2 = e.squaredNorm();
    return length2 > 0.0 ? std::clamp((p - ends[0]).dot(e) / length2, 0.0, 1.0) : 0.0;
  }
};

struct ProbeResult {
  bool is_apart = false;  // of the core: normal and place are those of the shortest distance
  double gap = 0.0;       // of the surfaces along the normal
  Vector3 normal, at;     // `at`: on the span
};

// Where an edge runs under a face or a line of the shape.
struct EdgePoint {
  double along;            // 0 … 1 from the first to the second end
  double gap;              // along the normal
  std::uint64_t of_shape;  // names what of the shape cuts the edge; 0 where it is the end of the edge
};

namespace detail {
inline SupportPoint probe_core(const Sphere&) {
  return {};
}
inline SupportSegment probe_core(const Capsule& shape) {
  return {shape.half_length};
}
inline SupportCylinder probe_core(const Cylinder& shape) {
  return {shape.radius, shape.half_length};
}
inline SupportEllipsoid probe_core(const Ellipsoid& shape) {
  return {shape.radii};
}
inline SupportBox probe_core(const Box& shape) {
  return {shape.half_size};
}
inline SupportHull probe_core(const ConvexHull& shape) {
  return {shape};
}
// Of the round side of capsules and cylinders.
template <class G>
double round_radius(const G& shape) {
  if constexpr (requires { shape.half_length; }) return shape.radius;
  return 0.0;
}
}  // namespace detail

}  // namespace stiction
