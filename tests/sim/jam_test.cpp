// What is wedged: corrections that contradict each other are left out, and told of.
#include <gtest/gtest.h>

#include <numbers>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;

// Cubes of 0.2 m one above the other between two walls that are `room` apart, on a floor.
std::shared_ptr<const Model> wedged(int cubes, double room) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  for (const double side : {-1.0, 1.0}) {
    ShapeOptions wall;
    wall.geometry = Plane{};
    const Quaternion turn = Quaternion::FromTwoVectors(Vector3::UnitZ(), Vector3(-side, 0.0, 0.0));
    wall.pose = Pose(turn, Vector3(0.5 * side * room, 0.0, 0.0));
    wall.material.friction = 0.5;
    builder.add_shape(wall);
  }
  for (int k = 0; k < cubes; ++k) {
    const Pose pose(Vector3(0.0, 0.0, 0.1 + 0.2 * k));
    add_free(builder, "cube" + std::to_string(k), Box{{0.1, 0.1, 0.1}}, 1.0, pose, 0.5);
  }
  return builder.build();
}

TEST(Jam, WedgedCubesStayAndEveryStepIsCertified) {
  for (const int cubes : {1, 3}) {
    for (const double room : {0.199999, 0.19, 0.1}) {
      Simulator simulator(wedged(cubes, room), {.time_step = 2e-3});
      int jammed = 0;
      long factorisations = 0;  // after the step that finds it
      for (int k = 0; k < 200; ++k) {
        const StepReport& report = simulator.step();
        if (k > 0) factorisations += report.factorisations;
        EXPECT_TRUE(report.certified()) << cubes << " cubes, room " << room << ", step " << k << ", eps_nat "
                                        << report.residuals.eps_nat;
        jammed += report.num_jammed_islands;
      }
      EXPECT_EQ(jammed, 200) << "it lasts";
      EXPECT_LE(factorisations, 200) << cubes << " cubes, room " << room << ": found again in steps that follow";
      EXPECT_NEAR(simulator.state().q[0], 0.0, 1e-9);
      EXPECT_NEAR(simulator.state().q[2], 0.1, 1e-9);
      EXPECT_NEAR(simulator.report().largest_penetration, 0.1 - 0.5 * room, 1e-9);
    }
  }
}

// Between walls that give way a correction is met: nothing is left out, and the cube parts from both.
TEST(Jam, WhatCanPartDoes) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  for (int k = 0; k < 3; ++k) {
    const Pose pose(Vector3(0.199 * k, 0.0, 0.1));
    add_free(builder, "cube" + std::to_string(k), Box{{0.1, 0.1, 0.1}}, 1.0, pose, 0.5);
  }
  Simulator simulator(builder.build(), {.time_step = 2e-3});
  for (int k = 0; k < 200; ++k) EXPECT_EQ(simulator.step().num_jammed_islands, 0) << k;
  EXPECT_LE(simulator.report().largest_penetration, 1e-6);
}

// One of the two walls is gone, and the cube is as deep in the other as it was: that is a change, and it is driven out.
TEST(Jam, IsTriedAgainWhereAContactIsGone) {
  Simulator narrow(wedged(1, 0.199), {.time_step = 2e-3}), wide(wedged(1, 0.5), {.time_step = 2e-3});
  narrow.step(10);
  State state = narrow.state();
  state.q[0] = 0.1505;
  wide.set_state(state);
  EXPECT_EQ(wide.step().num_jammed_islands, 1) << "the memory of a jam is lost";
  EXPECT_NEAR(wide.report().largest_penetration, 5e-4, 1e-9);
  wide.step(300);
  EXPECT_EQ(wide.report().num_jammed_islands, 0);
  EXPECT_LE(wide.report().largest_penetration, 1e-6);
}

// Once there is room again, what was left is driven out.
TEST(Jam, IsTriedAgain) {
  Simulator narrow(wedged(1, 0.199), {.time_step = 2e-3}), wide(wedged(1, 0.5), {.time_step = 2e-3});
  narrow.step(10);
  State state = narrow.state();
  state.q[0] = 0.1502;  // 0.2 mm inside one of the walls, the other one far away
  for (WarmStart& start : state.warm_starts) start.left_depth = 1e-3;
  wide.set_state(state);
  wide.step(20);
  EXPECT_GT(wide.report().largest_penetration, 1e-4) << "the memory of a jam is lost";
  wide.step(200);
  EXPECT_LE(wide.report().largest_penetration, 1e-6);
}

TEST(Jam, IsPartOfTheState) {
  const auto model = wedged(3, 0.19);
  Simulator through(model, {.time_step = 2e-3}), restored(model, {.time_step = 2e-3});
  through.step(30);
  restored.set_state(State::from_bytes(through.state().to_bytes()));
  through.step(60);
  restored.step(60);
  EXPECT_EQ(through.state().to_bytes(), restored.state().to_bytes());
}

// A solver that may not try finds nothing with corrections or without: that is no jam, and nothing is left as it is.
TEST(Jam, FailuresOfOtherKindsAreNone) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  for (int k = 0; k < 20; ++k) {
    const Quaternion turn(Eigen::AngleAxisd(0.3 * k, Vector3(1.0, 0.2 * k, 0.5).normalized()));
    const Pose pose(turn, Vector3(0.17 * (k % 3), 0.17 * (k / 3 % 3), 0.1 + 0.17 * (k / 9)));
    add_free(builder, "cube" + std::to_string(k), Box{{0.1, 0.1, 0.1}}, 1.0, pose, 0.5);
  }
  Simulator simulator(builder.build(), {.time_step = 2e-3, .max_iterations = 1});
  int failed = 0;
  for (int k = 0; k < 20; ++k) {
    const StepReport& report = simulator.step();
    if (report.accepted || report.num_islands > 1) continue;
    ++failed;
    EXPECT_EQ(report.num_jammed_islands, 0) << k;
    for (const WarmStart& start : simulator.state().warm_starts) EXPECT_EQ(start.left_depth, 0.0) << k;
  }
  EXPECT_GE(failed, 1);
}

