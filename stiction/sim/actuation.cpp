#include "stiction/sim/actuation.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/vectorise.h"

namespace stiction {

Actuation::Actuation(const Model& model) {
  const int nv = model.num_velocities();
  force_.setZero(nv);
  actuator_force_.setZero(nv);
  added_.setZero(nv);
  actuator_added_.setZero(nv);
  damping_.setZero(nv);
  stiffness_.setZero(nv);
  rest_.setZero(nv);
  position_of_.assign(nv, 0);
  for (int j = 0; j < nv; ++j) {
    const Dof& dof = model.dofs[j];
    const Body& body = model.bodies[dof.body];
    if (dof.damping > 0.0) damping_[j] = dof.damping;
    if (num_positions_of(body.joint) == 1) {
      position_of_[j] = body.first_position;
      if (dof.stiffness > 0.0) stiffness_[j] = dof.stiffness;
      rest_[j] = dof.rest_position;
    }
    any_passive_ = any_passive_ || damping_[j] > 0.0 || stiffness_[j] > 0.0;
  }
  any_actuator_ = !model.actuators.empty();
  for (const Actuator& a : model.actuators) {
    any_effort_limit_ = any_effort_limit_ || std::isfinite(model.dofs[a.dof].effort_limit);
  }
}

void Actuation::update(const Model& model, const double* q, const double* v, const double* control, double time_step,
                       bool implicit) {
  if (!any_passive_ && model.actuators.empty()) return;  // everything stays zero
  any_added_ = any_passive_ && implicit;
  if (!model.actuators.empty()) add_actuators(model, q, v, control, time_step, implicit);
  const double ahead = implicit ? time_step : 0.0;  // springs act where they are at the end of the step
  const double *damping = damping_.data(), *stiffness = stiffness_.data(), *rest = rest_.data();
  const double *driven = actuator_force_.data(), *driven_added = actuator_added_.data();
  double *force = force_.data(), *added = added_.data();
  const int nv = static_cast<int>(force_.size()), *position = position_of_.data();
  STICTION_VECTORISE
  for (int j = 0; j < nv; ++j) {
    const double stretch = q[position[j]] - rest[j] + ahead * v[j];
    force[j] = driven[j] - (damping[j] * v[j] + stiffness[j] * stretch);
    added[j] = driven_added[j] + ahead * (damping[j] + ahead * stiffness[j]);
  }
}

double Actuation::spring_energy(const double* q) const {
  double energy = 0.0;
  if (!any_passive_) return energy;
  const double *stiffness = stiffness_.data(), *rest = rest_.data();
  const int nv = static_cast<int>(rest_.size()), *position = position_of_.data();
  for (int j = 0; j < nv; ++j) {
    const double stretch = q[position[j]] - rest[j];
    energy += 0.5 * stiffness[j] * stretch * stretch;
  }
  return energy;
}

Actuation::Works Actuation::works(const double* v, const double* end_velocity, double time_step, bool implicit) const {
  Works works;
  if (!any_passive_ && !any_actuator_) return works;
  const double *force = actuator_force_.data(), *added = actuator_added_.data(), *damping = damping_.data();
  const double* damps_at = implicit ? end_velocity : v;
  for (Eigen::Index j = 0; j < force_.size(); ++j) {
    const double mean = 0.5 * (v[j] + end_velocity[j]);
    works.actuators += (time_step * force[j] - added[j] * (end_velocity[j] - v[j])) * mean;
    works.damped += damping[j] * damps_at[j] * mean;
  }
  works.damped *= time_step;
  return works;
}

double Actuation::spring_power(const double* q, const double* v) const {
  double power = 0.0;
  if (!any_passive_) return power;
  for (Eigen::Index j = 0; j < rest_.size(); ++j) power += stiffness_[j] * (q[position_of_[j]] - rest_[j]) * v[j];
  return power;
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
      const double added = a.gear * a.gear * time_step * (damping + time_step * stiffness);
      actuator_added_[a.dof] += added;
      any_added_ = any_added_ || added > 0.0;
    }
  }
  if (!any_effort_limit_) return;
  any_added_ = any_passive_ && implicit;
  for (const Actuator& a : model.actuators) {
    const int j = a.dof;
    const double limit = model.dofs[j].effort_limit;
    if (!(std::abs(actuator_force_[j]) <= limit)) {
      actuator_force_[j] = std::clamp(actuator_force_[j], -limit, limit);
      actuator_added_[j] = 0.0;
    }
    any_added_ = any_added_ || actuator_added_[j] > 0.0;
  }
}

}  // namespace stiction
