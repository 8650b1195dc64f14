// The few functions of MuJoCo that the reader calls. The library is opened when the first file is read, not linked: a
// program that reads no MJCF does not need it, and starts without it. Internal to the reader.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>

namespace stiction {

struct MujocoLibrary {
  decltype(&::mj_version) version;
  decltype(&::mj_loadXML) load_xml;
  decltype(&::mj_loadModel) load_model;
  decltype(&::mj_parseXMLString) parse_xml_string;
  decltype(&::mj_compile) compile;
  decltype(&::mj_deleteSpec) delete_spec;
  decltype(&::mj_deleteModel) delete_model;
  decltype(&::mjs_getError) get_error;
  decltype(&::mjs_numWarnings) num_warnings;
  decltype(&::mjs_getWarning) get_warning;
  decltype(&::mj_id2name) id_to_name;
  decltype(&::mj_defaultOption) default_option;
  decltype(&::mj_defaultVFS) default_vfs;
  decltype(&::mj_mountVFS) mount_vfs;
  decltype(&::mj_deleteVFS) delete_vfs;
  decltype(&::mjp_defaultProvider) default_provider;
  decltype(&::mjp_getPlugin) find_plugin;
  decltype(&::mjp_getPluginAtSlot) plugin_at;
  decltype(&::mjp_defaultPlugin) default_plugin;
  decltype(&::mjp_registerPlugin) register_plugin;
  decltype(&::mj_getPluginConfig) plugin_config;
  decltype(&::mj_loadPluginLibrary) load_plugin_library;
  decltype(&::mju_getLogConfig) get_log_config;
  decltype(&::mju_setLogConfig) set_log_config;

  // Throws std::runtime_error naming the file that was looked for.
  static const MujocoLibrary& get();
};

// While it lives MuJoCo writes neither to the console nor to a file MUJOCO_LOG.TXT in the working directory: what it
// has to say is returned to the caller. One at a time, because the setting belongs to the process.
class MujocoSilence {
 public:
  MujocoSilence();
  ~MujocoSilence();
  MujocoSilence(const MujocoSilence&) = delete;
  MujocoSilence& operator=(const MujocoSilence&) = delete;

 private:
  mjLogConfig before_;
};

struct MujocoModelDeleter {
  void operator()(mjModel* model) const { MujocoLibrary::get().delete_model(model); }
};
using MujocoModel = std::unique_ptr<mjModel, MujocoModelDeleter>;

}  // namespace stiction
