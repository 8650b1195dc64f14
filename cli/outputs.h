// Files that a verb is told to write, checked before time goes into reading and computing.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace stiction::cli {

struct Output {
  const char* option;        // "--record"
  std::string path;          // empty: not asked for
  bool only_regular = true;  // otherwise text, which may go to a device or a pipe too
};

// Throws std::invalid_argument or std::runtime_error where a file cannot be written there, would overwrite one of
// `inputs`, or two outputs are one file. Touches nothing.
void check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs);

// Text that is written at once: by save_file() (math/save_file.h), or straight to a device or a pipe. Throws
// std::runtime_error where not everything could be written.
void write_output(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace stiction::cli
