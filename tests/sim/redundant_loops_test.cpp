// Loops that say the same several times over, and nearly the same.
#include <gtest/gtest.h>

#include <numbers>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/sim/assembly.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

constexpr double length = 0.5;

// Three bars in a plane, the end of the last pinned to the world at `pins` places across the plane. In the world the
// first pin is where it belongs, the others are off by `mismatch`, each into another direction.
std::shared_ptr<const Model> pinned_bars(int pins, double mismatch) {
  ModelBuilder builder;
  JointOptions hinge;
  hinge.kind = JointKind::revolute;
  hinge.axis = Vector3::UnitY();
  int parent = -1;
  const double angles[] = {std::numbers::pi - 0.5, 0.5 * std::numbers::pi + 0.5, 0.5 * std::numbers::pi - 0.5};
  for (int k = 0; k < 3; ++k) {
    hinge.initial_position = angles[k];
    parent = builder.add_body({.name = "bar" + std::to_string(k),
                               .parent = parent,
                               .pose = Pose(parent < 0 ? Vector3(0, 0, 0) : Vector3(0, 0, -length)),
                               .joint = hinge,
                               .joints = {},
                               .inertia = Inertia::of(Box{{0.02, 0.02, 0.5 * length}}, 1.0)});
  }
  const auto open = builder.build();
  DynamicsData data(*open);
  update_kinematics(*open, open->initial_position.data(), open->initial_velocity.data(), data);
  const Pose end = frame_pose(*open, data, open->find_frame("bar2"));
  for (int k = 0; k < pins; ++k) {
    LoopOptions loop;
    loop.kind = LoopKind::point;
    loop.name = "pin" + std::to_string(k);
    loop.body_a = parent;
    loop.pose_a = Pose(Vector3(0.0, 0.05 * k, -length));
    loop.pose_b = end * loop.pose_a;
    loop.pose_a.position += k * mismatch * Vector3(std::cos(2.0 * k), 0.0, std::sin(2.0 * k));
    loop.pose_b.position += k * mismatch * Vector3(0.3, 0.4, -0.5);
    builder.add_loop(loop);
  }
  return builder.build();
}

TEST(RedundantLoops, ThatNearlyAgreeCostNothingAndEveryStepIsCertified) {
  Simulator single(pinned_bars(1, 0.0), {.time_step = 1e-3});
  long single_iterations = 0;
  for (int k = 0; k < 2000; ++k) single_iterations += single.step().iterations;
  for (const double mismatch : {0.0, 1e-8, 1e-6}) {
    Simulator simulator(pinned_bars(3, mismatch), {.time_step = 1e-3});
    long iterations = 0;
    double largest = 0.0;
    for (int k = 0; k < 2000; ++k) {
      const StepReport& report = simulator.step();
      iterations += report.iterations;
      largest = std::max(largest, report.largest_loop_mismatch);
      ASSERT_TRUE(report.certified()) << mismatch << ", step " << k << ": " << report.residuals.eps_nat;
      ASSERT_EQ(report.num_redundant_rows, 7) << mismatch << ", step " << k;  // of nine: two hold the pin in its plane
      ASSERT_EQ(report.num_loops, 3);
    }
    EXPECT_LE(iterations, single_iterations + single_iterations / 10) << mismatch;
    EXPECT_LE(largest, 5.0 * mismatch + 1e-9) << "what is told is the mismatch of the file";
    EXPECT_GE(largest, 0.5 * mismatch);
    EXPECT_LT((simulator.state().q - single.state().q).norm(), 1e3 * mismatch + 1e-6) << mismatch;
  }
}

// What is kept is corrected, if not always at once: no more than a tenth of what pins contradict each other by stands
// open.
TEST(RedundantLoops, StayClosedToAPartOfWhatTheyContradictEachOtherBy) {
  const auto first_pin = pinned_bars(1, 0.0);
  for (const double mismatch : {0.0, 1e-7, 1e-6}) {
    Simulator simulator(pinned_bars(3, mismatch), {.time_step = 1e-3});
    double open = 0.0, contradiction = 0.0;
    for (int k = 0; k < 3000; ++k) {
      contradiction = std::max(contradiction, simulator.step().largest_loop_mismatch);
      open = std::max(open, assembly_error(first_pin, simulator.state().q));
    }
    EXPECT_LE(open, 0.12 * contradiction + 1e-9) << mismatch;
  }
}

// Pins that are a millimetre apart are another mechanism: nothing is left out that moves.
TEST(RedundantLoops, ThatContradictEachOtherStay) {
  Simulator simulator(pinned_bars(2, 1e-3), {.time_step = 1e-3});
  const StepReport& report = simulator.step();
  EXPECT_LE(report.num_redundant_rows, 2) << "rows across the plane at most";
}

TEST(RedundantLoops, GiveTheSameBitsAfterARestart) {
  const auto model = pinned_bars(3, 1e-8);
  Simulator through(model, {.time_step = 1e-3}), restored(model, {.time_step = 1e-3});
  through.step(100);
  restored.set_state(State::from_bytes(through.state().to_bytes()));
  through.step(100);
  restored.step(100);
  EXPECT_EQ(through.state().to_bytes(), restored.state().to_bytes());
}

}  // namespace
}  // namespace stiction
