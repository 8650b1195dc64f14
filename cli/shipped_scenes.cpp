#include "cli/shipped_scenes.h"

#include <filesystem>

#ifndef STICTION_SCENES
#define STICTION_SCENES "scenes"
#endif

namespace stiction::cli {

namespace fs = std::filesystem;

std::string shipped_scenes() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* way : {"../scenes", "../share/stiction/scenes"}) {
    const fs::path scenes = (folder / way).lexically_normal();
    if (fs::is_directory(scenes / "fclib", error)) return scenes.string();
  }
  return STICTION_SCENES;
}

std::string find_scene(const std::string& path) {
  constexpr std::string_view prefix = "scenes/";
  std::error_code error;
  if (!path.starts_with(prefix) || fs::exists(path, error)) return path;
  const fs::path shipped = fs::path(shipped_scenes()) / path.substr(prefix.size());
  return fs::exists(shipped, error) ? shipped.string() : path;
}

}  // namespace stiction::cli
