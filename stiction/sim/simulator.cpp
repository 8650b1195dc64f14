#include "stiction/sim/simulator.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/model/control_name.h"
#include "stiction/sim/workspace.h"

namespace stiction {

void SimulatorSettings::validate() const {
  const auto positive = [](const char* name, double value) {
    require(value > 0.0 && std::isfinite(value), name, value, "finite and positive");
  };
  const auto not_negative = [](const char* name, double value) {
    require(value >= 0.0 && std::isfinite(value), name, value, "finite and at least 0");
  };
  require(time_step >= 0.0 && std::isfinite(time_step), "time_step", time_step,
          "finite and positive, or 0 for the model's");
  positive("tolerance", tolerance);
  not_negative("acceptable_tolerance", acceptable_tolerance);
  not_negative("max_iterations", max_iterations);
  not_negative("absolute_tolerance", absolute_tolerance);
  positive("geometric_tolerance", geometric_tolerance);
  positive("energy_tolerance", energy_tolerance);
  constraints.validate();
  collision.validate();
  require(threads >= 1 && threads <= 1024, "threads", threads, "1 … 1024");
  positive("sleep_speed", sleep_speed);
  require(timed_every >= 1, "timed_every", timed_every, "at least 1");
  require(sensor_seed >= 0, "sensor_seed", sensor_seed, "at least 0");
  require(sleep_after >= 1, "sleep_after", sleep_after, "at least 1");
  make_solver(solver);  // throws with the list of those there are
}

namespace {

const SimulatorSettings& checked(const SimulatorSettings& settings) {
  settings.validate();
  return settings;
}

double checked_time_step(double time_step) {
  if (time_step > 0.0 && std::isfinite(time_step)) return time_step;
  refuse("simulator: the model suggests a time_step of ", time_step, "; it must be finite and positive");
}

SimulatorSettings with_time_step(SimulatorSettings settings, double time_step) {
  settings.time_step = time_step;
  return settings;
}

std::shared_ptr<const Model> not_null(std::shared_ptr<const Model> model) {
  if (!model) refuse("simulator: there is no model");
  return model;
}

void check_input(const char* name, VectorView values, Eigen::Index wanted) {
  if (values.size() != wanted) refuse(name, " has ", values.size(), " entries but the model has ", wanted);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) refuse(name, "[", i, "] is ", values[i]);
  }
}

}  // namespace

Simulator::Workspace::Workspace(std::shared_ptr<const Model> m, const SimulatorSettings& s)
    : model(not_null(std::move(m))),
      settings(checked(s)),
      time_step(checked_time_step(s.time_step == 0.0 ? model->suggested_time_step : s.time_step)),
      state(State::initial(*model)),
      dynamics(*model),
      contact_finder(model, s.collision),
      actuation(*model),
      servo_limits(*model),
      transmissions(*model),
      world_forces(*model),
      fluid_forces(*model),
      free_spin(*model),
      turning(*model),
      row_builder(model),
      stick_memory(*model),
      island_solver(model, with_time_step(s, time_step)),
      energy_balance(*model, time_step),
      sensing(*model, time_step) {
  settings.time_step = time_step;
  has_kinematic_bodies =
      std::any_of(model->bodies.begin(), model->bodies.end(), [](const Body& b) { return b.is_kinematic; });
  joint_force.setZero(model->num_velocities());
  resize_velocities();
}

void Simulator::Workspace::wake() {
  forward_current = false;
  std::fill(state.rest_steps.begin(), state.rest_steps.end(), 0);
}

void Simulator::Workspace::forget() {
  state.warm_starts.clear();
  state.collision.clear();
  state.rest_steps.clear();
  state.rest_inputs = 0;
  state.found.clear();
  state_changed();
}

// The state is another one: nothing that was computed belongs to it.
void Simulator::Workspace::state_changed() {
  kinematics_current = inertia_current = placed = found_current = contacts_current = false;
  is_end_of_step = forward_current = false;
  energy_balance.forget();
}

