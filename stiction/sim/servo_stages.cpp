// Stages of a step in which servos and their limits are looked after.
#include "stiction/sim/workspace.h"

namespace stiction {

std::span<const Pack4> Simulator::Workspace::servo_impulse() const {
  return {impulse.data() + impulse.size() - num_servo_rows(), static_cast<std::size_t>(num_servo_rows())};
}

void Simulator::Workspace::find_free_velocity() {
  actuation.update(*model, state.q.data(), state.v.data(), state.control.data(), time_step, settings.implicit);
  // What turns is taken in the middle of the motion with all servos free, however they are taken in the end: a motion
  // must not depend on that.
  has_turned = false;
  const bool remembers_servos =
      !state.warm_starts.empty() && state.warm_starts.back().id.source == ConstraintSource::servo;
  if (settings.implicit_turning && remembers_servos) solve_free_velocity();
  servo_limits.begin(state.warm_starts, state.v.data(), asleep(), time_step, actuation);
  do {
    solve_free_velocity();
  } while (servo_limits.check_free_velocity(state.v.data(), v_free.data(), actuation));
}

// Whether one broke its limit: the free velocity is another one, and rows and solution must follow.
bool Simulator::Workspace::check_servos() {
  if (model->actuators.empty()) return false;
  if (servo_limits.check_end_velocity(state.v.data(), v_end.data(), actuation)) {
    solve_free_velocity();
    return true;
  }
  actuation.finish(v_end.data());
  servo_limits.finish(v_end.data(), servo_impulse(), actuation);
  return false;
}

}  // namespace stiction
