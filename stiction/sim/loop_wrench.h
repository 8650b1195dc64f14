// What the rows of loop closures do to the two bodies of each. Internal to the sim room.
#pragma once

#include <vector>

#include "stiction/constraints/row_set.h"
#include "stiction/dynamics/dynamics.h"

namespace stiction {

// Calls function(body_a, body_b, impulse, moment, p_a, p_b) for every row block of a loop between frames: impulse and
// moment on body a at p_a, the opposite on body b at p_b; world axes, N·s and N·m·s. Kinematics are those of the rows.
template <class Function>
void for_each_loop_wrench(const Model& model, const DynamicsData& dynamics, const RowSet& rows,
                          const std::vector<Pack4>& impulse, Function&& function) {
  for (int i = 0; i < rows.num_constraints(); ++i) {
    if (rows[i].id.source != ConstraintSource::loop) continue;
    const Loop& loop = model.loops[static_cast<std::size_t>(rows[i].id.first)];
    if (loop.kind == LoopKind::joint_equality || loop.kind == LoopKind::tendon_equality) {
      continue;  // acts along joints, between no two bodies
    }
    const auto pose_of = [&](int on, const Pose& pose) { return on < 0 ? pose : body_pose(dynamics, on) * pose; };
    const Pose a = pose_of(loop.body_a, loop.pose_a), b = pose_of(loop.body_b, loop.pose_b);
    const int block = rows[i].id.second;
    const Vector3 x(impulse[i][0], impulse[i][1], impulse[i][2]);
    Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
    if (block == 0) {
      force = b.rotation * x;
    } else if (loop.kind == LoopKind::weld) {
      torque = b.rotation * x;
    } else {
      torque = b.rotation.col(block - 1) * x[0];
    }
    function(loop.body_a, loop.body_b, force, torque, a.position, b.position);
  }
}

}  // namespace stiction
