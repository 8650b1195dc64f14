#include "stiction/learning/perceptron.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../support/allocation_guard.h"
#include "../support/refused.h"

namespace stiction {
namespace {

// Two inputs, three hidden units, one output, by hand.
Perceptron by_hand() {
  Perceptron network = Perceptron::random({2, 3, 1}, PerceptronTask::regression, 1);
  network.layers[0].weight << 1, 2, -1, 1, 0, -3;
  network.layers[0].bias << 0.5F, 0, 1;
  network.layers[1].weight << 2, 3, 5;
  network.layers[1].bias << -1;
  return network;
}

TEST(Perceptron, EvaluatesWhatTheFormulaSays) {
  const Perceptron network = by_hand();
  // h = max(0, (1 + 4 + 0.5, −1 + 2, 1 − 6)) = (5.5, 1, 0); y = 11 + 3 − 1.
  EXPECT_EQ(network.evaluate(Vector2(1, 2))[0], 13.0);
}

TEST(Perceptron, StandardisesAndKeepsToTheRange) {
  Perceptron network = by_hand();
  network.input_mean << 1, 0;
  network.input_scale << 2, 4;
  network.output_mean << 10;
  network.output_scale << 0.5;
  EXPECT_EQ(network.evaluate(Vector2(3, 8))[0], 10 + 0.5 * 13);  // (3 − 1)/2 = 1, 8/4 = 2
  network.output_upper << 12;
  EXPECT_EQ(network.evaluate(Vector2(3, 8))[0], 12.0);
  network.output_upper << 20;
  EXPECT_EQ(network.evaluate(Vector2(1, 0))[0], 10 + 0.5 * 5);
  network.output_lower << 13;
  EXPECT_EQ(network.evaluate(Vector2(1, 0))[0], 13.0);
}

TEST(Perceptron, ManyUnitsAgreeWithPlainProducts) {
  const Perceptron network = Perceptron::random({21, 70, 33, 5}, PerceptronTask::regression, 7);
  const VectorX x = VectorX::LinSpaced(21, -1.0, 1.0);
  VectorX h = x;
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    const MatrixX weight = network.layers[k].weight.cast<double>();
    const VectorX y = weight * h;
    h = y;
    if (k + 1 < network.layers.size()) h = y.cwiseMax(0.0);
  }
  EXPECT_LT((network.evaluate(x) - h).norm(), 1e-5 * h.norm());
}

TEST(Perceptron, ClassesAreProbabilities) {
  Perceptron network = Perceptron::random({1, 3}, PerceptronTask::classification, 1);
  network.layers[0].weight << 1, 2, 1000;
  const VectorX y = network.evaluate(VectorX::Constant(1, -0.5));
  EXPECT_NEAR(y[0] / y[1], std::exp(0.5), 1e-6);
  EXPECT_NEAR(y.sum(), 1.0, 1e-12);
  EXPECT_EQ(network.evaluate(VectorX::Constant(1, 100.0))[2], 1.0);  // exp(100000) does not overflow
}

TEST(Perceptron, WhatIsNoNumberStaysSo) {
  const Perceptron network = by_hand();
  EXPECT_TRUE(std::isnan(network.evaluate(Vector2(std::nan(""), 0))[0]));
}

TEST(Perceptron, AllocatesNothing) {
  const Perceptron network = Perceptron::random({21, 64, 32, 3}, PerceptronTask::regression, 3);
  PerceptronScratch scratch;
  VectorX x = VectorX::Ones(21), y(3);
  network.evaluate(VectorX(-x), scratch, y);
  network.evaluate(x, scratch, y);
  const testing::AllocationGuard guard;
  network.evaluate(x, scratch, y);
  EXPECT_EQ(guard.count(), 0);
}

TEST(Perceptron, RefusesWhatDoesNotFit) {
  EXPECT_REFUSED(Perceptron::random({3}, PerceptronTask::regression, 1), "sizes has 1");
  EXPECT_REFUSED(Perceptron::random({3, 0, 1}, PerceptronTask::regression, 1), "sizes[1] is 0");
  Perceptron network = by_hand();
  EXPECT_REFUSED(network.evaluate(Vector3::Zero()), "input has 3 entries; 2");
  network.input_scale[1] = 0.0;
  EXPECT_REFUSED(network.validate(), "input_scale[1] is 0");
  network = by_hand();
  network.layers[1].weight(0, 2) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_REFUSED(network.validate(), "weight[2] is nan");
  network = by_hand();
  network.layers[1].weight.resize(1, 2);
  EXPECT_REFUSED(network.validate(), "layer 1 takes 2 inputs; layer 0 gives 3");
}

}  // namespace
}  // namespace stiction
