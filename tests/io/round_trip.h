// A model written to a file of its own and read again.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "stiction/io/loaded_model.h"
#include "stiction/io/written_model.h"

namespace stiction::testing {

// A folder that is gone afterwards.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "stiction_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct RoundTrip {
  WrittenModel written;
  LoadedModel loaded;
};

// write(model, path) and load(path) of a format, by a file of this name.
template <class Write, class Load>
RoundTrip make_round_trip(const Model& model, const char* file, const Write& write, const Load& load) {
  const ScratchFolder folder;
  RoundTrip out;
  out.written = write(model, folder.file(file));
  out.loaded = load(folder.file(file));
  return out;
}

inline bool mentions(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return l.find(part) != std::string::npos; });
}

}  // namespace stiction::testing
