// A step allocates nothing once the largest number of contacts was met.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/allocation_guard.h"

namespace stiction {
namespace {

std::shared_ptr<const Model> make_quadruped() {
  ModelBuilder builder;
  testing::add_ground(builder, 0.8);
  testing::add_quadruped(builder, {});
  return builder.build();
}

TEST(Allocation, QuadrupedUnderServosAndPushes) {
  const std::shared_ptr<const Model> model = make_quadruped();
  Simulator simulator(model, {.time_step = 1e-3});
  VectorX control(8);
  for (int leg = 0; leg < 4; ++leg) control.segment(2 * leg, 2) << (leg < 2 ? 0.5 : -0.5), (leg < 2 ? -1.0 : 1.0);
  simulator.set_control(control);
  const auto run = [&](int steps) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    for (int k = 0; k < steps; ++k) {
      if (k % 100 == 0) {
        simulator.clear_external_forces();
        simulator.add_external_force(0, Vector3(60.0 * unit(random), 60.0 * unit(random), 0.0),
                                     simulator.body_pose(0).position);
      }
      simulator.step();
    }
  };
  const State start = simulator.state();
  run(3000);
  simulator.set_state(start);
  const testing::AllocationGuard guard;
  run(3000);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_GE(simulator.report().num_contacts, 2);
  EXPECT_GT(simulator.body_pose(0).position.z(), 0.15);  // still on its legs
}

// 6 × 6 × 6 spheres without friction that fall onto each other and burst apart, as in the papers' comparison.
TEST(Allocation, TwoHundredAndSixteenSpheres) {
  ModelBuilder builder;
  testing::add_ground(builder, 0.0);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0.0, 1e-3);
  for (int k = 0; k < 216; ++k) {
    const Vector3 place(0.21 * (k % 6), 0.21 * (k / 6 % 6), 0.101 + 0.21 * (k / 36));
    const Vector3 off(unit(random), unit(random), unit(random));
    testing::add_free(builder, "s" + std::to_string(k), Sphere{0.1}, 10.0, Pose(Vector3(place + off)), 0.0);
  }
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  const State start = simulator.state();
  // A step that is solved again because something was missed has islands of another pattern, which are analysed anew:
  // that takes memory, and no other step does.
  long taken = 0, rechecked = 0;
  const auto run = [&] {
    int most = 0;
    taken = rechecked = 0;
    for (int k = 0; k < 2000; ++k) {
      const testing::AllocationGuard guard;
      const StepReport& report = simulator.step();
      most = std::max(most, report.num_contacts);
      (report.num_rechecks == 0 ? taken : rechecked) += report.num_rechecks == 0 ? guard.count() : 1;
    }
    return most;
  };
  const int most = run();
  EXPECT_GE(most, 300);
  simulator.set_state(start);
  EXPECT_EQ(run(), most);
  EXPECT_EQ(taken, 0);
  EXPECT_LE(rechecked, 20);
}

}  // namespace
}  // namespace stiction
