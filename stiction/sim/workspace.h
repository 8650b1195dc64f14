// Everything a simulator works with; each field says which stage fills it. Private to the sim room.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "stiction/constraints/assemble.h"
#include "stiction/constraints/islands.h"
#include "stiction/constraints/row_builder.h"
#include "stiction/sim/actuation.h"
#include "stiction/sim/contact_finder.h"
#include "stiction/sim/free_spin.h"
#include "stiction/sim/island_slot.h"
#include "stiction/sim/position_projection.h"
#include "stiction/sim/servo_limits.h"
#include "stiction/sim/simulator.h"
#include "stiction/sim/sleeping.h"
#include "stiction/sim/stage_clock.h"
#include "stiction/sim/worker_pool.h"

namespace stiction {

struct Simulator::Workspace {
  Workspace(std::shared_ptr<const Model> m, const SimulatorSettings& s);

  // ---- constant
  std::shared_ptr<const Model> model;
  SimulatorSettings settings;
  double time_step = 0.0;
  std::vector<std::pair<std::string, double>> solver_options;  // set by the user
  ContactModel contact_model = ContactModel::ncp;              // which law the solver solves: what the judge judges

  // ---- inputs
  State state;
  VectorX joint_force;                      // set by the user, by velocity
  std::vector<BodyWrench> external_forces;  // set by the user

  // ---- kinematics
  DynamicsData dynamics;
  bool dynamics_current = false;  // the kinematics belong to state.q, state.v

  // ---- collide
  ContactFinder contact_finder;
  std::span<const ContactPoint> points;  // of trees awake
  Sleeping sleeping;

  // ---- free velocity
  Actuation actuation;
  ServoLimits servo_limits;
  FreeSpin free_spin;
  VectorX generalized_force, free_velocity;

  // ---- rows
  RowBuilder row_builder;
  RowSet rows;
  Islands islands;
  std::deque<IslandSlot> slots;
  int num_slots = 0;

  // ---- solve: by constraint
  std::vector<Pack4> impulse, velocity;  // λ, σ; lanes = rows
  std::vector<ContactRegime> regime;     // of contacts
  WorkerPool pool;
  VectorX factor_impulse;    // M̂⁻¹ Jᵀλ = v⁺ − v_f; as it was where there are no rows
  VectorX velocity_after;    // v⁺, where there are actuators
  VectorX actuator_impulse;  // by velocity, of all actuators: Δt times what acted, gains at v⁺ and rows included

  // ---- integrate
  PositionProjection projection;
  std::vector<Pack4> velocity_lanes;          // scratch of sum_factor_impulse
  std::vector<Pack4> end_velocity;            // c⁺ by constraint, where positions are projected
  VectorX next_position, constraint_impulse;  // q⁺; Jᵀλ on demand, without servos
  std::vector<WarmStart> next_warm_starts;
  std::optional<DynamicsData> past;  // kinematics at the beginning of the last step, on demand
  bool past_current = false;

  // ---- report
  StepReport report;
  double worst_residual = 0.0;
  long num_failed_steps = 0, num_uncertified_steps = 0;
  long num_law_uncertified_steps = 0, num_geometry_uncertified_steps = 0, num_energy_uncertified_steps = 0;
  std::vector<Contact> contacts;  // on demand
  bool contacts_current = false;
  StageClock clock;

  // The stages of a step, in order.
  void update_dynamics();
  void find_contacts();
  void find_sleepers();
  void find_free_velocity();
  void solve_free_velocity();
  void make_rows();
  void assemble_island(int k);
  void solve_island(int k);
  void solve_islands();
  bool limit_servos();  // whether one broke its limit: free velocity anew, and rows and solution must follow
  void judge_islands();
  void integrate_state();

  void carry_guesses();
  int num_servo_rows() const { return static_cast<int>(servo_limits.rows().size()); }  // the last ones
  std::span<const Pack4> servo_impulse() const;
  void account_energy();
  void count_uncertified();
  const DynamicsData& past_dynamics();
  template <class Function>
  void for_each_loop_wrench(Function&& function);
  void wake();    // everything: a force on the world changed
  void forget();  // warm starts and caches
  IslandSlot& slot(int k);
  std::unique_ptr<ContactSolver> make_configured_solver() const;
};

}  // namespace stiction
