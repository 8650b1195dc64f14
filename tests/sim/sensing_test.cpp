// Sensors against closed forms: statics, free fall, circular motion; what reading them must not change; delay, noise.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "stiction/sim/sensor_handle.h"
#include "stiction/sim/simulator.h"
#include "tests/io/recorded_worlds.h"
#include "tests/sim/worlds.h"
#include "tests/support/refused.h"

namespace stiction {
namespace {

using K = SensorKind;
using testing::add_free;
using testing::add_ground;

constexpr double g = 9.81;

void expect_near(const VectorX& expected, const VectorX& value, double tolerance) {
  ASSERT_EQ(expected.size(), value.size());
  EXPECT_LE((expected - value).cwiseAbs().maxCoeff(), tolerance)
      << value.transpose() << " instead of " << expected.transpose();
}

VectorX list(std::initializer_list<double> values) {
  return ConstVectorMap(values.begin(), static_cast<Eigen::Index>(values.size()));
}

// A box of 2 kg on the ground, with one of 1 kg on it.
ModelBuilder two_boxes() {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  const int low = add_free(builder, "low", Box{{0.2, 0.2, 0.1}}, 2.0, Pose(Vector3(0, 0, 0.1)), 0.5);
  const int high = add_free(builder, "high", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0, 0, 0.3)), 0.5);
  builder.add_site("sole", low, Pose(Vector3(0, 0, -0.1)));
  builder.add_sensor({.name = "felt", .kind = K::accelerometer, .body = high});
  builder.add_sensor({.name = "all", .kind = K::contact_force, .body = low});
  builder.add_sensor({.name = "ground", .kind = K::contact_force, .body = low, .other_body = -1});
  builder.add_sensor({.name = "above", .kind = K::contact_force, .body = low, .other_body = high});
  builder.add_sensor({.name = "touch", .kind = K::touch, .site = "sole"});
  builder.add_sensor({.name = "heel",
                      .kind = K::touch,
                      .site = "sole",
                      .pose = Pose(Vector3(-0.2, 0, 0)),
                      .region = Box{{0.1, 0.3, 0.01}}});
  builder.add_sensor({.name = "side", .kind = K::contact_force, .site = "sole", .region = Box{{0.3, 0.05, 0.01}}});
  builder.add_sensor({.name = "free", .kind = K::force, .body = low});
  return builder;
}

TEST(Sensing, WeightsAtRest) {
  Simulator simulator(two_boxes().build(), {.time_step = 1e-3});
  for (int k = 0; k < 2; ++k) {  // of the step that would come, and of one that was made
    expect_near(list({0, 0, g}), simulator.sensor("felt").values(), 1e-7);
    expect_near(list({0, 0, 2 * g}), simulator.sensor("all").values(), 1e-7);
    expect_near(list({0, 0, 3 * g}), simulator.sensor("ground").values(), 1e-7);
    expect_near(list({0, 0, -g}), simulator.sensor("above").values(), 1e-7);
    EXPECT_NEAR(4 * g, simulator.sensor("touch").value(), 1e-7);   // all contacts of the body: below and above
    EXPECT_NEAR(1.5 * g, simulator.sensor("heel").value(), 1e-7);  // two of four corners
    expect_near(list({0, 0, 0}), simulator.sensor("side").values(), 1e-12);
    expect_near(list({0, 0, 0}), simulator.sensor("free").values(), 1e-12);
    simulator.step(20);
  }
  EXPECT_REFUSED(simulator.sensor("felt").value(), "sensor 'felt': value of a accelerometer sensor of 3 numbers");
  EXPECT_REFUSED(simulator.sensor("fell"), "did you mean \"felt\"");
  EXPECT_REFUSED(simulator.sensor_values(99), "sensor 99 does not exist");
}

