#include "stiction/learning/training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <string>

#include "stiction/math/refuse.h"

namespace stiction {

void TrainingSettings::validate() const {
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (hidden[i] < 1 || hidden[i] > Perceptron::most_units) {
      refuse("hidden[", i, "] is ", hidden[i], "; it must be within 1 … ", Perceptron::most_units);
    }
  }
  require(hidden.size() < Perceptron::most_layers, "number of hidden layers", hidden.size(), "below 64");
  require(epochs >= 1, "epochs", epochs, "at least 1");
  require(batch >= 1, "batch", batch, "at least 1");
  require(learning_rate > 0.0 && std::isfinite(learning_rate), "learning_rate", learning_rate, "positive and finite");
  require(dropout >= 0.0 && dropout <= 0.9, "dropout", dropout, "within 0 … 0.9");
  require(validation_share >= 0.0 && validation_share <= 0.5, "validation_share", validation_share, "within 0 … 0.5");
  require(patience >= 0, "patience", patience, "at least 0");
}

template <class T>
T TrainingNetwork<T>::loss(const Matrix& x, const Matrix& y, bool with_gradient) {
  const std::size_t layers = weight.size();
  const T share = T(1) / static_cast<T>(x.cols());
  hidden_.resize(layers);
  const Matrix* below = &x;
  for (std::size_t k = 0; k + 1 < layers; ++k) {
    hidden_[k].noalias() = weight[k] * *below;
    hidden_[k].colwise() += bias[k];
    hidden_[k] = hidden_[k].cwiseMax(T(0));
    if (!dropout.empty()) hidden_[k].array() *= dropout[k].array();
    below = &hidden_[k];
  }
  output_.noalias() = weight.back() * *below;
  output_.colwise() += bias.back();

  T value = 0;
  if (task == PerceptronTask::regression) {
    error_ = output_ - y;
    value = T(0.5) * error_.squaredNorm() * share;
  } else {
    error_.resizeLike(output_);
    for (Eigen::Index j = 0; j < output_.cols(); ++j) {
      const T largest = output_.col(j).maxCoeff();
      error_.col(j) = (output_.col(j).array() - largest).exp();
      const T sum = error_.col(j).sum();
      value += (std::log(sum) + largest - output_.col(j).dot(y.col(j))) * share;
      error_.col(j) = error_.col(j) / sum - y.col(j);
    }
  }
  if (!with_gradient) return value;

  error_ *= share;
  weight_gradient.resize(layers);
  bias_gradient.resize(layers);
  for (std::size_t k = layers; k-- > 0;) {
    const Matrix& input = k == 0 ? x : hidden_[k - 1];
    weight_gradient[k].noalias() = error_ * input.transpose();
    bias_gradient[k] = error_.rowwise().sum();
    if (k == 0) break;
    next_error_.noalias() = weight[k].transpose() * error_;
    // A unit that dropout or ReLU set to zero passes nothing back.
    next_error_ = (input.array() > T(0)).select(next_error_, T(0));
    if (!dropout.empty()) next_error_.array() *= dropout[k - 1].array();
    error_.swap(next_error_);
  }
  return value;
}

template struct TrainingNetwork<float>;
template struct TrainingNetwork<double>;

namespace {

using Network = TrainingNetwork<float>;
using Matrix = Network::Matrix;

class Adam {
 public:
  explicit Adam(const Network& network)
      : mean_(network.weight.size()), square_(mean_.size()), bias_mean_(mean_.size()), bias_square_(mean_.size()) {
    for (std::size_t k = 0; k < mean_.size(); ++k) {
      mean_[k].setZero(network.weight[k].rows(), network.weight[k].cols());
      square_[k] = mean_[k];
      bias_mean_[k].setZero(network.bias[k].size());
      bias_square_[k] = bias_mean_[k];
    }
  }

  void step(Network& network, double learning_rate) {
    ++count_;
    const double rate = learning_rate * std::sqrt(1.0 - std::pow(0.999, count_)) / (1.0 - std::pow(0.9, count_));
    for (std::size_t k = 0; k < mean_.size(); ++k) {
      move(network.weight[k], network.weight_gradient[k], mean_[k], square_[k], static_cast<float>(rate));
      move(network.bias[k], network.bias_gradient[k], bias_mean_[k], bias_square_[k], static_cast<float>(rate));
    }
  }

 private:
  template <class Values>
  static void move(Values& x, const Values& gradient, Values& mean, Values& square, float rate) {
    mean = 0.9F * mean + 0.1F * gradient;
    square.array() = 0.999F * square.array() + 0.001F * gradient.array().square();
    x.array() -= rate * mean.array() / (square.array().sqrt() + 1e-8F);
  }

  std::vector<Matrix> mean_, square_;
  std::vector<Network::Vector> bias_mean_, bias_square_;
  int count_ = 0;
};

// Sixteen random bits per unit are enough for a share.
class DropoutMasks {
 public:
  explicit DropoutMasks(double share)
      : threshold_(static_cast<std::uint32_t>(share * 65536.0)), kept_(static_cast<float>(1.0 / (1.0 - share))) {}

