#include "cli/recording_file.h"

#include <array>
#include <filesystem>
#include <fstream>

#include "cli/shipped_scenes.h"
#include "stiction/math/refuse.h"

namespace stiction::cli {

bool is_recording(const std::string& path) {
  std::error_code error;
  const std::string ending = std::filesystem::path(path).extension().string();
  const bool is_called = ending == ".h5" || ending == ".hdf5";
  if (!std::filesystem::exists(path, error)) {
    if (is_called) refuse(missing_scene(path, {}));
    return false;
  }
  if (std::filesystem::is_directory(path, error)) refuse(path, ": is a folder; a recording or a scene is wanted");
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> start{};
  if (!file.read(start.data(), start.size()) && file.bad()) refuse(path, ": cannot be read");
  if (std::string_view(start.data(), start.size()) == "\x89HDF") return true;
  if (is_called) refuse(path, ": is no recording; make one with: stiction run SCENE --record run.h5");
  return false;
}

}  // namespace stiction::cli
