// Steps a world. One step (theory §3.1):
//
//     kinematics → collide → free velocity → rows → solve per island → judge → integrate → look at the end
//
//     Simulator simulator(model, {.time_step = 1e-3});
//     const StepReport& report = simulator.step();
//
// Every step is certified: the report holds the residuals of the independent judge, the energy balance and the solver's
// status. Same model, state and settings give the same bits, for any number of threads, also after save and restore.
// No allocation once the largest number of contacts was met.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiction/collision/collider.h"
#include "stiction/constraints/constraint_identity.h"
#include "stiction/constraints/constraint_settings.h"
#include "stiction/contact/problem.h"
#include "stiction/dynamics/dynamics.h"
#include "stiction/model/model.h"
#include "stiction/sim/state.h"
#include "stiction/sim/step_report.h"
#include "stiction/solvers/interrupt.h"

namespace stiction {

enum class FailurePolicy {
  report,  // take the best iterate; StepReport says so
  raise,   // throw SolverFailure when a step is not accepted
};

struct SimulatorSettings {
  double time_step = 0.0;       // Δt, s; 0: what the model suggests
  std::string solver = "auto";  // any name of solver_names()
  double tolerance = 1e-9;      // of the contact solver, on ε_nat: a step within it is certified
  // A step that does not get there but is within this one is accepted: the solver `auto` stops at it where further
  // digits would cost it many times the work (boxes that tumble over each other). 0: nothing but the tolerance will do.
  double acceptable_tolerance = 1e-6;
  // The papers' stopping rule: a solver stops, and a step is certified, at this ε_abs of its law (m/s, N, W mixed,
  // contact/judge.h) whatever its ε_nat; the judge looks between tries that become ten times as exact. 0: not used.
  double absolute_tolerance = 0.0;
  double geometric_tolerance = 1e-3;  // m; what StepReport::geometry_certified compares with
  double energy_tolerance = 1e-2;  // what StepReport::energy_certified compares with, a part of the energy that moves
  bool recheck = true;             // what the rows of a step missed is made a row, and the step solved again
  // Of the contact solver, per island, in all its tries of the step together. 0 takes the solver's own limit, which can
  // mean seconds for one step of a pile.
  int max_iterations = 300;
  ConstraintSettings constraints = {};
  CollisionSettings collision = {};
  FailurePolicy on_failure = FailurePolicy::report;
  bool warm_start = true;
  bool judge = true;  // certify every step
  // The law that steps are judged by; empty: the one that the solver solves. With ncp a relaxed model shows what it
  // breaks.
  std::optional<ContactModel> judge_model = {};
  bool implicit = true;  // joint damping, springs and servo gains act at the end of the step
  // Centrifugal and gyroscopic forces in the middle of the step; false: at its beginning, where they add energy.
  bool implicit_turning = true;
  int threads = 1;            // for islands; the result does not depend on it
  bool sleeping = false;      // islands at rest are left alone
  double sleep_speed = 1e-6;  // m/s, rad/s; at rest below it
  int sleep_after = 50;       // steps at rest until an island sleeps
  int sensor_seed = 0;        // of the noise of sensors, which is the same for the same step; 0: they have none
  // Steps; 1 times the stages of every step, which costs 0.4 µs. Prime to 16: in every sixteenth step places of what
  // stands still are looked at, and those steps would stand for all.
  int timed_every = 37;

  // Throws std::invalid_argument naming the setting and its value, or the solver. The constructor of a simulator asks
  // before anything is built.
  void validate() const;
};

// Thrown under FailurePolicy::raise.
class SolverFailure : public std::runtime_error {
 public:
  SolverFailure(const std::string& message, const StepReport& step) : std::runtime_error(message), report(step) {}
  StepReport report;
};

// Thrown by a step that was asked to stop; the state stays that of before the step.
class StepInterrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A contact of the last step with what it carried.
struct Contact {
  ContactPoint point;
  int body_a = -1, body_b = -1;
  Matrix3 frame;                       // R_WC, columns t1, t2, n
  Vector3 impulse = Vector3::Zero();   // in the contact frame, on body_a, N·s
  Vector3 force = Vector3::Zero();     // impulse/Δt in world axes, on body_a, N
  Vector3 torque = Vector3::Zero();    // of torsional and rolling friction, world axes, on body_a, N·m
  Vector3 velocity = Vector3::Zero();  // of the surfaces against each other, end of the step, contact frame, m/s
  // σ, what the law of the contact is about: `velocity` with γ (gap, penetration, bounce) and R λ, m/s.
  Vector3 law_velocity = Vector3::Zero();
  double friction = 0.0;
  ContactRegime regime = ContactRegime::open;

