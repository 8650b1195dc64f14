// Steps that are asked to stop, and what the tries of a step may spend together.
#include <gtest/gtest.h>

#include <thread>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;

// Boxes in each other: no step of it is easy.
std::shared_ptr<const Model> overlapping_boxes(int count) {
  ModelBuilder builder;
  add_ground(builder, 0.7);
  for (int k = 0; k < count; ++k) {
    const Quaternion turn(Eigen::AngleAxisd(0.3 * k, Vector3(1.0, 0.2 * k, 0.5).normalized()));
    const Pose pose(turn, Vector3(0.15 * (k % 4), 0.15 * (k / 4 % 4), 0.1 + 0.15 * (k / 16)));
    add_free(builder, "box" + std::to_string(k), Box{{0.1, 0.1, 0.1}}, 1.0, pose, 0.7);
  }
  return builder.build();
}

TEST(InterruptedStep, LeavesTheStateOfBeforeAndCanBeRepeated) {
  const auto model = overlapping_boxes(32);
  Simulator simulator(model, {.time_step = 2e-3}), other(model, {.time_step = 2e-3});
  simulator.step(3);
  other.step(3);
  const auto before = simulator.state().to_bytes();
  int asked = 0;
  Interrupt interrupt([&] { return ++asked == 8; }, std::chrono::milliseconds(0));
  simulator.set_interrupt(&interrupt);
  EXPECT_THROW(simulator.step(), StepInterrupted);
  EXPECT_EQ(asked, 8) << "it stopped inside of the step";
  EXPECT_EQ(simulator.state().to_bytes(), before);
  EXPECT_THROW(simulator.step(), StepInterrupted) << "until it is cleared";
  simulator.set_interrupt(nullptr);
  simulator.step(2);
  other.step(2);
  EXPECT_EQ(simulator.state().to_bytes(), other.state().to_bytes());
}

TEST(InterruptedStep, AnotherThreadMayAskAndAllThreadsStop) {
  Simulator simulator(overlapping_boxes(48), {.time_step = 2e-3, .threads = 2});
  Interrupt interrupt;
  simulator.set_interrupt(&interrupt);
  std::thread asker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    interrupt.request();
  });
  EXPECT_THROW(simulator.step(1000000), StepInterrupted);
  asker.join();
}

// Rounds of a step, tries of an island with and without its corrections: one limit for all, but for the iteration that
// every solve has.
TEST(StepBudget, BoundsAllTriesOfAnIsland) {
  for (const int limit : {20, 100, 300}) {
    Simulator simulator(overlapping_boxes(24), {.time_step = 2e-3, .max_iterations = limit});
    int most = 0;
    for (int k = 0; k < 12; ++k) {
      const StepReport& report = simulator.step();
      const int solves = 3 * (1 + report.num_rechecks);
      EXPECT_LE(report.iterations, report.num_islands * (limit + solves)) << "step " << k;
      most = std::max(most, report.iterations);
    }
    EXPECT_GT(most, std::min(limit, 60) / 2);
  }
}

}  // namespace
}  // namespace stiction
