#include "stiction/learning/perceptron_file.h"

#include "stiction/math/refuse.h"
#include "stiction/version.h"

namespace stiction {

void put_perceptron(const Perceptron& network, const std::string& prefix, TensorFile& file) {
  network.validate();
  file.metadata[prefix + "task"] = to_string(network.task);
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    const std::string layer = prefix + "layer" + std::to_string(k);
    file.tensors[layer + ".weight"] = Tensor::from_matrix(network.layers[k].weight.cast<double>(), true);
    file.tensors[layer + ".bias"] = Tensor::from_vector(network.layers[k].bias.cast<double>(), true);
  }
  file.tensors[prefix + "input_mean"] = Tensor::from_vector(network.input_mean);
  file.tensors[prefix + "input_scale"] = Tensor::from_vector(network.input_scale);
  if (network.task == PerceptronTask::classification) return;
  file.tensors[prefix + "output_mean"] = Tensor::from_vector(network.output_mean);
  file.tensors[prefix + "output_scale"] = Tensor::from_vector(network.output_scale);
  file.tensors[prefix + "output_lower"] = Tensor::from_vector(network.output_lower);
  file.tensors[prefix + "output_upper"] = Tensor::from_vector(network.output_upper);
}

Perceptron take_perceptron(const TensorFile& file, const std::string& prefix, const std::string& where) {
  Perceptron network;
  const std::string& task = file.value(prefix + "task", where);
  if (task == "classification") {
    network.task = PerceptronTask::classification;
  } else if (task != "regression") {
    refuse(where, ": ", prefix, "task is neither regression nor classification");
  }
  for (int k = 0; k <= Perceptron::most_layers; ++k) {
    const std::string layer = prefix + "layer" + std::to_string(k);
    if (k > 0 && !file.has(layer + ".weight")) break;
    network.layers.push_back(
        {file.matrix(layer + ".weight", where).cast<float>(), file.vector(layer + ".bias", where).cast<float>()});
  }
  network.input_mean = file.vector(prefix + "input_mean", where);
  network.input_scale = file.vector(prefix + "input_scale", where);
  if (network.task == PerceptronTask::regression) {
    network.output_mean = file.vector(prefix + "output_mean", where);
    network.output_scale = file.vector(prefix + "output_scale", where);
    network.output_lower = file.vector(prefix + "output_lower", where);
    network.output_upper = file.vector(prefix + "output_upper", where);
  }
  try {
    network.validate();
  } catch (const std::invalid_argument& error) {
    refuse(where, ": ", prefix.empty() ? "" : prefix + ": ", error.what());
  }
  return network;
}

void save_perceptron(const std::string& path, const Perceptron& network, const std::string& provenance) {
  TensorFile file;
  file.metadata["format"] = "stiction perceptron 1";
  file.metadata["stiction"] = STICTION_VERSION;
  file.metadata["provenance"] = provenance;
  put_perceptron(network, "", file);
  write_safetensors(path, file);
}

Perceptron load_perceptron(const std::string& path) {
  const TensorFile file = read_safetensors(path);
  if (file.value("format", path) != "stiction perceptron 1")
    refuse(path, ": its format is no \"stiction perceptron 1\"");
  return take_perceptron(file, "", path);
}

}  // namespace stiction
