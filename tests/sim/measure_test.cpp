// What the judge's measure means in the world: friction of any size, fast slides, gaps of rounding size.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;

constexpr double g = 9.81;

std::shared_ptr<const Model> box_on_ground(double mu) {
  ModelBuilder builder;
  add_ground(builder, mu);
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.1)), mu);
  return builder.build();
}

// With a residual that is divided by √(1 + μ²) no impulse at all was "converged".
TEST(Measure, ABoxStandsWhateverItsFriction) {
  for (const double mu : {1.0, 1e3, 1e6, 1e9, 1e12}) {
    Simulator simulator(box_on_ground(mu), {.time_step = 1e-3});
    const StepReport report = simulator.step(200);
    EXPECT_NEAR(simulator.state().q[2], 0.1, 1e-9) << mu;
    EXPECT_EQ(simulator.num_uncertified_steps(), 0) << mu;
    EXPECT_EQ(report.num_sticking, 4) << mu;
  }
}

// The direction of friction and the normal velocity of a certified step are right to the tolerance, at any speed.
TEST(Measure, CertifiedMeansRightDirectionsWhereThingsSlideFast) {
  for (const double speed : {1.0, 10.0, 100.0}) {
    Simulator simulator(box_on_ground(0.3), {.time_step = 1e-3, .tolerance = 1e-6});
    VectorX v = VectorX::Zero(6);
    v.head<2>() << 0.8 * speed, 0.6 * speed;
    simulator.set_velocity(v);
    simulator.step(100);
    const Vector3 after = simulator.state().v.head<3>();
    // Friction acts against the motion: the direction stays, the speed falls by μ g t.
    EXPECT_NEAR(std::atan2(after[1], after[0]), std::atan2(0.6, 0.8), 1e-5 * 0.3 * g * 0.1 / speed) << speed;
    EXPECT_NEAR(after.head<2>().norm(), speed - 0.3 * g * 0.1, 1e-6 * speed) << speed;
    EXPECT_NEAR(after[2], 0.0, 1e-6 * speed) << speed;
    EXPECT_EQ(simulator.num_law_uncertified_steps(), 0) << speed;
  }
}

// Without any correction of positions a gap of 1e-17 m must not be another law than a penetration of 1e-17 m: sweeps
// failed in a third of the steps.
TEST(Measure, SweepsSolveAFastSlideWithoutCorrection) {
  for (const char* solver : {"ncp-gs", "auto"}) {
    SimulatorSettings settings{.time_step = 1e-3, .solver = solver};
    settings.constraints.baumgarte = 0.0;
    Simulator simulator(box_on_ground(0.3), settings);
    VectorX v = VectorX::Zero(6);
    v[0] = 10.0;
    simulator.set_velocity(v);
    simulator.step(1000);
    EXPECT_EQ(simulator.num_law_uncertified_steps(), 0) << solver;
    EXPECT_NEAR(simulator.state().v[0], 10.0 - 0.3 * g, 1e-6) << solver;
  }
}

}  // namespace
}  // namespace stiction
