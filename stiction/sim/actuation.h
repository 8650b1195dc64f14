// Forces that joints and actuators exert, with the part that acts at the end of the step (implicit).
//
// A spring K and a damper D at a joint, evaluated at (q + Δt v⁺, v⁺), give
//     (M + Δt D + Δt² K) (v⁺ − v) = Δt ( τ − K (q − q₀) − D v − Δt K v ),
// so a stiff servo is stable at any gain. A servo at its force limit exerts the limit and has no gain.
#pragma once

#include <vector>

#include "stiction/model/model.h"

namespace stiction {

class Actuation {
 public:
  explicit Actuation(const Model& model);

  // Fills force() and, where `implicit`, added_diagonal(). `control` has one entry per actuator.
  void update(const Model& model, const double* q, const double* v, const double* control, double time_step,
              bool implicit);

  double spring_energy(const double* q) const;  // Σ ½ k (q − rest)² of the joints, J

  // Of a step from v to v⁺, forces as they act in it (at its end where they are implicit): what actuators do and what
  // dampers take, J.
  struct Works {
    double actuators = 0.0, damped = 0.0;
  };
  Works works(const double* v, const double* end_velocity, double time_step, bool implicit) const;
  double spring_power(const double* q, const double* v) const;  // d/dt of spring_energy, W

  const VectorX& force() const { return force_; }                    // passive and actuators, N·m or N, by velocity
  const VectorX& actuator_force() const { return actuator_force_; }  // actuators alone
  // Δt D + Δt² K by velocity; null where it is zero everywhere.
  const double* added_diagonal() const { return any_added_ ? added_.data() : nullptr; }

 private:
  void add_actuators(const Model& model, const double* q, const double* v, const double* control, double time_step,
                     bool implicit);

  VectorX force_, actuator_force_, added_, actuator_added_;
  VectorX damping_, stiffness_, rest_;  // by velocity
  std::vector<int> position_of_;        // by velocity: index in q where it has one, else 0, and no stiffness
  bool any_passive_ = false;            // damping or stiffness
  bool any_actuator_ = false;
  bool any_effort_limit_ = false;  // of a driven degree of freedom
  bool any_added_ = false;
};

}  // namespace stiction
