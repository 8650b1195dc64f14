// Steps that are asked to stop, and what the tries of a step may spend together.
#include <gtest/gtest.h>

#include <thread>

#include "stiction/sim/event_simulator.h"
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

// Corrections of positions are part of the step: of its limit, and of what stops it.
TEST(StepBudget, BoundsTheCorrectionOfPositionsToo) {
  for (const int limit : {5, 20, 300}) {
    SimulatorSettings settings{.time_step = 2e-3, .max_iterations = limit};
    settings.constraints.project_positions = true;
    Simulator simulator(overlapping_boxes(24), settings);
    int most = 0;
    for (int k = 0; k < 12; ++k) {
      const StepReport& report = simulator.step();
      const int solves = 4 * (1 + report.num_rechecks), again = report.num_rechecks > 0 ? limit / 2 : 0;
      EXPECT_LE(report.iterations, report.num_islands * (limit + again + solves))
          << "step " << k << ", limit " << limit;
      most = std::max(most, report.iterations);
    }
    EXPECT_GT(most, std::min(limit, 60) / 2);
  }
}

TEST(InterruptedStep, StopsInsideOfTheCorrectionOfPositions) {
  SimulatorSettings settings{.time_step = 2e-3};
  settings.constraints.project_positions = true;
  Simulator simulator(overlapping_boxes(32), settings), other(overlapping_boxes(32), settings);
  simulator.step(2);
  other.step(2);
  const auto before = simulator.state().to_bytes();
  int in_correction = 0;
  for (int allowed = 0; allowed < 1000000; ++allowed) {
    int asked = 0;
    Interrupt interrupt([&] { return asked++ == allowed; }, std::chrono::milliseconds(0));
    simulator.set_interrupt(&interrupt);
    try {
      simulator.step();
      break;
    } catch (const StepInterrupted&) {
      const auto& seconds = simulator.report().seconds;
      in_correction +=
          seconds[static_cast<int>(StepStage::account)] > 0.0 && seconds[static_cast<int>(StepStage::integrate)] == 0.0;
    }
    ASSERT_EQ(simulator.state().to_bytes(), before) << "stopped when asked " << allowed;
  }
  EXPECT_GT(in_correction, 1);
  simulator.set_interrupt(nullptr);
  other.step();
  EXPECT_EQ(simulator.state().to_bytes(), other.state().to_bytes());
}

// Balls that bounce off each other and come to rest, a box that slides to its end: impacts, rest, crowds of events.
std::shared_ptr<const Model> busy_ground() {
  ModelBuilder builder;
  add_ground(builder, 0.3, 0.0, 0.4);
  for (int k = 0; k < 3; ++k) {
    add_free(builder, "ball" + std::to_string(k), Sphere{0.1}, 1.0 + k, Pose(Vector3(0.03 * k, 0, 0.15 + 0.25 * k)),
             0.3, 0.4);
  }
  add_free(builder, "box", Box{{0.1, 0.1, 0.05}}, 1.0, Pose(Vector3(2, 0, 0.05)), 0.3, 0.0);
  return builder.build();
}

// Stopped at every place where it looks, again and again: the state is that of a smooth part's end, and the bits of the
// whole motion are those of one that nobody stopped.
TEST(InterruptedEvents, LeaveTheStateOfBeforeAndCanBeRepeated) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::rk45}) {
    EventSettings settings;
    settings.integrator = integrator;
    settings.step = 5e-3;
    settings.most_close_events = 3;
    settings.minimum_interval = 1e-3;
    EventSimulator stopped(busy_ground(), settings), other(busy_ground(), settings);
    VectorX v = stopped.v();
    v[18] = 0.8;  // the box slides
    stopped.set_velocity(v);
    other.set_velocity(v);
    const double end = 0.5;
    other.advance_to(end);
    int stops = 0, allowed = 0;
    for (bool done = false; !done;) {
      int asked = 0;
      Interrupt interrupt([&] { return asked++ == allowed; }, std::chrono::milliseconds(0));
      stopped.set_interrupt(&interrupt);
      const double time = stopped.time();
      try {
        stopped.advance_to(end);
        done = true;
      } catch (const StepInterrupted&) {
        ++stops;
        EXPECT_GE(stopped.time(), time);
        EXPECT_EQ(stopped.report().time, stopped.time());
        EXPECT_EQ(stopped.report().num_events, static_cast<long>(stopped.events().size()));
        allowed = stopped.time() > time ? allowed % 7 : allowed + 1;  // one place farther until a part is done
        if (allowed > 100000) FAIL() << "it gets nowhere";
      }
    }
    stopped.set_interrupt(nullptr);
    EXPECT_GT(stops, 100);
    EXPECT_EQ(stopped.time(), other.time());
    EXPECT_EQ(stopped.q(), other.q());
    EXPECT_EQ(stopped.v(), other.v());
    EXPECT_EQ(stopped.report().num_events, other.report().num_events);
    EXPECT_EQ(stopped.report().num_rest_problems, other.report().num_rest_problems);
    EXPECT_GT(other.report().num_impacts, 3);
    EXPECT_GT(other.report().num_time_steps, 0);
    EXPECT_EQ(stopped.events().size(), other.events().size());
  }
}

// A heap whose impact alone takes long.
TEST(InterruptedEvents, StopInsideOfAnImpact) {
  ModelBuilder builder;
  add_ground(builder, 0.5, 0.0, 0.2);
  for (int k = 0; k < 64; ++k) {
    const Vector3 place(0.2 * (k % 4), 0.2 * (k / 4 % 4), 0.1 + 0.2 * (k / 16));
    add_free(builder, "ball" + std::to_string(k), Sphere{0.1}, 1.0 + k % 5, Pose(place), 0.5, 0.2);
  }
  EventSimulator simulator(builder.build());
  VectorX v = simulator.v();
  for (int k = 0; k < 64; ++k) v[6 * k + 2] = -1.0 - 0.1 * (k % 3);
  simulator.set_velocity(v);
  int asked = 0;
  Interrupt interrupt([&] { return ++asked == 2; }, std::chrono::milliseconds(0));
  simulator.set_interrupt(&interrupt);
  EXPECT_THROW(simulator.advance(0.1), StepInterrupted);
  EXPECT_EQ(simulator.time(), 0.0);
  EXPECT_EQ(simulator.v(), v) << "the impact did not come to its end";
  EXPECT_EQ(simulator.report().num_events, 0);
  EXPECT_EQ(simulator.report().num_evaluations, 0);
}

}  // namespace
}  // namespace stiction
