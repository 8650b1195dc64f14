// Finds the files that a model file names.
//
//     package://name/rest, model://name/rest
//         1. in every folder of package_roots: folder/name/rest, and folder/rest where the folder itself is called
//         name;
//         2. around the model file: the same for every folder above it;
//         3. in the folders of the environment: ROS_PACKAGE_PATH, AMENT_PREFIX_PATH (their share/),
//         GZ_SIM_RESOURCE_PATH,
//            GAZEBO_MODEL_PATH, SDF_PATH. Not in a sandbox.
//     file:///absolute, /absolute, relative
//         relative to the folder of the model file, then to every folder of package_roots.
//
// Names of other schemes (http://, …) are refused: nothing is fetched. In a sandbox every file must lie, symbolic links
// followed, in the folder of the model file or in one of package_roots.
#pragma once

#include <string>
#include <vector>

#include "stiction/io/load.h"

namespace stiction {

class ModelPath {
 public:
  // `file`: the model file itself; it need not be in the sandbox.
  ModelPath(const std::string& file, const LoadOptions& options);

  // The existing file or folder that the name leads to, without symbolic links. Throws std::invalid_argument that tells
  // where it was looked for.
  std::string resolve(const std::string& name) const;

  const std::string& folder() const { return folder_; }  // of the model file

 private:
  std::vector<std::string> candidates(const std::string& name) const;
  void add_named(const std::string& base, const std::string& rest, std::vector<std::string>& out) const;
  bool is_allowed(const std::string& canonical) const;

  std::string folder_;
  std::vector<std::string> roots_, environment_;
  bool sandbox_ = false;
};

// All bytes of a file. Throws std::invalid_argument where it is missing, a folder, unreadable or larger than max_bytes.
std::string read_whole_file(const std::string& path, std::size_t max_bytes);

}  // namespace stiction
