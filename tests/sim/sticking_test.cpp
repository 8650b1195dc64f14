// What sticks holds its position (theory §3.8): carried round, held in a swinging grasp, standing on feet that
// roll.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tests/sim/sticking_worlds.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::box;
using testing::seen_from;
using testing::settings;
using testing::table_top;
using testing::Turntable;

// ---- carried round

TEST(Sticking, ABoxOnATurntableStays) {
  for (const double time_step : {1e-3, 2e-3, 5e-3}) {
    EXPECT_LE(Turntable(table_top, box, 0.1).drift(settings(time_step), 30.0), 1e-9) << time_step;
  }
  // Without it the box drifts by Δt ω² r/2.
  EXPECT_NEAR(Turntable(table_top, box, 0.1).drift(settings(2e-3, false), 2.0), 2.0 * 5e-4, 1e-4);
}

TEST(Sticking, ACylinderOnATurntableStays) {
  const double time = testing::num_samples(30, 30);
  for (const double time_step : {1e-3, 2e-3, 5e-3}) {
    EXPECT_LE(Turntable(table_top, Cylinder{0.1, 0.1}, 0.1).drift(settings(time_step), time), 1e-9) << time_step;
    EXPECT_LE(Turntable(Cylinder{1.0, 0.05}, Cylinder{0.1, 0.1}, 0.1).drift(settings(time_step), time), 1e-9)
        << time_step;
    EXPECT_LE(Turntable(Cylinder{1.0, 0.05}, box, 0.1).drift(settings(time_step), time), 1e-9) << time_step;
  }
}

// The load changes its direction once a turn.
TEST(Sticking, ABoxOnATiltedTurntableStays) {
  EXPECT_LE(Turntable(table_top, box, 0.1, 2.0, 0.2).drift(settings(2e-3), 30.0), 1e-9);
}

// The first step leaves its error of second order; from the next one on what is left is of third.
TEST(Sticking, SettlesInOneStep) {
  constexpr double dt = 2e-3, one_step = 0.5 * dt * dt * 0.5;
  const Turntable world(table_top, box, 0.1);
  Simulator simulator = world.start(settings(dt));
  const Vector3 begin = seen_from(simulator, world.table, world.load).head<3>();
  const auto away = [&] { return (Vector3(seen_from(simulator, world.table, world.load).head<3>()) - begin).norm(); };
  simulator.step();
  EXPECT_NEAR(away(), one_step, 1e-3 * one_step);
  for (int k = 0; k < 500; ++k) {
    simulator.step();
    EXPECT_LE(away(), 3.0 * dt * one_step) << k;
  }
}

TEST(Sticking, AnHourOnATurntable) {
  if (!std::getenv("STICTION_LONG_TESTS")) GTEST_SKIP() << "set STICTION_LONG_TESTS to run it";
  EXPECT_LE(Turntable(table_top, box, 0.1).drift(settings(2e-3), 3600.0), 1e-9);
}

TEST(Sticking, WhatIsCarriedRoundGainsNoEnergy) {
  const Turntable world(table_top, box, 0.1);
  Simulator simulator = world.start(settings(2e-3));
  simulator.step(150);
  const double begin = simulator.step().kinetic_energy + simulator.report().potential_energy;
  double most = 0.0;
  for (int k = 0; k < 15000; ++k) {
    simulator.step();
    most = std::max(most, simulator.report().kinetic_energy + simulator.report().potential_energy - begin);
  }
  EXPECT_LE(most, 1e-9 * begin);
}

// ---- held

// A pendulum with a palm, a finger fixed to it and one that is pressed against a cube with 30 N, along the axis of the
// swing.
struct Grasp {
  std::shared_ptr<const Model> model;
  int palm = 0, cube = 0;

