// Which files are recordings.
#pragma once

#include <string>

namespace stiction::cli {

// HDF5 is a recording, whatever its name; so is what is called one, with an answer of its own where it is none: throws
// std::invalid_argument.
bool is_recording(const std::string& path);

}  // namespace stiction::cli
