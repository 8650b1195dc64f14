#include "stiction/sim/event_simulator.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/sim/event_workspace.h"

namespace stiction {

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::impact:
      return "impact";
    case EventKind::touch:
      return "touch";
    case EventKind::slip_end:
      return "slip_end";
    case EventKind::time_step:
      break;
  }
  return "time_step";
}

void EventSettings::validate() const {
  const auto positive = [](const char* name, double value) {
    require(value > 0.0 && std::isfinite(value), name, value, "finite and positive");
  };
  positive("step", step);
  positive("largest_step", largest_step);
  positive("relative_tolerance", relative_tolerance);
  positive("absolute_tolerance", absolute_tolerance);
  positive("event_tolerance", event_tolerance);
  positive("rest_speed", rest_speed);
  positive("slip_speed", slip_speed);
  require(restitution_threshold >= 0.0 && std::isfinite(restitution_threshold), "restitution_threshold",
          restitution_threshold, "finite and at least 0");
  positive("tolerance", tolerance);
  require(acceptable_tolerance >= 0.0 && std::isfinite(acceptable_tolerance), "acceptable_tolerance",
          acceptable_tolerance, "finite and at least 0");
  require(max_iterations >= 0, "max_iterations", max_iterations, "at least 0");
  positive("energy_tolerance", energy_tolerance);
  positive("minimum_interval", minimum_interval);
  require(most_close_events >= 1, "most_close_events", most_close_events, "at least 1");
  make_solver(solver);  // throws with the list of those there are
}

namespace {

const EventSettings& checked(const EventSettings& settings) {
  settings.validate();
  return settings;
}

SimulatorSettings solver_settings(const EventSettings& s) {
  SimulatorSettings out;
  out.time_step = 1e-3;  // beside what gravity does in it speeds are measured
  out.solver = s.solver;
  out.tolerance = s.tolerance;
  out.acceptable_tolerance = s.acceptable_tolerance;
  out.max_iterations = s.max_iterations;
  out.constraints.baumgarte = 0.0;
  return out;
}

// A bounce that gravity ends within the tolerance cannot be told from rest.
ImpactSettings impact_settings(const Model& model, const EventSettings& s) {
  const double least = std::sqrt(2.0 * model.gravity.norm() * s.event_tolerance);
  return {s.impact_law, s.impact_order, std::max(s.restitution_threshold, least), s.rest_speed,
          0.5 * s.event_tolerance};
}

void check_input(const char* name, VectorView values, Eigen::Index wanted) {
  if (values.size() != wanted) refuse(name, " has ", values.size(), " entries but the model has ", wanted);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) refuse(name, "[", i, "] is ", values[i]);
  }
}

}  // namespace

EventSimulator::Workspace::Workspace(std::shared_ptr<const Model> m, const EventSettings& s)
    : model(std::move(m)),
      settings(checked(s)),
      data(model ? *model : Model()),
      forces(model),
      collider(model, {.margin = 0.5 * s.event_tolerance}),
      impact(model, solver_settings(s), impact_settings(*model, s)),
      resting(model, solver_settings(s), 0.5 * s.event_tolerance),
      runge_kutta(*model, s.integrator),
      path(*model),
      next_touch(*model),
      step(s.step) {
  body_radius.assign(model->bodies.size(), 0.0);
  for (const Shape& shape : model->shapes) {
    if (shape.body < 0) continue;
    double& radius = body_radius[static_cast<std::size_t>(shape.body)];
    radius = std::max(radius, shape.bound_center.norm() + shape.bound_radius);
  }
  for (int j = 0; j < model->num_velocities(); ++j) {
    const Dof& dof = model->dofs[j];
    if (std::isfinite(dof.lower) || std::isfinite(dof.upper)) {
      limited.push_back({j, model->bodies[dof.body].first_position, dof.lower, dof.upper});
    }
    if (dof.dry_friction > 0.0) dry.push_back(j);
  }
  poses.resize(model->bodies.size());
  reach.resize(model->bodies.size());
  control.setZero(static_cast<Eigen::Index>(model->actuators.size()));
  joint_force.setZero(model->num_velocities());
  applied = joint_force;
  q = model->initial_position, v = model->initial_velocity;
  tolerance = 0.5 * settings.event_tolerance;
  motion = [this](double, const VectorX& at, const VectorX& velocity, VectorX& acceleration) {
    return accelerate(at, velocity, acceleration);
  };
}

EventSimulator::EventSimulator(std::shared_ptr<const Model> model, const EventSettings& settings)
    : workspace_(std::make_unique<Workspace>(std::move(model), settings)) {
  workspace_->check_start();
}
EventSimulator::EventSimulator(std::shared_ptr<const Model> model, const EventSettings& settings, VectorView q,
                               VectorView v)
    : workspace_(std::make_unique<Workspace>(std::move(model), settings)) {
  set_position(q);
  set_velocity(v);
}
EventSimulator::~EventSimulator() = default;
EventSimulator::EventSimulator(EventSimulator&&) noexcept = default;
EventSimulator& EventSimulator::operator=(EventSimulator&&) noexcept = default;

