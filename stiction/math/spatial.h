// Spatial algebra: motions (angular; linear), forces (moment; force), rotations and inertias, all in world axes about a
// common point, so that no product ever changes frames.
//
// Everything is a template over the scalar: double, or a pack whose lanes are independent environments. A 3-vector of
// packs has three members; a 3-vector of doubles is one register of four lanes, of which the last is zero.
#pragma once

#include <cstring>
#include <type_traits>

#include "stiction/math/pack.h"
#include "stiction/math/types.h"

#define STICTION_INLINE inline __attribute__((always_inline))

namespace stiction {

// Packs at any address: a plain double array is not a pack array for the optimiser, and need not be aligned as one.
STICTION_INLINE Pack4 load4(const double* from) {
  Pack4 pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}
STICTION_INLINE void store4(double* to, const Pack4& pack) {
  std::memcpy(to, &pack, sizeof pack);
}

template <class T>
class Vec3 {
 public:
  Vec3() = default;
  STICTION_INLINE Vec3(const T& x, const T& y, const T& z) : x_(x), y_(y), z_(z) {}
  STICTION_INLINE T x() const { return x_; }
  STICTION_INLINE T y() const { return y_; }
  STICTION_INLINE T z() const { return z_; }

 private:
  T x_, y_, z_;
};

template <>
class Vec3<double> {
 public:
  Vec3() = default;
  STICTION_INLINE explicit Vec3(const Pack4& lanes) : lanes_(lanes) {}
  STICTION_INLINE Vec3(double x, double y, double z) : lanes_{x, y, z, 0.0} {}
  STICTION_INLINE double x() const { return lanes_[0]; }
  STICTION_INLINE double y() const { return lanes_[1]; }
  STICTION_INLINE double z() const { return lanes_[2]; }
  STICTION_INLINE const Pack4& lanes() const { return lanes_; }

 private:
  Pack4 lanes_;
};

#define STICTION_SPATIAL \
  template <class T>     \
  STICTION_INLINE
STICTION_SPATIAL Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x() + b.x(), a.y() + b.y(), a.z() + b.z()};
}
STICTION_SPATIAL Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x() - b.x(), a.y() - b.y(), a.z() - b.z()};
}
STICTION_SPATIAL Vec3<T> operator*(const std::type_identity_t<T>& s, const Vec3<T>& a) {
  return {s * a.x(), s * a.y(), s * a.z()};
}
STICTION_SPATIAL Vec3<T> operator*(double s, const Vec3<T>& a)
  requires(!std::is_same_v<T, double>)
{
  return {s * a.x(), s * a.y(), s * a.z()};
}
STICTION_SPATIAL Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x()};
}
STICTION_SPATIAL T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x() * b.x() + a.y() * b.y() + a.z() * b.z();
}

STICTION_INLINE Vec3<double> operator+(const Vec3<double>& a, const Vec3<double>& b) {
  return Vec3<double>(a.lanes() + b.lanes());
}
STICTION_INLINE Vec3<double> operator-(const Vec3<double>& a, const Vec3<double>& b) {
  return Vec3<double>(a.lanes() - b.lanes());
}
STICTION_INLINE Vec3<double> operator*(double s, const Vec3<double>& a) {
  return Vec3<double>(s * a.lanes());
}
STICTION_INLINE Pack4 rotate_lanes(const Pack4& a) {
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}
STICTION_INLINE Vec3<double> cross(const Vec3<double>& a, const Vec3<double>& b) {
  return Vec3<double>(rotate_lanes(a.lanes() * rotate_lanes(b.lanes()) - rotate_lanes(a.lanes()) * b.lanes()));
}
// Halves first: one instruction less than in order.
STICTION_INLINE double sum_halves(const Pack4& a) {
  return (a[0] + a[2]) + (a[1] + a[3]);
}
STICTION_INLINE double dot(const Vec3<double>& a, const Vec3<double>& b) {
  return sum_halves(a.lanes() * b.lanes());
}

