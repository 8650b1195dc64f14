// `stiction list solvers` and `stiction list options NAME`.
#pragma once

#include <string>

namespace stiction::cli {

int list_solvers(bool json);
int list_options(const std::string& solver, bool json);

}  // namespace stiction::cli