// An arm of 3 kg, 1 m long, about y; on its end a tool of 0.5 kg that is fixed to it, which carries a finger of 0.2 kg.
std::shared_ptr<const Model> arm_with_tool(const Vector3& gravity, const Vector3& axis, bool held) {
  ModelBuilder builder;
  builder.set_gravity(gravity);
  BodyOptions plate{.name = "plate", .pose = Pose(Vector3(0, 0, 1)), .inertia = Inertia::of(Sphere{0.1}, 10.0)};
  plate.joint.kind = JointKind::fixed;
  const int base = builder.add_body(plate);
  BodyOptions arm{
      .name = "arm", .parent = base, .inertia = Inertia{3.0, Vector3(0.5, 0, 0), 0.1 * Matrix3::Identity()}};
  arm.joint.kind = JointKind::revolute;
  arm.joint.axis = axis;
  const int a = builder.add_body(arm);
  BodyOptions tool{
      .name = "tool", .parent = a, .pose = Pose(Vector3(1, 0, 0)), .inertia = Inertia::of(Sphere{0.05}, 0.5)};
  tool.joint.kind = JointKind::fixed;
  const int t = builder.add_body(tool);
  BodyOptions finger{
      .name = "finger", .parent = t, .pose = Pose(Vector3(0.2, 0, 0)), .inertia = Inertia::of(Sphere{0.05}, 0.2)};
  finger.joint.kind = JointKind::revolute;
  finger.joint.axis = axis;
  builder.add_body(finger);
  if (held) {
    builder.add_actuator({.name = "servo", .joint = "arm", .kind = ActuatorKind::position, .kp = 1e9, .kd = 1e6});
    builder.add_actuator({.name = "grip", .joint = "finger", .kind = ActuatorKind::position, .kp = 1e9, .kd = 1e6});
  }
  builder.add_site("wrist", t, Pose());
  builder.add_site("tip", t,
                   Pose(Quaternion(Eigen::AngleAxisd(std::numbers::pi / 2, Vector3::UnitZ())), Vector3(1, 0, 0)));
  for (const char* body : {"plate", "arm"}) {
    const int on = builder.find_body(body);
    builder.add_sensor({.name = std::string(body) + " force", .kind = K::force, .body = on});
    builder.add_sensor({.name = std::string(body) + " torque", .kind = K::torque, .body = on});
  }
  builder.add_sensor({.name = "wrist force", .kind = K::force, .site = "wrist"});
  builder.add_sensor({.name = "wrist torque", .kind = K::torque, .site = "wrist"});
  builder.add_sensor({.name = "felt", .kind = K::accelerometer, .site = "tip"});
  builder.add_sensor({.name = "gyro", .kind = K::gyro, .site = "tip"});
  builder.add_sensor({.name = "speed", .kind = K::velocimeter, .site = "tip"});
  builder.add_sensor({.name = "north", .kind = K::magnetometer, .site = "tip", .field = Vector3(0, 3, 1)});
  builder.add_sensor({.name = "acceleration", .kind = K::frame_linear_acceleration, .site = "tip"});
  builder.add_sensor({.name = "velocity", .kind = K::frame_linear_velocity, .site = "tip"});
  builder.add_sensor({.name = "from arm", .kind = K::frame_linear_velocity, .site = "tip", .reference_body = a});
  builder.add_sensor({.name = "place in arm", .kind = K::frame_position, .site = "tip", .reference_body = a});
  builder.add_sensor({.name = "center", .kind = K::subtree_center, .body = t});
  builder.add_sensor({.name = "momentum", .kind = K::subtree_angular_momentum, .body = t});
  if (held) builder.add_sensor({.name = "effort", .kind = K::joint_effort, .joint = "arm"});
  if (held) builder.add_sensor({.name = "servo force", .kind = K::actuator_force, .actuator = "servo"});
  return builder.build();
}

TEST(Sensing, ForceAndTorqueCarryTheWeight) {
  Simulator simulator(arm_with_tool(Vector3(0, 0, -g), Vector3::UnitY(), true), {.time_step = 1e-3});
  simulator.step(200);
  const double wrist = 0.7 * g, moment = 0.2 * 0.2 * g, arm = 3.7 * g, shoulder = 1.5 * g + 0.5 * g + 1.2 * 0.2 * g;
  expect_near(list({0, 0, wrist}), simulator.sensor("wrist force").values(), 1e-5);
  expect_near(list({0, -moment, 0}), simulator.sensor("wrist torque").values(), 1e-5);
  expect_near(list({0, 0, arm}), simulator.sensor("arm force").values(), 1e-5);
  expect_near(list({0, -shoulder, 0}), simulator.sensor("arm torque").values(), 1e-5);
  expect_near(list({0, 0, arm + 10 * g}), simulator.sensor("plate force").values(), 1e-5);
  expect_near(list({0, -shoulder, 0}), simulator.sensor("plate torque").values(), 1e-5);
  expect_near(list({0, 0, g}), simulator.sensor("felt").values(), 1e-5);
  EXPECT_NEAR(-shoulder, simulator.sensor("effort").value(), 1e-5);
  EXPECT_NEAR(-shoulder, simulator.sensor("servo force").value(), 1e-5);
  const auto [force, torque] = simulator.joint_wrench(simulator.model().find_body("arm"));
  EXPECT_NEAR(arm, force.z(), 1e-5);
  EXPECT_NEAR(-shoulder, torque.y(), 1e-5);
}

