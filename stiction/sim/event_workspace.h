// Everything an event-driven simulator works with, by what fills it. Private to the sim room.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "stiction/collision/collider.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/sim/event_simulator.h"
#include "stiction/sim/impact.h"
#include "stiction/sim/next_touch.h"
#include "stiction/sim/resting_forces.h"
#include "stiction/sim/smooth_forces.h"

namespace stiction {

struct EventSimulator::Workspace {
  Workspace(std::shared_ptr<const Model> m, const EventSettings& s);

  // ---- constant
  std::shared_ptr<const Model> model;
  EventSettings settings;
  double tolerance = 0.0;           // half of event_tolerance: what corrections move is within the other half
  std::vector<double> body_radius;  // of all shapes of a body about its origin, m
  struct LimitedDof {
    int dof = 0, position = 0;
    double lower = 0.0, upper = 0.0;
  };
  std::vector<LimitedDof> limited;
  std::vector<int> dry;  // degrees of freedom with dry friction

  // ---- set by the user
  Interrupt* interrupt = nullptr;
  VectorX control, joint_force;
  std::vector<BodyWrench> external_forces;
  std::vector<std::pair<std::string, double>> options;

  // ---- the state
  double time = 0.0;
  VectorX q, v;
  CollisionCache cache;

  // ---- at an instant
  DynamicsData data;
  SmoothForces forces;
  Collider collider;
  std::vector<Pose> poses;
  std::vector<double> reach;
  std::vector<ContactPoint> found, touching;  // within reach of the step; within the tolerance
  ImpactSolver impact;
  RestingForces resting;
  VectorX applied;              // joint forces and dry friction of what slides
  SmoothForces::Energy energy;  // at (q, v)

  // ---- a smooth part
  RungeKutta runge_kutta;
  RungeKutta::Motion motion;  // of runge_kutta
  SmoothPath path;
  NextTouch next_touch;
  double step = 0.0;                               // that is tried next
  bool first_current = false;                      // its first acceleration belongs to (q, v) and what rests
  std::vector<std::pair<int, int>> resting_pairs;  // sorted

  // ---- the next event
  struct Next {
    double after = 0.0;  // s from the beginning of the part; more than the part: none
    bool is_sure = true, is_touch = false;
    EventKind kind = EventKind::touch;
    int shape_a = -1, shape_b = -1, dof = -1, contact = -1;
    bool upper = false;
  };
  std::optional<Next> pending;  // that the last part ended with

  // ---- what was
  EventReport report;
  std::vector<MotionEvent> events;
  double last_event = -1.0;
  int close_events = 0;
  std::unique_ptr<Simulator> stepper;   // of crowds
  bool time_steps_miss_nothing = true;  // by their own geometric certificate

  // ---- the last instant that was settled, for what throws after it (event_undo.cpp); the cache: Collider
  struct Mark {
    double time = 0.0, step = 0.0, last_event = -1.0;
    VectorX q, v;
    RestingForces::Memory resting;
    EventReport report;
    std::size_t num_events = 0;
    int close_events = 0;
    bool time_steps_miss_nothing = true;
    std::optional<Next> pending;
  } mark;

  double accelerate(const VectorX& at, const VectorX& velocity, VectorX& acceleration);
  void update();         // kinematics, inertia and its factor at (q, v); poses
  void check_start();    // throws where something overlaps
  void find_touching();  // after update()
  void settle();         // impacts, what rests, energy
  bool strike();         // an impact, if something approaches
  void find_resting();
  double integrate_part(double h);  // tries, and returns how long the part became
  Next find_next(double h);
  void find_next_contact(double h, Next& next);
  void find_next_limit(Next& next);
  void find_next_in_resting_pairs(Next& next);
  void find_next_slip_end(Next& next);
  void land(Next& next);
  void land_first(Next& next);
  double miss(const Next& next, double& slope);
  void accept(double h);
  void record(MotionEvent event);
  void pass_crowd(double remaining);
  void go_to(double end, bool stop_at_event);
  void go_on(double end, bool stop_at_event);
  void set_mark();
  void return_to_mark();
  void stop_if_asked();  // throws
  double slip(int contact, double s);
  bool is_held(int shape_a, int shape_b, const ContactPoint& p) const;
  double deepest_new_point(int shape_a, int shape_b, double s, double margin, double& safe);
  void certify();
  void state_changed();
};

}  // namespace stiction
