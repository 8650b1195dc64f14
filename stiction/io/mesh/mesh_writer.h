// Hulls and meshes of a model as OBJ files in a folder beside the model file: <name>_meshes/<shape>.obj. Shapes that
// share a hull share a file. Coordinates are written so that they read back as the same bits.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "stiction/model/geometry/shape.h"

namespace stiction {

class MeshWriter {
 public:
  // `model_path`: of the model file that will name the meshes.
  explicit MeshWriter(const std::string& model_path);

  // Path of the mesh of a shape (convex hull or triangle mesh) as the model file names it: relative to its folder.
  const std::string& name_of(const Shape& shape);
  // Paths of the files written so far.
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::filesystem::path folder_;  // of the meshes
  std::map<const void*, std::string> names_;
  std::vector<std::string> files_;
};

}  // namespace stiction