// About z at ω, without gravity and motors: all turns as one body, and what is at r is pulled in by ω² r.
TEST(Sensing, CircularMotion) {
  Simulator simulator(arm_with_tool(Vector3::Zero(), Vector3::UnitZ(), false), {.time_step = 1e-3});
  const double w = 3.0;
  simulator.set_velocity(list({w, 0.0}));
  for (int k = 0; k < 2; ++k) {
    const double angle = simulator.state().q[0];
    const Vector3 along(std::cos(angle), std::sin(angle), 0), ahead(-std::sin(angle), std::cos(angle), 0);
    // y of the site "tip" points inwards, its x ahead.
    expect_near(list({0, 2 * w * w, 0}), simulator.sensor("felt").values(), 1e-9);
    expect_near(list({0, 0, w}), simulator.sensor("gyro").values(), 1e-12);
    expect_near(list({2 * w, 0, 0}), simulator.sensor("speed").values(), 1e-11);
    expect_near(list({-w * w * (0.5 * 1.0 + 0.2 * 1.2), 0, 0}), simulator.sensor("wrist force").values(), 1e-9);
    expect_near(list({0, 0, 0}), simulator.sensor("wrist torque").values(), 1e-9);
    const VectorX arm = simulator.sensor("arm force").values();
    expect_near(list({-w * w * (3 * 0.5 + 0.5 * 1.0 + 0.2 * 1.2), 0, 0}), arm, 1e-9);
    expect_near(2 * w * ahead, simulator.sensor("velocity").values(), 1e-11);
    expect_near(list({0, 0, 0}), simulator.sensor("from arm").values(), 1e-11);
    expect_near(list({2, 0, 0}), simulator.sensor("place in arm").values(), 1e-12);
    const double radius = (0.5 * 1.0 + 0.2 * 1.2) / 0.7;
    expect_near(radius * along + Vector3(0, 0, 1), simulator.sensor("center").values(), 1e-12);
    const double spin =
        2 * 0.4 * (0.5 + 0.2) * 0.05 * 0.05 / 2 + 0.5 * std::pow(1.0 - radius, 2) + 0.2 * std::pow(1.2 - radius, 2);
    expect_near(list({0, 0, w * spin}), simulator.sensor("momentum").values(), 1e-11);
    expect_near(list({3 * ahead.y(), 3 * -along.y(), 1}), simulator.sensor("north").values(), 1e-12);
    simulator.step(100);
  }
}

TEST(Sensing, FreeFallIsNotFelt) {
  ModelBuilder builder;
  const int ball = add_free(builder, "ball", Box{{0.1, 0.2, 0.3}}, 2.0, Pose(Vector3(0, 0, 5)), 0.5);
  builder.add_sensor({.name = "felt", .kind = K::accelerometer, .body = ball});
  builder.add_sensor({.name = "fall", .kind = K::frame_linear_velocity, .body = ball});
  builder.add_sensor({.name = "time"});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  expect_near(list({0, 0, 0}), simulator.sensor("felt").values(), 1e-10);
  simulator.step(100);
  expect_near(list({0, 0, 0}), simulator.sensor("felt").values(), 1e-10);
  expect_near(list({0, 0, -0.1 * g}), simulator.sensor("fall").values(), 1e-12);
  EXPECT_NEAR(0.1, simulator.sensor("time").value(), 1e-12);
  const VectorX all = simulator.sensor_data();
  ASSERT_EQ(7, all.size());
  EXPECT_EQ(all[5], simulator.sensor("fall").values()[2]);
}

