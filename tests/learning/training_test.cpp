#include "stiction/learning/training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../support/refused.h"

namespace stiction {
namespace {

using Network = TrainingNetwork<double>;

Network random_network(const std::vector<int>& sizes, PerceptronTask task) {
  const Perceptron from = Perceptron::random(sizes, task, 5);
  Network network;
  network.task = task;
  for (const PerceptronLayer& layer : from.layers) {
    network.weight.push_back(layer.weight.cast<double>());
    network.bias.push_back(Network::Vector::LinSpaced(layer.bias.size(), -0.2, 0.3));
  }
  return network;
}

MatrixX waves(Eigen::Index rows, Eigen::Index columns, double phase) {
  MatrixX m(rows, columns);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = std::sin(1.7 * static_cast<double>(i) + phase);
  return m;
}

// The largest difference between the gradient and central differences, over all weights and biases of all layers.
double gradient_error(Network network, const MatrixX& x, const MatrixX& y) {
  network.loss(x, y, true);
  const auto weight_gradient = network.weight_gradient;
  const auto bias_gradient = network.bias_gradient;
  double worst = 0.0;
  const auto compare = [&](double& value, double gradient) {
    const double h = 1e-6, kept = value;
    value = kept + h;
    const double above = network.loss(x, y, false);
    value = kept - h;
    const double below = network.loss(x, y, false);
    value = kept;
    worst = std::max(worst, std::abs((above - below) / (2 * h) - gradient));
  };
  for (std::size_t k = 0; k < network.weight.size(); ++k) {
    for (Eigen::Index i = 0; i < network.weight[k].size(); ++i) {
      compare(network.weight[k].data()[i], weight_gradient[k].data()[i]);
    }
    for (Eigen::Index i = 0; i < network.bias[k].size(); ++i) compare(network.bias[k][i], bias_gradient[k][i]);
  }
  return worst;
}

TEST(Training, GradientOfRegressionIsThatOfFiniteDifferences) {
  EXPECT_LT(
      gradient_error(random_network({4, 7, 6, 3}, PerceptronTask::regression), waves(4, 5, 0.0), waves(3, 5, 1.0)),
      1e-8);
}

TEST(Training, GradientOfClassificationIsThatOfFiniteDifferences) {
  MatrixX y = MatrixX::Zero(3, 5);
  for (int j = 0; j < 5; ++j) y(j % 3, j) = 1.0;
  EXPECT_LT(gradient_error(random_network({4, 7, 6, 3}, PerceptronTask::classification), waves(4, 5, 0.0), y), 1e-8);
}

TEST(Training, GradientWithDropoutIsThatOfFiniteDifferences) {
  Network network = random_network({4, 7, 6, 2}, PerceptronTask::regression);
  network.dropout = {MatrixX::Constant(7, 5, 1.25), MatrixX::Constant(6, 5, 1.25)};
  network.dropout[0].row(2).setZero();
  network.dropout[1](3, 1) = 0.0;
  EXPECT_LT(gradient_error(network, waves(4, 5, 0.0), waves(2, 5, 1.0)), 1e-8);
}

TEST(Training, LossesAreThoseOfTheirFormulas) {
  Network network = random_network({1, 2}, PerceptronTask::regression);
  network.weight[0] << 2, 3;
  network.bias[0].setZero();
  EXPECT_DOUBLE_EQ(network.loss(MatrixX::Ones(1, 1), MatrixX::Zero(2, 1), false), 0.5 * (4 + 9));
  network.task = PerceptronTask::classification;
  MatrixX first(2, 1);
  first << 1, 0;
  EXPECT_NEAR(network.loss(MatrixX::Ones(1, 1), first, false), std::log(1 + std::exp(1.0)), 1e-14);
}

MatrixX plane_inputs(int samples) {
  MatrixX x(2, samples);
  for (int j = 0; j < samples; ++j) x.col(j) << std::sin(0.37 * j), 5.0 + 3.0 * std::cos(1.3 * j);
  return x;
}

TEST(Training, LearnsASmoothFunction) {
  const MatrixX x = plane_inputs(2000);
  MatrixX y(1, x.cols());
  for (Eigen::Index j = 0; j < x.cols(); ++j) y(0, j) = 100.0 + 7.0 * std::sin(2.0 * x(0, j)) * (x(1, j) - 5.0);
  const TrainingResult result =
      train_regressor(x, y, {.hidden = {48, 32}, .epochs = 120, .batch = 32, .learning_rate = 3e-3});
  double error = 0.0, size = 0.0;
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    error += std::abs(result.network.evaluate(x.col(j))[0] - y(0, j));
    size += std::abs(y(0, j) - 100.0);
  }
  EXPECT_LT(error / size, 0.03);
  EXPECT_LT(result.curve.back().validation_loss, 0.02 * result.curve.front().validation_loss);
}

TEST(Training, TellsClassesApartThatNoPlaneSeparates) {
  const MatrixX x = plane_inputs(2000);
  std::vector<int> labels;
  for (Eigen::Index j = 0; j < x.cols(); ++j) labels.push_back(x(0, j) * (x(1, j) - 5.0) > 0 ? 2 : 0);
  const TrainingResult result = train_classifier(
      x, labels, 3, {.hidden = {32, 16}, .epochs = 60, .batch = 32, .learning_rate = 3e-3, .dropout = 0.05});
  int right = 0;
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    int best = 0;
    result.network.evaluate(x.col(j)).maxCoeff(&best);
    right += best == labels[static_cast<std::size_t>(j)];
  }
  EXPECT_GT(right, 0.97 * 2000);
}

