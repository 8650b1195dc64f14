// Plugins of MuJoCo whose elements are read although they are not run. Internal to the reader.
#pragma once

namespace stiction {

inline constexpr const char* pid_plugin = "mujoco.pid";

// From now on MuJoCo's compiler knows the plugin mujoco.pid: the one that lies beside its library, else one of that
// name and with those fields which does nothing. To be called when a file asks for it: who registers the real one in
// the same library later would be refused.
void make_pid_plugin_known();

}  // namespace stiction
