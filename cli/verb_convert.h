// `stiction convert SCENE… OUT`: a world in another format, and an honest list of what that format cannot say.
#pragma once

#include <string>

#include "cli/model_files.h"

namespace stiction::cli {

struct ConvertOptions {
  ModelFileOptions model;  // the last of its files is OUT
  bool allow_loss = false;
  bool json = false;
};

// Returns exit_success where nothing is lost or loss is allowed, else exit_failed; the file is written in both cases.
// Throws std::invalid_argument for unreadable files and unknown formats.
int convert_scene(ConvertOptions options);

}  // namespace stiction::cli
