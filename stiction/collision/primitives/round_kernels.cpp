// Spheres and capsules against each other and against boxes.
#include <cmath>

#include "stiction/collision/primitives/primitives.h"
#include "stiction/collision/primitives/segment.h"

namespace stiction {

namespace {

constexpr double parallel_sine2 = 0.0076;  // sin² 5°
constexpr double same_point = 1e-7;        // m; points closer than this are one

// Spheres of radius ra about p and rb about q. Concentric ones are pushed apart along `spare`.
double add_spheres(const Vector3& p, double ra, const Vector3& q, double rb, double margin, const Vector3& spare,
                   std::uint64_t feature, Manifold& out) {
  const Vector3 e = p - q;
  const double distance = e.norm(), gap = distance - ra - rb;
  if (!(gap <= margin)) return gap;
  const Vector3 n = distance > 0.0 ? Vector3(e / distance) : spare;
  out.add(q + (rb + 0.5 * gap) * n, n, gap, feature);
  return gap;
}

}  // namespace

double collide_spheres(const Sphere& a, const Pose& X_WA, const Sphere& b, const Pose& X_WB, double margin,
                       Manifold& out) {
  out.clear();
  return add_spheres(X_WA.position, a.radius, X_WB.position, b.radius, margin, Vector3::UnitZ(), 0, out);
}

double collide_sphere_capsule(const Sphere& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB, double margin,
                              Manifold& out) {
  out.clear();
  const Vector3 u = X_WB.rotation.col(2);
  const double t = std::clamp(u.dot(X_WA.position - X_WB.position), -b.half_length, b.half_length);
  return add_spheres(X_WA.position, a.radius, X_WB.position + t * u, b.radius, margin, X_WB.rotation.col(0), 0, out);
}

double collide_sphere_box(const Sphere& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin,
                          Manifold& out) {
  out.clear();
  const Vector3 c = X_WB.to_local(X_WA.position);
  const Vector3 q = c.cwiseMax(-b.half_size).cwiseMin(b.half_size);
  const Vector3 e = c - q;
  const double distance = e.norm();
  if (distance > 0.0) {
    const double gap = distance - a.radius;
    if (gap <= margin) {
      const Vector3 n = X_WB.rotation * (e / distance);
      out.add(X_WA.position - (a.radius + 0.5 * gap) * n, n, gap, 0);
    }
    return gap;
  }
  // The centre is inside (or NaN): out through the nearest face.
  int k = 0;
  const Vector3 depth = b.half_size - c.cwiseAbs();
  depth.minCoeff(&k);
  const double gap = -depth[k] - a.radius;
  if (gap <= margin) {
    const Vector3 n = X_WB.rotation.col(k) * (c[k] < 0.0 ? -1.0 : 1.0);
    out.add(X_WA.position - (a.radius + 0.5 * gap) * n, n, gap, 0);
  }
  return gap;
}

double collide_capsules(const Capsule& a, const Pose& X_WA, const Capsule& b, const Pose& X_WB, double margin,
                        Manifold& out) {
  out.clear();
  const Vector3 u = X_WA.rotation.col(2), v = X_WB.rotation.col(2);
  const SegmentPair closest = closest_on_segments(X_WA.position, u, a.half_length, X_WB.position, v, b.half_length);
  const Vector3 p = X_WA.position + closest.s * u, q = X_WB.position + closest.t * v;
  const double distance = (p - q).norm(), gap = distance - a.radius - b.radius;
  if (!(gap <= margin)) return gap;
  // Axes that cross are pushed apart along their common perpendicular.
  Vector3 spare = u.cross(v);
  const double sine2 = spare.squaredNorm();
  spare = sine2 > 1e-24 ? Vector3(spare / std::sqrt(sine2)) : X_WA.rotation.col(0).eval();
  if (sine2 < parallel_sine2) {
    const Vector3 w = X_WA.position - X_WB.position;
    const double cosine = u.dot(v), middle = -u.dot(w), reach = std::abs(cosine) * b.half_length;
    const double low = middle - reach, high = middle + reach;  // ends of the second capsule along the first
    const double first = std::max(-a.half_length, low), last = std::min(a.half_length, high);
    if (last - first > same_point) {
      const double end = cosine < 0.0 ? -b.half_length : b.half_length;  // of the second capsule, at `high`
      double least = margin;
      for (unsigned i = 0; i < 2; ++i) {
        const double s = i == 0 ? first : last;
        const bool is_end_of_b = i == 0 ? low > -a.half_length : high < a.half_length;
        double t = i == 0 ? -end : end;
        if (!is_end_of_b) t = std::clamp(cosine * s + v.dot(w), -b.half_length, b.half_length);
        const Vector3 p_s = X_WA.position + s * u, q_t = X_WB.position + t * v;
        least = std::min(least, add_spheres(p_s, a.radius, q_t, b.radius, margin, spare, i, out));
      }
      if (out.size > 0 && gap >= least - same_point) return std::min(gap, least);
    }
  }
  add_spheres(p, a.radius, q, b.radius, margin, spare, 2, out);
  return gap;
}

}  // namespace stiction
