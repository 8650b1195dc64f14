// The energy balance of a step (theory §3.11): what its change of energy is made of, and what nothing explains.
//
// A velocity belongs half a step before its position (leapfrog), so the energy of a state (q, v) is that half a step
// ago,
//     Ê(q, v) = T + V − Δt/2 v·(b(q, v) + ∇V_springs),   v·b = d/dt of T + V_gravity where v stays,
// and with M(q)(v⁺ − v) = Δt (τ − b) + Jᵀλ the works of a step are exact, v̄ = (v + v⁺)/2:
//     actuators, dampers   Δt v̄·τ, τ at the end of the step where it is implicit
//     applied              Δt v̄·τ of joint forces and external forces
//     constraints          λ·J v̄: friction, impacts, limits; corrections of positions by velocities (Baumgarte) too
// What is left,
//     energy_error = Ê(q⁺, v⁺) − Ê(q, v) − actuators − applied + damped − constraints but loops,
// is what motion over a curved configuration space makes of it: Δt³ per step where the bias is taken in the middle
// (Turning, FreeSpin), zero to rounding in free fall and impacts of free bodies. Also in it: loops, which do no work in
// the world; what implicit springs damp, −Δt² v̄ᵀ K v⁺; and what a projection of positions lifts.
//
// Certified: the gain of the last second, g ← max(0, e^(−Δt/1 s) g + energy_error), is at most
//     energy_tolerance × the largest kinetic energy of the last second (fading likewise, and at least ½ m (Δt |g|)² of
//     all bodies) + a tenth of what constraints took in it + rounding, 1e-12 (T + |V|).
// An oscillation that takes back what it gave passes, a steady gain does not; losses hide no later gains. The tenth is
// for impacts: the step knows of them only after the bias was taken, and a robot that falls gains some hundredths of
// what it loses there. A step in which a tree was braked (Turning) is not certified. All of it begins anew with a new
// state. All bodies together: what a small one gains may be small beside a large one.
#pragma once

#include <span>
#include <vector>

#include "stiction/constraints/row_builder.h"
#include "stiction/constraints/row_set.h"
#include "stiction/dynamics/dynamics.h"
#include "stiction/sim/actuation.h"
#include "stiction/sim/free_spin.h"
#include "stiction/sim/step_report.h"

namespace stiction {

class EnergyBalance {
 public:
  EnergyBalance(const Model& model, double time_step);

  // Before the state moves, dynamics at (q, v): T and V of the report, and Ê. Those of the last close() hold on.
  // `stored`: of springs and carried weights there; not asked for where those of the last close() hold on.
  void open(const DynamicsData& dynamics, const FreeSpin& free_spin, const Actuation::Springs& stored, const VectorX& v,
            StepReport& report);

  // A step on its way, dynamics at (q, v); constraint_work of the report is known.
  struct Motion {
    const Model& model;
    const DynamicsData& dynamics;
    const Actuation& actuation;
    const VectorX &v, &v_end;     // v⁺
    const VectorX& v_constraint;  // v⁺ − v_f
    const VectorX& force;         // all but constraints: (M + added)(v_f − v) = Δt force
    const VectorX& joint_force;
    std::span<const BodyWrench> external_forces;
    const RowSet& rows;
    std::span<const Pack4> impulse, velocity;  // λ, σ by constraint
    std::span<const ServoRow> servos;          // the last rows; their work is the actuators'
    std::span<const Pack4> servo_impulse;
    const CoupledLengths* lengths;      // null: none
    std::span<const ServoRow> coupled;  // the rows after servos: springs, dampers and actuators along lengths
    std::span<const Pack4> coupled_impulse;
    double damped_elsewhere;   // by dampers of tendons and by the fluid, J
    double work_on_kinematic;  // by all impulses, J
    bool implicit;
  };
  void account(const Motion& motion, StepReport& report);

  // After the state moved: dynamics, what is stored, and v of the end.
  void close(const DynamicsData& dynamics, const FreeSpin& free_spin, const Actuation::Springs& stored,
             const VectorX& v, double tolerance, StepReport& report);

  // Another state comes.
  void forget() { memory_ = {}; }

  // What outlasts a step; a step that is undone gives it back.
  struct Memory {
    bool is_known = false;                                       // the three below belong to the state
    double kinetic = 0.0, potential = 0.0, half_step_ago = 0.0;  // T, V, Ê
    // Fading: g, the largest kinetic energy, what constraints took.
    double gained = 0.0, moving = 0.0, taken = 0.0;
  };
  const Memory& memory() const { return memory_; }
  void restore(const Memory& memory) { memory_ = memory; }

 private:
  void find_energy(const DynamicsData& dynamics, const FreeSpin& free_spin, const Actuation::Springs& stored,
                   const VectorX& v);
  double work_of_loops(const Motion& motion);

  double time_step_, fading_, least_energy_;  // Δt; e^(−Δt/1 s); ½ m (Δt |g|)²
  Memory memory_;
  double explained_ = 0.0, work_of_constraints_ = 0.0;  // all works but loops'; that of constraints
  VectorX mean_, applied_, loop_velocity_;
  std::vector<Pack4> loop_impulse_, lanes_;
};

}  // namespace stiction