TEST(Training, OneSeedGivesTheSameBits) {
  const MatrixX x = plane_inputs(300);
  const MatrixX y = x.row(0).cwiseAbs();
  TrainingSettings settings{.hidden = {16, 8}, .epochs = 5, .batch = 32, .dropout = 0.1, .seed = 9};
  const TrainingResult a = train_regressor(x, y, settings), b = train_regressor(x, y, settings);
  for (std::size_t k = 0; k < a.network.layers.size(); ++k) {
    EXPECT_EQ(a.network.layers[k].weight, b.network.layers[k].weight);
    EXPECT_EQ(a.network.layers[k].bias, b.network.layers[k].bias);
  }
  settings.seed = 10;
  EXPECT_NE(train_regressor(x, y, settings).network.layers[0].weight, a.network.layers[0].weight);
}

TEST(Training, StopsEarlyAndKeepsTheBestWeights) {
  const MatrixX x = plane_inputs(60);
  const MatrixX noise = waves(1, 60, 0.3);  // nothing that x explains: validation gets worse
  const TrainingResult result = train_regressor(
      x, noise,
      {.hidden = {64}, .epochs = 500, .batch = 8, .learning_rate = 1e-2, .validation_share = 0.3, .patience = 10});
  EXPECT_LT(result.curve.size(), 500U);
  EXPECT_EQ(static_cast<int>(result.curve.size()), result.best_epoch + 10);
  for (const EpochReport& epoch : result.curve) {
    EXPECT_GE(epoch.validation_loss, result.curve[static_cast<std::size_t>(result.best_epoch - 1)].validation_loss);
  }
}

TEST(Training, CallbackSeesEveryEpochAndMayStop) {
  int seen = 0;
  const TrainingResult result =
      train_regressor(plane_inputs(50), plane_inputs(50), {.hidden = {4}, .epochs = 20},
                      [&](const EpochReport& report) { return report.epoch == ++seen && seen < 3; });
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(result.curve.size(), 3U);
}

TEST(Training, SaysWhatIsWrongWithTheData) {
  MatrixX x = plane_inputs(20), y = x;
  const TrainingSettings settings{.hidden = {4}, .epochs = 1};
  EXPECT_REFUSED(train_regressor(x, MatrixX::Zero(1, 19), settings), "outputs: 19 samples; there are 20");
  EXPECT_REFUSED(train_regressor(x.leftCols(5), y.leftCols(5), settings), "5 samples; at least 10");
  EXPECT_REFUSED(train_regressor(x, MatrixX::Ones(1, 20), settings), "all 1 are constant");
  y(1, 7) = std::nan("");
  EXPECT_REFUSED(train_regressor(x, y, settings), "outputs: entry 1 of sample 7 is nan");
  EXPECT_REFUSED(train_classifier(x, std::vector<int>(20, 1), 3, settings), "all 20 samples have one class");
  std::vector<int> labels(20, 0);
  labels[3] = 3;
  EXPECT_REFUSED(train_classifier(x, labels, 3, settings), "labels[3] is 3");
  EXPECT_REFUSED(train_regressor(x, x, {.epochs = 0}), "epochs is 0");
  EXPECT_REFUSED(train_regressor(x, x, {.dropout = 1.0}), "dropout is 1");
  x.row(1).setConstant(4.0);
  const TrainingResult result = train_regressor(x, x, settings);
  EXPECT_EQ(result.constant_inputs, std::vector<int>{1});
  EXPECT_NEAR(result.network.evaluate(x.col(0))[1], 4.0, 1.0);
}

}  // namespace
}  // namespace stiction
