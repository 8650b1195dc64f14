// `stiction compare SCENE…`: the same scene and start under several contact models, judged by the exact law.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/model_files.h"
#include "cli/scene_start.h"
#include "stiction/sim/comparison.h"

namespace stiction::cli {

struct CompareOptions {
  ModelFileOptions model;
  std::vector<std::string> solvers;  // names, or "all"
  std::vector<std::string> models;   // contact models, or "all"; one solver each. Both empty: all models
  std::string reference = "auto";    // what the others are compared with
  double time_step = 0.0;            // s; 0: what the model suggests
  double time = 1.0;                 // s to simulate
  long steps = 0;                    // in place of `time` where positive
  double tolerance = SimulatorSettings{}.tolerance;
  int max_iterations = SimulatorSettings{}.max_iterations;
  int threads = 1;
  double parting_distance = ComparisonSettings{}.parting_distance;
  StartOptions start;
  std::string csv_path, report_path, png_path, page_path;  // empty: not asked for
  std::string title;                                       // of picture and page; empty: the name of the scene
  std::int64_t every = 0;                                  // steps per frame of the page; 0: at most 1000 frames
  bool json = false;
};

// Returns an ExitCode, or 128 + the signal that stopped it. Throws std::invalid_argument for bad usage and unreadable
// files.
int compare_scene(const CompareOptions& options);

}  // namespace stiction::cli
