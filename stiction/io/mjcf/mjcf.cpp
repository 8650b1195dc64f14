#include "stiction/io/mjcf/mjcf.h"

#include <stdexcept>

#ifdef STICTION_MUJOCO

#include <cstdio>
#include <filesystem>
#include <string_view>

#include "stiction/io/mjcf/mujoco/mjcf_plugins.h"
#include "stiction/io/mjcf/mujoco/mjcf_reader.h"
#include "stiction/io/mjcf/mujoco/mujoco_sandbox.h"
#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr int message_size = 2048;

// `where`: what messages call the text; `file`: what the list of ignored elements does.
void append_compiled(ModelBuilder& builder, const mjModel& compiled, const std::string& warning,
                     const std::string& where, const std::string& file, const LoadOptions& options,
                     std::vector<IgnoredElement>& ignored) {
  try {
    MjcfReader reader(compiled, builder, options);
    reader.read();
    for (IgnoredElement& element : reader.take_ignored(file)) ignored.push_back(std::move(element));
    if (!warning.empty()) ignored.push_back({.file = file, .element = "warning of MuJoCo", .reason = warning});
  } catch (const std::invalid_argument& e) {
    refuse(where, ": ", e.what());
  }
}

// Tries once more where the compiler refuses the plugin whose elements the reader knows.
template <class Compile>
auto compiled_by(const Compile& compile, char* message) {
  auto made = compile();
  if (made || std::string_view(message).find(pid_plugin) == std::string_view::npos) return made;
  make_pid_plugin_known();
  message[0] = '\0';
  return compile();
}

// By MuJoCo's compiler in a sandbox; `text`: the model where it is in no file.
MujocoModel load_in_sandbox(const std::string& path, const LoadOptions& options, const std::string* text,
                            const std::string& where, char* message) {
  const MujocoSandbox sandbox(path, options, text);
  MujocoModel compiled = compiled_by(
      [&] {
        return MujocoModel(
            MujocoLibrary::get().load_xml(sandbox.path().c_str(), sandbox.files(), message, message_size));
      },
      message);
  if (!compiled && !sandbox.refusal().empty()) refuse(where, ": ", sandbox.refusal(), " (", message, ")");
  if (compiled && !sandbox.refusal().empty()) std::snprintf(message, message_size, "%s", sandbox.refusal().c_str());
  return compiled;
}

}  // namespace

void append_mjcf(ModelBuilder& builder, const std::string& path, const LoadOptions& options,
                 std::vector<IgnoredElement>& ignored) {
  const MujocoLibrary& mujoco = MujocoLibrary::get();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) refuse(missing_file(path));
  if (std::filesystem::is_directory(path, error)) refuse(path, ": is a folder; name the MJCF file in it");
  const MujocoSilence silence;
  char message[message_size] = "";
  const bool is_binary = path.ends_with(".mjb");  // names no other files
  const auto compile = [&] { return MujocoModel(mujoco.load_xml(path.c_str(), nullptr, message, message_size)); };
  const MujocoModel compiled = is_binary         ? MujocoModel(mujoco.load_model(path.c_str(), nullptr))
                               : options.sandbox ? load_in_sandbox(path, options, nullptr, path, message)
                                                 : compiled_by(compile, message);
  if (!compiled) refuse(path, ": ", is_binary ? "MuJoCo cannot read it" : message);
  append_compiled(builder, *compiled, message, path, path, options, ignored);
}

LoadedModel load_mjcf(const std::string& path, const LoadOptions& options) {
  ModelBuilder builder;
  std::vector<IgnoredElement> ignored;
  append_mjcf(builder, path, options, ignored);
  return build_loaded(builder, std::move(ignored), path);
}

LoadedModel load_mjcf_string(const std::string& xml, const LoadOptions& options) {
  const MujocoLibrary& mujoco = MujocoLibrary::get();
  const MujocoSilence silence;
  char message[message_size] = "";
  ModelBuilder builder;
  std::vector<IgnoredElement> ignored;
  if (options.sandbox) {
    const MujocoModel compiled = load_in_sandbox("mjcf-string.xml", options, &xml, "MJCF string", message);
    if (!compiled) refuse("MJCF string: ", message);
    append_compiled(builder, *compiled, message, "MJCF string", "", options, ignored);
    return build_loaded(builder, std::move(ignored), "MJCF string");
  }
  using Spec = std::unique_ptr<mjSpec, decltype(&::mj_deleteSpec)>;
  const auto parse = [&] {
    return Spec(mujoco.parse_xml_string(xml.c_str(), nullptr, message, message_size), mujoco.delete_spec);
  };
  const Spec spec = compiled_by(parse, message);
  if (!spec) refuse("MJCF string: ", message);
  const MujocoModel compiled(mujoco.compile(spec.get(), nullptr));
  if (!compiled) refuse("MJCF string: ", mujoco.get_error(spec.get()));
  std::string warnings;
  for (int k = 0; k < mujoco.num_warnings(spec.get()); ++k) {
    warnings += (k ? "; " : "") + std::string(mujoco.get_warning(spec.get(), k));
  }
  append_compiled(builder, *compiled, warnings, "MJCF string", "", options, ignored);
  return build_loaded(builder, std::move(ignored), "MJCF string");
}

std::string mujoco_version() {
  const int number = mjVERSION_HEADER;  // 4000001: 4.0.1
  return std::to_string(number / 1000000) + '.' + std::to_string(number / 1000 % 1000) + '.' +
         std::to_string(number % 1000);
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

void append_mjcf(ModelBuilder&, const std::string&, const LoadOptions&, std::vector<IgnoredElement>&) {
  refuse_mjcf();
}
LoadedModel load_mjcf(const std::string&, const LoadOptions&) {
  refuse_mjcf();
}
LoadedModel load_mjcf_string(const std::string&, const LoadOptions&) {
  refuse_mjcf();
}
bool has_mjcf() {
  return false;
}
std::string mujoco_version() {
  return {};
}

}  // namespace stiction

#endif
