#include "stiction/io/mjcf/mujoco/mujoco_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace stiction {
namespace {

namespace fs = std::filesystem;

std::mutex& silence_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Where the library may be, best first: what the user names; our own copy of it beside this code, as in the Python
// package, or where an installation puts it; the file that this was built with.
std::vector<std::string> possible_places() {
  if (const char* named = std::getenv("STICTION_MUJOCO"); named && *named) return {named};
  std::vector<std::string> places;
  std::vector<fs::path> folders;
  std::error_code ignored;
  Dl_info own;
  if (dladdr(reinterpret_cast<void*>(&silence_mutex), &own) && own.dli_fname) {
    folders.push_back(fs::absolute(own.dli_fname, ignored).parent_path());
  }
  folders.push_back(fs::read_symlink("/proc/self/exe", ignored).parent_path());
  for (const fs::path& folder : folders) {
    for (const char* way : {".", "..", "../lib/stiction", "../lib64/stiction"}) {
      const fs::path place = folder / way / "libstiction_mujoco.so";
      if (fs::exists(place, ignored)) places.push_back(place.lexically_normal().string());
    }
  }
  places.push_back(STICTION_MUJOCO_INSTALLED);
  places.push_back(STICTION_MUJOCO_LIBRARY);
  return places;
}

// The process may hold a MuJoCo of another version, even for all to see: ours must find its own functions and not
// those. The sanitizers do not allow that, and abort.
int opening_mode() {
  for (const char* sanitizer : {"__asan_init", "__tsan_init", "__msan_init"}) {
    if (dlsym(RTLD_DEFAULT, sanitizer)) return RTLD_NOW | RTLD_LOCAL;
  }
  return RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
}

void* open_library() {
  std::string tried;
  for (const std::string& place : possible_places()) {
    if (place.empty()) continue;
    if (void* library = dlopen(place.c_str(), opening_mode())) return library;
    const char* message = dlerror();
    tried += (tried.empty() ? "" : "; ") + std::string(message ? message : place);
  }
  throw std::runtime_error(
      "MJCF is read with MuJoCo " STICTION_MUJOCO_VERSION
      ", whose library is not found; the environment variable STICTION_MUJOCO may name it. Tried: " +
      tried);
}

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (!function) throw std::runtime_error(std::string("MuJoCo's library has no ") + name);
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
  find(library, "mjp_getPlugin", out.find_plugin);
  find(library, "mjp_getPluginAtSlot", out.plugin_at);
  find(library, "mjp_defaultPlugin", out.default_plugin);
  find(library, "mjp_registerPlugin", out.register_plugin);
  find(library, "mj_getPluginConfig", out.plugin_config);
  find(library, "mj_loadPluginLibrary", out.load_plugin_library);
  find(library, "mju_getLogConfig", out.get_log_config);
  find(library, "mju_setLogConfig", out.set_log_config);
  return out;
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
