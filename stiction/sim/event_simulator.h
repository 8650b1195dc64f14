// Simulates from event to event (theory §7.1 to §7.4): between events a Runge–Kutta method integrates the motion, an
// event is where two shapes touch, a joint meets its limit, or slip ends, located on the way to a tolerance.
//
//     EventSimulator simulator(model, {.integrator = Integrator::rk45});
//     const EventReport& report = simulator.advance(1.0);
//     for (const MotionEvent& event : simulator.events()) …  event.time, event.speed
//
// A smooth part ends at the first event: nothing penetrates by more than the tolerance. All contacts that touch at an
// event are solved at once by any solver of the registry; contacts that stay are held by constraint forces. Events that
// crowd without end (a ball that comes to rest by bouncing) are passed by one time step of `minimum_interval` with
// Simulator, and counted. Everything that was solved is judged.
//
// For rigid contact. Models with loops, tendons, activations or compliant materials are refused.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/collision/pair_distances.h"
#include "stiction/sim/impact_law.h"
#include "stiction/sim/runge_kutta.h"
#include "stiction/sim/simulator.h"

namespace stiction {

struct EventSettings {
  Integrator integrator = Integrator::rk4;
  double step = 1e-3;                // s: of rk4; the first of rk45
  double largest_step = 0.05;        // s: of rk45
  double relative_tolerance = 1e-9;  // of rk45, per step
  double absolute_tolerance = 1e-11;
  double event_tolerance = 1e-9;        // m, rad: gaps up to here touch; events are located to it
  double rest_speed = 1e-7;             // m/s, rad/s: slower than this is rest
  double slip_speed = 1e-5;             // m/s: contacts that slide more slowly stick, if their friction can hold them
  double restitution_threshold = 1e-2;  // m/s; slower impacts do not bounce
  ImpactLaw impact_law = ImpactLaw::newton;
  ImpactOrder impact_order = ImpactOrder::at_once;
  std::string solver = "auto";  // of impacts and of what rests: any name of solver_names()
  double tolerance = 1e-9;      // of the solver, on ε_nat: what is within it is certified
  double acceptable_tolerance = 1e-6;
  int max_iterations = 300;
  double energy_tolerance = 1e-6;  // drift of the smooth parts beside the largest energy that moves
  double minimum_interval = 1e-5;  // s: events closer than this crowd
  int most_close_events = 20;      // so many in a row, and one time step of minimum_interval follows
  bool keep_events = true;         // a list of all events since the last clear_events()

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

enum class EventKind {
  impact,     // contacts, limits among them
  touch,      // something touches without approaching: it rests from here on
  slip_end,   // a contact, or a joint with dry friction, stops sliding
  time_step,  // events crowded; one time step
};
std::string_view to_string(EventKind kind);

struct MotionEvent {
  double time = 0.0;  // s
  EventKind kind = EventKind::impact;
  int shape_a = -1, shape_b = -1;  // that approached fastest; −1: no contact
  int dof = -1;                    // whose limit it was, or whose dry friction
  double speed = 0.0;              // of the fastest approach, m/s or rad/s
  int num_rows = 0;                // constraints of the impact
  SolveStatus status = SolveStatus::converged;
  double residual = 0.0;       // ε_nat by the judge
  double energy_change = 0.0;  // of the impact, J
  double solve_seconds = 0.0;  // wall time of the solver
};

// Of everything since construction, reset() or begin_report().
struct EventReport {
  double time = 0.0;  // s
  long num_events = 0, num_impacts = 0, num_slip_ends = 0;
  long num_time_steps = 0;                              // by which crowds of events were passed
  long num_steps = 0, num_rejected_steps = 0;           // of the integrator
  long num_evaluations = 0, num_looks = 0;              // accelerations; pairs looked at while events were sought
  long num_rest_solves = 0, num_rest_problems = 0;      // instants with resting contacts; those that asked the solver
  long num_unsure = 0;                                  // searches for an event that were cut short
  int num_resting = 0;                                  // contacts at rest now
  Residuals impact_residuals, rest_residuals;           // the worst
  SolveStatus status = SolveStatus::converged;          // the worst
  double largest_penetration = 0.0;                     // m, at any end of a smooth part
  double kinetic_energy = 0.0, potential_energy = 0.0;  // now, J
  double work = 0.0;                 // of actuators, dampers, applied forces and friction between events, J
  double impact_change = 0.0;        // of impacts together, J
  double largest_impact_gain = 0.0;  // that one impact added, J; what others took does not hide it
  double time_step_change = 0.0;     // of time steps together, J
  double time_step_gain = 0.0;       // Σ of what single time steps gained beyond what was given to them, J
  double energy_error = 0.0;         // Σ |E_end − E_begin − work| over smooth parts: the integrator's, J
  double largest_energy = 0.0;       // the largest kinetic energy met, J
  bool law_certified = true, geometry_certified = true, energy_certified = true;
  bool certified() const { return law_certified && geometry_certified && energy_certified; }
};

class EventSimulator {
 public:
  // Throws std::invalid_argument for settings out of range, models that it cannot take, and a start that overlaps.
  explicit EventSimulator(std::shared_ptr<const Model> model, const EventSettings& settings = {});
  // The same from a start of one's own.
  EventSimulator(std::shared_ptr<const Model> model, const EventSettings& settings, VectorView q, VectorView v);
  ~EventSimulator();
  EventSimulator(EventSimulator&&) noexcept;
  EventSimulator& operator=(EventSimulator&&) noexcept;

  const Model& model() const;
  std::shared_ptr<const Model> shared_model() const;
  const EventSettings& settings() const;
  double time() const;
  const VectorX& q() const;
  const VectorX& v() const;

  void set_position(VectorView q);  // throws std::invalid_argument where shapes overlap there
  void set_velocity(VectorView v);
  void reset();
  void set_control(VectorView control);
  void set_joint_force(VectorView force);
  void add_external_force(int body, const Vector3& force, const Vector3& point,
                          const Vector3& torque = Vector3::Zero());
  void clear_external_forces();
  void set_solver_option(std::string_view name, double value);

  // What may stop advance(), advance_to() and next_event() from outside, from inside of a solve too: they then throw
  // StepInterrupted. Time, state, report and events are those of the last smooth part that came to its end, and going
  // on gives the bits of a simulator that was never stopped; so it is after any other exception of theirs. It must live
  // as long as it is set. Null: nothing.
  void set_interrupt(Interrupt* interrupt);

  // Goes on for `duration`, or until `time`, s.
  const EventReport& advance(double duration);
  const EventReport& advance_to(double time);
  // Goes on to just after the next event, or for `duration` where there is none before.
  const EventReport& next_event(double duration);

  const EventReport& report() const;
  void begin_report();
  std::span<const MotionEvent> events() const;
  void clear_events();

  Pose body_pose(int body);
  // Distances of all pairs that may touch, where the bodies are (collision/pair_distances.h).
  std::vector<PairDistance> pair_distances(double within);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
