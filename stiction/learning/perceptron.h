// A multi-layer perceptron with its standardisation inside (theory §9.1):
//
//     h_0 = (x − mean)/scale,   h_k = max(0, W_k h_{k−1} + b_k),   y = W_n h_{n−1} + b_n
//
// Regression gives mean' + scale' ∘ y, kept within the range of the outputs that it was trained on; classification
// gives softmax(y). Weights are float. Inputs that are not finite give outputs that are not finite, and no crash.
//
// evaluate() allocates nothing once its scratch has met the network. Hidden units that are off cost nothing: the
// columns of the next layer that they would multiply are not read.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string_view>
#include <vector>

#include "stiction/math/types.h"

namespace stiction {

enum class PerceptronTask { regression, classification };
std::string_view to_string(PerceptronTask task);

struct PerceptronLayer {
  Eigen::MatrixXf weight;  // outputs × inputs
  Eigen::VectorXf bias;
};

// What evaluate() works in; one per thread.
struct PerceptronScratch {
  Eigen::VectorXf current, next;  // as long as the longest layer met
  std::vector<int> active;        // inputs of a layer that are not zero
};

struct Perceptron {
  static constexpr int most_units = 1 << 16;  // of a layer
  static constexpr int most_layers = 64;

  PerceptronTask task = PerceptronTask::regression;
  std::vector<PerceptronLayer> layers;
  VectorX input_mean, input_scale;     // scale > 0
  VectorX output_mean, output_scale;   // regression; scale > 0
  VectorX output_lower, output_upper;  // regression: the range of the training outputs, ±∞ where unknown

  // Weights drawn by He's rule (normal, variance 2/inputs), biases zero, no standardisation. `sizes`: inputs, hidden
  // units by layer, outputs. Throws std::invalid_argument naming the size that is out of range.
  static Perceptron random(const std::vector<int>& sizes, PerceptronTask task, std::uint64_t seed);

  std::vector<int> sizes() const;  // inputs, hidden units by layer, outputs
  int num_inputs() const { return layers.empty() ? 0 : static_cast<int>(layers.front().weight.cols()); }
  int num_outputs() const { return layers.empty() ? 0 : static_cast<int>(layers.back().weight.rows()); }

  // Throws std::invalid_argument naming layer or vector, index and value where sizes do not fit, a number is not finite
  // or a scale not positive.
  void validate() const;

  // Sizes are asserted, not checked: this is the hot path.
  void evaluate(VectorView input, PerceptronScratch& scratch, VectorOut output) const;
  VectorX evaluate(VectorView input) const;  // checks the size; allocates
};

}  // namespace stiction