  Grasp() {
    ModelBuilder builder;
    JointOptions hinge;
    hinge.name = "swing";
    hinge.kind = JointKind::revolute;
    hinge.axis = Vector3::UnitY();
    hinge.initial_position = 0.9;
    builder.add_body({.name = "palm", .joint = hinge});
    const auto add = [&](int body, const Vector3& size, const Vector3& place, double mass) {
      ShapeOptions shape;
      shape.body = body;
      shape.geometry = Box{size};
      shape.pose = Pose(place);
      shape.mass = mass;
      shape.material.friction = 0.8;
      builder.add_shape(shape);
    };
    add(0, {0.02, 0.02, 0.3}, {0.0, 0.0, -0.3}, 2.0);
    add(0, {0.03, 0.01, 0.06}, {0.0, -0.06, -0.7}, 0.2);
    JointOptions slide;
    slide.name = "finger";
    slide.kind = JointKind::prismatic;
    slide.axis = Vector3::UnitY();
    builder.add_body({.name = "finger", .parent = 0, .pose = Pose(Vector3(0.0, 0.06, -0.7)), .joint = slide});
    add(1, {0.03, 0.01, 0.06}, Vector3::Zero(), 0.2);
    ActuatorOptions press;
    press.joint = "finger";
    builder.add_actuator(press);
    const Quaternion turn(Eigen::AngleAxisd(0.9, Vector3::UnitY()));
    add_free(builder, "cube", Box{{0.05, 0.05, 0.05}}, 0.5, Pose(turn, turn * Vector3(0.0, 0.0, -0.7)), 0.8);
    builder.exclude_bodies(0, 1);
    model = builder.build();
    palm = model->frames[model->find_frame("palm")].body;
    cube = model->frames[model->find_frame("cube")].body;
  }

  struct Drift {
    double between_turns = 0.0, most = 0.0;  // m
  };
  // Where the palm turns back, and at any time, both from where the cube is when it turns back first.
  Drift drift(const SimulatorSettings& s, double seconds) const {
    Simulator simulator(model, s);
    simulator.set_control(VectorX::Constant(1, -30.0));
    const auto steps = std::lround(seconds / s.time_step);
    const int swing = model->bodies[palm].first_velocity;
    Eigen::Matrix<double, 12, 1> before = seen_from(simulator, palm, cube), begin = before;
    double speed_before = 0.0;
    int turns = 0;
    Drift drift;
    for (long k = 0; k < steps; ++k) {
      simulator.step();
      const auto now = seen_from(simulator, palm, cube);
      const double speed = simulator.state().v[swing];
      if (speed * speed_before < 0.0) {
        const double part = speed_before / (speed_before - speed);
        const Eigen::Matrix<double, 12, 1> turn = before + part * (now - before);
        if (turns++ == 0) begin = turn;
        drift.between_turns = std::max(drift.between_turns, (turn - begin).cwiseAbs().maxCoeff());
      }
      if (turns > 0) drift.most = std::max(drift.most, (now - begin).cwiseAbs().maxCoeff());
      before = now;
      speed_before = speed;
    }
    EXPECT_GE(turns, 10 * seconds / 30.0);
    EXPECT_EQ(simulator.num_uncertified_steps(), 0);
    return drift;
  }
};

// On the way the cube gives way by the third-order error of a step, and comes back.
TEST(Sticking, ACubeInASwingingGraspStays) {
  for (const double time_step : {1e-3, 2e-3, 5e-3}) {
    const auto drift = Grasp().drift(settings(time_step), 30.0);
    EXPECT_LE(drift.between_turns, 1e-9) << time_step;
    EXPECT_LE(drift.most, 40.0 * std::pow(time_step, 3)) << time_step;
  }
  const auto drift = Grasp().drift(settings(2e-3, false), 10.0);
  EXPECT_GT(drift.between_turns, 1e-3);
}

// ---- standing

