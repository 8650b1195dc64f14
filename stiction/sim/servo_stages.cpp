// Stages of a step in which servos and their limits are looked after.
#include <algorithm>

#include "stiction/sim/actuator_law.h"
#include "stiction/sim/workspace.h"

namespace stiction {

std::span<const Pack4> Simulator::Workspace::servo_impulse() const {
  return {impulse.data() + impulse.size() - num_servo_rows(), servo_limits.rows().size()};
}

std::span<const Pack4> Simulator::Workspace::coupled_impulse() const {
  const std::size_t count = transmissions.rows().size();
  return {impulse.data() + impulse.size() - count, count};
}

std::span<const WarmStart> Simulator::Workspace::warm_servos() const {
  std::size_t count = state.warm_starts.size();
  const auto is_coupled = [this](const WarmStart& start) {
    return start.id.source == ConstraintSource::servo && start.id.first >= model->num_velocities();
  };
  while (count > 0 && is_coupled(state.warm_starts[count - 1])) --count;
  return {state.warm_starts.data(), count};
}

void Simulator::Workspace::find_free_velocity() {
  actuation.update(*model, state.q.data(), state.v.data(), state.control.data(), state.activation.data(), time_step,
                   settings.implicit);
  transmissions.update(*model, dynamics, state.q.data(), state.v.data(), state.control.data(), state.activation.data(),
                       time_step, settings.implicit, asleep());
  world_forces.update(*model, dynamics);
  fluid_forces.update(*model, dynamics, state.v.data(), time_step, settings.implicit);
  // What turns is taken in the middle of the motion with all servos free, however they are taken in the end: a motion
  // must not depend on that.
  has_turned = false;
  const std::span<const WarmStart> before = warm_servos();
  const bool remembers_servos = !before.empty() && before.back().id.source == ConstraintSource::servo;
  if (settings.implicit_turning && remembers_servos) solve_free_velocity();
  servo_limits.begin(before, state.v.data(), asleep(), time_step, actuation);
  do {
    solve_free_velocity();
  } while (servo_limits.check_free_velocity(state.v.data(), v_free.data(), actuation));
}

// Whether one broke its limit: the free velocity is another one, and rows and solution must follow.
bool Simulator::Workspace::check_servos() {
  if (model->actuators.empty()) {
    transmissions.finish(*model, state.v.data(), v_end.data(), actuation);
    fluid_forces.finish(dynamics, state.v.data(), v_end.data(), time_step);
    return false;
  }
  if (servo_limits.check_end_velocity(state.v.data(), v_end.data(), actuation)) {
    solve_free_velocity();
    return true;
  }
  actuation.finish(v_end.data());
  servo_limits.finish(v_end.data(), servo_impulse(), actuation);
  transmissions.finish(*model, state.v.data(), v_end.data(), actuation);
  fluid_forces.finish(dynamics, state.v.data(), v_end.data(), time_step);
  return false;
}

void Simulator::Workspace::find_next_activation() {
  for (std::size_t i = 0; i < model->actuators.size() && activation_end.size() > 0; ++i) {
    const Actuator& a = model->actuators[i];
    if (a.first_activation < 0) continue;
    const double u = std::clamp(state.control[static_cast<Eigen::Index>(i)], a.control_lower, a.control_upper);
    activation_end[a.first_activation] = next_activation(a, u, state.activation[a.first_activation], time_step);
  }
}

}  // namespace stiction
