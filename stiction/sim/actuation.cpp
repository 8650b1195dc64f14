#include "stiction/sim/actuation.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/vectorise.h"
#include "stiction/sim/actuator_law.h"

namespace stiction {

Actuation::Actuation(const Model& model) {
  const int nv = model.num_velocities();
  for (VectorX* x : {&force_, &passive_, &added_, &driven_force_, &driven_slope_, &actuator_force_, &damping_,
                     &stiffness_, &rest_}) {
    x->setZero(nv);
  }
  effort_share_.setOnes(nv);
  effort_limit_.setConstant(nv, no_limit);
  for (VectorX* x : {&line_force_, &line_slope_, &line_lower_, &line_upper_, &per_gear_, &actuator_forces_}) {
    x->setZero(static_cast<Eigen::Index>(model.actuators.size()));
  }
  position_of_.assign(nv, 0);
  for (int j = 0; j < nv; ++j) {
    const Dof& dof = model.dofs[j];
    const Body& body = model.bodies[dof.body];
    if (dof.damping > 0.0) damping_[j] = dof.damping;
    if (num_positions_of(body.joint) == 1) {
      position_of_[j] = body.first_position;
      if (dof.stiffness > 0.0) {
        stiffness_[j] = dof.stiffness;
        springs_.push_back(j);
      }
      rest_[j] = dof.rest_position;
    }
    any_passive_ = any_passive_ || damping_[j] > 0.0 || stiffness_[j] > 0.0;
  }
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const Actuator& a = model.actuators[i];
    dof_of_.push_back(std::max(0, a.dof));  // nothing is exerted there by who acts on no joint
    if (a.dof < 0) continue;
    if (a.gear != 0.0) {
      per_gear_[i] = 1.0 / a.gear;
      line_lower_[i] = std::min(a.gear * a.force_lower, a.gear * a.force_upper);
      line_upper_[i] = std::max(a.gear * a.force_lower, a.gear * a.force_upper);
    }
    effort_limit_[a.dof] = model.dofs[a.dof].effort_limit;
    any_effort_limit_ = any_effort_limit_ || std::isfinite(model.dofs[a.dof].effort_limit);
  }
}

void Actuation::update(const Model& model, const double* q, const double* v, const double* control,
                       const double* activation, double time_step, bool implicit) {
  if (!any_passive_ && model.actuators.empty()) return;  // everything stays zero
  time_step_ = time_step;
  any_added_ = any_passive_ && implicit;
  if (!model.actuators.empty()) add_actuators(model, q, v, control, activation, time_step, implicit);
  const double ahead = ahead_ = implicit ? time_step : 0.0;  // springs act where they are at the end of the step
  const double *damping = damping_.data(), *stiffness = stiffness_.data(), *rest = rest_.data();
  const double *driven = driven_force_.data(), *slope = driven_slope_.data();
  double *force = force_.data(), *passive = passive_.data(), *added = added_.data();
  const int nv = static_cast<int>(force_.size()), *position = position_of_.data();
  STICTION_VECTORISE
  for (int j = 0; j < nv; ++j) {
    const double stretch = q[position[j]] - rest[j] + ahead * v[j];
    passive[j] = -(damping[j] * v[j] + stiffness[j] * stretch);
    force[j] = driven[j] - slope[j] * v[j] + passive[j];
    added[j] = time_step * slope[j] + ahead * (damping[j] + ahead * stiffness[j]);
  }
}

void Actuation::set_driven(int dof, const ServoTangent& driven, double v) {
  driven_force_[dof] = driven.force;
  driven_slope_[dof] = driven.slope;
  force_[dof] = driven.force - driven.slope * v + passive_[dof];
  added_[dof] = time_step_ * driven.slope + ahead_ * (damping_[dof] + ahead_ * stiffness_[dof]);
  any_added_ = any_added_ || driven.slope > 0.0;
}

