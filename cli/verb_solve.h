// `stiction solve FILE…`: solvers on problems, a table or JSON of what they did and what the judge says.
#pragma once

#include <string>
#include <vector>

#include "cli/problem_files.h"
#include "cli/solver_run.h"

namespace stiction::cli {

struct SolveOptions {
  std::vector<std::string> paths;          // files and folders
  std::vector<std::string> solvers;        // names; {"all"} for every registered one
  std::vector<std::string> option_values;  // "option=value"
  RunSettings run;
  FormChoice form = FormChoice::as_stored;
  bool json = false;
  std::string save_path;     // empty: nothing is saved
  std::string history_path;  // empty: no history
};

// Returns an ExitCode. Throws std::invalid_argument for bad usage and unreadable paths.
int solve_files(SolveOptions options);

}  // namespace stiction::cli