  void draw(std::mt19937_64& generator, Eigen::Index rows, Eigen::Index columns, Matrix& mask) const {
    mask.resize(rows, columns);
    float* out = mask.data();
    const Eigen::Index size = mask.size();
    for (Eigen::Index i = 0; i < size; i += 4) {
      std::uint64_t bits = generator();
      for (Eigen::Index j = i; j < std::min(i + 4, size); ++j, bits >>= 16) {
        out[j] = (bits & 0xffffU) < threshold_ ? 0.0F : kept_;
      }
    }
  }

 private:
  std::uint32_t threshold_;
  float kept_;
};

void check_samples(const char* what, const Eigen::Ref<const MatrixX>& values) {
  for (Eigen::Index j = 0; j < values.cols(); ++j) {
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      if (!std::isfinite(values(i, j))) {
        refuse(what, ": entry ", i, " of sample ", j, " is ", values(i, j), "; it must be finite");
      }
    }
  }
}

// Whole numbers below `range`, without the standard library's distribution, whose results may differ between libraries.
std::size_t draw_below(std::mt19937_64& generator, std::size_t range) {
  return static_cast<std::size_t>(generator() % range);
}

void shuffle(std::vector<int>& order, std::mt19937_64& generator) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draw_below(generator, i)]);
}

struct Standardised {
  VectorX mean, scale;
  std::vector<int> constant;
};

Standardised standardise(const Eigen::Ref<const MatrixX>& values, const std::vector<int>& chosen) {
  Standardised of{VectorX::Zero(values.rows()), VectorX::Zero(values.rows()), {}};
  for (const int j : chosen) of.mean += values.col(j);
  of.mean /= static_cast<double>(chosen.size());
  for (const int j : chosen) of.scale.array() += (values.col(j) - of.mean).array().square();
  of.scale = (of.scale / static_cast<double>(chosen.size())).cwiseSqrt();
  for (Eigen::Index i = 0; i < of.scale.size(); ++i) {
    if (of.scale[i] > 1e-9 * (1.0 + std::abs(of.mean[i]))) continue;
    of.scale[i] = 1.0;
    of.constant.push_back(static_cast<int>(i));
  }
  return of;
}

Matrix gather(const Eigen::Ref<const MatrixX>& values, const VectorX& mean, const VectorX& scale,
              const std::vector<int>& chosen) {
  Matrix out(values.rows(), static_cast<Eigen::Index>(chosen.size()));
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    out.col(static_cast<Eigen::Index>(j)) =
        ((values.col(chosen[j]) - mean).array() / scale.array()).cast<float>().matrix();
  }
  return out;
}

Network to_training(const Perceptron& from) {
  Network network;
  network.task = from.task;
  for (const PerceptronLayer& layer : from.layers) {
    network.weight.push_back(layer.weight);
    network.bias.push_back(layer.bias);
  }
  return network;
}

void copy_weights(const Network& from, Perceptron& to) {
  for (std::size_t k = 0; k < to.layers.size(); ++k) {
    to.layers[k].weight = from.weight[k];
    to.layers[k].bias = from.bias[k];
  }
}

// One pass over the training part; the mean loss of its batches.
double run_epoch(Network& network, Adam& adam, const Matrix& x, const Matrix& y, std::vector<int>& order,
                 std::mt19937_64& generator, const TrainingSettings& settings, double rate) {
  shuffle(order, generator);
  const DropoutMasks masks(settings.dropout);
  const int samples = static_cast<int>(order.size());
  double total = 0.0;
  Matrix batch_x, batch_y;
  for (int begin = 0; begin < samples; begin += settings.batch) {
    const int count = std::min(settings.batch, samples - begin);
    batch_x.resize(x.rows(), count);
    batch_y.resize(y.rows(), count);
    for (int j = 0; j < count; ++j) {
      batch_x.col(j) = x.col(order[static_cast<std::size_t>(begin + j)]);
      batch_y.col(j) = y.col(order[static_cast<std::size_t>(begin + j)]);
    }
    network.dropout.clear();
    if (settings.dropout > 0.0) {
      network.dropout.resize(network.weight.size() - 1);
      for (std::size_t k = 0; k < network.dropout.size(); ++k) {
        masks.draw(generator, network.weight[k].rows(), count, network.dropout[k]);
      }
    }
    total += count * static_cast<double>(network.loss(batch_x, batch_y, true));
    adam.step(network, rate);
  }
  network.dropout.clear();
  return total / samples;
}

double validation_loss(Network& network, const Matrix& x, const Matrix& y) {
  double total = 0.0;
  const Eigen::Index chunk = 1024;
  for (Eigen::Index begin = 0; begin < x.cols(); begin += chunk) {
    const Eigen::Index count = std::min(chunk, x.cols() - begin);
    total += static_cast<double>(count) *
             static_cast<double>(network.loss(x.middleCols(begin, count), y.middleCols(begin, count), false));
  }
  return total / static_cast<double>(x.cols());
}

