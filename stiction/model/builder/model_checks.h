// Checks of what a ModelBuilder is given. Each throws std::invalid_argument whose message begins with `what`, the
// element's name, and tells field and value. Those that return something return it cleaned: rotations orthonormal to
// rounding, axes of length one.
#pragma once

#include <string>

#include "stiction/model/model_builder.h"

namespace stiction {

void check_finite(double value, std::string_view what, std::string_view field);
void check_finite(const Vector3& value, std::string_view what, std::string_view field);
void check_not_negative(double value, std::string_view what, std::string_view field);
// Either may be infinite; neither may be NaN; lower ≤ upper.
void check_range(double lower, double upper, std::string_view what, std::string_view fields);

Pose checked_pose(const Pose& pose, std::string_view what, std::string_view field);
Vector3 checked_axis(const Vector3& axis, std::string_view what, std::string_view field);

JointOptions checked_joint(const JointOptions& joint, std::string_view what);
void check_material(const Material& material, std::string_view what);
// A tendon and an actuator of a model, as far as numbers tell.
void check_tendon_values(const Tendon& tendon, std::string_view what);
void check_actuator_values(const Actuator& actuator, std::string_view what);
void check_pair_material(const PairMaterial& material, std::string_view what);
// Bodies and frames are the caller's to check.
MountedCamera checked_camera(const MountedCamera& camera, std::string_view what);
void check_geometry(const Geometry& geometry, std::string_view what);
void check_fluid(const Fluid& fluid, std::string_view what);
FluidForm checked_fluid_form(const FluidForm& form, std::string_view what);  // the body is the caller's to check

}  // namespace stiction
