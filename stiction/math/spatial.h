// Spatial algebra: motions (angular; linear), forces (moment; force) and rotations, all in world axes about a common
// point, so that no product ever changes frames. Inertias are in spatial_inertia.h.
//
// Everything is a template over the scalar: double, or a pack whose lanes are independent environments. A 3-vector of
// packs has three members; a 3-vector of doubles is one register of four lanes, of which the last is zero.
#pragma once

#include <type_traits>

#include "stiction/math/pack.h"
#include "stiction/math/types.h"

#define STICTION_INLINE inline __attribute__((always_inline))

namespace stiction {

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
// a × b + c × d.
STICTION_SPATIAL Vec3<T> cross_sum(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c, const Vec3<T>& d) {
  return cross(a, b) + cross(c, d);
}
STICTION_INLINE Vec3<double> cross_sum(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c,
                                       const Vec3<double>& d) {
  return Vec3<double>(rotate_lanes((a.lanes() * rotate_lanes(b.lanes()) - rotate_lanes(a.lanes()) * b.lanes()) +
                                   (c.lanes() * rotate_lanes(d.lanes()) - rotate_lanes(c.lanes()) * d.lanes())));
}
// Halves first: (a0 + a2) + (a1 + a3) takes fewer instructions than the sum in order.
STICTION_INLINE double sum_halves(const Pack4& a) {
  const auto half = __builtin_shufflevector(a, a, 0, 1) + __builtin_shufflevector(a, a, 2, 3);
  return half[0] + half[1];
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
STICTION_SPATIAL Vec3<T> constant_vector(const double* a) {
  return {broadcast<T>(a[0]), broadcast<T>(a[1]), broadcast<T>(a[2])};
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
  return {cross(a.angular, b.angular), cross_sum(a.angular, b.linear, a.linear, b.angular)};
}
STICTION_SPATIAL SpatialVector<T> cross_force(const SpatialVector<T>& a, const SpatialVector<T>& f) {
  return {cross_sum(a.angular, f.angular, a.linear, f.linear), cross(a.angular, f.linear)};
}

// R_AB by its columns: the axes of B in A.
template <class T>
struct Rotation {
  Vec3<T> x, y, z;
};
STICTION_SPATIAL Vec3<T> operator*(const Rotation<T>& r, const Vec3<T>& a) {
  return a.x() * r.x + a.y() * r.y + a.z() * r.z;
}
// R a for a constant a in memory.
STICTION_SPATIAL Vec3<T> turn(const Rotation<T>& r, const double* a) {
  return a[0] * r.x + a[1] * r.y + a[2] * r.z;
}
STICTION_SPATIAL Rotation<T> rotation_of_quaternion(const T& x, const T& y, const T& z, const T& w) {
  return {{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)},
          {2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)},
          {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)}};
}

#undef STICTION_SPATIAL

}  // namespace stiction
