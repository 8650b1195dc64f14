// The list of stages: all of them run and are timed, and a step that ends in any of them is undone.
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "stiction/sim/simulator.h"
#include "tests/sim/servo_worlds.h"
#include "tests/sim/worlds.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;

constexpr int num_stages = static_cast<int>(StepStage::count);

TEST(StepStages, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (int k = 0; k <= num_stages; ++k) names.insert(to_string(static_cast<StepStage>(k)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(num_stages) + 1);
  EXPECT_EQ(to_string(StepStage::kinematics), "kinematics");
  EXPECT_EQ(to_string(StepStage::problems), "problems");
  EXPECT_EQ(to_string(StepStage::sense), "sense");
  EXPECT_EQ(to_string(StepStage::accept), "accept");
}

TEST(StepStages, AllAreTimed) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.1)), 0.5);
  Simulator simulator(builder.build(), {.time_step = 1e-3, .timed_every = 1});
  for (int k = 0; k < 3; ++k) {
    const StepReport& report = simulator.step();
    for (int s = 0; s < num_stages; ++s) EXPECT_GT(report.seconds[s], 0.0) << to_string(static_cast<StepStage>(s));
  }
}

// A rod that spins beside boxes at rest, a ball that is thrown at them from afar, a slider with a weak servo that is
// hit. Sensors remember what they have read of all of it.
std::shared_ptr<const Model> make_busy_world() {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  for (int k = 0; k < 3; ++k) {
    const Pose pose(Vector3(0.0, 0.0, 0.1 + 0.2 * k));
    add_free(builder, "box" + std::to_string(k), Box{{0.1, 0.1, 0.1}}, 1.0, pose, 0.5);
  }
  add_free(builder, "rod", Box{{0.4, 0.01, 0.01}}, 0.5, Pose(Vector3(0.0, 0.35, 0.3)), 0.5);
  add_free(builder, "ball", Sphere{0.02}, 0.5, Pose(Vector3(-0.5, 0.0, 0.3)), 0.5);
  testing::add_slider(builder, "slider", 1.0, 3.0);
  testing::add_slider(builder, "hammer", 1.0, 3.25);
  builder.add_actuator(testing::servo(1e4, 1e2, 10.0));
  using K = SensorKind;
  builder.add_sensor({.name = "late felt", .kind = K::accelerometer, .body = 3, .noise = 0.1, .delay = 0.007});
  builder.add_sensor({.name = "late touch", .kind = K::touch, .body = 0, .delay = 0.01});
  builder.add_sensor({.name = "late range", .kind = K::rangefinder, .body = 4, .delay = 0.02});
  builder.add_sensor({.name = "late place", .kind = K::frame_position, .body = 3, .noise = 0.1, .delay = 0.03});
  return builder.build();
}

// `first` has run before: glibc ends the process where it has no memory to note the destructor of a thread_local.
struct BusyWorlds {
  BusyWorlds(double time_step, double spin)
      : first(make_busy_world(), settings(time_step)),
        tried(first.shared_model(), settings(time_step)),
        never(first.shared_model(), settings(time_step)) {
    VectorX v = VectorX::Zero(first.model().num_velocities());
    v[6 * 3 + 5] = spin;      // the rod about z
    v[6 * 4] = 100.0;         // the ball
    v[v.size() - 1] = -10.0;  // the hammer
    for (Simulator* simulator : {&first, &tried, &never}) simulator->set_velocity(v);
    first.step(num_steps);
  }
  static SimulatorSettings settings(double time_step) {
    return {.time_step = time_step, .sleeping = true, .sleep_after = 3, .sensor_seed = 5, .timed_every = 1};
  }
  static constexpr int num_steps = 40;
  Simulator first, tried, never;
};

// By the times of a step that ended early: those of stages that it did not come to are zero.
StepStage where_it_ended(const StepReport& report) {
  int k = 0;
  while (k < num_stages && report.seconds[k] > 0.0) ++k;
  return static_cast<StepStage>(k);
}

TEST(StepStages, AStepWithoutMemoryInAnyOfThemIsUndone) {
  if (testing::sanitized) GTEST_SKIP() << "sanitizers have an allocator of their own";
  BusyWorlds w(2e-3, 60.0);
  std::set<StepStage> ended;
  for (int k = 0; k < BusyWorlds::num_steps; ++k) {
    const auto before = w.tried.state().to_bytes();
    for (long allowed = 0;; ++allowed) {
      try {
        const testing::FailingAllocation failing(allowed);
        w.tried.step();
        break;
      } catch (const std::bad_alloc&) {
        ended.insert(where_it_ended(w.tried.report()));
      }
      ASSERT_EQ(before, w.tried.state().to_bytes()) << "step " << k << ", allocation " << allowed;
    }
    w.never.step();
    ASSERT_EQ(w.tried.state().to_bytes(), w.never.state().to_bytes()) << "step " << k;
    ASSERT_EQ(w.tried.sensor_data(), w.never.sensor_data()) << "step " << k;
  }
  using enum StepStage;  // all that take memory at first; the others work with what is there
  for (const StepStage stage : {collide, sleep, free_velocity, free_motion, rows, warm_start, islands, problems, solve,
                                account, remember, look_ahead, sense}) {
    EXPECT_TRUE(ended.contains(stage)) << to_string(stage);
  }
}

TEST(StepStages, AStepThatIsStoppedInAnyRoundIsUndone) {
  BusyWorlds w(4e-3, 200.0);
  int in_first_round = 0, in_later_round = 0, saturated = 0;
  for (int k = 0; k < BusyWorlds::num_steps; ++k) {
    const auto before = w.tried.state().to_bytes();
    for (int allowed = 0;; allowed += testing::fewer_sanitized(1, 7)) {
      int asked = 0;
      Interrupt interrupt([&] { return asked++ == allowed; }, std::chrono::milliseconds(0));
      w.tried.set_interrupt(&interrupt);
      try {
        w.tried.step();
        break;
      } catch (const StepInterrupted&) {
        ++(w.tried.report().num_rechecks > 0 ? in_later_round : in_first_round);
      }
      ASSERT_EQ(before, w.tried.state().to_bytes()) << "step " << k << ", stopped when asked " << allowed;
    }
    w.never.step();
    ASSERT_EQ(w.tried.state().to_bytes(), w.never.state().to_bytes()) << "step " << k;
    ASSERT_EQ(w.tried.sensor_data(), w.never.sensor_data()) << "step " << k;
    saturated += w.never.report().num_saturated_servos;
  }
  EXPECT_GE(in_first_round, BusyWorlds::num_steps);
  EXPECT_GT(in_later_round, 0);
  EXPECT_GT(saturated, 0);
}

}  // namespace
}  // namespace stiction