Simulator::Simulator(std::shared_ptr<const Model> model, const SimulatorSettings& settings)
    : workspace_(std::make_unique<Workspace>(std::move(model), settings)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const Model& Simulator::model() const {
  return *workspace_->model;
}
std::shared_ptr<const Model> Simulator::shared_model() const {
  return workspace_->model;
}
const SimulatorSettings& Simulator::settings() const {
  return workspace_->settings;
}
double Simulator::time_step() const {
  return workspace_->time_step;
}
const State& Simulator::state() const {
  return workspace_->state;
}
const VectorX& Simulator::joint_force() const {
  return workspace_->joint_force;
}
const StepReport& Simulator::report() const {
  return workspace_->report;
}
double Simulator::worst_residual() const {
  return workspace_->worst_residual;
}
long Simulator::num_failed_steps() const {
  return workspace_->num_failed_steps;
}

long Simulator::num_uncertified_steps() const {
  return workspace_->num_uncertified_steps;
}
long Simulator::num_law_uncertified_steps() const {
  return workspace_->num_law_uncertified_steps;
}
long Simulator::num_geometry_uncertified_steps() const {
  return workspace_->num_geometry_uncertified_steps;
}
long Simulator::num_energy_uncertified_steps() const {
  return workspace_->num_energy_uncertified_steps;
}

void Simulator::set_solver_option(std::string_view name, double value) {
  workspace_->island_solver.set_option(name, value);
}

std::span<const std::pair<std::string, double>> Simulator::solver_options() const {
  return workspace_->island_solver.options();
}

void Simulator::set_state(const State& state) {
  check_state(model(), state);
  workspace_->state = state;
  workspace_->state_changed();
  if (Sleeping::was_disturbed(model(), state, workspace_->settings.sleep_speed)) workspace_->wake();
}

void Simulator::reset() {
  workspace_->state = State::initial(model());
  workspace_->forget();
  workspace_->worst_residual = 0.0;
  workspace_->num_failed_steps = workspace_->num_uncertified_steps = 0;
  workspace_->num_law_uncertified_steps = workspace_->num_geometry_uncertified_steps = 0;
  workspace_->num_energy_uncertified_steps = 0;
}

void Simulator::reset(int keyframe) {
  State state = State::from_keyframe(model(), keyframe);
  reset();
  workspace_->state = std::move(state);
}

void Simulator::set_position(VectorView q) {
  State state = workspace_->state;
  state.q = q;
  check_state(model(), state);
  workspace_->state = std::move(state);
  workspace_->forget();
}

void Simulator::set_velocity(VectorView v) {
  check_input("v", v, model().num_velocities());
  workspace_->state.v = v;
  workspace_->forget();
}

void Simulator::set_control(VectorView control) {
  check_input("control", control, workspace_->state.control.size());
  if (workspace_->state.control == control) return;
  workspace_->state.control = control;
  workspace_->wake();
}

void Simulator::set_control(std::string_view actuator, double value) {
  VectorX control = workspace_->state.control;
  control[find_control(model(), actuator)] = value;
  set_control(control);
}

void Simulator::set_joint_force(VectorView force) {
  check_input("joint_force", force, model().num_velocities());
  if (workspace_->joint_force == force) return;
  workspace_->joint_force = force;
  workspace_->wake();
}

void Simulator::add_external_force(int body, const Vector3& force, const Vector3& point, const Vector3& torque) {
  if (body < 0 || body >= model().num_bodies()) {
    refuse("external force: body ", body, " does not exist; the model has ", model().num_bodies());
  }
  if (!(force.allFinite() && point.allFinite() && torque.allFinite())) {
    refuse("external force on body ", body, ": force (", force.transpose(), "), point (", point.transpose(),
           ") or torque (", torque.transpose(), ") is not finite");
  }
  workspace_->external_forces.push_back({body, force, torque, point});
  workspace_->wake();
}

void Simulator::clear_external_forces() {
  if (!workspace_->external_forces.empty()) workspace_->wake();
  workspace_->external_forces.clear();
}

std::span<const BodyWrench> Simulator::external_forces() const {
  return workspace_->external_forces;
}

Simulator Simulator::copy() const {
  Simulator twin(shared_model(), settings());
  for (const auto& [name, value] : solver_options()) twin.set_solver_option(name, value);
  twin.workspace_->state = state();
  twin.workspace_->joint_force = joint_force();
  twin.workspace_->external_forces = workspace_->external_forces;
  return twin;
}

void Simulator::set_interrupt(Interrupt* interrupt) {
  workspace_->interrupt = interrupt;
}

}  // namespace stiction
