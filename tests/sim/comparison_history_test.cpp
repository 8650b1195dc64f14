// A comparison over time, also where the samples are fewer than the steps.
#include "stiction/sim/comparison_history.h"

#include <gtest/gtest.h>

#include "tests/sim/worlds.h"

namespace stiction {
namespace {

Comparison sliding_boxes(const std::vector<std::string>& solvers) {
  ModelBuilder builder;
  testing::add_ground(builder, 0.5);
  testing::add_free(builder, "box", Box{Vector3(0.1, 0.1, 0.1)}, 8.0, Pose(Vector3(0, 0, 0.1)), 0.5);
  const auto model = builder.build();
  State start = State::initial(*model);
  start.v[0] = 2.0;
  return Comparison(model, {.solvers = solvers}, start);
}

TEST(ComparisonHistory, HasEveryStepWhileTheyFit) {
  Comparison comparison = sliding_boxes({"auto", "ccp-admm"});
  ComparisonHistory history(comparison, 64);
  std::vector<double> distances, residuals, energies;
  for (int k = 0; k < 64; ++k) {
    comparison.step();
    history.append(comparison);
    const StepReport& report = comparison.simulator(1).report();
    distances.push_back(comparison.runs()[1].distance);
    residuals.push_back(report.residuals.eps_nat);
    energies.push_back(report.kinetic_energy + report.potential_energy);
  }
  EXPECT_EQ(history.steps_per_sample(), 1);
  EXPECT_EQ(history.run(1).distance, distances);
  EXPECT_EQ(history.run(1).eps_nat, residuals);
  EXPECT_EQ(history.run(1).energy, energies);
  EXPECT_EQ(history.run(0).time.size(), 64U);
  EXPECT_NEAR(history.run(0).time.back(), 64 * comparison.simulator(0).time_step(), 1e-12);
}

// Thinned: times and distances are those of the last step of each sample, residuals the largest of its steps.
TEST(ComparisonHistory, KeepsTheLargestResidualsOfWhatItThinsOut) {
  Comparison comparison = sliding_boxes({"auto", "ccp-admm"});
  ComparisonHistory history(comparison, 16);
  std::vector<double> times, separations;
  constexpr int steps = 100;
  for (int k = 0; k < steps; ++k) {
    comparison.step();
    history.append(comparison);
    times.push_back(comparison.simulator(1).report().time);
    separations.push_back(comparison.simulator(1).report().residuals.normal_separation);
  }
  const long stride = history.steps_per_sample();
  EXPECT_EQ(stride, 8);
  for (int run = 0; run < 2; ++run) EXPECT_EQ(history.run(run).time.size(), 13U) << run;
  for (std::size_t i = 0; i < 13; ++i) {
    const std::size_t first = i * stride, end = std::min<std::size_t>(first + stride, steps);
    EXPECT_EQ(history.run(1).time[i], times[end - 1]) << i;
    EXPECT_EQ(history.run(1).separation[i], *std::max_element(separations.begin() + first, separations.begin() + end))
        << i;
  }
}

TEST(ComparisonHistory, ARunThatFailedStops) {
  Comparison comparison = sliding_boxes({"auto", "ccp-admm"});
  ComparisonHistory history(comparison);
  comparison.step();
  history.append(comparison);
  comparison.simulator(1).set_joint_force(VectorX::Constant(6, 1e300));  // no longer finite
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(comparison.step());
    history.append(comparison);
  }
  EXPECT_FALSE(comparison.runs()[1].failure.empty());
  EXPECT_EQ(history.run(0).time.size(), 6U);
  EXPECT_EQ(history.run(1).time.size(), static_cast<std::size_t>(comparison.runs()[1].steps));
  EXPECT_LT(history.run(1).time.size(), 6U);
}

}  // namespace
}  // namespace stiction