Actuation::Springs Actuation::springs(const double* q, const double* v) const {
  const double *stiffness = stiffness_.data(), *rest = rest_.data();
  const int* position = position_of_.data();
  Springs even, odd;  // sums that do not wait for each other
  const auto add = [&](int j, Springs& to) {
    const double stretch = q[position[j]] - rest[j], force = stiffness[j] * stretch;
    to.energy += force * stretch;
    to.power += force * v[j];
  };
  std::size_t k = 0;
  for (; k + 2 <= springs_.size(); k += 2) {
    add(springs_[k], even);
    add(springs_[k + 1], odd);
  }
  if (k < springs_.size()) add(springs_[k], even);
  return {0.5 * (even.energy + odd.energy), even.power + odd.power};
}

void Actuation::add_actuators(const Model& model, const double* q, const double* v, const double* control,
                              const double* activation, double time_step, bool implicit) {
  driven_force_.setZero();
  driven_slope_.setZero();
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const Actuator& a = model.actuators[i];
    if (a.dof < 0) continue;
    double u = std::clamp(control[i], a.control_lower, a.control_upper);
    if (a.first_activation >= 0) u = acting_input(a, u, activation[a.first_activation], time_step);
    double force = u, slope = 0.0;  // of the actuator; then seen from the joint
    if (a.kind == ActuatorKind::position) {
      force = a.kp * (u - a.gear * q[position_of_[a.dof]]);
      slope = implicit ? a.kd + time_step * a.kp : a.kd;
    } else if (a.kind == ActuatorKind::velocity) {
      force = a.kd * u;
      slope = a.kd;
    } else if (a.kind != ActuatorKind::torque) {
      const ServoTangent line =
          actuator_line(a, u, a.gear * q[position_of_[a.dof]], a.gear * v[a.dof], implicit ? time_step : 0.0);
      force = line.force, slope = line.slope;
    }
    force *= a.gear;
    slope *= a.gear * a.gear;
    if (!implicit) {
      force -= slope * v[a.dof];
      slope = 0.0;
    }
    if (!(slope > 0.0)) force = std::min(std::max(force, line_lower_[i]), line_upper_[i]);
    line_force_[i] = force;
    line_slope_[i] = slope;
    driven_force_[a.dof] += force;
    driven_slope_[a.dof] += slope;
    any_added_ = any_added_ || slope > 0.0;
  }
  if (!any_effort_limit_) return;
  effort_share_.setOnes();
  for (const int j : dof_of_) {
    const double limit = effort_limit_[j], size = std::abs(driven_force_[j]);
    if (driven_slope_[j] > 0.0 || size <= limit) continue;
    effort_share_[j] = limit / size;
    driven_force_[j] = std::copysign(limit, driven_force_[j]);
  }
}

bool Actuation::is_within_limits(const double* v) const {
  const double *force = line_force_.data(), *slope = line_slope_.data();
  const double *lower = line_lower_.data(), *upper = line_upper_.data();
  const int count = static_cast<int>(dof_of_.size()), *dof = dof_of_.data();
  int beyond = 0;
  STICTION_VECTORISE
  for (int i = 0; i < count; ++i) {
    const double x = force[i] - slope[i] * v[dof[i]];
    beyond += !(x >= lower[i]) | !(x <= upper[i]);
  }
  if (any_effort_limit_) {
    for (const int j : dof_of_) beyond += !(std::abs(driven_force_[j] - driven_slope_[j] * v[j]) <= effort_limit_[j]);
  }
  return beyond == 0;
}

void Actuation::finish(const double* v_end) {
  const int nv = static_cast<int>(force_.size()), count = static_cast<int>(dof_of_.size()), *dof = dof_of_.data();
  const double *force = line_force_.data(), *slope = line_slope_.data(), *share = effort_share_.data();
  const double *driven = driven_force_.data(), *driven_slope = driven_slope_.data(), *per_gear = per_gear_.data();
  double *on_joint = actuator_force_.data(), *by_actuator = actuator_forces_.data();
  STICTION_VECTORISE
  for (int j = 0; j < nv; ++j) on_joint[j] = driven[j] - driven_slope[j] * v_end[j];
  STICTION_VECTORISE
  for (int i = 0; i < count; ++i) {
    by_actuator[i] = share[dof[i]] * per_gear[i] * (force[i] - slope[i] * v_end[dof[i]]);
  }
}

}  // namespace stiction
