// Everything a simulator works with, by the stage that fills it; in brackets what holds between steps, where that is
// asked for. Private to the sim room.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "stiction/constraints/islands.h"
#include "stiction/constraints/redundant_loops.h"
#include "stiction/constraints/row_builder.h"
#include "stiction/constraints/stick_memory.h"
#include "stiction/math/vectorise.h"
#include "stiction/sim/actuation.h"
#include "stiction/sim/contact_finder.h"
#include "stiction/sim/energy_balance.h"
#include "stiction/sim/fluid_forces.h"
#include "stiction/sim/free_spin.h"
#include "stiction/sim/geometry_check.h"
#include "stiction/sim/island_solver.h"
#include "stiction/sim/position_projection.h"
#include "stiction/sim/sensing.h"
#include "stiction/sim/servo_limits.h"
#include "stiction/sim/simulator.h"
#include "stiction/sim/sleeping.h"
#include "stiction/sim/stage_clock.h"
#include "stiction/sim/transmissions.h"
#include "stiction/sim/turning.h"
#include "stiction/sim/world_forces.h"

namespace stiction {

struct Simulator::Workspace {
  Workspace(std::shared_ptr<const Model> m, const SimulatorSettings& s);

  // ---- constant
  std::shared_ptr<const Model> model;
  SimulatorSettings settings;
  double time_step = 0.0;
  bool has_kinematic_bodies = false;

  // ---- set by the user
  Interrupt* interrupt = nullptr;
  VectorX joint_force;  // by velocity
  std::vector<BodyWrench> external_forces;

  // ---- the state: accept; collide, sleep, reach and look_ahead change its caches, found contacts and sleepers
  State state;
  struct Undo {  // begin_step: these, as they were; the collision cache: ContactFinder
    FoundContacts found;
    std::vector<std::int32_t> rest_steps;
    std::uint64_t rest_inputs = 0;
    EnergyBalance::Memory energy;
  } undo;

  // ---- kinematics, at (q, v); look_ahead and certify: at (q_end, v_end); recheck: at (q, v) again
  DynamicsData dynamics;
  bool kinematics_current = false, inertia_current = false;  // they belong to state.q, state.v

  // ---- collide
  ContactFinder contact_finder;
  bool placed = false, found_current = false;  // the finder's poses, state.found belong to state.q
  std::span<const ContactPoint> points;        // sleep: of trees awake; reach; free_motion, recheck: points_with_roles
                                               // [of the last step, until the next one]
  // ---- sleep
  Sleeping sleeping;
  // ---- free_velocity
  Actuation actuation;
  ServoLimits servo_limits;
  Transmissions transmissions;
  WorldForces world_forces;
  FluidForces fluid_forces;
  FreeSpin free_spin;
  Turning turning;
  VectorX generalized_force;  // all forces but those of constraints
  VectorX explicit_force;     // the same before what turns was taken in the middle of the step
  VectorX turning_force;      // by which that changed it, once in a step
  bool has_turned = false;    // it did
  VectorX v_free;             // v_f; servos: anew

  // ---- reach
  bool was_widened = false;                          // in this step: what was out of reach is among the points
  AlignedVector<SpatialVector<double>> body_v_free;  // of bodies, absolute, at v_free; free_motion: where not yet
  bool body_v_free_current = false;

  // ---- free_motion
  std::vector<ContactPoint> points_with_roles;  // recheck: and what was missed
  std::vector<PointRole> roles;                 // of these; empty: all points are usual
  std::vector<FirstTouch> far_touches;          // of pairs that meet in free motion otherwise than their points say
  PairSweep pair_sweep;

  // ---- rows; warm_start: guesses, jams, what sticks; islands: rows that are left out; solve: jams
  RowBuilder row_builder;
  RowSet rows;
  // ---- warm_start
  StickMemory stick_memory;
  // ---- islands
  Islands islands;
  RedundantLoops redundant_loops;
  // ---- problems, solve, judge
  IslandSolver island_solver;
  // ---- solve
  std::vector<Pack4> impulse, velocity;  // λ, σ by constraint; lanes = rows
  std::vector<Pack4> velocity_lanes;     // scratch
  VectorX v_constraint;                  // M̂⁻¹ Jᵀλ; zero without rows
  VectorX v_end;                         // v⁺ = v_free + v_constraint; integrate: of frames beside centres of mass
  // ---- account
  std::vector<ContactRegime> regime;  // by constraint, of contacts
  EnergyBalance energy_balance;       // certify: closed

  // ---- integrate
  PositionProjection projection;
  std::vector<Pack4> row_v_end;  // c⁺ by constraint, where positions are projected
  VectorX v_move;                // moves the positions: v⁺ and what projection adds
  VectorX q_end;                 // q⁺
  VectorX activation_end;        // of actuators

  // ---- remember
  std::vector<WarmStart> next_warm_starts;

