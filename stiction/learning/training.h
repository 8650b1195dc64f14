// Trains perceptrons: Adam with minibatches, dropout, early stopping (theory §9.1).
//
//     TrainingSettings settings{.hidden = {512, 360, 180}, .epochs = 100};
//     TrainingResult result = train_regressor(x, y, settings);   // samples are columns
//
// The same data, settings and binary give the same weights to the last bit: batches, dropout and first weights come
// from one seed, and nothing runs in parallel. Inputs and outputs are standardised by the training part; inputs that
// are constant there are listed and count as zero.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stiction/learning/perceptron.h"

namespace stiction {

struct EpochReport {
  int epoch = 0, epochs = 0;     // this one, from 1; how many are planned
  double training_loss = 0.0;    // mean over the epoch's batches, with dropout
  double validation_loss = 0.0;  // of what was held back, without dropout; that of the training where nothing was
};

struct TrainingSettings {
  std::vector<int> hidden{512, 360, 180};
  int epochs = 100;
  int batch = 256;                // samples
  double learning_rate = 1e-3;    // of Adam; falls to a hundredth over the epochs along a cosine
  double dropout = 0.0;           // share of hidden units that are off, 0 … 0.9
  double validation_share = 0.1;  // of the samples, held back for early stopping, 0 … 0.5
  int patience = 0;               // epochs without improvement until it stops; 0: never stops early
  std::uint64_t seed = 1;

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

struct TrainingResult {
  Perceptron network;  // with the weights of the epoch of the smallest validation loss
  std::vector<EpochReport> curve;
  int best_epoch = 0;
  std::vector<int> constant_inputs;  // carry nothing: their scale is set to one
};

// Called after every epoch; false stops, and the best weights so far are the result.
using TrainingCallback = std::function<bool(const EpochReport&)>;

// Columns of `inputs` and `outputs` are samples; mean squared error of standardised outputs. Throws
// std::invalid_argument where a number is not finite (naming row and column), sizes do not fit, there are fewer than
// ten samples, or all outputs are constant.
TrainingResult train_regressor(const Eigen::Ref<const MatrixX>& inputs, const Eigen::Ref<const MatrixX>& outputs,
                               const TrainingSettings& settings, const TrainingCallback& callback = {});
// `labels`: class of every sample, 0 … num_classes − 1; cross-entropy. One class alone is refused.
TrainingResult train_classifier(const Eigen::Ref<const MatrixX>& inputs, const std::vector<int>& labels,
                                int num_classes, const TrainingSettings& settings,
                                const TrainingCallback& callback = {});

// The network that is trained, and its gradient by reverse accumulation. Float for training; double shows in tests that
// the gradient is right.
template <class T>
struct TrainingNetwork {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  PerceptronTask task = PerceptronTask::regression;
  std::vector<Matrix> weight, weight_gradient;
  std::vector<Vector> bias, bias_gradient;
  std::vector<Matrix> dropout;  // by hidden layer: 0 or 1/(1 − p), by unit and sample; empty: none

  // x: standardised inputs, a column per sample; y: standardised outputs, or ones at the classes. The mean over the
  // samples of ½‖error‖² or of the cross-entropy; fills the gradients of it where asked to.
  T loss(const Matrix& x, const Matrix& y, bool with_gradient);

 private:
  std::vector<Matrix> hidden_;  // activations by layer, reused
  Matrix output_, error_, next_error_;
};
extern template struct TrainingNetwork<float>;
extern template struct TrainingNetwork<double>;

}  // namespace stiction
