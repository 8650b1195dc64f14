// The FCLIB problems that ship, in the order of their names.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/test_files.h"

namespace stiction::testing {

inline std::vector<std::string> fclib_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(scene_file("fclib"))) {
    if (entry.path().extension() == ".hdf5") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace stiction::testing
