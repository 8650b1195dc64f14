// Velocity and acceleration of points of bodies, in world axes.
#pragma once

#include "stiction/dynamics/dynamics.h"

namespace stiction {

struct PointAcceleration {
  Vector3 linear = Vector3::Zero();   // of the point of the body that is there now, m/s²
  Vector3 angular = Vector3::Zero();  // of the body, rad/s²
};

// After update_kinematics at (q, v): J v̇ + J̇ v, where the joint velocities change at `acceleration` (by velocity). That
// is the acceleration against the world; an accelerometer reads it less gravity. Zero for the world (body −1).
PointAcceleration point_acceleration(const Model& model, const DynamicsData& data, const double* acceleration, int body,
                                     const Vector3& point_world);

}  // namespace stiction