  // What the contact does to one of its two bodies, N: `force` on body_a, the opposite on body_b, zero on others.
  Vector3 force_on(int body) const {
    return body == body_a ? force : body == body_b ? Vector3(-force) : Vector3::Zero();
  }
  Vector3 torque_on(int body) const {
    return body == body_a ? torque : body == body_b ? Vector3(-torque) : Vector3::Zero();
  }
};

// What contacts do to a body.
struct ContactForce {
  Vector3 force = Vector3::Zero();   // N, world axes, on the body asked for
  Vector3 torque = Vector3::Zero();  // N·m, world axes, about the origin of its frame where the contacts are
  int num_contacts = 0;              // that carry an impulse
};

// The contact problem of a step, of one island or of all together, with what its constraints are and what the step
// found: for other solvers, the judge, files of problems (write_fclib, write_sequence).
struct StepProblem {
  ContactProblem problem;
  std::vector<ConstraintIdentity> identities;  // of its constraints; the same in the next step
  std::vector<int> contacts;                   // by constraint: index into Simulator::contacts(), −1 where it is none
  VectorX impulse;                             // λ of the step, N·s

  // Identities in three numbers, as sequences of problems name constraints.
  std::vector<std::array<int, 3>> short_identities() const;
};

class JointHandle;   // sim/joint_handle.h
class SensorHandle;  // sim/sensor_handle.h

class Simulator {
 public:
  explicit Simulator(std::shared_ptr<const Model> model, const SimulatorSettings& settings = {});
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  const Model& model() const;
  std::shared_ptr<const Model> shared_model() const;
  const SimulatorSettings& settings() const;
  double time_step() const;
  // A setting of the contact solver by name (ContactSolver::set_option), for every island.
  void set_solver_option(std::string_view name, double value);
  std::span<const std::pair<std::string, double>> solver_options() const;  // as they were set

  const State& state() const;
  void set_state(const State& state);  // throws std::invalid_argument naming what does not fit
  void reset();                        // the model's initial state
  void reset(int keyframe);
  // Positions and velocities alone; what was remembered (warm starts, caches) is forgotten.
  void set_position(VectorView q);
  void set_velocity(VectorView v);

  // A joint by name: sim.joint("knee").position(), .set_position(0.3) (joint_handle.h).
  JointHandle joint(std::string_view name);
  // Where a free or kinematic body is, from now on: warm starts and caches are forgotten, and contacts do not feel the
  // way there. Throws std::invalid_argument where the body has another joint.
  void set_body_pose(int body, const Pose& pose);
  // Velocity of the origin of a free or kinematic body and its angular velocity, both in world axes, m/s and rad/s. A
  // kinematic body moves on at it, whatever pushes it, until it is set again; contacts and loops feel it.
  void set_body_velocity(int body, const Vector3& linear, const Vector3& angular = Vector3::Zero());
  // The velocity with which a kinematic body is at `pose` after the next step.
  void move_body_to(int body, const Pose& pose);

  void set_control(std::string_view actuator, double value);  // of one, by name
  void set_control(VectorView control);                       // one entry per actuator; stays until set again
  void set_joint_force(VectorView force);                     // one entry per velocity, N·m or N; stays until set again
  const VectorX& joint_force() const;                         // as it was set last; zero at first
  // Force and torque in world axes on a body, the force at a point in world coordinates; both stay until cleared.
  void add_external_force(int body, const Vector3& force, const Vector3& point,
                          const Vector3& torque = Vector3::Zero());
  void clear_external_forces();
  std::span<const BodyWrench> external_forces() const;

