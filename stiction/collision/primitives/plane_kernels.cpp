// Primitives against the half space z ≤ 0 of the plane's frame.
#include <cmath>

#include "stiction/collision/manifold/manifold.h"
#include "stiction/collision/primitives/primitives.h"

namespace stiction {

namespace {

// The point halfway between a surface point at height `gap` and the plane.
void add_point(const Vector3& surface, const Vector3& n, double gap, std::uint64_t feature, Manifold& out) {
  out.add(surface - (0.5 * gap) * n, n, gap, feature);
}

// A box that leans and is thinner than the margin: places that are free go to the vertices above those of the face
// towards the plane (its axis: k), the lowest first. `rise`: half its height along each axis.
[[gnu::noinline]] void add_upper_vertices(const Box& a, const Pose& X_WA, const Vector3& n, double middle,
                                          const Vector3& rise, int k, double margin, Manifold& out) {
  const int u = k == 0 ? 1 : 0, v = k == 2 ? 1 : 2;
  const unsigned low = (rise[u] > 0.0 ? 0u : 1u << u) | (rise[v] > 0.0 ? 0u : 1u << v) | (rise[k] > 0.0 ? 1u << k : 0u);
  for (unsigned j = 0; j < 4 && out.size < Manifold::max_points; ++j) {
    const unsigned vertex = low ^ ((j & 1u) << u) ^ ((j >> 1) << v);
    const Vector3 sign((vertex & 1u) ? 1.0 : -1.0, (vertex & 2u) ? 1.0 : -1.0, (vertex & 4u) ? 1.0 : -1.0);
    const double gap = middle + sign.dot(rise);
    if (gap <= margin) add_point(X_WA * sign.cwiseProduct(a.half_size).eval(), n, gap, vertex, out);
  }
}

}  // namespace

double collide_sphere_plane(const Sphere& a, const Pose& X_WA, const Pose& X_WB, double margin, Manifold& out) {
  out.clear();
  const Vector3 n = X_WB.rotation.col(2);
  const double gap = n.dot(X_WA.position - X_WB.position) - a.radius;
  if (gap <= margin) add_point(X_WA.position - a.radius * n, n, gap, 0, out);
  return gap;
}

double collide_capsule_plane(const Capsule& a, const Pose& X_WA, const Pose& X_WB, double margin, Manifold& out) {
  out.clear();
  const Vector3 n = X_WB.rotation.col(2);
  const Vector3 axis = a.half_length * X_WA.rotation.col(2);
  const double middle = n.dot(X_WA.position - X_WB.position) - a.radius, rise = n.dot(axis);
  if (middle - rise <= margin) add_point(X_WA.position - axis - a.radius * n, n, middle - rise, 0, out);
  if (middle + rise <= margin && a.half_length > 0.0)
    add_point(X_WA.position + axis - a.radius * n, n, middle + rise, 1, out);
  return middle - std::abs(rise);
}

double collide_box_plane(const Box& a, const Pose& X_WA, const Pose& X_WB, double margin, Manifold& out) {
  out.clear();
  const Vector3 n = X_WB.rotation.col(2);
  const Vector3 rise = (X_WA.rotation.transpose() * n).cwiseProduct(a.half_size);  // height over the centre, per axis
  const double middle = n.dot(X_WA.position - X_WB.position);
  const double lowest = middle - rise.cwiseAbs().sum();
  if (!(lowest <= margin)) return lowest;
  // The four vertices of the face that looks most towards the plane: no other touches before the box has turned by 35°.
  const Vector3 tilt = X_WA.rotation.transpose() * n;
  int k = std::abs(tilt[1]) > std::abs(tilt[0]) ? 1 : 0;
  if (std::abs(tilt[2]) > std::abs(tilt[k])) k = 2;
  const int u = k == 0 ? 1 : 0, v = k == 2 ? 1 : 2;
  const double sign = tilt[k] > 0.0 ? -1.0 : 1.0;
  const Vector3 eu = a.half_size[u] * X_WA.rotation.col(u), ev = a.half_size[v] * X_WA.rotation.col(v);
  const Vector3 center = X_WA.position + (sign * a.half_size[k]) * X_WA.rotation.col(k);
  const double height = middle + sign * rise[k];
  const unsigned base = sign > 0.0 ? 1u << k : 0u;
  for (unsigned i = 0; i < 4; ++i) {
    const double su = (i & 1u) ? 1.0 : -1.0, sv = (i & 2u) ? 1.0 : -1.0;
    const double gap = height + su * rise[u] + sv * rise[v];
    if (gap <= margin) add_point(center + su * eu + sv * ev, n, gap, base | ((i & 1u) << u) | ((i >> 1) << v), out);
  }
  if (out.size == Manifold::max_points || lowest + 2.0 * std::abs(rise[k]) > margin) return lowest;
  add_upper_vertices(a, X_WA, n, middle, rise, k, margin, out);
  return lowest;
}

double collide_ellipsoid_plane(const Ellipsoid& a, const Pose& X_WA, const Pose& X_WB, double margin, Manifold& out) {
  out.clear();
  const Vector3 n = X_WB.rotation.col(2);
  // h(n) = |D n| with D the radii; the lowest point is c − D² n / |D n|.
  const Vector3 dn = (X_WA.rotation.transpose() * n).cwiseProduct(a.radii);
  const double h = dn.norm();
  const double gap = n.dot(X_WA.position - X_WB.position) - h;
  if (gap <= margin) add_point(X_WA.position - X_WA.rotation * (dn.cwiseProduct(a.radii) / h).eval(), n, gap, 0, out);
  return gap;
}

double collide_cylinder_plane(const Cylinder& a, const Pose& X_WA, const Pose& X_WB, double margin, Manifold& out) {
  out.clear();
  const Vector3 n = X_WB.rotation.col(2);
  const Vector3 m = X_WA.rotation.transpose() * n;           // the plane's normal in the cylinder's frame
  const double sine = std::sqrt(m[0] * m[0] + m[1] * m[1]);  // of the tilt of its axis
  const double middle = n.dot(X_WA.position - X_WB.position);
  const double lowest = middle - a.half_length * std::abs(m[2]) - a.radius * sine;
  if (!(lowest <= margin)) return lowest;
  const unsigned cap = m[2] > 0.0 ? 0 : 1;  // the lower one; 0 is at z = −half_length
  const double z = cap == 0 ? -a.half_length : a.half_length;
  // Direction of the lowest rim point. Upright to 1e-9 m, any is lowest: take the one that stays on the body.
  const bool is_upright = a.radius * sine <= 1e-9;
  const double x = is_upright ? 1.0 : -m[0] / sine, y = is_upright ? 0.0 : -m[1] / sine;
  const auto add = [&](double px, double py, double pz, std::uint64_t feature) {
    const Vector3 local(a.radius * px, a.radius * py, pz);
    const double gap = middle + m.dot(local);
    if (gap <= margin) add_point(X_WA * local, n, gap, feature, out);
  };
  if (sine > lying_slope * std::abs(m[2])) {
    // Lying: it rolls on the line of its side, whatever the margin reaches besides.
    add(x, y, -a.half_length, 8);
    add(x, y, a.half_length, 9);
  } else if (std::abs(m[2]) < cos_face) {
    // Leaning: the four points go round the rim with the lowest.
    const std::uint64_t first = 10 + 3 * cap;
    add(x, y, z, 8 + cap);
    add(-y, x, z, first);
    add(y, -x, z, first + 1);
    add(-x, -y, z, first + 2);
  } else {
    // Standing. Quarters of the rim about +x, +y, −x, −y: that of the lowest point has it, the others their middles.
    const unsigned lowest_quarter = std::abs(x) >= std::abs(y) ? (x > 0.0 ? 0 : 2) : (y > 0.0 ? 1 : 3);
    static constexpr double quarter[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (unsigned i = 0; i < 4; ++i) {
      const bool is_lowest = i == lowest_quarter;
      add(is_lowest ? x : quarter[i][0], is_lowest ? y : quarter[i][1], z, 4 * cap + i);
    }
    if (out.size == 1) out.feature[0] = 8 + cap;  // it may roll on its rim: the same point whatever its quarter
  }
  return lowest;
}

}  // namespace stiction