const Model& EventSimulator::model() const {
  return *workspace_->model;
}
std::shared_ptr<const Model> EventSimulator::shared_model() const {
  return workspace_->model;
}
const EventSettings& EventSimulator::settings() const {
  return workspace_->settings;
}
double EventSimulator::time() const {
  return workspace_->time;
}
const VectorX& EventSimulator::q() const {
  return workspace_->q;
}
const VectorX& EventSimulator::v() const {
  return workspace_->v;
}
const EventReport& EventSimulator::report() const {
  return workspace_->report;
}
std::span<const MotionEvent> EventSimulator::events() const {
  return workspace_->events;
}
void EventSimulator::clear_events() {
  workspace_->events.clear();
}

void EventSimulator::set_position(VectorView q) {
  Workspace& w = *workspace_;
  check_input("q", q, w.q.size());
  const VectorX before = w.q;
  w.q = q;
  for (const Body& body : w.model->bodies) {  // quaternions of length one
    if (body.joint != JointType::free && body.joint != JointType::ball) continue;
    auto turn = w.q.segment<4>(body.first_position + (body.joint == JointType::free ? 3 : 0));
    if (!(turn.norm() > 1e-6)) {
      w.q = before;
      refuse("q: the quaternion of body '", body.name, "' is (", turn.transpose(), "); it must not be zero");
    }
    turn.normalize();
  }
  try {
    w.check_start();
  } catch (...) {
    w.q = before;
    w.state_changed();
    throw;
  }
  w.state_changed();
}

void EventSimulator::set_velocity(VectorView v) {
  check_input("v", v, workspace_->v.size());
  workspace_->v = v;
  workspace_->state_changed();
}

void EventSimulator::reset() {
  Workspace& w = *workspace_;
  w.time = 0.0;
  w.q = w.model->initial_position, w.v = w.model->initial_velocity;
  w.step = w.settings.step;
  w.last_event = -1.0;
  w.close_events = 0;
  w.events.clear();
  w.state_changed();
  begin_report();
}

void EventSimulator::set_control(VectorView control) {
  check_input("control", control, workspace_->control.size());
  workspace_->control = control;
  workspace_->first_current = false;
}

void EventSimulator::set_joint_force(VectorView force) {
  check_input("joint_force", force, workspace_->joint_force.size());
  workspace_->joint_force = force;
  workspace_->first_current = false;
}

void EventSimulator::add_external_force(int body, const Vector3& force, const Vector3& point, const Vector3& torque) {
  if (body < 0 || body >= model().num_bodies()) {
    refuse("external force: body ", body, " does not exist; the model has ", model().num_bodies());
  }
  if (!(force.allFinite() && point.allFinite() && torque.allFinite())) {
    refuse("external force on body ", body, ": force (", force.transpose(), "), point (", point.transpose(),
           ") or torque (", torque.transpose(), ") is not finite");
  }
  workspace_->external_forces.push_back({body, force, torque, point});
  workspace_->first_current = false;
}

void EventSimulator::clear_external_forces() {
  workspace_->external_forces.clear();
  workspace_->first_current = false;
}

void EventSimulator::set_solver_option(std::string_view name, double value) {
  workspace_->impact.islands().set_option(name, value);
  workspace_->resting.islands().set_option(name, value);
  workspace_->options.emplace_back(name, value);
  workspace_->stepper.reset();
}

void EventSimulator::set_interrupt(Interrupt* interrupt) {
  Workspace& w = *workspace_;
  w.interrupt = interrupt;
  w.impact.set_interrupt(interrupt);
  w.resting.set_interrupt(interrupt);
  if (w.stepper) w.stepper->set_interrupt(interrupt);
}

const EventReport& EventSimulator::advance(double duration) {
  if (!(duration >= 0.0) || !std::isfinite(duration)) {
    refuse("advance: the duration is ", duration, " s; it must be finite and at least 0");
  }
  workspace_->go_to(time() + duration, false);
  return report();
}

const EventReport& EventSimulator::advance_to(double end) {
  if (!(end >= time()) || !std::isfinite(end)) {
    refuse("advance_to: the time is ", end, " s; it must be finite and at least ", time(), " s, the present one");
  }
  workspace_->go_to(end, false);
  return report();
}

const EventReport& EventSimulator::next_event(double duration) {
  if (!(duration >= 0.0) || !std::isfinite(duration)) {
    refuse("next_event: the duration is ", duration, " s; it must be finite and at least 0");
  }
  workspace_->go_to(time() + duration, true);
  return report();
}

void EventSimulator::begin_report() {
  Workspace& w = *workspace_;
  w.report = {};
  w.report.time = w.time;
  w.time_steps_miss_nothing = true;
  w.resting.begin_count();
}

Pose EventSimulator::body_pose(int body) {
  Workspace& w = *workspace_;
  if (body < 0 || body >= model().num_bodies()) {
    refuse("body ", body, " does not exist; the model has ", model().num_bodies());
  }
  w.update();
  return w.poses[static_cast<std::size_t>(body)];
}

std::vector<PairDistance> EventSimulator::pair_distances(double within) {
  workspace_->update();
  return stiction::pair_distances({*workspace_->model, workspace_->poses}, within);
}

}  // namespace stiction