TEST(Sensing, RangesAndBounds) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_ground(builder, 0.5);
  const int drone = add_free(builder, "drone", Box{{0.1, 0.1, 0.1}}, 2.0, Pose(Vector3(0, 0, 1.5)), 0.5);
  const Quaternion down(0, 1, 0, 0);
  builder.add_sensor({.name = "down", .kind = K::rangefinder, .body = drone, .pose = Pose(down, Vector3::Zero())});
  builder.add_sensor({.name = "up", .kind = K::rangefinder, .body = drone});
  builder.add_sensor(
      {.name = "near", .kind = K::rangefinder, .body = drone, .pose = Pose(down, Vector3::Zero()), .cutoff = 1.0});
  builder.add_sensor({.name = "fast", .kind = K::frame_linear_velocity, .body = drone, .cutoff = 2.0});
  builder.add_sensor({.name = "twice", .kind = K::frame_linear_velocity, .body = drone, .scale = 2.0});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.set_velocity(list({-3, 1, 0, 0, 0, 0}));
  EXPECT_NEAR(1.5, simulator.sensor("down").value(), 1e-12);
  EXPECT_EQ(-1.0, simulator.sensor("up").value());
  EXPECT_EQ(1.0, simulator.sensor("near").value());
  expect_near(list({-2, 1, 0}), simulator.sensor("fast").values(), 0.0);
  expect_near(list({-6, 2, 0}), simulator.sensor("twice").values(), 0.0);
}

ModelBuilder sensed_pile() {
  ModelBuilder builder = ModelBuilder::from_model(*testing::tumbling_pile(6));
  builder.add_sensor({.name = "felt", .kind = K::accelerometer, .body = 0});
  builder.add_sensor({.name = "touch", .kind = K::touch, .body = 1});
  builder.add_sensor({.name = "arm", .kind = K::force, .body = builder.find_body("arm")});
  builder.add_sensor({.name = "range", .kind = K::rangefinder, .body = 2});
  return builder;
}

TEST(Sensing, ReadingChangesNoBit) {
  const auto model = sensed_pile().build();
  Simulator read(model, {.time_step = 2e-3}), blind(model, {.time_step = 2e-3});
  double most = 0.0;
  for (int k = 0; k < 300; ++k) {
    most = std::max(most, read.sensor_data().cwiseAbs().maxCoeff());
    read.step(), blind.step();
    ASSERT_TRUE(read.sensor_data().allFinite());
  }
  EXPECT_GT(most, 10.0);
  EXPECT_EQ(read.state().to_bytes(), blind.state().to_bytes());
  EXPECT_EQ(read.report().residuals.eps_nat, blind.report().residuals.eps_nat);
}

TEST(Sensing, ControlThatChangedIsLookedAtAnew) {
  Simulator simulator(arm_with_tool(Vector3(0, 0, -g), Vector3::UnitY(), true), {.time_step = 1e-3});
  const double before = simulator.sensor("servo force").value();
  simulator.set_control("servo", 0.5);
  EXPECT_GT(std::abs(simulator.sensor("servo force").value() - before), 1.0);
}

TEST(Sensing, DelaysAreAPartOfTheState) {
  ModelBuilder builder = sensed_pile();
  builder.add_sensor({.name = "late time", .kind = K::clock, .delay = 0.01});
  builder.add_sensor({.name = "later", .kind = K::clock, .delay = 0.0111});  // not a multiple of a step
  builder.add_sensor({.name = "late", .kind = K::accelerometer, .body = 0, .delay = 0.006});
  const auto model = builder.build();
  Simulator simulator(model, {.time_step = 2e-3});
  std::vector<VectorX> felt;
  for (int k = 0; k < 60; ++k) {
    felt.push_back(simulator.sensor("felt").values());
    EXPECT_NEAR(std::max(0.0, 2e-3 * k - 0.01), simulator.sensor("late time").value(), 1e-12);
    EXPECT_NEAR(std::max(0.0, 2e-3 * k - 0.012), simulator.sensor("later").value(), 1e-12);
    EXPECT_EQ(felt[static_cast<std::size_t>(std::max(0, k - 3))], simulator.sensor("late").values()) << k;
    simulator.step();
  }
  const State saved = State::from_bytes(simulator.state().to_bytes());
  Simulator restored(model, {.time_step = 2e-3}), coarse(model, {.time_step = 4e-3});
  restored.set_state(saved);
  EXPECT_EQ(simulator.sensor("late").values(), restored.sensor("late").values());
  simulator.step(2), restored.step(2);
  EXPECT_EQ(simulator.sensor_data(), restored.sensor_data());
  EXPECT_EQ(simulator.state().to_bytes(), restored.state().to_bytes());
  coarse.set_state(saved);  // a memory of other steps is forgotten
  EXPECT_NEAR(saved.time, coarse.sensor("late time").value(), 1e-12);
  coarse.step(1);
  EXPECT_NEAR(saved.time, coarse.sensor("late time").value(), 1e-12);
  simulator.reset();
  EXPECT_EQ(0.0, simulator.sensor("late time").value());
  ModelBuilder slow;
  slow.add_sensor({.name = "slow", .delay = 1e6});
  EXPECT_REFUSED(Simulator(slow.build(), {.time_step = 1e-3}), "sensor 'slow': a delay of 1e+06 s");
}

