#include "cli/verb_run.h"

#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/json_model.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/run_summary.h"
#include "cli/step_csv.h"
#include "stiction/io/recording/recording.h"
#include "stiction/math/refuse.h"
#include "stiction/solvers/solver.h"

namespace stiction::cli {
namespace {

// To a solver, or to a simulator.
template <class Set>
void set_solver_options(const std::vector<std::string>& options, const Set& set) {
  for (const std::string& text : options) {
    const auto [name, value] = parse_assignment("--solver-option", text);
    const double number = value == "true"    ? 1.0
                          : value == "false" ? 0.0
                                             : parse_values("--solver-option " + text, value, 1, "an option")[0];
    set(name, number);
  }
}

SimulatorSettings settings_of(const RunOptions& options) {
  SimulatorSettings settings;
  settings.time_step = options.time_step;
  settings.solver = options.solver;
  settings.tolerance = options.tolerance;
  settings.acceptable_tolerance = options.acceptable_tolerance;
  settings.geometric_tolerance = options.geometric_tolerance;
  settings.recheck = options.recheck;
  settings.max_iterations = options.max_iterations;
  settings.constraints.relative_compliance = options.relative_compliance;
  settings.constraints.relative_tangent_compliance = options.relative_tangent_compliance;
  settings.threads = options.threads;
  // Files have the times of every step; reading the clock twenty times costs a small robot 5 % of it.
  if (!options.report_path.empty() || !options.record_path.empty()) settings.timed_every = 1;
  return settings;
}

std::string progress_line(const RunSummary& summary, long steps) {
  std::ostringstream out;
  out.precision(3);
  out << bar(static_cast<double>(summary.steps) / static_cast<double>(steps)) << " " << summary.end_time << " s, "
      << summary.real_time_factor() << " times real time, " << summary.certified << " of " << summary.steps
      << " steps certified";
  return out.str();
}

// A file that cannot be written any more ends the run; what it says goes to standard error and into the summary.
template <class Write>
bool written(RunSummary& summary, const Write& write) {
  try {
    write();
    return true;
  } catch (const std::runtime_error& error) {
    if (!summary.output_failed) {
      std::cerr << "stiction: " << error.what() << '\n';
      if (summary.failure.empty()) summary.failure = error.what();
    }
    summary.output_failed = true;
    return false;
  }
}

// Steps until the end, a signal, numbers that are no longer finite, or a file that cannot be written.
void run_steps(Simulator& simulator, long steps, StepCsv* csv, RecordingWriter* recording, Film* film,
               RunSummary& summary) {
  using Clock = std::chrono::steady_clock;
  Interrupt interrupt;
  simulator.set_interrupt(&interrupt.for_solvers());
  Progress progress;
  const auto look = [&] { film->look(simulator.state().time, simulator.state().q, simulator.contacts()); };
  const bool begun = !film || written(summary, look);
  while (begun && summary.steps < steps && summary.signal == 0) {
    const auto start = Clock::now();
    try {
      simulator.step();
    } catch (const StepInterrupted&) {  // inside of the step, which is not counted
      summary.signal = interrupt.signal();
      break;
    } catch (const std::runtime_error& error) {  // positions, velocities or forces grew too large
      summary.failure = error.what();
      break;
    }
    const StepReport& report = simulator.report();
    summary.add(simulator, report, std::chrono::duration<double>(Clock::now() - start).count());
    const bool kept = written(summary, [&] {
      if (csv) csv->add(report);
      if (recording) recording->append(simulator, report);
      if (film) look();
    });
    if (!kept) break;
    if (progress.due()) progress.show(progress_line(summary, steps));
    if (!simulator.state().v.allFinite() || !simulator.state().q.allFinite()) break;
    summary.signal = interrupt.signal();
  }
  simulator.set_interrupt(nullptr);
}

}  // namespace

void check_run_options(const RunOptions& options) {
  settings_of(options).validate();
  const auto solver = make_solver(options.solver);
  set_solver_options(options.solver_options,
                     [&](const std::string& name, double value) { solver->set_option(name, value); });
  check_start(options.start);
  std::vector<std::string> inputs;
  for (const std::string& file : options.model.files) inputs.push_back(parse_model_file(file).path);
  std::vector<Output> outputs = {{"--record", options.record_path}, {"--report", options.report_path, false}};
  if (!options.video_path.empty()) {
    check_picture(options.picture);
    VideoWriter::check(options.video_path);
    if (VideoWriter::is_file(options.video_path)) outputs.push_back({"--video", options.video_path});
  }
  check_outputs(outputs, inputs);
}

Simulator make_simulator(const RunOptions& options, std::shared_ptr<const Model> model) {
  Simulator simulator(std::move(model), settings_of(options));
  set_solver_options(options.solver_options,
                     [&](const std::string& name, double value) { simulator.set_solver_option(name, value); });
  set_start(options.start, simulator);
  return simulator;
}

int run_scene(const RunOptions& options) {
  check_run_options(options);
  const LoadedModel loaded = load_model_files(options.model);
  Simulator simulator = make_simulator(options, loaded.model);
  const long steps = steps_to_do(options.steps, options.time, simulator.time_step());
  std::unique_ptr<StepCsv> csv;
  if (!options.report_path.empty()) csv = std::make_unique<StepCsv>(options.report_path);
  std::unique_ptr<RecordingWriter> recording;
  if (!options.record_path.empty()) recording = std::make_unique<RecordingWriter>(options.record_path, simulator);
  std::unique_ptr<Film> film;
  if (!options.video_path.empty()) {
    film = std::make_unique<Film>(*loaded.model, options.picture, options.video_path, options.frames_per_second,
                                  simulator.state().time);
  }

  RunSummary summary;
  summary.begin(simulator, options.model.files, loaded.ignored);
  run_steps(simulator, steps, csv.get(), recording.get(), film.get(), summary);
  summary.finish(simulator);
  if (csv) written(summary, [&] { csv->close(); });
  if (recording) written(summary, [&] { recording->close(); });
  if (film && film->num_frames() > 0) written(summary, [&] { film->close(); });

  if (options.json) {
    std::cout << summary_to_json(summary) << '\n';
  } else {
    std::cout << summary.to_text();
  }
  if (summary.output_failed) return exit_misuse;
  if (summary.signal != 0) return 128 + summary.signal;
  return summary.succeeded() ? exit_success : exit_failed;
}

}  // namespace stiction::cli
