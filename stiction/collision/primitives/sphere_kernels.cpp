// Spheres against cylinders and ellipsoids: the signed distance of a point from the surface, less the radius.
#include <cmath>

#include "stiction/collision/primitives/primitives.h"

namespace stiction {

namespace {

// A point of the world near a surface: signed distance and outward normal in the frame of that surface.
double add_point(const Sphere& a, const Pose& X_WA, const Pose& X_WB, double distance, const Vector3& normal,
                 double margin, Manifold& out) {
  const double gap = distance - a.radius;
  if (!(gap <= margin)) return gap;
  const Vector3 n = X_WB.rotation * normal;
  out.add(X_WA.position - (a.radius + 0.5 * gap) * n, n, gap, 0);
  return gap;
}

// Nearest point of an ellipsoid to p. With x_i = r_i² p_i / (r_i² + t) it lies on the surface where
//     F(s) = Σ (r_i p_i / (s + d_i))² = 1,   d_i = r_i² − r_min²,   s = t + r_min².
// F falls and is convex, so Newton's method from the left of the root never passes it. s = 0 is the case of a point on
// the middle plane or axis, deep inside: the nearest point then leaves that plane.
Vector3 nearest_on_ellipsoid(const Vector3& radii, const Vector3& p) {
  int k = 0;
  const double least = radii.minCoeff(&k);
  const Vector3 d = (radii.array().square() - least * least).max(0.0);
  const Vector3 w = radii.cwiseProduct(p.cwiseAbs());
  double s = std::max((w - d).maxCoeff(), 0.0);
  const auto at = [&](double t) {
    Vector3 x;
    for (int i = 0; i < 3; ++i) x[i] = w[i] > 0.0 ? radii[i] * w[i] / (t + d[i]) : 0.0;
    return x;  // with the signs of p left out
  };
  Vector3 x;
  if (s == 0.0) {
    x = at(0.0);  // w_k is 0 here
    const double rest = 1.0 - x.cwiseQuotient(radii).squaredNorm();
    if (rest >= 0.0) x[k] = least * std::sqrt(rest);
    if (rest >= 0.0) return {std::copysign(x[0], p[0]), std::copysign(x[1], p[1]), std::copysign(x[2], p[2])};
  }
  for (int i = 0; i < 60; ++i) {
    double f = -1.0, slope = 0.0;
    for (int j = 0; j < 3; ++j) {
      if (!(w[j] > 0.0)) continue;
      const double e = w[j] / (s + d[j]);
      f += e * e, slope -= 2.0 * e * e / (s + d[j]);
    }
    const double next = s - f / slope;
    if (!(next > s)) break;
    s = next;
  }
  x = at(s);
  return {std::copysign(x[0], p[0]), std::copysign(x[1], p[1]), std::copysign(x[2], p[2])};
}

}  // namespace

double collide_sphere_cylinder(const Sphere& a, const Pose& X_WA, const Cylinder& b, const Pose& X_WB, double margin,
                               Manifold& out) {
  out.clear();
  const Vector3 p = X_WB.to_local(X_WA.position);
  const double across = std::sqrt(p[0] * p[0] + p[1] * p[1]);
  const Vector3 radial = across > 0.0 ? Vector3(p[0] / across, p[1] / across, 0.0) : Vector3::UnitX();
  const Vector3 axial(0.0, 0.0, p[2] < 0.0 ? -1.0 : 1.0);
  const double side = across - b.radius, cap = std::abs(p[2]) - b.half_length;
  if (side > 0.0 && cap > 0.0) {
    const double distance = std::sqrt(side * side + cap * cap);
    return add_point(a, X_WA, X_WB, distance, (side * radial + cap * axial) / distance, margin, out);
  }
  return side > cap ? add_point(a, X_WA, X_WB, side, radial, margin, out)
                    : add_point(a, X_WA, X_WB, cap, axial, margin, out);
}

double collide_sphere_ellipsoid(const Sphere& a, const Pose& X_WA, const Ellipsoid& b, const Pose& X_WB, double margin,
                                Manifold& out) {
  out.clear();
  // Far away the sphere about the ellipsoid will do.
  const double bound = (X_WA.position - X_WB.position).norm() - b.radii.maxCoeff() - a.radius;
  if (!(bound <= margin)) return bound;
  const Vector3 p = X_WB.to_local(X_WA.position);
  const Vector3 x = nearest_on_ellipsoid(b.radii, p);
  const Vector3 n = x.cwiseQuotient(b.radii.cwiseAbs2()).normalized();
  return add_point(a, X_WA, X_WB, n.dot(p - x), n, margin, out);
}

}  // namespace stiction
