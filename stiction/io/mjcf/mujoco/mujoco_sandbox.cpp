#include "stiction/io/mjcf/mujoco/mujoco_sandbox.h"

#include <filesystem>
#include <limits>
#include <utility>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bytes = std::numeric_limits<int>::max();  // MuJoCo counts them so

MujocoSandbox& sandbox_of(const mjResource* resource) {
  return *static_cast<MujocoSandbox*>(resource->provider->data);
}

}  // namespace

MujocoSandbox::MujocoSandbox(const std::string& path, const LoadOptions& options, const std::string* text)
    : path_(fs::absolute(path).lexically_normal().string()), allowed_(path_, options), text_(text) {
  const MujocoLibrary& mujoco = MujocoLibrary::get();
  mujoco.default_provider(&provider_);
  provider_.prefix = "stiction-sandbox";
  provider_.open = &MujocoSandbox::open;
  provider_.read = &MujocoSandbox::read;
  provider_.close = &MujocoSandbox::close;
  provider_.data = this;
  mujoco.default_vfs(&files_);
  // The root itself cannot be mounted on; what is in it can.
  for (const fs::directory_entry& entry : fs::directory_iterator("/")) {
    if (mujoco.mount_vfs(&files_, entry.path().c_str(), &provider_) != 0) {
      mujoco.delete_vfs(&files_);
      refuse(path, ": the sandbox cannot be set up: ", entry.path().string(), " cannot be guarded");
    }
  }
}

MujocoSandbox::~MujocoSandbox() {
  MujocoLibrary::get().delete_vfs(&files_);
}

std::string MujocoSandbox::contents(const std::string& name) const {
  if (name != path_) return read_whole_file(allowed_.resolve(name), max_bytes);
  return text_ ? *text_ : read_whole_file(path_, max_bytes);
}

int MujocoSandbox::open(mjResource* resource) {
  MujocoSandbox& sandbox = sandbox_of(resource);
  try {
    resource->data = new std::string(sandbox.contents(resource->name));
    return 1;
  } catch (const std::exception& error) {
    if (sandbox.refusal_.empty()) sandbox.refusal_ = error.what();
    return 0;
  }
}

int MujocoSandbox::read(mjResource* resource, const void** buffer) {
  const auto& bytes = *static_cast<const std::string*>(resource->data);
  *buffer = bytes.data();
  return static_cast<int>(bytes.size());
}

void MujocoSandbox::close(mjResource* resource) {
  delete static_cast<std::string*>(std::exchange(resource->data, nullptr));
}

}  // namespace stiction