  // What may stop a step from outside, from inside of its solver too; it must live as long as it is set. Null: nothing.
  void set_interrupt(Interrupt* interrupt);

  // A step that throws (FailurePolicy::raise, forces or velocities that are no longer finite, memory) is undone: state,
  // warm starts, caches, sleepers and energies are those of before it, and going on gives the bits of a simulator that
  // never tried. report() then tells of the step that failed, contacts() too where a solver failed;
  // constraint_impulse() and joint_wrench() are zero.
  const StepReport& step();
  const StepReport& step(int count);  // the report of the last one; `worst` of all steps through worst_residual()
  const StepReport& report() const;
  double worst_residual() const;       // largest ε_nat since construction or reset
  long num_failed_steps() const;       // steps not even accepted since construction or reset
  long num_uncertified_steps() const;  // steps not certified for whatever reason, the failed ones among them
  // Of these, by reason: the judge, the geometry, the energy. A step may have several.
  long num_law_uncertified_steps() const;
  long num_geometry_uncertified_steps() const;
  long num_energy_uncertified_steps() const;

  // The contacts of the step that would come now, with the forces that it would find, and nothing moves: kinematics,
  // collision, rows and solve are those of step(), at the present state, control and forces; forces are impulses/Δt.
  // contacts() and contact_force() then tell of them until the state changes; report() stays that of the last step, and
  // constraint_impulse() and joint_wrench() are zero. Going on gives the bits of a simulator that was not asked. Throws
  // as step() does.
  std::span<const Contact> forward();
  std::span<const Contact> contacts() const;  // of the last step, or of forward()
  // What all contacts do to a body, or only those with another one (−1: the world).
  ContactForce contact_force(int body);
  ContactForce contact_force(int body, int other);
  // What the last step solved, or forward(): of all islands together, in the order of islands, or of one of
  // report().num_islands. Empty before the first step. The problem of one island is that which its solver saw, to the
  // bit; of all together it is factored unless all is one tree.
  StepProblem contact_problem() const;
  StepProblem contact_problem(int island) const;
  // What the solver of an island said (its stages too), and where the option record_history is 1 each of its
  // iterations.
  const SolveReport& solve_report(int island) const;
  std::span<const HistoryEntry> solve_history(int island) const;
  VectorX acceleration() const;  // (v⁺ − v)/Δt of the last step, by velocity; zero before the first
  // Joint impulses of contacts, limits, dry friction and loops of the last step, by velocity, N·m·s: Jᵀλ of all
  // constraints. Servos are no part of it, whether they are rows or not.
  const VectorX& constraint_impulse() const;
  // What actuators exerted in the last step, after limits, gains at the end of the step: on the joints, by velocity,
  // N·m or N; and by actuator, before gear. Where an effort limit holds several of a joint, each has its share.
  const VectorX& actuator_force() const;
  const VectorX& actuator_forces() const;
  // Lengths of the tendons at the current state, and their rates.
  VectorX tendon_lengths();
  VectorX tendon_velocities();
  // Force and torque that the parent exerts on a body through its joint in the last step, world axes, about the
  // body's origin. Tendons and actuators at sites count as acting through the joints.
  std::pair<Vector3, Vector3> joint_wrench(int body);

  // A sensor by name: sim.sensor("imu").values() (sensor_handle.h).
  SensorHandle sensor(std::string_view name);
  // What the sensors read, one after another (Sensor::first_value), or one of them. Places and velocities are those of
  // the state; forces and accelerations those of the last step, or, where the state was set, of forward(), which is
  // then called. Reading changes no bit of what follows.
  VectorX sensor_data();
  VectorX sensor_values(int sensor);

  // Kinematics and inertia at the current state.
  const DynamicsData& dynamics();
  Pose body_pose(int body);
  Pose frame_pose(int frame);

  // Another simulator of the same model with the same settings, options, state and forces: both go on with the same
  // bits. Counts and the memory of the energy balance begin anew, as after set_state().
  Simulator copy() const;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
