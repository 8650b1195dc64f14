// Events that crowd without end are passed by one time step.
#include <algorithm>

#include "stiction/sim/event_workspace.h"

namespace stiction {

void EventSimulator::Workspace::pass_crowd(double remaining) {
  const double h = std::min(settings.minimum_interval, remaining);
  if (!stepper || stepper->time_step() != h) {
    SimulatorSettings s;
    s.time_step = h, s.solver = settings.solver, s.tolerance = settings.tolerance;
    s.acceptable_tolerance = settings.acceptable_tolerance, s.max_iterations = settings.max_iterations;
    stepper = std::make_unique<Simulator>(model, s);
    for (const auto& [name, value] : options) stepper->set_solver_option(name, value);
  }
  stepper->set_interrupt(interrupt);
  stepper->set_position(q);
  stepper->set_velocity(v);
  if (control.size() > 0) stepper->set_control(control);
  stepper->set_joint_force(joint_force);
  stepper->clear_external_forces();
  for (const BodyWrench& w : external_forces) stepper->add_external_force(w.body, w.force, w.point, w.torque);
  const StepReport& step_report = stepper->step();
  merge(step_report.residuals, report.impact_residuals);
  report.status = std::max(report.status, step_report.status);
  q = stepper->state().q, v = stepper->state().v;
  time += h;
  const SmoothForces::Energy before = energy;
  update();
  energy = forces.energy(q, v, data);
  const double change = energy.kinetic + energy.potential - before.kinetic - before.potential;
  const double given = step_report.actuator_work + step_report.applied_work + step_report.surface_work;
  report.time_step_change += change;
  report.time_step_gain += std::max(0.0, change - given);
  ++report.num_time_steps;
  time_steps_miss_nothing &= step_report.geometry_certified;
  MotionEvent event;
  event.kind = EventKind::time_step;
  event.residual = step_report.residuals.eps_nat;
  event.status = step_report.status;
  event.num_rows = step_report.num_contacts;
  record(event);
  close_events = 0;
  first_current = false;
  report.time = time;
}

}  // namespace stiction
