// The plugin mujoco.pid: force = kp (u − ℓ) + ki ∫(u − ℓ) dt − kd ℓ̇, where u is the control.
#include "stiction/io/mjcf/mujoco/mjcf_plugins.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>

#include "stiction/io/mjcf/mujoco/mjcf_reader.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

// In the order of the real one.
constexpr const char* fields[] = {"kp", "ki", "kd", "imax", "slewmax"};

void register_placeholder(const MujocoLibrary& mujoco) {
  mjpPlugin plugin;
  mujoco.default_plugin(&plugin);
  plugin.name = pid_plugin;
  plugin.nattribute = static_cast<int>(std::size(fields));
  plugin.attributes = fields;
  plugin.capabilityflags = mjPLUGIN_ACTUATOR;
  plugin.nstate = [](const mjModel*, int) { return 0; };
  plugin.init = [](const mjModel*, mjData*, int) { return 0; };
  plugin.reset = [](const mjModel*, mjtNum*, void*, int) {};
  plugin.compute = [](const mjModel*, mjData*, int, int) {};
  mujoco.register_plugin(&plugin);
}

}  // namespace

void make_pid_plugin_known() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const MujocoLibrary& mujoco = MujocoLibrary::get();
  if (mujoco.find_plugin(pid_plugin, nullptr)) return;
  Dl_info library;
  if (dladdr(reinterpret_cast<void*>(mujoco.version), &library) && library.dli_fname) {
    const auto beside = std::filesystem::path(library.dli_fname).parent_path() / "plugin" / "libactuator.so";
    std::error_code none;
    if (std::filesystem::exists(beside, none)) mujoco.load_plugin_library(beside.c_str());
  }
  if (!mujoco.find_plugin(pid_plugin, nullptr)) register_placeholder(mujoco);
}

bool MjcfReader::is_pid_plugin(int instance) const {
  const mjpPlugin* plugin = MujocoLibrary::get().plugin_at(m_.plugin[instance]);
  return plugin && std::string_view(plugin->name) == pid_plugin;
}

// A field of its configuration; 0 where it has none.
double MjcfReader::pid_plugin_value(int actuator, const char* field) const {
  const char* text = MujocoLibrary::get().plugin_config(&m_, m_.actuator_plugin[actuator], field);
  if (!text || !*text) return 0.0;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  while (*end == ' ' || *end == '\t' || *end == '\n') ++end;
  if (*end != '\0' || !std::isfinite(value) || value < 0.0) {
    refuse("actuator ", label_of(mjOBJ_ACTUATOR, actuator), ": ", field, " of its plugin ", pid_plugin, " is '", text,
           "'; it must be a number, not negative");
  }
  return value;
}

// With an activation of MuJoCo's the setpoint has a rate of its own, which the derivative part knows.
const char* MjcfReader::why_no_pid_plugin(int actuator) const {
  return m_.actuator_dyntype[actuator] == mjDYN_NONE ? nullptr : "is a PID plugin behind a filter of its control";
}

void MjcfReader::read_pid_plugin(int actuator) {
  ActuatorOptions options = actuator_target(actuator);
  options.kind = ActuatorKind::position;
  options.kp = pid_plugin_value(actuator, "kp"), options.kd = pid_plugin_value(actuator, "kd");
  const auto note = [&](const char* field, const char* reason) {
    const char* text = MujocoLibrary::get().plugin_config(&m_, m_.actuator_plugin[actuator], field);
    const bool is_set =
        text && *text && (std::string_view(field) == "slewmax" || pid_plugin_value(actuator, field) != 0.0);
    if (is_set) ignored_.add("actuator", label_of(mjOBJ_ACTUATOR, actuator), reason);
  };
  note("ki", "ki and imax of its PID plugin: it is a servo of kp and kd here");
  note("slewmax", "slewmax of its PID plugin: its setpoint may jump here");
  add_actuator(actuator, m_.actuator_ctrladr[actuator], options);
}

}  // namespace stiction
