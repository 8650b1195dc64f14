// Inference of perceptrons, and what a step by learned contact costs. CPU time.
#include <benchmark/benchmark.h>

#include "stiction/learning/learned_simulator.h"
#include "stiction/learning/throws.h"

namespace stiction {
namespace {

void evaluate(benchmark::State& state, const std::vector<int>& sizes) {
  const Perceptron network = Perceptron::random(sizes, PerceptronTask::regression, 1);
  PerceptronScratch scratch;
  MatrixX inputs = MatrixX::Random(sizes.front(), 64);
  VectorX output(sizes.back());
  Eigen::Index k = 0;
  for (auto _ : state) {
    network.evaluate(inputs.col(k++ % 64), scratch, output);
    benchmark::DoNotOptimize(output.data());
  }
}
BENCHMARK_CAPTURE(evaluate, classifier_256_180_80, std::vector<int>{21, 256, 180, 80, 3});
BENCHMARK_CAPTURE(evaluate, regressor_512_360_180, std::vector<int>{21, 512, 360, 180, 3});

void learned_step(benchmark::State& state) {
  LearnedSimulator simulator(ThrownBody::box({0.1, 0.075, 0.05}).model(),
                             ContactNetworks::random(FeatureSet::patch, 2e-3, {512, 360, 180}, 1));
  const ThrowStart start = throw_start(simulator.simulator().model(), {.lowest = 0.0, .highest = 0.0}, 1, 0);
  simulator.set_position(start.q);
  for (auto _ : state) simulator.step();
}
BENCHMARK(learned_step);

}  // namespace
}  // namespace stiction
