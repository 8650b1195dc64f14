// What one asks of a mechanism besides its motion: matrices in dense form, energies, momenta, the centre of mass. These
// return fresh values and matrices; of these the step uses the energies alone.
#pragma once

#include "stiction/dynamics/dynamics.h"

namespace stiction {

// After update_inertia: M, symmetric, armature included, nothing added.
MatrixX inertia_matrix(const Model& model, const DynamicsData& data);

// After update_kinematics: J (6 × num_velocities, world axes, rows linear then angular) with (velocity of the body's
// point at `point_world`; angular velocity) = J v. Zero for the world.
MatrixX point_jacobian(const Model& model, const DynamicsData& data, int body, const Vector3& point_world);
// After update_kinematics: of the origin of Model::frames[frame].
MatrixX frame_jacobian(const Model& model, const DynamicsData& data, int frame);
Pose frame_pose(const Model& model, const DynamicsData& data, int frame);  // X_WF

// After update_kinematics at (q, v). Kinetic energy ½ vᵀ M v: bodies, and rotors by their armature. J.
double kinetic_energy(const DynamicsData& data, const double* v);
// After update_kinematics: −Σ m g·c, zero with all centres of mass at the world's origin. J.
double gravity_energy(const DynamicsData& data);
// Both, after update_kinematics at (q, v) with the same v: what is summed up there already is not summed again.
struct MechanicalEnergy {
  double kinetic = 0.0, gravity = 0.0;  // J
};
MechanicalEnergy mechanical_energy(const DynamicsData& data, const double* v);
// Σ ½ k (q − rest)² of the joints' springs. J.
double spring_energy(const Model& model, const double* q);

double total_mass(const Model& model);  // kg

// After update_kinematics. Of all bodies together; mass weights the centre of mass, zero for a massless world.
Vector3 center_of_mass(const DynamicsData& data);                          // world, m
Vector3 center_of_mass_velocity(const DynamicsData& data);                 // m/s
Vector3 linear_momentum(const DynamicsData& data);                         // Σ m ċ, kg·m/s
Vector3 angular_momentum(const DynamicsData& data, const Vector3& point);  // about a point of the world, kg·m²/s
inline Vector3 angular_momentum_about_origin(const DynamicsData& data) {
  return angular_momentum(data, Vector3::Zero());
}
inline Vector3 angular_momentum_about_center_of_mass(const DynamicsData& data) {
  return angular_momentum(data, center_of_mass(data));
}
// After update_kinematics: 3 × num_velocities, velocity of the centre of mass = J v.
MatrixX center_of_mass_jacobian(const Model& model, const DynamicsData& data);

}  // namespace stiction
