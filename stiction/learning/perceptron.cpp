#include "stiction/learning/perceptron.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <random>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

void check_finite(const char* what, const auto& values) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const auto value = values.data()[i];
    if (!std::isfinite(value)) refuse("perceptron: ", what, "[", i, "] is ", value, "; it must be finite");
  }
}

void check_size(const char* what, Eigen::Index size, Eigen::Index wanted) {
  if (size != wanted) refuse("perceptron: ", what, " has ", size, " entries; the layers want ", wanted);
}

void check_scale(const char* what, const VectorX& scale) {
  check_finite(what, scale);
  for (Eigen::Index i = 0; i < scale.size(); ++i) {
    if (!(scale[i] > 0.0)) refuse("perceptron: ", what, "[", i, "] is ", scale[i], "; it must be positive");
  }
}

// out += Σ over active j of W(:, j) x_j, eight columns in one pass over `out`.
void add_active_columns(const Eigen::MatrixXf& weight, const Eigen::VectorXf& x, const std::vector<int>& active,
                        Eigen::VectorXf& out) {
  const Eigen::Index rows = weight.rows();
  const float* __restrict w = weight.data();
  float* __restrict y = out.data();
  const std::size_t count = active.size();
  std::size_t k = 0;
  for (; k + 8 <= count; k += 8) {
    const float* c[8];
    float a[8];
    for (int u = 0; u < 8; ++u) {
      const int j = active[k + static_cast<std::size_t>(u)];
      c[u] = w + j * rows;
      a[u] = x[j];
    }
    for (Eigen::Index i = 0; i < rows; ++i) {
      y[i] += ((c[0][i] * a[0] + c[1][i] * a[1]) + (c[2][i] * a[2] + c[3][i] * a[3])) +
              ((c[4][i] * a[4] + c[5][i] * a[5]) + (c[6][i] * a[6] + c[7][i] * a[7]));
    }
  }
  for (; k < count; ++k) {
    const float* column = w + active[k] * rows;
    const float a = x[active[k]];
    for (Eigen::Index i = 0; i < rows; ++i) y[i] += column[i] * a;
  }
}

void softmax(VectorOut y) {
  y.array() -= y.maxCoeff();
  y = y.array().exp();
  y /= y.sum();
}

}  // namespace

std::string_view to_string(PerceptronTask task) {
  return task == PerceptronTask::regression ? "regression" : "classification";
}

Perceptron Perceptron::random(const std::vector<int>& sizes, PerceptronTask task, std::uint64_t seed) {
  if (sizes.size() < 2 || sizes.size() > most_layers + 1) {
    refuse("perceptron: sizes has ", sizes.size(), " entries; inputs, hidden layers and outputs are wanted, at most ",
           most_layers, " layers");
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1 || sizes[i] > most_units) {
      refuse("perceptron: sizes[", i, "] is ", sizes[i], "; it must be within 1 … ", most_units);
    }
  }
  Perceptron made;
  made.task = task;
  std::mt19937_64 generator(seed);
  for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
    std::normal_distribution<double> normal(0.0, std::sqrt(2.0 / sizes[k]));
    PerceptronLayer layer{Eigen::MatrixXf(sizes[k + 1], sizes[k]), Eigen::VectorXf::Zero(sizes[k + 1])};
    for (Eigen::Index i = 0; i < layer.weight.size(); ++i) {
      layer.weight.data()[i] = static_cast<float>(normal(generator));
    }
    made.layers.push_back(std::move(layer));
  }
  made.input_mean = VectorX::Zero(sizes.front());
  made.input_scale = VectorX::Ones(sizes.front());
  const int outputs = task == PerceptronTask::regression ? sizes.back() : 0;
  made.output_mean = VectorX::Zero(outputs);
  made.output_scale = VectorX::Ones(outputs);
  made.output_lower = VectorX::Constant(outputs, -std::numeric_limits<double>::infinity());
  made.output_upper = VectorX::Constant(outputs, std::numeric_limits<double>::infinity());
  return made;
}