  // ---- look_ahead
  GeometryCheck geometry_check;
  std::vector<GapPromise> promises;
  AlignedVector<SpatialVector<double>> body_v_move;  // of bodies, absolute, at v_move, where positions are projected
  std::vector<double> end_way;                       // by body: what no point of it exceeds at v_end, m
  std::vector<double> wider_reach;                   // reaches where that exceeds them
  std::vector<ContactPoint> wider_points;            // found with those
  FoundContacts next_found;                          // at q_end [at q_before: what `points` may show]

  // ---- recheck
  AlignedVector<SpatialVector<double>> body_v_end;  // of bodies, absolute, at v_end

  // ---- sense
  Sensing sensing;

  // ---- accept
  VectorX q_before, v_before;  // the state that the last step began with
  bool has_rows = false;       // rows, impulses and regimes are those of a step that came to its end

  // ---- report
  StepReport report;
  double worst_residual = 0.0;
  long num_failed_steps = 0, num_uncertified_steps = 0;
  long num_law_uncertified_steps = 0, num_geometry_uncertified_steps = 0, num_energy_uncertified_steps = 0;
  StageClock clock;
  bool is_broken = false;  // a step ended in the middle of a stage: what stages keep between steps is not to be trusted

  // ---- on demand, of the last step
  std::vector<Contact> contacts;
  bool contacts_current = false;
  VectorX constraint_impulse;                   // Jᵀλ without servos
  std::optional<DynamicsData> dynamics_before;  // at q_before
  bool dynamics_before_current = false;
  bool is_end_of_step = false;   // `state` is what the last step left
  bool forward_current = false;  // forward(), or a step that comes to its end, looked on from it

  void forward();  // a step that is undone when it is known
  void begin_step();
  void step();        // the list of the stages
  void solve_step();  // but the last ones
  void undo_step();   // after an exception in any stage: all is as it was before it
  // A stage, and the time that it takes.
  template <class Result>
  STICTION_INLINE Result run(StepStage stage, Result (Workspace::*function)());

  // ---- The stages, in order; those that return true ask for a repetition.
  void update_dynamics();
  void find_contacts();
  void find_sleepers();
  void find_free_velocity();
  bool reach_with_free_velocity();
  void follow_free_motion();
  void make_rows();
  void recall_last_step();
  void find_islands();
  void make_problems();
  void solve_islands();
  bool check_servos();
  void judge_islands();
  void account();
  void find_end();
  void remember();
  void look_ahead();
  bool recheck();
  void certify();
  void sense();
  void accept() noexcept;

  // ---- Parts of stages.
  void solve_free_velocity();
  void find_body_v_free();
  void begin_roles();
  void leave_out_rows();
  void collect_solution();
  void count_constraints();
  double friction_error() const;
  void count_contact_friction(int i, const Pack4& lambda, const Pack4& end);
  // Of torsion or rolling i: the impulsive moment on the contact's first body, world axes, N·m·s. Its contact: partner.
  Vector3 friction_torque(int i) const;
  void count_compliance(const StepConstraint& contact, double normal_impulse);
  void count_regimes();
  void account_works();
  Actuation::Springs stored_energy(const VectorX& q, const VectorX& v);
  void list_promises();
  void add_exact(ContactPoint point, double gap, double time, const AlignedVector<SpatialVector<double>>& body_v);
  // By velocities of bodies, kinematics at the beginning of the step.
  double normal_velocity(const ContactPoint& point, const AlignedVector<SpatialVector<double>>& body_v) const;
  ContactPoint moved_back(ContactPoint point, double time, const AlignedVector<SpatialVector<double>>& body_v) const;
  StickMemory::Inputs stick_inputs() const;
  Pack4 end_velocity(int i) const { return velocity[i] - rows[i].compliance * impulse[i] - rows[i].offset; }  // c⁺
  // The last ones: servos at joints, then what acts along coupled lengths.
  int num_servo_rows() const { return static_cast<int>(servo_limits.rows().size() + transmissions.rows().size()); }
  std::span<const Pack4> servo_impulse() const;
  std::span<const Pack4> coupled_impulse() const;
  std::span<const WarmStart> warm_servos() const;  // warm starts without those of coupled lengths
  void find_next_activation();
  const char* asleep() const { return settings.sleeping ? sleeping.asleep() : nullptr; }
  void count_uncertified();
  [[noreturn]] void raise();
  void stop_if_asked();

  // ---- Sensors (sensing.cpp).
  void find_motion();  // of the step that their forces and accelerations belong to
  void measure(int sensor, const Sensing::Moment& at, double* out);  // as it is; `dynamics` there
  void measure_delayed(const Sensing::Moment& at, VectorX& readings);
  void read_sensor(int sensor, double* out);  // with delay, noise and bound
  bool remembers_sensed() const;
  void keep_sensed() noexcept;

  // ---- Beside the step.
  void resize_velocities();
  void renew_scratch();  // all that is neither input nor state, as in a new simulator
  void list_contacts();
  bool knows_rows() const;  // rows and solutions are those of the last step, or of forward()
  const DynamicsData& find_dynamics_before();
  Vector3 contact_origin(int body);
  double work_on_kinematic_bodies() const;  // in the step, J
  void wake();                              // everything: a force on the world changed
  void forget();                            // warm starts and caches
  void state_changed();
};

}  // namespace stiction
