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
  decltype(&::mj_parseXMLString) parse_xml_string;
  decltype(&::mj_compile) compile;
  decltype(&::mj_deleteSpec) delete_spec;
  decltype(&::mj_deleteModel) delete_model;
  decltype(&::mjs_getError) get_error;
  decltype(&::mj_id2name) id_to_name;
  decltype(&::mj_defaultOption) default_option;

  // Throws std::runtime_error naming the file that was looked for.
  static const MujocoLibrary& get();
};

struct MujocoModelDeleter {
  void operator()(mjModel* model) const { MujocoLibrary::get().delete_model(model); }
};
using MujocoModel = std::unique_ptr<mjModel, MujocoModelDeleter>;

}  // namespace stiction
