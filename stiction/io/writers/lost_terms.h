// What writers of formats without dynamics beyond joints (URDF, SDF) have to say in the same words.
#pragma once

#include <string>
#include <vector>

#include "stiction/model/model.h"

namespace stiction {

std::string quoted(const char* kind, const std::string& name);

// Fixed-axis angles of a rotation: R = Rz(yaw) Ry(pitch) Rx(roll).
Vector3 roll_pitch_yaw(const Matrix3& rotation);

// Keyframes, cameras, initial positions off zero, springs of joints that cannot have them, pairs beyond those of
// parents and children, groups and masks. Tendons, actuators on anything but a joint, activations, weights that are
// carried.
void lose_transmissions(const Model& model, std::vector<std::string>& lost);
void lose_kinematic(const Model& model, std::vector<std::string>& lost);  // bodies that are moved
void lose_keyframes(const Model& model, std::vector<std::string>& lost);
void lose_sensors(const Model& model, std::vector<std::string>& lost);
void lose_cameras(const Model& model, std::vector<std::string>& lost);
void lose_initial_positions(const Model& model, std::vector<std::string>& lost);
void lose_filters(const Model& model, std::vector<std::string>& lost);
// Unless all frictions are equal, or the rule is `rule`.
void lose_friction_rule(const Model& model, FrictionRule rule, std::vector<std::string>& lost);

}  // namespace stiction
