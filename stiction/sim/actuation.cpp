#include "stiction/sim/actuation.h"

#include <algorithm>
#include <cmath>

namespace stiction {

Actuation::Actuation(const Model& model) {
  const int nv = model.num_velocities();
  force_.setZero(nv);
  actuator_force_.setZero(nv);
  added_.setZero(nv);
  actuator_added_.setZero(nv);
  position_of_.assign(nv, -1);
  for (int j = 0; j < nv; ++j) {
    const Body& body = model.bodies[model.dofs[j].body];
    if (num_positions_of(body.joint) == 1) position_of_[j] = body.first_position;
    if (model.dofs[j].damping > 0.0 || model.dofs[j].stiffness > 0.0) passive_.push_back(j);
  }
}

void Actuation::update(const Model& model, const double* q, const double* v, const double* control, double time_step,
                       bool implicit) {
  if (passive_.empty() && model.actuators.empty()) return;  // everything stays zero
  force_.setZero();
  added_.setZero();
  any_added_ = false;
  if (!model.actuators.empty()) add_actuators(model, q, v, control, time_step, implicit);
  for (const int j : passive_) {
    const Dof& dof = model.dofs[j];
    double f = -dof.damping * v[j];
    if (dof.stiffness > 0.0) {
      f -= dof.stiffness * (q[position_of_[j]] - dof.rest_position);
      if (implicit) f -= time_step * dof.stiffness * v[j];
    }
    force_[j] += f;
    if (implicit) added_[j] += time_step * (dof.damping + time_step * dof.stiffness);
    any_added_ = any_added_ || implicit;
  }
}

double Actuation::spring_energy(const Model& model, const double* q) const {
  double energy = 0.0;
  for (const int j : passive_) {
    const Dof& dof = model.dofs[j];
    if (dof.stiffness == 0.0) continue;
    const double stretch = q[position_of_[j]] - dof.rest_position;
    energy += 0.5 * dof.stiffness * stretch * stretch;
  }
  return energy;
}

void Actuation::add_actuators(const Model& model, const double* q, const double* v, const double* control,
                              double time_step, bool implicit) {
  actuator_force_.setZero();
  actuator_added_.setZero();
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const Actuator& a = model.actuators[i];
    const double u = std::clamp(control[i], a.control_lower, a.control_upper);
    double force = u, stiffness = 0.0, damping = 0.0;
    if (a.kind == ActuatorKind::position) {
      stiffness = a.kp;
      damping = a.kd;
      force = a.kp * (u - a.gear * q[position_of_[a.dof]]) - a.kd * a.gear * v[a.dof];
    } else if (a.kind == ActuatorKind::velocity) {
      damping = a.kd;
      force = a.kd * (u - a.gear * v[a.dof]);
    }
    if (implicit) force -= time_step * stiffness * a.gear * v[a.dof];
    const double limited = std::clamp(force, a.force_lower, a.force_upper);
    actuator_force_[a.dof] += a.gear * limited;
    if (implicit && limited == force) {
      actuator_added_[a.dof] += a.gear * a.gear * time_step * (damping + time_step * stiffness);
    }
  }
  for (const Actuator& a : model.actuators) {
    const int j = a.dof;
    const double limit = model.dofs[j].effort_limit;
    if (!(std::abs(actuator_force_[j]) <= limit)) {
      actuator_force_[j] = std::clamp(actuator_force_[j], -limit, limit);
      actuator_added_[j] = 0.0;
    }
    any_added_ = any_added_ || actuator_added_[j] > 0.0;
  }
  force_ += actuator_force_;
  added_ += actuator_added_;
}

}  // namespace stiction
