// `stiction run SCENE…`: steps a world, certifies every step, says how it went.
#pragma once

#include <string>
#include <vector>

#include "cli/model_files.h"
#include "cli/picture_options.h"
#include "cli/scene_start.h"
#include "stiction/sim/simulator.h"

namespace stiction::cli {

struct RunOptions {
  ModelFileOptions model;
  std::string solver = "auto";
  std::vector<std::string> solver_options;  // "option=value", of the contact solver
  double time_step = 0.0;                   // s; 0: what the model suggests
  double time = 1.0;                        // s to simulate
  long steps = 0;                           // in place of `time` where positive
  double tolerance = SimulatorSettings{}.tolerance;
  double acceptable_tolerance = SimulatorSettings{}.acceptable_tolerance;
  double geometric_tolerance = SimulatorSettings{}.geometric_tolerance;
  bool recheck = SimulatorSettings{}.recheck;
  int max_iterations = SimulatorSettings{}.max_iterations;
  double relative_compliance = ConstraintSettings{}.relative_compliance;
  double relative_tangent_compliance = ConstraintSettings{}.relative_tangent_compliance;
  int threads = 1;
  StartOptions start;
  std::string record_path;  // empty: no recording
  std::string report_path;  // empty: no CSV
  std::string video_path;   // empty: no film
  PictureOptions picture;   // of the film
  double frames_per_second = 30.0;
  bool json = false;
  // From event to event (verb_run_events.h).
  bool event_driven = false;
  double event_tolerance = 1e-9;  // m
  std::string integrator = "rk4", impact_law = "newton";
};

// Returns an ExitCode, or 128 + the signal that stopped the run. Throws std::invalid_argument for bad usage and
// unreadable files.
int run_scene(const RunOptions& options);

// For other verbs that simulate. What can be refused without the model, before time goes into reading it and before any
// file is touched; and the simulator where the options want it to begin.
void check_run_options(const RunOptions& options);
Simulator make_simulator(const RunOptions& options, std::shared_ptr<const Model> model);

}  // namespace stiction::cli
