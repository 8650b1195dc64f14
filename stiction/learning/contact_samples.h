// Contact instances that networks learn from: one step of one patch each, with what the trajectory says became of it.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>

#include "stiction/learning/contact_networks.h"

namespace stiction {

struct ContactSample {
  static constexpr int most_points = 8;
  Matrix3 rotation = Matrix3::Identity();  // R_WB
  BodyVelocity velocity;                   // v1, after free flight
  PatchImpulse impulse;                    // p; its moment about the centre of the patch
  PatchState state = PatchState::sticking;
  int dimension = 0;  // of the patch
  int num_points = 0;
  std::array<PatchPoint, most_points> points;  // of the patch
  std::span<const PatchPoint> all_points() const { return {points.data(), static_cast<std::size_t>(num_points)}; }
};

struct ContactData {
  double mass = 0.0;                      // kg
  Matrix3 inertia = Matrix3::Identity();  // about the centre of mass, body axes
  double time_step = 0.0;                 // s
  PatchSettings patch;
  std::vector<ContactSample> samples;
  std::map<std::string, std::string> provenance;  // shape, solver, ranges, seed

  RigidBody body(const ContactSample& sample) const { return {mass, inertia, sample.rotation, Vector3::Zero()}; }
  // By dimension of the patch and state.
  std::array<std::array<int, num_patch_states>, 3> counts() const;
  void append(const ContactData& other);  // throws std::invalid_argument where it is of another body or time step

  // Throws std::invalid_argument naming sample, field and value.
  void validate() const;
  // Arrays in the format safetensors: rotation (n × 9), velocity (n × 6), impulse (n × 6), points (n × 64: offset,
  // normal, gap, promise of eight points), num_points, state, dimension (n).
  void save(const std::string& path) const;
  static ContactData load(const std::string& path);
  static ContactData from_bytes(std::span<const std::byte> bytes, const std::string& name);
};

// A sample of a step, from what was before and after it, as the paper has it: detach where p is near zero, static where
// the patch stands still along the surface and comes just to it, else dynamic. `impulse`: its moment about the centre
// of mass. False: nothing touches, or the patch has too many points.
bool make_sample(const RigidBody& body, const BodyVelocity& before_contact, const BodyVelocity& end,
                 const PatchImpulse& impulse, std::span<const PatchPoint> points, double time_step,
                 const PatchSettings& settings, ContactSample& sample);

}  // namespace stiction
