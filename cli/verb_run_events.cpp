#include "cli/verb_run_events.h"

#include <chrono>
#include <cmath>
#include <iostream>
#include <sstream>

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "stiction/math/refuse.h"
#include "stiction/sim/event_simulator.h"

namespace stiction::cli {
namespace {

EventSettings settings_of(const RunOptions& options, const Model& model) {
  EventSettings settings;
  settings.step = options.time_step > 0.0 ? options.time_step : model.suggested_time_step;
  settings.solver = options.solver;
  settings.tolerance = options.tolerance;
  settings.acceptable_tolerance = options.acceptable_tolerance;
  settings.max_iterations = options.max_iterations;
  settings.event_tolerance = options.event_tolerance;
  settings.integrator = options.integrator == "rk45" ? Integrator::rk45 : Integrator::rk4;
  settings.impact_law = options.impact_law == "poisson" ? ImpactLaw::poisson : ImpactLaw::newton;
  return settings;
}

void refuse_what_is_for_steps(const RunOptions& options) {
  const auto check = [](bool is_asked, const char* option, const char* why) {
    if (is_asked) refuse("--event-driven with ", option, ": ", why);
  };
  check(!options.record_path.empty(), "--record", "recordings are of steps");
  check(!options.video_path.empty(), "--video", "films are of steps");
  check(options.steps > 0, "--steps", "there are events; give --time");
  check(options.threads != 1, "--threads", "it runs on one");
  check(options.relative_compliance != 0.0, "--relative-compliance", "its contacts are rigid");
  check(options.relative_tangent_compliance != 0.0, "--relative-tangent-compliance", "its contacts are rigid");
}

void write_events(std::ostream& out, const Model& model, std::span<const MotionEvent> events) {
  out.precision(17);
  out << "time,kind,shape_a,shape_b,dof,speed,rows,status,residual,energy_change,solve_seconds\n";
  const auto name = [&](int shape) { return shape < 0 ? std::string() : model.shapes[shape].name; };
  for (const MotionEvent& e : events) {
    out << e.time << ',' << to_string(e.kind) << ',' << name(e.shape_a) << ',' << name(e.shape_b) << ',' << e.dof << ','
        << e.speed << ',' << e.num_rows << ',' << to_string(e.status) << ',' << e.residual << ',' << e.energy_change
        << ',' << e.solve_seconds << '\n';
  }
}

std::string summary_text(const EventReport& r, const EventSettings& s, double seconds) {
  std::ostringstream out;
  out.precision(4);
  out << "events       " << r.num_events << " to " << r.time << " s: " << r.num_impacts << " impacts, "
      << r.num_slip_ends << " ends of slip, " << r.num_time_steps << " crowds passed by a time step\n"
      << "certified    " << (r.certified() ? "yes" : "NO") << ": by the judge " << (r.law_certified ? "yes" : "NO")
      << " to " << s.tolerance << ", in geometry " << (r.geometry_certified ? "yes" : "NO") << " to "
      << s.event_tolerance << " m, in energy " << (r.energy_certified ? "yes" : "NO") << "\n"
      << "worst        eps_nat " << r.impact_residuals.eps_nat << " of impacts, " << r.rest_residuals.eps_nat
      << " of what rests; " << to_string(r.status) << "\n"
      << "penetration  at most " << r.largest_penetration << " m\n"
      << "contacts     at the end " << r.num_resting << " at rest\n"
      << "energy       kinetic " << r.kinetic_energy << " J, potential " << r.potential_energy << " J; impacts "
      << r.impact_change << " J, work " << r.work << " J; integration error " << r.energy_error
      << " J; an impact gained at most " << r.largest_impact_gain << " J, time steps " << r.time_step_gain << " J\n"
      << "work         " << to_string(s.integrator) << ", " << r.num_steps << " steps (" << r.num_rejected_steps
      << " rejected), " << r.num_evaluations << " evaluations, " << r.num_looks << " looks at pairs, "
      << r.num_rest_problems << " of " << r.num_rest_solves << " instants with contacts asked the solver\n"
      << "speed        " << static_cast<double>(r.num_events) / seconds << " events/s, " << r.time / seconds
      << " times real time\n";
  return out.str();
}

std::string summary_json(const EventReport& r) {
  std::ostringstream out;
  out.precision(17);
  const auto yes = [](bool x) { return x ? "true" : "false"; };
  out << "{\"time\": " << r.time << ", \"events\": " << r.num_events << ", \"impacts\": " << r.num_impacts
      << ", \"slip_ends\": " << r.num_slip_ends << ", \"time_steps\": " << r.num_time_steps
      << ", \"certified\": " << yes(r.certified()) << ", \"law_certified\": " << yes(r.law_certified)
      << ", \"geometry_certified\": " << yes(r.geometry_certified)
      << ", \"energy_certified\": " << yes(r.energy_certified)
      << ", \"eps_nat_impacts\": " << r.impact_residuals.eps_nat << ", \"eps_nat_rest\": " << r.rest_residuals.eps_nat
      << ", \"largest_penetration\": " << r.largest_penetration << ", \"kinetic_energy\": " << r.kinetic_energy
      << ", \"potential_energy\": " << r.potential_energy << ", \"impact_change\": " << r.impact_change
      << ", \"largest_impact_gain\": " << r.largest_impact_gain << ", \"time_step_gain\": " << r.time_step_gain
      << ", \"work\": " << r.work << ", \"energy_error\": " << r.energy_error << ", \"steps\": " << r.num_steps
      << ", \"evaluations\": " << r.num_evaluations << "}";
  return out.str();
}

}  // namespace

int run_scene_by_events(const RunOptions& options) {
  refuse_what_is_for_steps(options);
  check_run_options(options);
  const LoadedModel loaded = load_model_files(options.model);
  const EventSettings settings = settings_of(options, *loaded.model);
  settings.validate();
  const Simulator start = make_simulator(options, loaded.model);  // keyframes, positions, controls
  EventSimulator simulator(loaded.model, settings, start.state().q, start.state().v);
  for (const auto& [name, value] : start.solver_options()) simulator.set_solver_option(name, value);
  if (start.state().control.size() > 0) simulator.set_control(start.state().control);

  Interrupt interrupt;
  simulator.set_interrupt(&interrupt.for_solvers());
  Progress progress;
  std::string failure;
  const auto begin = std::chrono::steady_clock::now();
  const double slice = std::min(options.time, 0.01);
  while (simulator.time() < options.time && interrupt.signal() == 0) {
    try {
      simulator.advance_to(std::min(options.time, simulator.time() + slice));
    } catch (const StepInterrupted&) {  // it stands where the last smooth part ended
      break;
    } catch (const std::runtime_error& error) {
      failure = error.what();
      break;
    }
    if (progress.due()) {
      progress.show(message(simulator.time(), " of ", options.time, " s, ", simulator.report().num_events, " events"));
    }
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  bool output_failed = false;
  if (!options.report_path.empty()) {
    try {
      write_output(options.report_path,
                   [&](std::ostream& out) { write_events(out, *loaded.model, simulator.events()); });
    } catch (const std::exception& error) {  // the summary is told all the same
      std::cerr << "stiction: " << error.what() << '\n';
      output_failed = true;
    }
  }
  const EventReport& report = simulator.report();
  std::cout << (options.json ? summary_json(report) + "\n" : summary_text(report, settings, taken.count()));
  if (!failure.empty()) std::cerr << "stiction: " << failure << '\n';
  if (output_failed) return exit_misuse;
  if (interrupt.signal() != 0) return 128 + interrupt.signal();
  const double worst = std::max(report.impact_residuals.eps_nat, report.rest_residuals.eps_nat);
  const bool is_accepted = worst <= std::max(options.tolerance, options.acceptable_tolerance);
  const bool is_sound = is_accepted && report.geometry_certified && report.energy_certified;
  return failure.empty() && is_sound ? exit_success : exit_failed;
}

}  // namespace stiction::cli