// `targets`: real outputs, or ones at the classes.
TrainingResult train(const Eigen::Ref<const MatrixX>& inputs, const Eigen::Ref<const MatrixX>& targets,
                     PerceptronTask task, const TrainingSettings& settings, const TrainingCallback& callback) {
  settings.validate();
  const int samples = static_cast<int>(inputs.cols());
  if (inputs.rows() < 1) refuse("inputs: samples have no entries");
  if (samples < 10) refuse("inputs: ", samples, " samples; at least 10 are wanted");
  if (targets.cols() != samples) refuse("outputs: ", targets.cols(), " samples; there are ", samples, " of inputs");
  check_samples("inputs", inputs);
  check_samples("outputs", targets);

  std::mt19937_64 generator(settings.seed);
  std::vector<int> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, generator);
  const auto held_back = static_cast<std::ptrdiff_t>(settings.validation_share * samples);
  std::vector<int> validation(order.begin(), order.begin() + held_back);
  std::vector<int> training(order.begin() + held_back, order.end());

  std::vector<int> sizes{static_cast<int>(inputs.rows())};
  sizes.insert(sizes.end(), settings.hidden.begin(), settings.hidden.end());
  sizes.push_back(static_cast<int>(targets.rows()));
  TrainingResult result;
  result.network = Perceptron::random(sizes, task, generator());
  Standardised input = standardise(inputs, training);
  result.constant_inputs = input.constant;
  result.network.input_mean = input.mean;
  result.network.input_scale = input.scale;
  VectorX mean = VectorX::Zero(targets.rows()), scale = VectorX::Ones(targets.rows());
  if (task == PerceptronTask::regression) {
    const Standardised output = standardise(targets, training);
    if (output.constant.size() == static_cast<std::size_t>(targets.rows())) {
      refuse("outputs: all ", targets.rows(), " are constant over ", training.size(),
             " samples; nothing can be learned");
    }
    result.network.output_mean = mean = output.mean;
    result.network.output_scale = scale = output.scale;
    result.network.output_lower = targets.rowwise().minCoeff();
    result.network.output_upper = targets.rowwise().maxCoeff();
  }
  const Matrix x = gather(inputs, input.mean, input.scale, training), y = gather(targets, mean, scale, training);
  const Matrix vx = gather(inputs, input.mean, input.scale, validation), vy = gather(targets, mean, scale, validation);
  std::iota(training.begin(), training.end(), 0);  // from now on columns of x

  Network network = to_training(result.network);
  Adam adam(network);
  double best = std::numeric_limits<double>::infinity();
  for (int epoch = 1; epoch <= settings.epochs; ++epoch) {
    const double passed = settings.epochs > 1 ? (epoch - 1.0) / (settings.epochs - 1.0) : 0.0;
    const double rate = settings.learning_rate * (0.01 + 0.99 * 0.5 * (1.0 + std::cos(std::numbers::pi * passed)));
    EpochReport report{epoch, settings.epochs, 0.0, 0.0};
    report.training_loss = run_epoch(network, adam, x, y, training, generator, settings, rate);
    report.validation_loss = validation.empty() ? report.training_loss : validation_loss(network, vx, vy);
    result.curve.push_back(report);
    if (!std::isfinite(report.validation_loss)) {
      throw std::runtime_error(message("training diverged in epoch ", epoch,
                                       ": the loss is not finite; learning_rate is ", settings.learning_rate));
    }
    if (report.validation_loss < best) {
      best = report.validation_loss;
      result.best_epoch = epoch;
      copy_weights(network, result.network);
    }
    if (callback && !callback(report)) break;
    if (settings.patience > 0 && epoch - result.best_epoch >= settings.patience) break;
  }
  return result;
}

}  // namespace

TrainingResult train_regressor(const Eigen::Ref<const MatrixX>& inputs, const Eigen::Ref<const MatrixX>& outputs,
                               const TrainingSettings& settings, const TrainingCallback& callback) {
  if (outputs.rows() < 1) refuse("outputs: samples have no entries");
  return train(inputs, outputs, PerceptronTask::regression, settings, callback);
}

TrainingResult train_classifier(const Eigen::Ref<const MatrixX>& inputs, const std::vector<int>& labels,
                                int num_classes, const TrainingSettings& settings, const TrainingCallback& callback) {
  require(num_classes >= 2 && num_classes <= Perceptron::most_units, "num_classes", num_classes, "within 2 … 65536");
  if (static_cast<Eigen::Index>(labels.size()) != inputs.cols()) {
    refuse("labels: ", labels.size(), " samples; there are ", inputs.cols(), " of inputs");
  }
  MatrixX targets = MatrixX::Zero(num_classes, inputs.cols());
  for (std::size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] < 0 || labels[j] >= num_classes) {
      refuse("labels[", j, "] is ", labels[j], "; it must be within 0 … ", num_classes - 1);
    }
    targets(labels[j], static_cast<Eigen::Index>(j)) = 1.0;
  }
  if ((targets.rowwise().sum().array() > 0.0).count() < 2) {
    refuse("labels: all ", labels.size(), " samples have one class; nothing can be told apart");
  }
  return train(inputs, targets, PerceptronTask::classification, settings, callback);
}

}  // namespace stiction
