// Same inputs, same bits: repetition, restoring, threads; states as bytes; bad states.
#include "stiction/sim/state.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <random>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/allocation_guard.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;

// Boxes, balls and capsules that tumble onto each other: several islands, contacts that come and go.
std::shared_ptr<const Model> tumble(int count) {
  ModelBuilder builder;
  add_ground(builder, 0.6);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int k = 0; k < count; ++k) {
    const Quaternion turn = Quaternion(unit(random), unit(random), unit(random), unit(random)).normalized();
    const Pose pose(turn, Vector3(0.3 * unit(random), 0.3 * unit(random), 0.2 + 0.15 * k));
    const Geometry shapes[] = {Box{{0.05, 0.06, 0.07}}, Sphere{0.06}, Capsule{0.04, 0.05}};
    add_free(builder, "b" + std::to_string(k), shapes[k % 3], 0.5 + 0.1 * k, pose, 0.6);
  }
  return builder.build();
}

bool same_bits(const State& a, const State& b) {
  return a.to_bytes() == b.to_bytes();
}

TEST(State, RepetitionGivesTheSameBits) {
  const auto model = tumble(12);
  Simulator a(model, {.time_step = 2e-3}), b(model, {.time_step = 2e-3});
  a.step(600);
  for (int k = 0; k < 600; ++k) b.step();
  EXPECT_GT(a.report().num_contacts, 10);
  EXPECT_TRUE(same_bits(a.state(), b.state()));
}

TEST(State, ThreadsDoNotChangeTheBits) {
  const auto model = tumble(20);
  Simulator one(model, {.time_step = 2e-3, .threads = 1});
  one.step(500);
  EXPECT_GT(one.report().num_islands, 1);
  for (const int threads : {2, 4}) {
    Simulator many(model, {.time_step = 2e-3, .threads = threads});
    many.step(500);
    EXPECT_TRUE(same_bits(one.state(), many.state())) << threads;
  }
}

TEST(State, RestoringContinuesBitForBit) {
  const auto model = tumble(12);
  Simulator through(model, {.time_step = 2e-3}), restored(model, {.time_step = 2e-3});
  through.step(300);
  const State copy = through.state();
  const auto path = std::filesystem::temp_directory_path() / "stiction_state_test.bin";
  copy.save(path.string());
  through.step(300);

  restored.set_state(State::load(path.string()));
  restored.step(300);
  EXPECT_TRUE(same_bits(through.state(), restored.state()));
  // A simulator that has been elsewhere in between goes on just the same.
  restored.step(100);
  restored.set_state(copy);
  restored.step(300);
  EXPECT_TRUE(same_bits(through.state(), restored.state()));
  std::filesystem::remove(path);
}

TEST(State, DamagedBytesAreRefused) {
  const auto model = tumble(3);
  Simulator simulator(model, {.time_step = 2e-3});
  simulator.step(200);
  const auto bytes = simulator.state().to_bytes();
  const State back = State::from_bytes(bytes);
  EXPECT_TRUE(same_bits(back, simulator.state()));
  EXPECT_FALSE(back.collision.bytes.empty());
  EXPECT_EQ(back.collision.bytes, simulator.state().collision.bytes);
  EXPECT_FALSE(back.warm_starts.empty());
  EXPECT_EQ(back.warm_starts.size(), simulator.state().warm_starts.size());
  for (std::size_t i = 0; i < bytes.size(); i += 13) {
    auto damaged = bytes;
    damaged[i] ^= std::byte{0x40};
    EXPECT_THROW(State::from_bytes(damaged), std::invalid_argument) << i;
  }
  for (std::size_t size = 0; size < bytes.size(); size += 17) {
    EXPECT_THROW(State::from_bytes(std::span(bytes).first(size)), std::invalid_argument) << size;
  }
  EXPECT_THROW(State::load("/nowhere/at/all"), std::invalid_argument);
}

void expect_refusal(const std::function<void()>& act, const std::string& part) {
  try {
    act();
    ADD_FAILURE() << "accepted; expected a message with '" << part << "'";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(State, BadInputIsNamed) {
  const auto model = tumble(2);
  Simulator simulator(model, {.time_step = 1e-3});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  State state = simulator.state();
  state.q[3] = nan;
  expect_refusal([&] { simulator.set_state(state); }, "q[3] is nan");
  state = simulator.state();
  state.v.conservativeResize(5);
  expect_refusal([&] { simulator.set_state(state); }, "v has 5 entries but the model has 12");
  state = simulator.state();
  state.q.segment<4>(3) *= 2.0;
  expect_refusal([&] { simulator.set_state(state); }, "quaternion q[3");
  expect_refusal([&] { simulator.set_joint_force(VectorX::Constant(12, nan)); }, "joint_force[0] is nan");
  expect_refusal([&] { simulator.set_joint_force(VectorX::Zero(3)); }, "joint_force has 3 entries");
  expect_refusal([&] { simulator.set_control(VectorX::Zero(1)); }, "control has 1 entries");
  expect_refusal([&] { simulator.add_external_force(7, Vector3::Zero(), Vector3::Zero()); }, "body 7 does not exist");
  expect_refusal([&] { simulator.add_external_force(0, Vector3(nan, 0, 0), Vector3::Zero()); }, "not finite");
  expect_refusal([&] { simulator.reset(3); }, "keyframe 3 does not exist");
  expect_refusal([&] { Simulator(model, {.time_step = -1e-3}); }, "time_step is -0.001");
  expect_refusal([&] { Simulator(model, {.time_step = nan}); }, "time_step is nan");
  expect_refusal([&] { Simulator(model, {.solver = "magic"}); }, "magic");
  expect_refusal([&] { Simulator(model, {.tolerance = 0.0}); }, "tolerance is 0");
  expect_refusal([&] { Simulator(model, {.threads = 0}); }, "threads is 0");
  expect_refusal([&] { Simulator(nullptr); }, "no model");
  simulator.step(10);  // none of this did harm
  EXPECT_TRUE(simulator.state().q.allFinite());
}

TEST(State, ForcesBeyondAllBoundsAreAnErrorAndLeaveTheStateAlone) {
  const auto model = tumble(2);
  Simulator simulator(model, {.time_step = 1e-3});
  simulator.step(5);
  const State before = simulator.state();
  simulator.set_joint_force(VectorX::Constant(12, 1e308));
  EXPECT_THROW(simulator.step(5), std::runtime_error);
  simulator.set_joint_force(VectorX::Zero(12));
  simulator.set_state(before);
  simulator.step(5);
  EXPECT_TRUE(simulator.state().q.allFinite());
}

TEST(State, NoAllocationOnceWarm) {
  const auto model = tumble(12);  // contacts come and go, islands change
  Simulator simulator(model, {.time_step = 2e-3});
  simulator.step(400);
  const State warm = simulator.state();
  simulator.step(300);
  simulator.set_state(warm);
  simulator.step(1);
  const testing::AllocationGuard guard;
  simulator.step(299);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace stiction
