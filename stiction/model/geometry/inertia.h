// Mass, centre of mass and inertia of one body, with the shapes of uniform density that people use.
#pragma once

#include "stiction/math/pose.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

struct Inertia {
  double mass = 0.0;                 // kg
  Vector3 com = Vector3::Zero();     // m
  Matrix3 moment = Matrix3::Zero();  // about the centre of mass, kg·m²

  // Uniform solid of the given mass; throws std::invalid_argument for planes, triangle meshes and height fields.
  static Inertia of(const Geometry& geometry, double mass);
  static Inertia of_density(const Geometry& geometry, double density);  // kg/m³

  Inertia in(const Pose& pose) const;             // the same body seen from the frame that `pose` (X_AB) leads to
  Inertia operator+(const Inertia& other) const;  // of two bodies rigidly joined
};

// Throws std::invalid_argument, beginning with `what`, unless mass > 0 and the moment is symmetric, positive definite
// and obeys the triangle inequality (to a relative 1e-6).
void check_inertia(const Inertia& inertia, std::string_view what);
// The same for a part that is rigidly joined to others: no mass at all, and moments that are zero, are allowed.
void check_semi_inertia(const Inertia& inertia, std::string_view what);

}  // namespace stiction
