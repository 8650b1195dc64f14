// stiction experiment: the papers' experiments. They are written in Python; the command hands over to the package.
#pragma once

#include <string>
#include <vector>

namespace stiction::cli {

struct ExperimentOptions {
  std::vector<std::string> names;
  bool quick = false;
  std::string output = "experiments";
};

// Becomes `python -m stiction.experiments`; returns only where there is no Python with the package.
int run_experiments(const ExperimentOptions& options);

}  // namespace stiction::cli
