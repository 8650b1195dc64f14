#include "stiction/learning/contact_networks.h"

#include <charconv>
#include <cmath>

#include "stiction/learning/perceptron_file.h"
#include "stiction/math/refuse.h"
#include "stiction/version.h"

namespace stiction {
namespace {

constexpr std::array<const char*, 3> dimension_names{"point", "line", "surface"};
constexpr const char* format_name = "stiction contact networks 1";

void check_network(const Perceptron& network, const std::string& name, int inputs, int outputs, PerceptronTask task) {
  network.validate();
  if (network.task != task)
    refuse("networks: ", name, " is a ", to_string(network.task), "; a ", to_string(task), " is wanted");
  if (network.num_inputs() != inputs || network.num_outputs() != outputs) {
    refuse("networks: ", name, " has ", network.num_inputs(), " inputs and ", network.num_outputs(), " outputs; ",
           inputs, " and ", outputs, " are wanted");
  }
}

double to_number(const std::string& text, const std::string& what) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) refuse(what, " is no number");
  return value;
}

std::string to_text(double value) {
  return message(value);
}

ContactNetworks from_tensors(const TensorFile& file, const std::string& where) {
  if (file.value("format", where) != format_name) refuse(where, ": its format is no \"", format_name, '"');
  ContactNetworks networks;
  networks.features = to_feature_set(file.value("features", where));
  networks.time_step = to_number(file.value("time_step", where), where + ": time_step");
  networks.patch.touch_distance = to_number(file.value("touch_distance", where), where + ": touch_distance");
  networks.patch.thickness = to_number(file.value("thickness", where), where + ": thickness");
  for (std::size_t d = 0; d < 3; ++d) {
    const auto take = [&](const char* what, Perceptron& network) {
      const std::string prefix = std::string(dimension_names[d]) + "." + what + ".";
      if (file.metadata.contains(prefix + "task")) network = take_perceptron(file, prefix, where);
    };
    take("classifier", networks.classifier[d]);
    take("regressor", networks.regressor[d]);
    take("whole", networks.whole[d]);
  }
  for (const auto& [key, value] : file.metadata) {
    if (key.rfind("provenance.", 0) == 0) networks.provenance[key.substr(11)] = value;
  }
  try {
    networks.validate();
  } catch (const std::invalid_argument& error) {
    refuse(where, ": ", error.what());
  }
  return networks;
}

}  // namespace

std::string_view to_string(PatchState state) {
  switch (state) {
    case PatchState::sticking:
      return "static";
    case PatchState::sliding:
      return "dynamic";
    case PatchState::detaching:
      return "detach";
  }
  return "unknown";
}

bool ContactNetworks::has_contact() const {
  for (std::size_t d = 0; d < 3; ++d) {
    if (classifier[d].layers.empty() || regressor[d].layers.empty()) return false;
  }
  return true;
}

bool ContactNetworks::has_whole() const {
  for (const Perceptron& network : whole) {
    if (network.layers.empty()) return false;
  }
  return true;
}

void ContactNetworks::validate() const {
  patch.validate();
  require(time_step > 0.0 && std::isfinite(time_step), "networks: time_step", time_step, "positive and finite");
  const int inputs = num_features(features);
  for (int d = 0; d < 3; ++d) {
    const auto i = static_cast<std::size_t>(d);
    const std::string name = dimension_names[i];
    if (!classifier[i].layers.empty()) {
      check_network(classifier[i], name + ".classifier", inputs, num_patch_states, PerceptronTask::classification);
    }
    if (!regressor[i].layers.empty()) {
      check_network(regressor[i], name + ".regressor", inputs, num_friction_outputs(d), PerceptronTask::regression);
    }
    if (!whole[i].layers.empty()) check_network(whole[i], name + ".whole", inputs, 6, PerceptronTask::regression);
  }
}

ContactNetworks ContactNetworks::random(FeatureSet set, double time_step, const std::vector<int>& hidden,
                                        std::uint64_t seed) {
  ContactNetworks networks;
  networks.features = set;
  networks.time_step = time_step;
  const auto make = [&](int outputs, PerceptronTask task) {
    std::vector<int> sizes{num_features(set)};
    sizes.insert(sizes.end(), hidden.begin(), hidden.end());
    sizes.push_back(outputs);
    return Perceptron::random(sizes, task, seed++);
  };
  for (int d = 0; d < 3; ++d) {
    const auto i = static_cast<std::size_t>(d);
    networks.classifier[i] = make(num_patch_states, PerceptronTask::classification);
    networks.regressor[i] = make(num_friction_outputs(d), PerceptronTask::regression);
    networks.whole[i] = make(6, PerceptronTask::regression);
  }
  networks.validate();
  return networks;
}

void ContactNetworks::save(const std::string& path) const {
  validate();
  TensorFile file;
  file.metadata["format"] = format_name;
  file.metadata["stiction"] = STICTION_VERSION;
  file.metadata["features"] = to_string(features);
  file.metadata["time_step"] = to_text(time_step);
  file.metadata["touch_distance"] = to_text(patch.touch_distance);
  file.metadata["thickness"] = to_text(patch.thickness);
  for (const auto& [key, value] : provenance) file.metadata["provenance." + key] = value;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto put = [&](const char* what, const Perceptron& network) {
      if (!network.layers.empty()) put_perceptron(network, std::string(dimension_names[d]) + "." + what + ".", file);
    };
    put("classifier", classifier[d]);
    put("regressor", regressor[d]);
    put("whole", whole[d]);
  }
  write_safetensors(path, file);
}

ContactNetworks ContactNetworks::load(const std::string& path) {
  return from_tensors(read_safetensors(path), path);
}

ContactNetworks ContactNetworks::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  return from_tensors(parse_safetensors(bytes, name), name);
}

}  // namespace stiction
