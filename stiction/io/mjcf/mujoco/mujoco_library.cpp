#include "stiction/io/mjcf/mujoco/mujoco_library.h"

#include <dlfcn.h>

#include <mutex>
#include <stdexcept>

namespace stiction {
namespace {

// STICTION_MUJOCO_LIBRARY: a full path in builds of this tree, the bare name of the file in the Python package, whose
// run path leads to the wheel beside it.
void* open_library() {
  void* library = dlopen(STICTION_MUJOCO_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* message = dlerror();
    throw std::runtime_error("MJCF is read with MuJoCo " STICTION_MUJOCO_VERSION
                             ", which is not found (pip install mujoco==" STICTION_MUJOCO_VERSION "): " +
                             std::string(message ? message : STICTION_MUJOCO_LIBRARY));
  }
  return library;
}

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (!function) throw std::runtime_error(std::string("MuJoCo's library " STICTION_MUJOCO_LIBRARY " has no ") + name);
}

MujocoLibrary load_library() {
  void* library = open_library();
  MujocoLibrary out{};
  find(library, "mj_version", out.version);
  // The layout of mjModel is that of one version.
  if (out.version() != mjVERSION_HEADER) {
    throw std::runtime_error("MuJoCo's library is of version " + std::to_string(out.version()) +
                             ", Stiction was built for " + std::to_string(mjVERSION_HEADER));
  }
  find(library, "mj_loadXML", out.load_xml);
  find(library, "mj_loadModel", out.load_model);
  find(library, "mj_parseXMLString", out.parse_xml_string);
  find(library, "mj_compile", out.compile);
  find(library, "mj_deleteSpec", out.delete_spec);
  find(library, "mj_deleteModel", out.delete_model);
  find(library, "mjs_getError", out.get_error);
  find(library, "mjs_numWarnings", out.num_warnings);
  find(library, "mjs_getWarning", out.get_warning);
  find(library, "mj_id2name", out.id_to_name);
  find(library, "mj_defaultOption", out.default_option);
  find(library, "mj_defaultVFS", out.default_vfs);
  find(library, "mj_mountVFS", out.mount_vfs);
  find(library, "mj_deleteVFS", out.delete_vfs);
  find(library, "mjp_defaultProvider", out.default_provider);
  find(library, "mju_getLogConfig", out.get_log_config);
  find(library, "mju_setLogConfig", out.set_log_config);
  return out;
}

std::mutex& silence_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

MujocoSilence::MujocoSilence() {
  silence_mutex().lock();
  before_ = MujocoLibrary::get().get_log_config();
  mjLogConfig silent = before_;
  silent.logto_console = silent.logto_file = 0;
  MujocoLibrary::get().set_log_config(silent);
}

MujocoSilence::~MujocoSilence() {
  MujocoLibrary::get().set_log_config(before_);
  silence_mutex().unlock();
}

const MujocoLibrary& MujocoLibrary::get() {
  static const MujocoLibrary library = load_library();
  return library;
}

}  // namespace stiction
