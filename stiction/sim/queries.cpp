// What a simulator tells about its last step and its current state, computed when asked for.
#include "stiction/constraints/row_builder.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/math/refuse.h"
#include "stiction/sim/loop_wrench.h"
#include "stiction/sim/workspace.h"

namespace stiction {

void Simulator::Workspace::list_contacts() {
  const int count = row_builder.num_contacts();
  contacts.resize(count);
  for (int i = 0; i < count; ++i) {
    Contact& c = contacts[i];
    c.point = points[row_builder.point(i)];
    c.body_a = model->shapes[c.point.id.shape_a].body;
    c.body_b = model->shapes[c.point.id.shape_b].body;
    c.frame = row_builder.frame(i);
    c.impulse = Vector3(impulse[i][0], impulse[i][1], impulse[i][2]);
    c.force = c.frame * c.impulse / time_step;
    c.torque.setZero();
    const Pack4 end = end_velocity(i) + row_builder.surface_velocity(i);
    c.velocity = Vector3(end[0], end[1], end[2]);
    c.law_velocity = Vector3(velocity[i][0], velocity[i][1], velocity[i][2]);
    c.friction = rows[i].law.friction;
    c.regime = regime[i];
  }
  if (report.num_friction_torques > 0) {
    for (int i = row_builder.num_contacts(); i < rows.num_constraints(); ++i) {
      if (is_coupled(rows[i].law.kind)) contacts[rows[i].law.partner].torque += friction_torque(i) / time_step;
    }
  }
  contacts_current = true;
}

Vector3 Simulator::Workspace::friction_torque(int i) const {
  const Matrix3& frame = row_builder.frame(rows[i].law.partner);
  const Pack4& x = impulse[i];
  if (rows[i].law.kind == ConstraintKind::torsional) return frame.col(2) * x[0];
  return frame.col(0) * x[0] + frame.col(1) * x[1];
}

std::span<const Contact> Simulator::contacts() const {
  Workspace& w = *workspace_;
  if (w.contacts_current) return w.contacts;
  if (w.state.step == 0 || !w.has_rows) return {};
  w.list_contacts();
  return w.contacts;
}

namespace {

template <class Counts>
ContactForce sum_of(std::span<const Contact> contacts, int body, const Vector3& origin, Counts&& counts) {
  ContactForce sum;
  for (const Contact& c : contacts) {
    if ((c.body_a != body && c.body_b != body) || !counts(c.body_a == body ? c.body_b : c.body_a)) continue;
    const Vector3 force = c.force_on(body);
    sum.force += force;
    sum.torque += (c.point.position - origin).cross(force) + c.torque_on(body);
    sum.num_contacts += c.impulse[2] > 0.0;
  }
  return sum;
}

void check_body(const Model& model, int body, const char* what) {
  if (body < -1 || body >= model.num_bodies()) {
    refuse(what, ": body ", body, " does not exist; the model has ", model.num_bodies(), ", and -1 is the world");
  }
}

}  // namespace

// Contacts lie where the bodies were when their step began.
Vector3 Simulator::Workspace::contact_origin(int body) {
  if (body < 0) return Vector3::Zero();
  if (has_rows && state.step > 0) return stiction::body_pose(find_dynamics_before(), body).position;
  update_dynamics();
  return stiction::body_pose(dynamics, body).position;
}

ContactForce Simulator::contact_force(int body) {
  check_body(model(), body, "contact_force");
  return sum_of(contacts(), body, workspace_->contact_origin(body), [](int) { return true; });
}

ContactForce Simulator::contact_force(int body, int other) {
  check_body(model(), body, "contact_force");
  check_body(model(), other, "contact_force");
  if (body == other) refuse("contact_force: body ", body, " and the other one are the same");
  return sum_of(contacts(), body, workspace_->contact_origin(body), [other](int met) { return met == other; });
}

VectorX Simulator::acceleration() const {
  const Workspace& w = *workspace_;
  if (w.state.step == 0 || !w.has_rows) return VectorX::Zero(w.state.v.size());
  return (w.v_end - w.v_before) / w.time_step;
}

const VectorX& Simulator::actuator_force() const {
  return workspace_->actuation.actuator_force();
}

const VectorX& Simulator::actuator_forces() const {
  return workspace_->actuation.actuator_forces();
}

const DynamicsData& Simulator::Workspace::find_dynamics_before() {
  if (!dynamics_before) dynamics_before.emplace(*model);
  if (!dynamics_before_current) {
    // Of its forces, those of turning belong to another velocity.
    const VectorX& turned_at = settings.implicit_turning ? turning.mean_velocity()
                               : forward_current         ? state.v
                                                         : v_before;
    const VectorX& q = forward_current ? state.q : q_before;
    update_kinematics(*model, q.data(), turned_at.data(), *dynamics_before);
    update_inertia(*model, *dynamics_before);
    sensing.motion_current = false;
    dynamics_before_current = true;
  }
  return *dynamics_before;
}

const VectorX& Simulator::constraint_impulse() const {
  Workspace& w = *workspace_;
  if (w.state.step == 0 || !w.has_rows || w.rows.num_constraints() == 0) {
    w.constraint_impulse.setZero();
    return w.constraint_impulse;
  }
  multiply_inertia(*w.model, w.find_dynamics_before(), w.v_constraint.data(), w.constraint_impulse.data());
  if (const double* added = w.actuation.added_diagonal()) {
    for (Eigen::Index j = 0; j < w.v_constraint.size(); ++j) w.constraint_impulse[j] += added[j] * w.v_constraint[j];
  }
  w.fluid_forces.add_product(*w.model, w.v_constraint.data(), w.constraint_impulse.data());
  const auto impulse = w.servo_impulse();
  const auto servos = w.servo_limits.rows();
  for (std::size_t k = 0; k < servos.size(); ++k) {
    w.constraint_impulse[servos[k].dof] -= servos[k].sign * impulse[k][0];
  }
  const auto coupled_impulse = w.coupled_impulse();
  const auto coupled = w.transmissions.rows();
  for (std::size_t k = 0; k < coupled.size(); ++k) {
    w.transmissions.lengths()->add_force(coupled[k].dof - w.model->num_velocities(),
                                         -coupled[k].sign * coupled_impulse[k][0], w.constraint_impulse.data());
  }
  return w.constraint_impulse;
}

// What the motion of the subtree asked for, less what the world did to it directly: contacts, loops, external forces.
std::pair<Vector3, Vector3> Simulator::joint_wrench(int body) {
  Workspace& w = *workspace_;
  if (body < 0 || body >= w.model->num_bodies()) refuse("joint wrench: body ", body, " does not exist");
  if (w.state.step == 0 || !w.has_rows || w.model->bodies[body].joint == JointType::free)
    return {Vector3::Zero(), Vector3::Zero()};
  w.find_dynamics_before();
  DynamicsData& past = *w.dynamics_before;
  const VectorX acceleration = (w.state.v - w.v_before) / w.time_step;
  VectorX tau(acceleration.size());
  inverse_dynamics(*w.model, past, acceleration.data(), nullptr, 0, tau.data());
  const Vector3 origin = stiction::body_pose(past, body).position;
  const Vector3 reference = tree_reference(past, w.model->bodies[body].tree);
  const auto to_vector = [](const Vec3<double>& a) { return Vector3(a.x(), a.y(), a.z()); };
  Vector3 force = to_vector(past.scratch_force[body].linear);
  Vector3 torque = to_vector(past.scratch_force[body].angular) + (reference - origin).cross(force);
  const auto below = [&](int other) {
    while (other > body) other = w.model->bodies[other].parent;
    return other == body;
  };
  const auto subtract = [&](int on, const Vector3& f, const Vector3& t, const Vector3& point) {
    if (on < 0 || !below(on)) return;
    force -= f;
    torque -= t + (point - origin).cross(f);
  };
  for (const BodyWrench& e : w.external_forces) subtract(e.body, e.force, e.torque, e.point);
  w.world_forces.for_each(
      *w.model, past, [&](int on, const Vector3& f, const Vector3& point) { subtract(on, f, Vector3::Zero(), point); });
  for (const BodyWrench& f : w.fluid_forces.wrenches()) subtract(f.body, f.force, f.torque, f.point);
  for (const Contact& c : contacts()) {
    subtract(c.body_a, c.force, c.torque, c.point.position);
    subtract(c.body_b, -c.force, -c.torque, c.point.position);
  }
  const double per_step = 1.0 / w.time_step;
  for_each_loop_wrench(
      *w.model, past, w.rows, w.impulse,
      [&](int body_a, int body_b, const Vector3& p, const Vector3& m, const Vector3& p_a, const Vector3& p_b) {
        subtract(body_a, per_step * p, per_step * m, p_a);
        subtract(body_b, -per_step * p, -per_step * m, p_b);
      });
  return {force, torque};
}

VectorX Simulator::tendon_lengths() {
  VectorX out(static_cast<Eigen::Index>(model().tendons.size()));
  if (out.size() == 0) return out;
  const CoupledLengths& lengths = workspace_->transmissions.lengths_at(model(), dynamics(), workspace_->state.q.data());
  for (Eigen::Index k = 0; k < out.size(); ++k) out[k] = lengths.length(static_cast<int>(k));
  return out;
}

VectorX Simulator::tendon_velocities() {
  VectorX out(static_cast<Eigen::Index>(model().tendons.size()));
  if (out.size() == 0) return out;
  const CoupledLengths& lengths = workspace_->transmissions.lengths_at(model(), dynamics(), workspace_->state.q.data());
  const double* v = workspace_->state.v.data();
  for (Eigen::Index k = 0; k < out.size(); ++k) out[k] = lengths.rate(static_cast<int>(k), v);
  return out;
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