std::vector<int> Perceptron::sizes() const {
  std::vector<int> all;
  if (layers.empty()) return all;
  all.push_back(num_inputs());
  for (const PerceptronLayer& layer : layers) all.push_back(static_cast<int>(layer.weight.rows()));
  return all;
}

void Perceptron::validate() const {
  if (layers.empty()) refuse("perceptron: it has no layers");
  if (layers.size() > most_layers) refuse("perceptron: it has ", layers.size(), " layers; at most ", most_layers);
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const PerceptronLayer& layer = layers[k];
    if (layer.weight.rows() < 1 || layer.weight.cols() < 1) refuse("perceptron: layer ", k, " is empty");
    if (k > 0 && layer.weight.cols() != layers[k - 1].weight.rows()) {
      refuse("perceptron: layer ", k, " takes ", layer.weight.cols(), " inputs; layer ", k - 1, " gives ",
             layers[k - 1].weight.rows());
    }
    if (layer.bias.size() != layer.weight.rows()) {
      refuse("perceptron: bias of layer ", k, " has ", layer.bias.size(), " entries; ", layer.weight.rows(),
             " are wanted");
    }
    check_finite("weight", layer.weight);
    check_finite("bias", layer.bias);
  }
  check_size("input_mean", input_mean.size(), num_inputs());
  check_size("input_scale", input_scale.size(), num_inputs());
  check_finite("input_mean", input_mean);
  check_scale("input_scale", input_scale);
  const int outputs = task == PerceptronTask::regression ? num_outputs() : 0;
  check_size("output_mean", output_mean.size(), outputs);
  check_size("output_scale", output_scale.size(), outputs);
  check_size("output_lower", output_lower.size(), outputs);
  check_size("output_upper", output_upper.size(), outputs);
  check_finite("output_mean", output_mean);
  check_scale("output_scale", output_scale);
  for (int i = 0; i < outputs; ++i) {
    if (!(output_lower[i] <= output_upper[i])) {
      refuse("perceptron: output_lower[", i, "] is ", output_lower[i], " and output_upper ", output_upper[i]);
    }
  }
}

void Perceptron::evaluate(VectorView input, PerceptronScratch& scratch, VectorOut output) const {
  assert(input.size() == num_inputs() && output.size() == num_outputs());
  Eigen::Index longest = num_inputs();
  for (const PerceptronLayer& layer : layers) longest = std::max(longest, layer.weight.rows());
  if (scratch.current.size() < longest) {
    scratch.current.resize(longest);
    scratch.next.resize(longest);
    scratch.active.reserve(static_cast<std::size_t>(longest));
  }
  scratch.current.head(input.size()) = ((input - input_mean).array() / input_scale.array()).cast<float>().matrix();
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const PerceptronLayer& layer = layers[k];
    scratch.active.clear();
    for (int j = 0; j < static_cast<int>(layer.weight.cols()); ++j) {
      if (scratch.current[j] != 0.0F) scratch.active.push_back(j);
    }
    scratch.next.head(layer.bias.size()) = layer.bias;
    add_active_columns(layer.weight, scratch.current, scratch.active, scratch.next);
    if (k + 1 < layers.size()) {
      float* y = scratch.next.data();
      for (Eigen::Index i = 0; i < layer.bias.size(); ++i)
        y[i] = y[i] < 0.0F ? 0.0F : y[i];  // what is no number stays so
    }
    scratch.current.swap(scratch.next);
  }
  output = scratch.current.head(output.size()).cast<double>();
  if (task == PerceptronTask::classification) {
    softmax(output);
    return;
  }
  for (Eigen::Index i = 0; i < output.size(); ++i) {
    double& y = output[i];
    y = output_mean[i] + output_scale[i] * y;
    if (y < output_lower[i]) y = output_lower[i];
    if (y > output_upper[i]) y = output_upper[i];
  }
}

VectorX Perceptron::evaluate(VectorView input) const {
  if (input.size() != num_inputs()) {
    refuse("perceptron: input has ", input.size(), " entries; ", num_inputs(), " are wanted");
  }
  PerceptronScratch scratch;
  VectorX output(num_outputs());
  evaluate(input, scratch, output);
  return output;
}

}  // namespace stiction
