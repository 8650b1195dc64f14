// Inertias in world axes about a common point; they add up without a change of frames. Scalars as in spatial.h.
#pragma once

#include "stiction/math/spatial.h"

namespace stiction {

#define STICTION_SPATIAL \
  template <class T>     \
  STICTION_INLINE
// A symmetric matrix: moment of inertia in world axes. For doubles by its three columns.
template <class T>
struct Moment {
  T xx, xy, xz, yy, yz, zz;
};
template <>
struct Moment<double> {
  Pack4 x, y, z;
};
STICTION_SPATIAL Vec3<T> operator*(const Moment<T>& j, const Vec3<T>& w) {
  const T a = w.x(), b = w.y(), c = w.z();
  return {j.xx * a + j.xy * b + j.xz * c, j.xy * a + j.yy * b + j.yz * c, j.xz * a + j.yz * b + j.zz * c};
}
STICTION_INLINE Vec3<double> operator*(const Moment<double>& j, const Vec3<double>& w) {
  return Vec3<double>(w.x() * j.x + w.y() * j.y + w.z() * j.z);
}
STICTION_SPATIAL Moment<T> operator+(const Moment<T>& a, const Moment<T>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
STICTION_INLINE Moment<double> operator+(const Moment<double>& a, const Moment<double>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

// R J Rᵀ for j = (xx, xy, xz, yy, yz, zz) in body axes.
STICTION_SPATIAL Moment<T> turned_moment(const Rotation<T>& r, const double* j) {
  const Vec3<T> a = j[0] * r.x + j[1] * r.y + j[2] * r.z, b = j[1] * r.x + j[3] * r.y + j[4] * r.z,
                e = j[2] * r.x + j[4] * r.y + j[5] * r.z;
  return {a.x() * r.x.x() + b.x() * r.y.x() + e.x() * r.z.x(), a.x() * r.x.y() + b.x() * r.y.y() + e.x() * r.z.y(),
          a.x() * r.x.z() + b.x() * r.y.z() + e.x() * r.z.z(), a.y() * r.x.y() + b.y() * r.y.y() + e.y() * r.z.y(),
          a.y() * r.x.z() + b.y() * r.y.z() + e.y() * r.z.z(), a.z() * r.x.z() + b.z() * r.y.z() + e.z() * r.z.z()};
}
STICTION_INLINE Moment<double> turned_moment(const Rotation<double>& r, const double* j) {
  const Pack4 x = r.x.lanes(), y = r.y.lanes(), z = r.z.lanes();
  const Pack4 a = j[0] * x + j[1] * y + j[2] * z, b = j[1] * x + j[3] * y + j[4] * z,
              e = j[2] * x + j[4] * y + j[5] * z;
  return {x[0] * a + y[0] * b + z[0] * e, x[1] * a + y[1] * b + z[1] * e, x[2] * a + y[2] * b + z[2] * e};
}

// Mass m, first moment h = m c and second moment about the common point: I (ω; v) = (Ī ω + h × v; m v − h × ω).
template <class T>
struct SpatialInertia {
  T m;
  Vec3<T> h;
  Moment<T> moment;
};
// For doubles (h, m) in one register.
template <>
struct SpatialInertia<double> {
  Pack4 h;
  Moment<double> moment;
};
STICTION_SPATIAL SpatialVector<T> operator*(const SpatialInertia<T>& i, const SpatialVector<T>& v) {
  return {i.moment * v.angular + cross(i.h, v.linear), i.m * v.linear - cross(i.h, v.angular)};
}
STICTION_INLINE SpatialVector<double> operator*(const SpatialInertia<double>& i, const SpatialVector<double>& v) {
  const Vec3<double> h(i.h);  // the mass in its last lane meets the zero of the other factor
  return {i.moment * v.angular + cross(h, v.linear), i.h[3] * v.linear - cross(h, v.angular)};
}
STICTION_SPATIAL SpatialInertia<T> operator+(const SpatialInertia<T>& a, const SpatialInertia<T>& b) {
  return {a.m + b.m, a.h + b.h, a.moment + b.moment};
}
STICTION_INLINE SpatialInertia<double> operator+(const SpatialInertia<double>& a, const SpatialInertia<double>& b) {
  return {a.h + b.h, a.moment + b.moment};
}

// Of a body with mass m, centre of mass c from the common point and moment j about c: j + m (cᵀc 1 − c cᵀ).
STICTION_SPATIAL SpatialInertia<T> about_common_point(const Moment<T>& j, const Vec3<T>& c, double m) {
  const Vec3<T> h = m * c;
  const T x = h.x() * c.x(), y = h.y() * c.y(), z = h.z() * c.z();
  return {broadcast<T>(m),
          h,
          {j.xx + (y + z), j.xy - h.x() * c.y(), j.xz - h.x() * c.z(), j.yy + (x + z), j.yz - h.y() * c.z(),
           j.zz + (x + y)}};
}
STICTION_INLINE SpatialInertia<double> about_common_point(const Moment<double>& j, const Vec3<double>& c, double m) {
  const Pack4 p = c.lanes(), h = m * p;
  const double t = sum_halves(h * p);
  return {h + m * Pack4{0.0, 0.0, 0.0, 1.0},
          {j.x - p[0] * h + t * Pack4{1.0, 0.0, 0.0, 0.0}, j.y - p[1] * h + t * Pack4{0.0, 1.0, 0.0, 0.0},
           j.z - p[2] * h + t * Pack4{0.0, 0.0, 1.0, 0.0}}};
}

// The velocity of the point at p, of what moves at v.
STICTION_SPATIAL Vec3<T> velocity_at(const SpatialVector<T>& v, const Vec3<T>& p) {
  return v.linear + cross(v.angular, p);
}

// m ċ² + ω·J ω, twice the kinetic energy, as one part for each axis: sums over bodies stay in a register.
STICTION_SPATIAL Vec3<T> vis_viva(const Moment<T>& j, double m, const Vec3<T>& velocity, const Vec3<T>& angular) {
  const Vec3<T> spin = j * angular;
  return {m * velocity.x() * velocity.x() + angular.x() * spin.x(),
          m * velocity.y() * velocity.y() + angular.y() * spin.y(),
          m * velocity.z() * velocity.z() + angular.z() * spin.z()};
}
STICTION_INLINE Vec3<double> vis_viva(const Moment<double>& j, double m, const Vec3<double>& velocity,
                                      const Vec3<double>& angular) {
  return Vec3<double>((m * velocity.lanes()) * velocity.lanes() + angular.lanes() * (j * angular).lanes());
}

// Force about the common point that a body needs for the spatial acceleration a at the velocity v: d/dt of its
// momentum, by its centre of mass c.
STICTION_SPATIAL SpatialVector<T> force_of_motion(const Moment<T>& j, const Vec3<T>& c, double m,
                                                  const SpatialVector<T>& v, const SpatialVector<T>& a) {
  const Vec3<T> velocity = velocity_at(v, c);
  const Vec3<T> force = m * (a.linear + cross_sum(a.angular, c, v.angular, velocity));
  return {j * a.angular + cross_sum(c, force, v.angular, j * v.angular), force};
}
#undef STICTION_SPATIAL

}  // namespace stiction
