// What acts along coupled lengths: springs and dampers of tendons, actuators on tendons, sites and slider-cranks.
//
// Along a length ℓ with ℓ̇ = c·v they exert what servos do at a joint, a falling piecewise linear law of ℓ̇ at the end of
// the step (ServoLaw): springs are lines that push below one length and pull above another. Its gain would couple
// velocities in M̂ that no tree couples, so it is a row instead: −σ ∈ N(λ) with σ = ℓ̇⁺ + γ + R λ, R = 1/(Δt slope),
// which is the implicit law exactly, bounded where it has limits. What has no gain is a force. Models without such
// things pay nothing.
#pragma once

#include <span>
#include <vector>

#include "stiction/constraints/warm_start.h"
#include "stiction/dynamics/coupled_lengths.h"
#include "stiction/sim/actuation.h"
#include "stiction/sim/servo_law.h"

namespace stiction {

class Transmissions {
 public:
  explicit Transmissions(const Model& model);

  bool any() const { return lengths_.size() > 0; }
  const CoupledLengths* lengths() const { return any() ? &lengths_ : nullptr; }

  // After update_kinematics at (q, v): force() and rows() of the step. `asleep` by tree, or null.
  void update(const Model& model, const DynamicsData& data, const double* q, const double* v, const double* control,
              const double* activation, double time_step, bool implicit, const char* asleep);
  const VectorX& force() const { return force_; }           // what is no row, by velocity
  std::span<const ServoRow> rows() const { return rows_; }  // ascending length, part

  // When v⁺ is known: what actuators exerted, added to `actuation`, and what dampers took, J.
  void finish(const Model& model, const double* v, const double* v_end, Actuation& actuation);
  double damped() const { return damped_; }
  // Appends what the next step begins with; `impulse` of the rows.
  void remember(std::span<const Pack4> impulse, std::vector<WarmStart>& out) const;

  // All that acts at a given v⁺, added to `force`.
  void add_force_at(const Model& model, const double* v_end, double* force);

  // Of springs at (q, v), kinematics there.
  Actuation::Springs springs(const Model& model, const DynamicsData& data, const double* q, const double* v);
  const CoupledLengths& lengths_at(const Model& model, const DynamicsData& data, const double* q);

 private:
  struct Member {
    int actuator = 0;
    ServoLine line;
  };
  struct Length {
    int first = 0, end = 0;  // in members_
    bool awake = true;
    std::vector<ServoLine> passive;  // spring, damper
    double rate = 0.0;               // ℓ̇ at the beginning
  };
  void set_passive(const Tendon& tendon, int k, double time_step, bool implicit);
  void set_actuators(const Model& model, int k, const double* control, const double* activation, double time_step,
                     bool implicit);
  void add_rows(const Model& model, int k, double time_step);
  double effort_limit(const Model& model, int k) const;
  void build_active_law(const Model& model, int k);

  CoupledLengths lengths_, other_lengths_;  // at the beginning of the step; elsewhere
  std::vector<Length> by_length_;
  std::vector<Member> members_;
  std::vector<ServoLine> lines_;  // scratch
  std::vector<ServoRow> rows_;
  ServoLaw law_;
  VectorX force_;
  double damped_ = 0.0, time_step_ = 0.0;
  bool implicit_ = true;
};

}  // namespace stiction