// The same number or vector in every environment.
STICTION_SPATIAL T broadcast(double a) {
  return T{} + a;
}
STICTION_SPATIAL Vec3<T> broadcast(const Vec3<double>& a) {
  if constexpr (std::is_same_v<T, double>) {
    return a;
  } else {
    return {broadcast<T>(a.x()), broadcast<T>(a.y()), broadcast<T>(a.z())};
  }
}
STICTION_SPATIAL Vec3<T> zero_vector() {
  return {T{}, T{}, T{}};
}
inline Vec3<double> to_vec3(const Vector3& a) {
  return {a.x(), a.y(), a.z()};
}
inline Vector3 to_eigen(const Vec3<double>& a) {
  return {a.x(), a.y(), a.z()};
}

// A motion (angular velocity; velocity of the point of the body that is at the common point) or a force (moment about
// the common point; force).
template <class T>
struct SpatialVector {
  Vec3<T> angular, linear;
};
STICTION_SPATIAL SpatialVector<T> operator+(const SpatialVector<T>& a, const SpatialVector<T>& b) {
  return {a.angular + b.angular, a.linear + b.linear};
}
STICTION_SPATIAL SpatialVector<T> operator-(const SpatialVector<T>& a, const SpatialVector<T>& b) {
  return {a.angular - b.angular, a.linear - b.linear};
}
STICTION_SPATIAL SpatialVector<T> operator*(const std::type_identity_t<T>& s, const SpatialVector<T>& a) {
  return {s * a.angular, s * a.linear};
}
// Power of a force on a motion.
STICTION_SPATIAL T dot(const SpatialVector<T>& a, const SpatialVector<T>& b) {
  return dot(a.angular, b.angular) + dot(a.linear, b.linear);
}
STICTION_INLINE double dot(const SpatialVector<double>& a, const SpatialVector<double>& b) {
  return sum_halves(a.angular.lanes() * b.angular.lanes() + a.linear.lanes() * b.linear.lanes());
}
// Rate of a motion b, or of a force f, that is carried along by the motion a.
STICTION_SPATIAL SpatialVector<T> cross_motion(const SpatialVector<T>& a, const SpatialVector<T>& b) {
  return {cross(a.angular, b.angular), cross(a.angular, b.linear) + cross(a.linear, b.angular)};
}
STICTION_SPATIAL SpatialVector<T> cross_force(const SpatialVector<T>& a, const SpatialVector<T>& f) {
  return {cross(a.angular, f.angular) + cross(a.linear, f.linear), cross(a.angular, f.linear)};
}

// R_AB by its columns: the axes of B in A.
template <class T>
struct Rotation {
  Vec3<T> x, y, z;
};
STICTION_SPATIAL Vec3<T> operator*(const Rotation<T>& r, const Vec3<T>& a) {
  return a.x() * r.x + a.y() * r.y + a.z() * r.z;
}
STICTION_SPATIAL Rotation<T> rotation_of_quaternion(const T& x, const T& y, const T& z, const T& w) {
  return {{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)},
          {2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)},
          {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)}};
}

// Mass m, first moment h = m c and second moment about the common point: I (ω; v) = (Ī ω + h × v; m v − h × ω).
template <class T>
struct SpatialInertia {
  T m;
  Vec3<T> h;
  T xx, xy, xz, yy, yz, zz;

  STICTION_INLINE T mass() const { return m; }
  STICTION_INLINE Vec3<T> first_moment() const { return h; }
};
// For doubles: (h, m) in one register, and the three columns of the second moment.
template <>
struct SpatialInertia<double> {
  Pack4 h, x, y, z;

  STICTION_INLINE double mass() const { return h[3]; }
  STICTION_INLINE Vec3<double> first_moment() const { return {h[0], h[1], h[2]}; }
};

