// JSON for scripts. Numbers that JSON cannot express (infinity, NaN) become null.
#pragma once

#include <string>
#include <vector>

#include "cli/solver_run.h"

namespace stiction::cli {

std::string records_to_json(const std::vector<RunRecord>& records);
std::string solvers_to_json(const std::vector<SolverTraits>& solvers);
std::string options_to_json(std::vector<SolverOption> options);
std::string scenes_to_json(const std::vector<std::pair<std::string, std::string>>& scenes);  // file, header

}  // namespace stiction::cli
