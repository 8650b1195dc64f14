// What a simulator tells about its last step and its current state, computed when asked for.
#include "stiction/constraints/row_builder.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/math/refuse.h"
#include "stiction/sim/workspace.h"

namespace stiction {

std::span<const Contact> Simulator::contacts() const {
  Workspace& w = *workspace_;
  if (w.contacts_current) return w.contacts;
  const int count = w.state.step == 0 ? 0 : w.row_builder.num_contacts();
  w.contacts.resize(count);
  for (int i = 0; i < count; ++i) {
    Contact& c = w.contacts[i];
    c.point = w.points[w.row_builder.point(i)];
    c.body_a = w.model->shapes[c.point.id.shape_a].body;
    c.body_b = w.model->shapes[c.point.id.shape_b].body;
    c.frame = w.row_builder.frame(i);
    c.impulse = Vector3(w.impulse[i][0], w.impulse[i][1], w.impulse[i][2]);
    c.force = c.frame * c.impulse / w.time_step;
    const Pack4 end = w.velocity[i] - w.rows.compliance[i] * w.impulse[i] - w.rows.offset[i];
    c.velocity = Vector3(end[0], end[1], end[2]);
    c.friction = w.rows.constraint[i].friction;
    c.regime = w.regime[i];
  }
  w.contacts_current = true;
  return w.contacts;
}

const VectorX& Simulator::actuator_force() const {
  return workspace_->actuation.actuator_force();
}

// The last step began at the positions and velocities that integrate_state() left in its buffers.
const DynamicsData& Simulator::Workspace::past_dynamics() {
  if (!past) past.emplace(*model);
  if (!past_current) {
    update_kinematics(*model, next_position.data(), free_velocity.data(), *past);
    update_inertia(*model, *past);
    past_current = true;
  }
  return *past;
}

const VectorX& Simulator::constraint_impulse() const {
  Workspace& w = *workspace_;
  if (w.state.step == 0 || w.rows.size() == 0) return w.constraint_impulse.setZero();
  // factor_impulse holds (M + added)⁻¹ Jᵀ λ.
  multiply_inertia(*w.model, w.past_dynamics(), w.factor_impulse.data(), w.constraint_impulse.data());
  if (const double* added = w.actuation.added_diagonal()) {
    for (Eigen::Index j = 0; j < w.factor_impulse.size(); ++j)
      w.constraint_impulse[j] += added[j] * w.factor_impulse[j];
  }
  return w.constraint_impulse;
}

const DynamicsData& Simulator::dynamics() {
  workspace_->update_dynamics();
  return workspace_->dynamics;
}

Pose Simulator::body_pose(int body) {
  if (body < -1 || body >= model().num_bodies()) refuse("body ", body, " does not exist");
  return body < 0 ? Pose() : stiction::body_pose(dynamics(), body);
}

Pose Simulator::frame_pose(int frame) {
  if (frame < 0 || frame >= static_cast<int>(model().frames.size())) refuse("frame ", frame, " does not exist");
  const Frame& f = model().frames[frame];
  return body_pose(f.body) * f.pose;
}

}  // namespace stiction