STICTION_SPATIAL SpatialVector<T> operator*(const SpatialInertia<T>& i, const SpatialVector<T>& v) {
  const T a = v.angular.x(), b = v.angular.y(), c = v.angular.z();
  const Vec3<T> moment(i.xx * a + i.xy * b + i.xz * c, i.xy * a + i.yy * b + i.yz * c, i.xz * a + i.yz * b + i.zz * c);
  return {moment + cross(i.h, v.linear), i.m * v.linear - cross(i.h, v.angular)};
}
STICTION_INLINE SpatialVector<double> operator*(const SpatialInertia<double>& i, const SpatialVector<double>& v) {
  const Vec3<double> h(i.h);  // the mass in its last lane meets the zero of the other factor
  const Vec3<double> moment(v.angular.x() * i.x + v.angular.y() * i.y + v.angular.z() * i.z);
  return {moment + cross(h, v.linear), i.h[3] * v.linear - cross(h, v.angular)};
}
STICTION_SPATIAL SpatialInertia<T> operator+(const SpatialInertia<T>& a, const SpatialInertia<T>& b) {
  return {a.m + b.m, a.h + b.h, a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
STICTION_INLINE SpatialInertia<double> operator+(const SpatialInertia<double>& a, const SpatialInertia<double>& b) {
  return {a.h + b.h, a.x + b.x, a.y + b.y, a.z + b.z};
}

// Inertia in world axes of a body with orientation r, centre of mass c from the common point, mass m and moment j =
// (xx, xy, xz, yy, yz, zz) about the centre of mass in body axes: R J Rᵀ + m (cᵀc 1 − c cᵀ).
STICTION_SPATIAL SpatialInertia<T> world_inertia(const Rotation<T>& r, const Vec3<T>& c, double m, const double* j) {
  const Vec3<T> a = j[0] * r.x + j[1] * r.y + j[2] * r.z, b = j[1] * r.x + j[3] * r.y + j[4] * r.z,
                e = j[2] * r.x + j[4] * r.y + j[5] * r.z, h = m * c;
  const T hx = h.x() * c.x(), hy = h.y() * c.y(), hz = h.z() * c.z();
  return {broadcast<T>(m),
          h,
          a.x() * r.x.x() + b.x() * r.y.x() + e.x() * r.z.x() + hy + hz,
          a.x() * r.x.y() + b.x() * r.y.y() + e.x() * r.z.y() - h.x() * c.y(),
          a.x() * r.x.z() + b.x() * r.y.z() + e.x() * r.z.z() - h.x() * c.z(),
          a.y() * r.x.y() + b.y() * r.y.y() + e.y() * r.z.y() + hx + hz,
          a.y() * r.x.z() + b.y() * r.y.z() + e.y() * r.z.z() - h.y() * c.z(),
          a.z() * r.x.z() + b.z() * r.y.z() + e.z() * r.z.z() + hx + hy};
}
STICTION_INLINE SpatialInertia<double> world_inertia(const Rotation<double>& r, const Vec3<double>& c, double m,
                                                     const double* j) {
  const Pack4 x = r.x.lanes(), y = r.y.lanes(), z = r.z.lanes(), p = c.lanes(), h = m * p;
  const Pack4 a = j[0] * x + j[1] * y + j[2] * z, b = j[1] * x + j[3] * y + j[4] * z,
              e = j[2] * x + j[4] * y + j[5] * z;
  const double t = sum_halves(h * p);
  return {h + Pack4{0.0, 0.0, 0.0, m}, x[0] * a + y[0] * b + z[0] * e - p[0] * h + Pack4{t, 0.0, 0.0, 0.0},
          x[1] * a + y[1] * b + z[1] * e - p[1] * h + Pack4{0.0, t, 0.0, 0.0},
          x[2] * a + y[2] * b + z[2] * e - p[2] * h + Pack4{0.0, 0.0, t, 0.0}};
}
#undef STICTION_SPATIAL

}  // namespace stiction
