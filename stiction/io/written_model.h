// What a writer of model files says: which files it wrote, and an honest list of what the format cannot say.
#pragma once

#include <string>
#include <vector>

namespace stiction {

struct WrittenModel {
  std::vector<std::string> files;  // the model file first, then meshes
  std::vector<std::string> lost;   // what is in the model and not, or not exactly, in the file
  std::vector<std::string> notes;  // what stands otherwise in the file and means the same
};

}  // namespace stiction
