// `stiction list solvers`, `stiction list options NAME` and `stiction list scenes [FOLDER]`.
#pragma once

#include <string>

namespace stiction::cli {

int list_solvers(bool json);
int list_options(const std::string& solver, bool json);
// The model files of a folder with the comment that each begins with. Throws std::invalid_argument where there is none.
int list_scenes(const std::string& folder, bool json);

}  // namespace stiction::cli
