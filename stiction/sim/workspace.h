// Everything a simulator works with; each field says which stage fills it. Private to the sim room.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "stiction/constraints/assemble.h"
#include "stiction/constraints/islands.h"
#include "stiction/constraints/redundant_loops.h"
#include "stiction/constraints/row_builder.h"
#include "stiction/constraints/stick_memory.h"
#include "stiction/sim/actuation.h"
#include "stiction/sim/contact_finder.h"
#include "stiction/sim/energy_balance.h"
#include "stiction/sim/free_spin.h"
#include "stiction/sim/geometry_check.h"
#include "stiction/sim/island_slot.h"
#include "stiction/sim/position_projection.h"
#include "stiction/sim/servo_limits.h"
#include "stiction/sim/simulator.h"
#include "stiction/sim/sleeping.h"
#include "stiction/sim/stage_clock.h"
#include "stiction/sim/turning.h"
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
  Interrupt* interrupt = nullptr;  // set by the user
  struct Undo {  // what of the state, and of what outlasts a step, its stages change; the cache: ContactFinder
    FoundContacts found;
    std::vector<std::int32_t> rest_steps;
    std::uint64_t rest_inputs = 0;
    double time = 0.0;
    EnergyBalance::Memory energy;
    bool is_accepted = false;  // q, v, warm starts and found contacts of before lie in the buffers of the next ones
  } undo;
  VectorX joint_force;                      // set by the user, by velocity
  std::vector<BodyWrench> external_forces;  // set by the user

  // ---- kinematics
  DynamicsData dynamics;
  bool kinematics_current = false, inertia_current = false;  // they belong to state.q, state.v

  // ---- collide
  ContactFinder contact_finder;
  bool placed = false, found_current = false;  // the finder's poses, state.found belong to state.q
  std::span<const ContactPoint> points;        // of trees awake
  std::vector<ContactPoint> recheck_points;    // those, and what was missed
  std::vector<PointRole> roles;                // by point; empty: all are usual
  std::vector<FirstTouch> far_touches;         // of pairs that meet in free motion otherwise than their points say
  PairSweep pair_sweep;
  Sleeping sleeping;

  // ---- free velocity
  Actuation actuation;
  ServoLimits servo_limits;
  FreeSpin free_spin;
  Turning turning;
  VectorX generalized_force, free_velocity;
  VectorX turning_force;                               // by which turning changed the former, once in a step
  bool has_turned = false;                             // it did
  AlignedVector<SpatialVector<double>> body_velocity;  // absolute, at v_f; look ahead: at v⁺
  bool body_velocity_current = false;                  // at v_f, on demand

  // ---- rows
  RowBuilder row_builder;
  RowSet rows;
  StickMemory stick_memory;
  Islands islands;
  RedundantLoops redundant_loops;
  std::deque<IslandSlot> slots;
  int num_slots = 0;
  int spent_iterations = 0;  // of the island that took most, in the rounds of the step that are over

  // ---- solve: by constraint
  std::vector<Pack4> impulse, velocity;  // λ, σ; lanes = rows
  std::vector<ContactRegime> regime;     // of contacts
  WorkerPool pool;
  VectorX factor_impulse;  // M̂⁻¹ Jᵀλ = v⁺ − v_f; as it was where there are no rows
  VectorX end_velocity;    // v⁺, once accepted the v of before

  // ---- integrate
  PositionProjection projection;
  std::vector<Pack4> velocity_lanes;        // scratch of sum_factor_impulse
  std::vector<Pack4> row_end_velocity;      // c⁺ by constraint, where positions are projected
  VectorX next_position;                    // q⁺, once accepted the q of before
  VectorX projected_velocity;               // v⁺ and what projection adds
  const VectorX* moved_velocity = nullptr;  // which of the two moved the positions
  VectorX constraint_impulse;               // Jᵀλ on demand, without servos
  std::vector<WarmStart> next_warm_starts;
  std::optional<DynamicsData> past;  // kinematics at the beginning of the last step, on demand
  bool past_current = false;

  // ---- look ahead
  GeometryCheck geometry_check;
  std::vector<GapPromise> promises;
  std::vector<double> end_way,
      wider_reach;  // by body: what no point of it exceeds at v⁺, m; reaches where that exceeds them
  std::vector<ContactPoint> wider_points;  // found with those
  FoundContacts next_found;                // at q⁺, once accepted that of before

  // ---- report
  StepReport report;
  EnergyBalance energy_balance;
  double worst_residual = 0.0;
  long num_failed_steps = 0, num_uncertified_steps = 0;
  long num_law_uncertified_steps = 0, num_geometry_uncertified_steps = 0, num_energy_uncertified_steps = 0;
  std::vector<Contact> contacts;  // on demand
  bool contacts_current = false;
  bool is_broken = false;  // a step ended in the middle of a stage: what stages keep between steps is not to be trusted
  bool has_rows = false;   // rows, impulses and regimes are those of a step that came to its end
  StageClock clock;

  // The stages of a step, in order.
  void begin_step();
  void run_stages();
  void undo_step();  // after an exception in any stage: all is as it was before it
  void resize_velocities();
  void renew_scratch();  // all that is neither input nor state, as in a new simulator
  void update_dynamics();
  void find_contacts();
  void find_sleepers();
  void find_free_velocity();
  void solve_free_velocity();
  void reach_with_free_velocity();
  void make_rows();
  void leave_out_rows();
  void assemble_island(int k);
  void solve_island(int k);
  void solve_islands();
  bool limit_servos();  // whether one broke its limit: free velocity anew, and rows and solution must follow
  void judge_islands();
  void find_end();
  void look_ahead();
  bool recheck();
  void accept();

  void list_promises();
  double normal_velocity(const ContactPoint& point) const;
  void add_missed(const MissedContact& missed);
  void add_exact(ContactPoint point, double gap, double time);
  ContactPoint moved_back(ContactPoint point, double time) const;
  void begin_roles();
  void follow_free_motion();
  void find_free_body_velocities();
  void remember_impulses();
  void carry_guesses();
  void carry_jams();
  void set_guess(int i, const WarmStart& from);
  StickMemory::Inputs stick_inputs() const;
  int num_servo_rows() const { return static_cast<int>(servo_limits.rows().size()); }  // the last ones
  std::span<const Pack4> servo_impulse() const;
  void account_energy();
  void account_works();
  void close_energy();
  void count_uncertified();
  [[noreturn]] void raise();
  void list_contacts();
  void stop_if_asked();
  const DynamicsData& past_dynamics();
  template <class Function>
  void for_each_loop_wrench(Function&& function);
  void wake();    // everything: a force on the world changed
  void forget();  // warm starts and caches
  void state_changed();
  IslandSlot& slot(int k);
  std::unique_ptr<ContactSolver> make_configured_solver() const;
};

}  // namespace stiction
