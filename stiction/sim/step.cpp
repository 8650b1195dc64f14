// The step as the list of its stages, and how a step that throws is undone.
#include <algorithm>
#include <iterator>

#include "stiction/math/refuse.h"
#include "stiction/sim/workspace.h"

namespace stiction {

std::string_view to_string(StepStage stage) {
  static constexpr std::string_view names[] = {
      "kinematics", "collide",  "sleep",   "free_velocity", "reach",  "free_motion", "rows",      "warm_start",
      "islands",    "problems", "solve",   "servos",        "judge",  "account",     "integrate", "remember",
      "look_ahead", "recheck",  "certify", "sense",         "accept", "count"};
  static_assert(std::size(names) == static_cast<std::size_t>(StepStage::count) + 1);
  return names[static_cast<int>(stage)];
}

template <class Result>
STICTION_INLINE Result Simulator::Workspace::run(StepStage stage, Result (Workspace::*function)()) {
  if constexpr (std::is_void_v<Result>) {
    (this->*function)();
    clock.stop(stage, report);
  } else {
    const Result result = (this->*function)();
    clock.stop(stage, report);
    return result;
  }
}

void Simulator::Workspace::step() {
  solve_step();
  run(StepStage::certify, &Workspace::certify);
  run(StepStage::sense, &Workspace::sense);
  run(StepStage::accept, &Workspace::accept);
}

// All but taking it.
void Simulator::Workspace::solve_step() {
  using Stage = StepStage;
  run(Stage::kinematics, &Workspace::update_dynamics);
  run(Stage::collide, &Workspace::find_contacts);
  do {
    run(Stage::sleep, &Workspace::find_sleepers);
    run(Stage::free_velocity, &Workspace::find_free_velocity);
  } while (run(Stage::reach, &Workspace::reach_with_free_velocity));  // what is newly within reach may wake sleepers
  run(Stage::free_motion, &Workspace::follow_free_motion);
  do {
    do {
      run(Stage::rows, &Workspace::make_rows);
      run(Stage::warm_start, &Workspace::recall_last_step);
      run(Stage::islands, &Workspace::find_islands);
      run(Stage::problems, &Workspace::make_problems);
      run(Stage::solve, &Workspace::solve_islands);
    } while (run(Stage::servos, &Workspace::check_servos));  // one broke its limit: it is taken otherwise
    run(Stage::judge, &Workspace::judge_islands);
    run(Stage::account, &Workspace::account);
    run(Stage::integrate, &Workspace::find_end);
    run(Stage::remember, &Workspace::remember);
    run(Stage::look_ahead, &Workspace::look_ahead);
  } while (run(Stage::recheck, &Workspace::recheck));  // contacts that were missed are points now: rows again
}

const StepReport& Simulator::step() {
  Workspace& w = *workspace_;
  w.begin_step();
  try {
    w.step();
  } catch (const SolverFailure&) {
    w.undo_step();
    w.is_broken = false;  // all stages came to their end
    throw;
  } catch (...) {
    w.undo_step();
    throw;
  }
  return w.report;
}

// A step that is undone when its contacts are known. Its report would be one of a step that nobody made.
std::span<const Contact> Simulator::forward() {
  workspace_->forward();
  return workspace_->contacts;
}

void Simulator::Workspace::forward() {
  const StepReport last = report;
  begin_step();
  try {
    solve_step();
    list_contacts();
    undo_step();
    is_broken = false;
    report = last;
    forward_current = true;
  } catch (...) {
    undo_step();
    report = last;
    throw;
  }
}

const StepReport& Simulator::step(int count) {
  if (count < 0) refuse("step: count is ", count);
  for (int k = 0; k < count; ++k) step();
  return workspace_->report;
}

void Simulator::Workspace::begin_step() {
  if (is_broken) renew_scratch();
  clock.start(settings.timed_every, report);
  report.iterations = report.factorisations = 0;  // of all rounds of the step
  island_solver.begin_step();
  contact_finder.note_changes();
  undo.found = state.found;
  undo.rest_steps = state.rest_steps;
  undo.rest_inputs = state.rest_inputs;
  undo.energy = energy_balance.memory();
  contacts_current = dynamics_before_current = false;
  stop_if_asked();
}

// What throws is undone by who called the step.
void Simulator::Workspace::stop_if_asked() {
  if (interrupt == nullptr || !interrupt->check()) return;
  throw StepInterrupted(message("step at time ", state.time, ": interrupted"));
}

// Nothing here allocates: what ran out of memory can be undone too. Positions, velocities, warm starts, what sensors
// remember and time are those of before until accept(), the last stage, which cannot fail.
void Simulator::Workspace::undo_step() {
  contact_finder.take_back(state.collision);
  state.found.swap(undo.found);
  state.rest_steps.swap(undo.rest_steps);
  state.rest_inputs = undo.rest_inputs;
  points = {};
  is_broken = true;
  has_rows = dynamics_before_current = false;
  const bool knows_contacts = contacts_current;
  state_changed();
  contacts_current = knows_contacts;
  energy_balance.restore(undo.energy);
}

// Stages keep their memory from step to step, sized as it was needed; where one ended early, sizes may not agree.
void Simulator::Workspace::renew_scratch() {
  dynamics = DynamicsData(*model);
  contact_finder = ContactFinder(model, settings.collision);
  actuation = Actuation(*model);
  servo_limits = ServoLimits(*model);
  transmissions = Transmissions(*model);
  world_forces = WorldForces(*model);
  fluid_forces = FluidForces(*model);
  free_spin = FreeSpin(*model);
  turning = Turning(*model);
  row_builder = RowBuilder(model);
  rows = RowSet();
  stick_memory = StickMemory(*model);
  islands = Islands();
  redundant_loops = RedundantLoops();
  island_solver.forget();
  sleeping = Sleeping();
  projection = PositionProjection();
  geometry_check = GeometryCheck();
  pair_sweep = PairSweep();
  dynamics_before.reset();
  const EnergyBalance::Memory memory = energy_balance.memory();
  energy_balance = EnergyBalance(*model, time_step);
  energy_balance.restore(memory);
  resize_velocities();
  is_broken = false;
}

void Simulator::Workspace::resize_velocities() {
  const int nv = model->num_velocities();
  for (VectorX* x : {&generalized_force, &v_free, &v_constraint, &v_end, &v_before, &constraint_impulse}) {
    x->setZero(nv);
  }
  q_end = q_before = model->initial_position;
  activation_end.setZero(model->num_activations());
}

// The contacts of the step stay to be looked at; all else is that of before.
void Simulator::Workspace::raise() {
  count_uncertified();
  list_contacts();
  throw SolverFailure(message("step at time ", state.time, ": ", settings.solver, " ended ", to_string(report.status),
                              " with a residual of ", report.residuals.eps_nat),
                      report);
}

void Simulator::Workspace::count_uncertified() {
  num_uncertified_steps += !report.certified();
  num_law_uncertified_steps += !report.law_certified;
  num_geometry_uncertified_steps += !report.geometry_certified;
  num_energy_uncertified_steps += !report.energy_certified;
}

// All that was found out about the step; where it is not accepted the caller may want to know at once.
void Simulator::Workspace::certify() {
  worst_residual = std::max(worst_residual, report.residuals.eps_nat);
  if (!report.accepted) ++num_failed_steps;
  if (!report.accepted && settings.on_failure == FailurePolicy::raise) raise();
  update_inertia(*model, dynamics);  // of the end
  energy_balance.close(dynamics, free_spin, stored_energy(q_end, v_end), v_end, settings.energy_tolerance, report);
  count_uncertified();
}

// The step is done: its end is the state. Vectors have their sizes, so nothing here takes memory.
void Simulator::Workspace::accept() noexcept {
  if (settings.sleeping) sleeping.count(*model, v_end, settings.sleep_speed, state.rest_steps);
  q_before.swap(state.q);
  v_before.swap(state.v);
  state.q = q_end;
  state.v = v_end;
  if (activation_end.size() > 0) state.activation = activation_end;
  state.warm_starts.swap(next_warm_starts);
  state.found.swap(next_found);
  if (sensing.has_delays()) keep_sensed();
  report.time = state.time += time_step;
  ++state.step;
  found_current = placed = kinematics_current = inertia_current = true;
  forward_current = false;
  has_rows = is_end_of_step = true;
}

}  // namespace stiction
