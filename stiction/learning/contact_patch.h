// The patch of a pair: the hull of its contact points, of dimension 0 (point), 1 (line) or 2 (surface), and the six-
// dimensional impulse that all of its contacts carry together (theory §9.2).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stiction/sim/simulator.h"

namespace stiction {

// A rigid body as contact sees it, and its velocity.
struct RigidBody {
  double mass = 0.0;                       // kg
  Matrix3 inertia = Matrix3::Identity();   // about the centre of mass, body axes, kg·m²
  Matrix3 rotation = Matrix3::Identity();  // R_WB
  Vector3 center = Vector3::Zero();        // centre of mass, world, m
  Matrix3 world_inverse_inertia() const;   // R I⁻¹ Rᵀ
  double length() const;                   // radius of gyration, √(tr I/(2 m)), m
};
struct BodyVelocity {
  Vector3 linear = Vector3::Zero();   // of the centre of mass, world axes, m/s
  Vector3 angular = Vector3::Zero();  // world axes, rad/s
  Vector3 at(const Vector3& offset) const { return linear + angular.cross(offset); }  // from the centre of mass
};

// One point where the body meets the surface.
struct PatchPoint {
  Vector3 offset = Vector3::Zero();  // from the centre of mass, world axes, m
  Vector3 normal = Vector3::Zero();  // world, unit, towards the body
  double gap = 0.0;                  // m
  double promise = 0.0;              // the row asks for n·v⁺ + promise ≥ 0: gap/Δt, less where it penetrates, m/s
};

struct PatchSettings {
  double touch_distance = 1e-4;  // m; points not farther off belong to the patch, whatever they do
  double thickness = 1e-4;       // m; a patch that is thinner is a line, and one that is shorter a point

  void validate() const;
};

struct ContactPatch {
  int dimension = -1;  // 0, 1, 2; −1: nothing touches
  int num_points = 0;
  Vector3 center = Vector3::Zero();     // mean of the points, from the centre of mass, world axes, m
  Vector3 normal = Vector3::UnitZ();    // mean, unit, towards the body
  Vector3 direction = Vector3::Zero();  // of a line, or the longer axis of a surface; unit, world axes
  Matrix3 moments = Matrix3::Zero();    // mean of (x − center)(x − center)ᵀ in the plane of the patch, m²
  double radius = 0.0;                  // √tr moments, m
};

// Points of contacts of one body with what is fixed: what it meets of other bodies is no part of the patch. `contacts`:
// of a step that begins at these positions.
void list_patch_points(std::span<const Contact> contacts, int body, const Vector3& center_of_mass, double time_step,
                       const ConstraintSettings& constraints, std::vector<PatchPoint>& points);

// The points that touch, or that the velocity brings to the surface within the step; indices into `points` to `chosen`.
ContactPatch find_patch(std::span<const PatchPoint> points, const BodyVelocity& velocity, double time_step,
                        const PatchSettings& settings, std::vector<int>& chosen);

// What all contacts together do to a body, world axes: impulse, N·s, and its moment about `about` (world), N·m·s.
struct PatchImpulse {
  Vector3 linear = Vector3::Zero();
  Vector3 angular = Vector3::Zero();
};
PatchImpulse patch_impulse(std::span<const Contact> contacts, int body, const Vector3& about, double time_step);

// The velocity after a step of free flight from (rotation, velocity): gravity, and the gyroscopic moment as the
// simulator takes it (theory (3-8)).
BodyVelocity flight_velocity(const RigidBody& body, const BodyVelocity& velocity, const Vector3& gravity,
                             double time_step);

// Of the only body of the model that moves. Throws std::invalid_argument where it is not one free body against what is
// fixed and still, naming what else there is.
int only_free_body(const Model& model);
void check_still_surfaces(const Model& model);  // refuses surfaces that move or bounce, of which networks do not know
RigidBody rigid_body(const Model& model, int body, VectorView q);
BodyVelocity body_velocity(const Model& model, int body, VectorView q, VectorView v);

}  // namespace stiction
