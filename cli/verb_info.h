// `stiction info SCENE…`: what is in a world, and what of its files was ignored.
#pragma once

#include "cli/model_files.h"

namespace stiction::cli {

struct InfoOptions {
  ModelFileOptions model;
  bool json = false;
};

// Returns an ExitCode. Throws std::invalid_argument for unreadable files.
int show_info(const InfoOptions& options);

}  // namespace stiction::cli
