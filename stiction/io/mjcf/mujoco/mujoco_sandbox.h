// A view of the disk for MuJoCo's parser and compiler in which only the folder of the model file and package_roots
// exist (LoadOptions::sandbox). A provider of ours is mounted on everything below the root of the file system, so that
// whatever a model names (includes, meshes, textures, height fields, other models) is opened and read here and not by
// MuJoCo: by absolute names, by "..", through symbolic links. What it refuses, MuJoCo does not look for elsewhere.
// Internal to the reader.
#pragma once

#include <string>

#include "stiction/io/mjcf/mujoco/mujoco_library.h"
#include "stiction/io/model_path.h"

namespace stiction {

class MujocoSandbox {
 public:
  // `path`: the model file. `text`: its contents, for a model that is in no file; then nothing is read there.
  MujocoSandbox(const std::string& path, const LoadOptions& options, const std::string* text = nullptr);
  ~MujocoSandbox();
  MujocoSandbox(const MujocoSandbox&) = delete;
  MujocoSandbox& operator=(const MujocoSandbox&) = delete;

  const mjVFS* files() const { return &files_; }
  const std::string& path() const { return path_; }        // of the model file, as it must be given to MuJoCo
  const std::string& refusal() const { return refusal_; }  // why the first file was not opened; empty: all were

 private:
  // Called by MuJoCo, through C: they do not throw.
  static int open(mjResource* resource);
  static int read(mjResource* resource, const void** buffer);
  static void close(mjResource* resource);
  std::string contents(const std::string& name) const;

  std::string path_;
  ModelPath allowed_;
  const std::string* text_ = nullptr;
  std::string refusal_;
  mjpResourceProvider provider_{};
  mjVFS files_{};
};

}  // namespace stiction
