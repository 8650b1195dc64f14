// Capsule against box: the axis of the capsule, a segment, against the box, then the radius.
#include <cmath>
#include <limits>

#include "stiction/collision/manifold/line_contact.h"
#include "stiction/collision/primitives/primitives.h"
#include "stiction/collision/primitives/segment.h"

namespace stiction {

namespace {

constexpr double cosine_of_face = 0.99619;  // cos 5°: a normal this near to a face's is a contact of the face
constexpr double same_point = 1e-7;         // m; points closer than this are one

// The segment c + s u, |s| ≤ h, in the frame of the box.
struct Axis {
  Vector3 c, u;
  double h = 0.0;
  Vector3 at(double s) const { return c + s * u; }
};

struct Closest {
  double distance = std::numeric_limits<double>::infinity();  // of the axis; negative inside
  Vector3 normal = Vector3::UnitZ();                          // from box to axis
  double s = 0.0;                                             // where on the axis
};

// Separation of the axis from the box along the face normals and the cross products with its edges: the least
// penetration where all are negative, else a lower bound of the distance.
Closest separate(const Axis& axis, const Vector3& half) {
  Closest best;
  best.distance = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const double s = std::abs(axis.c[k]) - axis.h * std::abs(axis.u[k]) - half[k];
    if (s > best.distance) {
      const double sign = axis.c[k] < 0.0 ? -1.0 : 1.0;
      best = {s, sign * Vector3::Unit(k), axis.u[k] * sign > 0.0 ? -axis.h : axis.h};
    }
  }
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double length = std::sqrt(axis.u[i] * axis.u[i] + axis.u[j] * axis.u[j]);  // of e_k × u
    if (length < 1e-9) continue;
    Vector3 n = Vector3::Zero();
    n[i] = -axis.u[j] / length, n[j] = axis.u[i] / length;
    double s = n.dot(axis.c);
    if (s < 0.0) n = -n, s = -s;
    s -= half[i] * std::abs(n[i]) + half[j] * std::abs(n[j]);
    if (s > best.distance + 1e-12) {
      // The edge of the box along k that lies farthest along n, and where the axis passes it.
      Vector3 edge =
          half.cwiseProduct(Vector3(n[0] < 0.0 ? -1.0 : 1.0, n[1] < 0.0 ? -1.0 : 1.0, n[2] < 0.0 ? -1.0 : 1.0));
      edge[k] = 0.0;
      best = {s, n, closest_on_segments(axis.c, axis.u, axis.h, edge, Vector3::Unit(k), half[k]).s};
    }
  }
  return best;
}

// How far a point is outside the box, along each axis.
Vector3 excess(const Vector3& p, const Vector3& half) {
  return p - p.cwiseMax(-half).cwiseMin(half);
}

// Distance of a segment outside. The slope of ½ distance² along it, g(s) = u·excess, grows and is linear between the
// places where the segment crosses the planes of the faces, so its root is found without iterating.
Closest find_closest(const Axis& axis, const Vector3& half) {
  const auto slope = [&](double s) { return axis.u.dot(excess(axis.at(s), half)); };
  double low = -axis.h, high = axis.h, slope_low = slope(low), slope_high = slope(high);
  double s = slope_low >= 0.0 ? low : high;
  if (slope_low < 0.0 && slope_high > 0.0) {
    for (int i = 0; i < 6; ++i) {
      const int k = i >> 1;
      const double crossing = ((i & 1 ? half[k] : -half[k]) - axis.c[k]) / axis.u[k];
      if (!(crossing > low && crossing < high)) continue;
      const double g = slope(crossing);
      if (g < 0.0)
        low = crossing, slope_low = g;
      else
        high = crossing, slope_high = g;
    }
    s = low - slope_low * (high - low) / (slope_high - slope_low);
  }
  const Vector3 e = excess(axis.at(s), half);
  const double distance = e.norm();
  return {distance, e / distance, s};
}

// The stretch of the axis over a face: parameters between the four planes of its sides.
bool clip_to_face(const Axis& axis, const Vector3& half, int face, double& first, double& last) {
  first = -axis.h, last = axis.h;
  for (int k = 0; k < 3; ++k) {
    if (k == face) continue;
    if (std::abs(axis.u[k]) < 1e-12) {
      if (std::abs(axis.c[k]) > half[k] * (1.0 + 1e-9)) return false;
      continue;
    }
    double s0 = (-half[k] - axis.c[k]) / axis.u[k], s1 = (half[k] - axis.c[k]) / axis.u[k];
    if (s0 > s1) std::swap(s0, s1);
    first = std::max(first, s0), last = std::min(last, s1);
  }
  return first <= last;
}

// Whether the axis really comes as near to the box as its separation says, over the inside of a face: then that is the
// distance, and the nearer end of the stretch over the face is where.
bool is_over_face(const Axis& axis, const Vector3& half, Closest& c) {
  int k = 0;
  double first = 0.0, last = 0.0;
  if (c.normal.cwiseAbs().maxCoeff(&k) < 1.0 || !clip_to_face(axis, half, k, first, last)) return false;
  const double low = c.normal[k] * axis.at(first)[k], high = c.normal[k] * axis.at(last)[k];
  c.s = low <= high ? first : last;
  return std::min(low, high) - half[k] <= c.distance + 1e-13;
}

}  // namespace

double collide_capsule_box(const Capsule& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin,
                           Manifold& out) {
  out.clear();
  const Vector3& half = b.half_size;
  const Axis axis{X_WB.to_local(X_WA.position), X_WB.rotation.transpose() * X_WA.rotation.col(2), a.half_length};
  Closest closest = separate(axis, half);
  if (!(closest.distance - a.radius <= margin)) return closest.distance - a.radius;
  if (!is_over_face(axis, half, closest) && closest.distance > 0.0) closest = find_closest(axis, half);
  const double gap = closest.distance - a.radius;
  if (!(gap <= margin)) return gap;

  const auto add = [&](double s, const Vector3& n, double g, std::uint64_t feature) {
    out.add(X_WB * (axis.at(s) - (a.radius + 0.5 * g) * n).eval(), X_WB.rotation * n, g, feature);
  };
  int k = 0;
  double first = 0.0, last = 0.0;
  if (closest.normal.cwiseAbs().maxCoeff(&k) > cosine_of_face && clip_to_face(axis, half, k, first, last) &&
      last - first > same_point) {
    const double sign = closest.normal[k] < 0.0 ? -1.0 : 1.0;
    const double low = sign * axis.at(first)[k] - half[k] - a.radius;
    const double high = sign * axis.at(last)[k] - half[k] - a.radius;
    if (low <= margin) add(first, sign * Vector3::Unit(k), low, 0);
    if (high <= margin) add(last, sign * Vector3::Unit(k), high, 1);
    if (out.size > 0 && gap >= std::min(low, high) - same_point) return std::min({gap, low, high});
  }
  const Vector3 foot = axis.at(closest.s) - closest.distance * closest.normal;
  int along = 0;
  axis.u.cwiseAbs().maxCoeff(&along);
  ContactLine edge;
  if (out.size == 0 && find_edge(half, closest.normal, foot, along, edge)) {
    ContactLine side;
    side.ends[0] = axis.at(-axis.h), side.ends[1] = axis.at(axis.h), side.radius = a.radius, side.has_balls = true,
    side.vertices[1] = 1;
    const double least = add_line_points(side, edge, -closest.normal, margin, X_WB, out);
    if (out.size > 0 && gap >= least - same_point) return std::min(gap, least);
  }
  add(closest.s, closest.normal, gap, 2);
  return gap;
}

}  // namespace stiction