// Thick links that overlap the next but one round the hinge between them, for good: no joint moves these contacts along
// their normals, so they do nothing, and the chain swings as one without shapes.
TEST(Jam, ContactsThatNoJointMovesDoNothing) {
  const auto chain = [](bool shapes) {
    ModelBuilder builder;
    JointOptions hinge;
    hinge.kind = JointKind::revolute;
    int parent = -1;
    for (int k = 0; k < 4; ++k) {
      hinge.axis = k % 2 == 0 ? Vector3::UnitY() : Vector3::UnitZ();
      const Capsule capsule{.radius = 0.045, .half_length = 0.03};
      const Pose middle(Quaternion(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3::UnitY())), Vector3(0.03, 0, 0));
      parent = builder.add_body({.name = "link" + std::to_string(k),
                                 .parent = parent,
                                 .pose = Pose(Vector3(parent < 0 ? 0.0 : 0.06, 0.0, 0.0)),
                                 .joint = hinge,
                                 .joints = {},
                                 .inertia = Inertia::of(Box{{0.03, 0.02, 0.02}}, 1.0)});
      ShapeOptions shape;
      shape.body = parent;
      shape.geometry = capsule;
      shape.pose = middle;
      shape.material.friction = 1.0;
      if (shapes) builder.add_shape(shape);
    }
    return builder.build();
  };
  Simulator thick(chain(true), {.time_step = 1e-3}), bare(chain(false), {.time_step = 1e-3});
  for (int k = 0; k < 300; ++k) {
    const StepReport& report = thick.step();
    bare.step();
    ASSERT_EQ(report.num_held_contacts, 2) << k;
    ASSERT_EQ(report.num_open, report.num_contacts) << k;
    ASSERT_TRUE(report.certified()) << k;
  }
  EXPECT_LT((thick.state().q - bare.state().q).norm(), 1e-9);
}

// Other solvers are compared on the problem as it is.
TEST(Jam, OtherSolversAreLeftWithIt) {
  Simulator simulator(wedged(1, 0.19), {.time_step = 2e-3, .solver = "ncp-gs"});
  const StepReport& report = simulator.step();
  EXPECT_EQ(report.num_jammed_islands, 0);
  EXPECT_FALSE(report.certified());
}

// Boxes at rest whose gaps differ by what rounding leaves: nothing is asked of them, so they stay for good.
TEST(Jam, GapsOfAnAtomAreLeftAloneAtRest) {
  const double little = 0.5 * ConstraintSettings::negligible_gap;
  for (const double height : {0.1 - little, 0.1 + little}) {
    ModelBuilder builder;
    add_ground(builder, 0.5);
    add_free(builder, "cube", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, height)), 0.5);
    const auto model = builder.build();
    Simulator still(model, {.time_step = 1e-3}), moving(model, {.time_step = 1e-3});
    still.step(100);
    EXPECT_NEAR(still.state().q[2], height, 0.1 * little);
    // What moves lands on the surface itself.
    VectorX v = VectorX::Zero(6);
    v[0] = 0.1;
    moving.set_velocity(v);
    moving.step(1);
    EXPECT_NEAR(moving.state().q[2], 0.1, 0.1 * little);
  }
}

// A tower on which a cube is balanced on its edge: nothing hinders it from tipping over, so that the matrix of
// "everything sticks" has an eigenvalue nine orders below the others. One factorisation says all the same that
// everything does.
TEST(Jam, TowerUnderACubeOnItsEdgeIsProbed) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  constexpr int cubes = 11;
  for (int k = 0; k < cubes; ++k) {
    const Pose pose(Vector3(0.0, 0.0, 0.1 + 0.2 * k));
    add_free(builder, "cube" + std::to_string(k), Box{{0.1, 0.1, 0.1}}, 1.0, pose, 0.5);
  }
  const Quaternion on_edge(Eigen::AngleAxisd(0.25 * std::numbers::pi, Vector3::UnitY()));
  const Pose top(on_edge, Vector3(0.01, 0.02, 0.2 * cubes + 0.1 * std::numbers::sqrt2));
  add_free(builder, "top", Box{{0.1, 0.1, 0.1}}, 1.0, top, 0.5);
  Simulator simulator(builder.build(), {.time_step = 5e-3});
  simulator.step();
  simulator.add_external_force(0, Vector3(0.05, 0.0, 0.0), Vector3(0.0, 0.0, 0.1));  // near the guess, and not it
  const StepReport& report = simulator.step();
  EXPECT_TRUE(report.certified());
  EXPECT_EQ(report.num_sticking, 4 * cubes + 2);
  EXPECT_EQ(report.factorisations, 1);
}

// A face of which two corners are a little above the floor and two as much below: one step lays it down.
TEST(Jam, CornersAboveAndBelowTheFloorLandTogether) {
  const double tilt = 1e-7;
  ModelBuilder builder;
  add_ground(builder, 0.5);
  const Quaternion turned(Eigen::AngleAxisd(tilt, Vector3::UnitX()));
  add_free(builder, "cube", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(turned, Vector3(0.0, 0.0, 0.1)), 0.5);
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  EXPECT_TRUE(simulator.step().certified());
  EXPECT_EQ(simulator.report().num_sticking, 4);
  EXPECT_NEAR(simulator.state().q[2], 0.1, 1e-12);
  EXPECT_LT(simulator.state().q.segment<3>(3).norm(), 1e-4 * tilt);
}

}  // namespace
}  // namespace stiction
