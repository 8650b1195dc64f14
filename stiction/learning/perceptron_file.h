// Perceptrons as tensors: PREFIX + "layer0.weight", "layer0.bias", …, "input_mean", "input_scale", and for regression
// "output_mean", "output_scale", "output_lower", "output_upper". The metadata PREFIX + "task" says which.
#pragma once

#include <string>

#include "stiction/learning/perceptron.h"
#include "stiction/learning/safetensors.h"

namespace stiction {

void put_perceptron(const Perceptron& network, const std::string& prefix, TensorFile& file);
// Throws std::invalid_argument that begins with `where` for what is missing, does not fit or is not finite.
Perceptron take_perceptron(const TensorFile& file, const std::string& prefix, const std::string& where);

// One network alone, with what is known of where it is from.
void save_perceptron(const std::string& path, const Perceptron& network, const std::string& provenance = "");
Perceptron load_perceptron(const std::string& path);

}  // namespace stiction
