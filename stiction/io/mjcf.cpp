#include "stiction/io/mjcf.h"

#include <stdexcept>

#ifdef STICTION_MUJOCO

#include <filesystem>

#include "stiction/io/mujoco/mjcf_reader.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr int message_size = 2048;

LoadedModel read_compiled(const mjModel& compiled, const std::string& warning, const std::string& file) {
  const std::string where = file.empty() ? "MJCF string" : file;
  try {
    LoadedModel loaded = MjcfReader(compiled).read();
    if (!warning.empty()) loaded.ignored.push_back({.element = "warning of MuJoCo", .reason = warning});
    for (IgnoredElement& i : loaded.ignored) i.file = file;
    return loaded;
  } catch (const std::invalid_argument& e) {
    refuse(where, ": ", e.what());
  }
}

}  // namespace

LoadedModel load_mjcf(const std::string& path) {
  const MujocoLibrary& mujoco = MujocoLibrary::get();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) refuse(path, ": there is no such file");
  if (std::filesystem::is_directory(path, error)) refuse(path, ": is a folder; name the MJCF file in it");
  const MujocoSilence silence;
  char message[message_size] = "";
  const MujocoModel compiled(mujoco.load_xml(path.c_str(), nullptr, message, message_size));
  if (!compiled) refuse(path, ": ", message);
  return read_compiled(*compiled, message, path);
}

LoadedModel load_mjcf_string(const std::string& xml) {
  const MujocoLibrary& mujoco = MujocoLibrary::get();
  const MujocoSilence silence;
  char message[message_size] = "";
  const std::unique_ptr<mjSpec, decltype(&::mj_deleteSpec)> spec(
      mujoco.parse_xml_string(xml.c_str(), nullptr, message, message_size), mujoco.delete_spec);
  if (!spec) refuse("MJCF string: ", message);
  const MujocoModel compiled(mujoco.compile(spec.get(), nullptr));
  if (!compiled) refuse("MJCF string: ", mujoco.get_error(spec.get()));
  std::string warnings;
  for (int k = 0; k < mujoco.num_warnings(spec.get()); ++k) {
    warnings += (k ? "; " : "") + std::string(mujoco.get_warning(spec.get(), k));
  }
  return read_compiled(*compiled, warnings, "");
}

bool has_mjcf() {
  try {
    MujocoLibrary::get();
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace stiction

#else

namespace stiction {
namespace {

[[noreturn]] void refuse_mjcf() {
  throw std::runtime_error(
      "built without MuJoCo: MJCF is read with MuJoCo's own compiler. Put it where the build finds it (pip install "
      "mujoco into .venv, or cmake -DSTICTION_MUJOCO_DIR=<folder with include/ and libmujoco.so.*>) and build again");
}

}  // namespace

LoadedModel load_mjcf(const std::string&) {
  refuse_mjcf();
}
LoadedModel load_mjcf_string(const std::string&) {
  refuse_mjcf();
}
bool has_mjcf() {
  return false;
}

}  // namespace stiction

#endif
