// Joint positions that bring frames where they are wanted: damped least squares (Levenberg–Marquardt) within the limits
// of the joints.
//
//     const InverseKinematics found = inverse_kinematics(*model, q, {{.frame = hand, .pose = target}});
//     if (found.reached()) simulator.set_position(found.q);
//
// With e the errors of all targets (position, and orientation as a rotation vector, world axes, by their weights) one
// iteration moves the joints by δ,
//     (JᵀJ + μ 1) δ = Jᵀ e,
// q ← q ⊕ δ put back into the limits; μ falls where the error fell, and rises where it did not. Joints at a limit that
// δ would leave are held. Where nothing improves any more and the targets are not met, it starts again from a random
// position within the limits, as often as the settings say: the same seed gives the same bits. The result is the best
// of all starts. That nothing was found is no proof that there is nothing, but for targets farther than the chain is
// long. Loops (mimic joints among them) and contacts are not looked at.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "stiction/model/model.h"

namespace stiction {

struct FrameTarget {
  int frame = -1;  // of Model::frames
  Pose pose{};     // X_WF that is wanted
  // m⁻¹ and rad⁻¹: what an error counts, zero: any will do. The tolerances ask for what has a weight.
  double position_weight = 1.0, orientation_weight = 1.0;
};

struct InverseKinematicsSettings {
  double position_tolerance = 1e-6;     // m
  double orientation_tolerance = 1e-6;  // rad
  int max_iterations = 200;             // of one start
  int max_restarts = 30;
  std::uint64_t seed = 1;
  // Joints that may move, by index; empty: all but free ones and those of kinematic bodies.
  std::vector<int> joints{};

  void validate(const Model& model) const;  // throws std::invalid_argument naming setting and value
};

enum class InverseKinematicsStatus {
  reached,       // every target within the tolerances
  out_of_reach,  // every start ended where no small motion comes nearer
  limit,         // iterations were used up
};
std::string_view to_string(InverseKinematicsStatus status);

struct InverseKinematics {
  VectorX q;
  InverseKinematicsStatus status = InverseKinematicsStatus::limit;
  double position_error = 0.0, orientation_error = 0.0;  // the largest of the targets that have a weight, m and rad
  int iterations = 0, restarts = 0;                      // of all starts
  bool reached() const { return status == InverseKinematicsStatus::reached; }
};

// From q, in the layout of the model; joints outside of their limits are put into them first. Throws
// std::invalid_argument naming what is wrong with q, a target or a setting.
InverseKinematics inverse_kinematics(const Model& model, VectorView q, const std::vector<FrameTarget>& targets,
                                     const InverseKinematicsSettings& settings = {});

}  // namespace stiction