// A quadruped with round feet and position servos on a platform that swings about y, and is driven.
std::shared_ptr<const Model> make_quadruped() {
  ModelBuilder builder;
  const auto add_hinge = [&](const std::string& name, int parent, const Vector3& place, double angle) {
    JointOptions joint;
    joint.name = name;
    joint.kind = JointKind::revolute;
    joint.axis = Vector3::UnitY();
    joint.initial_position = angle;
    return builder.add_body({.name = name, .parent = parent, .pose = Pose(place), .joint = joint});
  };
  const auto add_shape = [&](int body, const Geometry& geometry, const Vector3& place, double mass, bool touches) {
    ShapeOptions shape;
    shape.body = body;
    shape.geometry = geometry;
    shape.pose = Pose(place);
    shape.mass = mass;
    shape.group = shape.mask = touches ? 1 : 0;
    shape.material.friction = 0.9;
    builder.add_shape(shape);
  };
  add_shape(add_hinge("platform", -1, Vector3::Zero(), 0.0), Box{{1.0, 1.0, 0.05}}, {0.0, 0.0, -0.05}, 1e3, true);
  builder.add_actuator({.joint = "platform", .kind = ActuatorKind::position, .kp = 1e9, .kd = 1e7});
  const int trunk = add_free(builder, "trunk", Box{{0.25, 0.12, 0.06}}, 8.0, Pose(Vector3(0.1, 0, 0.38)), 0.9);
  for (int leg = 0; leg < 4; ++leg) {
    const std::string name = "leg" + std::to_string(leg);
    const Vector3 place(leg < 2 ? 0.25 : -0.25, leg % 2 == 0 ? 0.14 : -0.14, 0.0);
    const int thigh = add_hinge(name + "thigh", trunk, place, 0.5);
    const int shin = add_hinge(name + "shin", thigh, {0.0, 0.0, -0.2}, -1.0);
    for (const int body : {thigh, shin}) add_shape(body, Capsule{0.02, 0.08}, {0.0, 0.0, -0.1}, 0.5, false);
    add_shape(shin, Sphere{0.03}, {0.0, 0.0, -0.2}, 0.1, true);
    for (const char* part : {"thigh", "shin"}) {
      builder.add_actuator({.joint = name + part, .kind = ActuatorKind::position, .kp = 200.0, .kd = 10.0});
    }
  }
  return builder.build();
}

struct Sway {
  double drift = 0.0;  // of positions from where they were, after whole periods, m and rad
  int sliding = 0;     // contacts, after the first periods
};

// Platform and robot sway, with a period of 1 s.
Sway sway(const SimulatorSettings& s, int periods) {
  Simulator simulator(make_quadruped(), s);
  const int steps = static_cast<int>(std::lround(1.0 / s.time_step));
  Sway sway;
  const auto run = [&] {
    for (int k = 0; k < steps; ++k) {
      VectorX control(9);
      const double phase = 2.0 * M_PI * (k + 0.5) / steps;
      control[0] = 0.05 * std::sin(phase);
      for (int leg = 0; leg < 4; ++leg) {
        control[1 + 2 * leg] = 0.5 + 0.05 * std::cos(phase);
        control[2 + 2 * leg] = -1.0 + 0.03 * std::sin(phase);
      }
      simulator.set_control(control);
      simulator.step();
      sway.sliding += simulator.report().num_sliding;
    }
  };
  for (int k = 0; k < 5; ++k) run();
  const VectorX begin = simulator.state().q;
  sway.sliding = 0;
  for (int k = 0; k < periods; ++k) {
    run();
    sway.drift = std::max(sway.drift, (simulator.state().q - begin).cwiseAbs().maxCoeff());
  }
  return sway;
}

TEST(Sticking, ASwayingQuadrupedStays) {
  for (const double time_step : {1e-3, 2e-3}) {
    const Sway held = sway(settings(time_step), 30), free = sway(settings(time_step, false), 30);
    EXPECT_EQ(held.sliding, 0);
    EXPECT_LE(held.drift, 1e-6) << time_step;
    EXPECT_GT(free.drift, 1e-4) << time_step;
  }
}

}  // namespace
}  // namespace stiction
