// A rigid placement: where frame B is in frame A. X_AB maps coordinates in B to coordinates in A.
#pragma once

#include <Eigen/Geometry>

#include "stiction/math/types.h"

namespace stiction {

using Quaternion = Eigen::Quaterniond;  // stored and printed as (x, y, z, w)

struct Pose {
  Matrix3 rotation = Matrix3::Identity();  // R_AB
  Vector3 position = Vector3::Zero();      // p_AB, m

  Pose() = default;
  Pose(const Matrix3& r, const Vector3& p) : rotation(r), position(p) {}
  explicit Pose(const Vector3& p) : position(p) {}
  Pose(const Quaternion& r, const Vector3& p) : rotation(r.toRotationMatrix()), position(p) {}

  Pose operator*(const Pose& other) const { return {rotation * other.rotation, rotation * other.position + position}; }
  Vector3 operator*(const Vector3& point) const { return rotation * point + position; }
  Pose inverse() const { return {rotation.transpose(), -(rotation.transpose() * position)}; }
  // Coordinates in B of a point given in A.
  Vector3 to_local(const Vector3& point) const { return rotation.transpose() * (point - position); }
};

// A rotation whose z axis is `axis` (a unit vector); the same bits for the same axis, the identity for z.
Matrix3 rotation_with_z(const Vector3& axis);

}  // namespace stiction
