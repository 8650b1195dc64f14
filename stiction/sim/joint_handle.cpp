#include "stiction/sim/joint_handle.h"

#include "stiction/math/refuse.h"

namespace stiction {

JointHandle Simulator::joint(std::string_view name) {
  return JointHandle(*this, model().find_joint(name));
}

void JointHandle::check_single(const char* what) const {
  const Joint& j = joint();
  if (j.num_velocities == 1) return;
  refuse("joint '", j.name, "': ", what, " of a ", j.kind, " joint of ", j.num_velocities,
         " degrees of freedom; ask for positions and velocities");
}

double JointHandle::position() const {
  check_single("position");
  return simulator_->state().q[joint().first_position];
}

double JointHandle::velocity() const {
  check_single("velocity");
  return simulator_->state().v[joint().first_velocity];
}

VectorX JointHandle::positions() const {
  return simulator_->state().q.segment(joint().first_position, joint().num_positions);
}

VectorX JointHandle::velocities() const {
  return simulator_->state().v.segment(joint().first_velocity, joint().num_velocities);
}

void JointHandle::set_position(double value) {
  check_single("position");
  set_positions(VectorX::Constant(1, value));
}

void JointHandle::set_velocity(double value) {
  check_single("velocity");
  set_velocities(VectorX::Constant(1, value));
}

void JointHandle::set_positions(VectorView values) {
  const Joint& j = joint();
  if (values.size() != j.num_positions) {
    refuse("joint '", j.name, "': ", values.size(), " positions; a ", j.kind, " joint has ", j.num_positions);
  }
  VectorX q = simulator_->state().q;
  q.segment(j.first_position, j.num_positions) = values;
  simulator_->set_position(q);
}

void JointHandle::set_velocities(VectorView values) {
  const Joint& j = joint();
  if (values.size() != j.num_velocities) {
    refuse("joint '", j.name, "': ", values.size(), " velocities; a ", j.kind, " joint has ", j.num_velocities);
  }
  VectorX v = simulator_->state().v;
  v.segment(j.first_velocity, j.num_velocities) = values;
  simulator_->set_velocity(v);
}

}  // namespace stiction
