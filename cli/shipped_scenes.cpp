#include "cli/shipped_scenes.h"

#include <algorithm>
#include <filesystem>

#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"

#ifndef STICTION_SCENES
#define STICTION_SCENES "scenes"
#endif

namespace stiction::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "scenes/";

// As they are named on a command line: scenes/…, in the order of the alphabet.
std::vector<fs::path> shipped_files(const std::vector<std::string>& endings) {
  const fs::path folder = shipped_scenes();
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string ending = entry->path().extension().string();
    if (std::find(endings.begin(), endings.end(), ending) == endings.end()) continue;
    files.push_back(fs::path(prefix) / entry->path().lexically_relative(folder));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

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
  std::error_code error;
  if (!path.starts_with(prefix) || fs::exists(path, error)) return path;
  const fs::path shipped = fs::path(shipped_scenes()) / path.substr(prefix.size());
  return fs::exists(shipped, error) ? shipped.string() : path;
}

std::string missing_scene(const std::string& path, const std::vector<std::string>& endings) {
  std::string text = missing_file(path);
  if (text.ends_with('?')) return text;
  const std::vector<fs::path> files = shipped_files(endings);
  // The folder may be wrong, or the ending missing: names of files are compared, and names without their endings.
  std::vector<std::string> names, stems, near;
  for (const fs::path& file : files) {
    names.push_back(file.filename().string());
    stems.push_back(file.stem().string());
  }
  const auto add_near = [&](const std::string& wanted, const std::vector<std::string>& known) {
    for (const std::string& name : near_names(wanted, known)) {
      for (std::size_t k = 0; k < known.size(); ++k) {
        const std::string file = files[k].generic_string();
        if (known[k] == name && std::find(near.begin(), near.end(), file) == near.end()) near.push_back(file);
      }
    }
  };
  add_near(fs::path(path).filename().string(), names);
  add_near(fs::path(path).stem().string(), stems);
  if (near.empty()) return text;
  text = path + ": there is no such file; did you mean ";
  constexpr std::size_t most = 3;
  near.resize(std::min(near.size(), most));
  for (std::size_t k = 0; k < near.size(); ++k) text += message(k == 0 ? "\"" : " or \"", near[k], '"');
  return text + "?";
}

}  // namespace stiction::cli
