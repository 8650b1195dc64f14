// `stiction view RECORDING [-o PAGE]`: a recording as one HTML page that opens from disk.
#pragma once

#include <cstdint>
#include <string>

namespace stiction::cli {

struct ViewOptions {
  std::string recording;
  std::string page_path;  // empty: the recording's name with the ending .html
  std::string title;
  std::int64_t every = 1;
  bool json = false;
};

// Throws std::invalid_argument or std::runtime_error where the recording cannot be read or the page not written.
int view_recording(const ViewOptions& options);

}  // namespace stiction::cli
