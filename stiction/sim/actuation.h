// Forces that joints and actuators exert, with the part that acts at the end of the step (implicit).
//
// A spring K and a damper D at a joint, evaluated at (q + Δt v⁺, v⁺), give
//     (M + Δt D + Δt² K) (v⁺ − v) = Δt ( τ − K (q − q₀) − D v − Δt K v ),
// so a stiff servo is stable at any gain. An actuator is a line force − slope v⁺ within its limits, slope = D + Δt K;
// here gains act as if there were no limits. ServoLimits looks after those and replaces what it must by set_driven().
#pragma once

#include <vector>

#include "stiction/model/model.h"
#include "stiction/sim/servo_law.h"

namespace stiction {

class Actuation {
 public:
  explicit Actuation(const Model& model);

  // Fills force() and, where `implicit`, added_diagonal(). `control` has one entry per actuator, `activation` those of
  // State. Actuators on anything but a joint exert nothing here: see Transmissions.
  void update(const Model& model, const double* q, const double* v, const double* control, const double* activation,
              double time_step, bool implicit);
  ServoLine line(int actuator) const {
    return {line_force_[actuator], line_slope_[actuator], line_lower_[actuator], line_upper_[actuator]};
  }
  // Whether no limit would hold at these velocities. Quick: nearly always so.
  bool is_within_limits(const double* v) const;
  // What the actuators of a degree of freedom exert, v being its velocity at the beginning of the step.
  void set_driven(int dof, const ServoTangent& driven, double v);

  struct Springs {
    double energy = 0.0, power = 0.0;  // Σ ½ k (q − rest)² of the joints, J, and d/dt of it, W
  };
  Springs springs(const double* q, const double* v) const;
  const VectorX& damping() const { return damping_; }  // of joints, by velocity

  const VectorX& force() const { return force_; }  // passive and actuators at v, N·m or N, by velocity
  // Δt D + Δt² K by velocity; null where it is zero everywhere.
  const double* added_diagonal() const { return any_added_ ? added_.data() : nullptr; }

  // ---- What acted in the step, when its end is known.
  void finish(const double* v_end);
  void set_actuator_force(int dof, double force) { actuator_force_[dof] = force; }
  void set_actuator_forces(int actuator, double on_joint) {
    actuator_forces_[actuator] = on_joint * per_gear_[actuator];
  }
  void add_actuator_force(int dof, double force) { actuator_force_[dof] += force; }
  void set_force_of_actuator(int actuator, double force) { actuator_forces_[actuator] = force; }  // before gear
  const VectorX& actuator_force() const { return actuator_force_; }                               // by velocity
  const VectorX& actuator_forces() const { return actuator_forces_; }  // by actuator, before gear

 private:
  void add_actuators(const Model& model, const double* q, const double* v, const double* control,
                     const double* activation, double time_step, bool implicit);

  VectorX force_, passive_, added_;
  VectorX driven_force_, driven_slope_;  // by velocity: what actuators exert is the first − the second · v⁺
  VectorX actuator_force_, actuator_forces_;
  VectorX damping_, stiffness_, rest_;  // by velocity
  VectorX effort_share_;                // by velocity: what the effort limit leaves of actuators without gain
  VectorX line_force_, line_slope_, line_lower_, line_upper_;  // by actuator: see ServoLine
  VectorX effort_limit_;                                       // by velocity
  std::vector<int> dof_of_;                                    // by actuator
  VectorX per_gear_;                                           // by actuator: 1/gear, zero where that is zero
  std::vector<int> position_of_;          // by velocity: index in q where it has one, else 0, and no stiffness
  double time_step_ = 0.0, ahead_ = 0.0;  // of the last update; what passive forces look ahead by
  bool any_passive_ = false;              // damping or stiffness
  std::vector<int> springs_;              // velocities with stiffness
  bool any_effort_limit_ = false;         // of a driven degree of freedom
  bool any_added_ = false;
};

}  // namespace stiction