// Before the first step there is nothing to remember, and a step that nobody made leaves nothing: not one that is
// stopped, not one whose solver fails, not one that only looks on.
TEST(Sensing, AStepThatIsUndoneLeavesNoReading) {
  ModelBuilder builder = sensed_pile();
  builder.add_sensor({.name = "late", .kind = K::accelerometer, .body = 0, .noise = 0.1, .delay = 0.004});
  const auto model = builder.build();
  Simulator fails(
      model, {.time_step = 2e-3, .tolerance = 1e-300, .acceptable_tolerance = 0.0, .on_failure = FailurePolicy::raise});
  Simulator tried(model, {.time_step = 2e-3, .sensor_seed = 3}), never(model, {.time_step = 2e-3, .sensor_seed = 3});
  int failed = 0;
  for (int k = 0; k < 100; ++k) {
    const auto before = fails.state().to_bytes();
    try {
      fails.step();
    } catch (const SolverFailure&) {
      EXPECT_EQ(fails.state().to_bytes(), before) << k;
      ++failed;
    }
  }
  EXPECT_GT(failed, 0);
  for (int k = 0; k < 8; ++k) {
    const State before = tried.state();
    Interrupt interrupt([] { return true; }, std::chrono::milliseconds(0));
    tried.set_interrupt(&interrupt);
    EXPECT_THROW(tried.step(), StepInterrupted);
    tried.set_interrupt(nullptr);
    tried.forward();
    EXPECT_EQ(tried.state().sensed, before.sensed) << k;
    EXPECT_EQ(tried.state().sensed_from, k == 0 ? -1 : 0);
    EXPECT_EQ(tried.sensor("late").values(), never.sensor("late").values()) << k;
    tried.step(), never.step();
    EXPECT_EQ(tried.state().to_bytes(), never.state().to_bytes()) << k;
  }
}

TEST(Sensing, NoiseIsAFunctionOfSeedStepAndSensor) {
  ModelBuilder builder;
  const int ball = add_free(builder, "ball", Sphere{0.1}, 2.0, Pose(Vector3(0, 0, 5)), 0.5);
  builder.set_gravity(Vector3::Zero());
  builder.add_sensor({.name = "place", .kind = K::frame_position, .body = ball, .noise = 0.1});
  builder.add_sensor({.name = "turn", .kind = K::frame_orientation, .body = ball, .noise = 0.02});
  builder.add_sensor({.name = "axis", .kind = K::frame_z_axis, .body = ball, .noise = 0.02});
  const auto model = builder.build();
  Simulator plain(model, {.time_step = 1e-3}), noisy(model, {.time_step = 1e-3, .sensor_seed = 7}),
      other(model, {.time_step = 1e-3, .sensor_seed = 8});
  expect_near(list({0, 0, 5}), plain.sensor("place").values(), 0.0);
  const int count = 4000;
  Vector3 mean = Vector3::Zero(), square = Vector3::Zero();
  for (int k = 0; k < count; ++k) {
    const VectorX place = noisy.sensor("place").values();
    EXPECT_EQ(place, noisy.sensor_data().head(3));
    EXPECT_NE(place, other.sensor("place").values());
    const Vector3 error = place - VectorX(list({0, 0, 5}));
    mean += error / count, square += error.cwiseAbs2() / count;
    EXPECT_NEAR(1.0, noisy.sensor("turn").values().norm(), 1e-12);
    EXPECT_NEAR(1.0, noisy.sensor("axis").values().norm(), 1e-12);
    noisy.step(), other.step();
  }
  EXPECT_LE(mean.cwiseAbs().maxCoeff(), 5 * 0.1 / std::sqrt(count));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(0.1, std::sqrt(square[k]), 5 * 0.1 / std::sqrt(2.0 * count));
  const VectorX last = noisy.sensor_data();
  noisy.reset();
  noisy.step(count);
  EXPECT_EQ(last, noisy.sensor_data());
  plain.step(count);
  EXPECT_EQ(plain.state().q, noisy.state().q);
  EXPECT_REFUSED(Simulator(model, {.sensor_seed = -1}), "sensor_seed is -1");
}

}  // namespace
}  // namespace stiction
