// Bodies that are moved: lifts, conveyors, turntables, and things that are held to them.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/refused.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;

constexpr double gravity = 9.81;

int add_deck(ModelBuilder& builder, const Geometry& geometry, const Pose& pose, double friction) {
  const int deck = builder.add_body({.name = "deck", .pose = pose, .is_kinematic = true});
  ShapeOptions shape{.name = "deck", .body = deck, .geometry = geometry};
  shape.material.friction = friction;
  builder.add_shape(shape);
  return deck;
}

// A long slab that moves at 1 m/s drags a box by μ m g until the box moves with it: after v/(μ g), having slid v²/(2 μ
// g).
TEST(Kinematic, AConveyorDragsByFrictionUntilItSticks) {
  const double mu = 0.3, speed = 1.0, dt = 1e-3;
  ModelBuilder builder;
  const int deck = add_deck(builder, Box{{20.0, 1.0, 0.1}}, Pose(Vector3(0, 0, -0.1)), mu);
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 2.0, Pose(Vector3(0, 0, 0.1)), mu);
  Simulator simulator(builder.build(), {.time_step = dt});
  const int box = simulator.model().find_body("box");
  simulator.set_body_velocity(deck, Vector3(speed, 0, 0));
  for (int k = 1; k <= 300; ++k) {
    const StepReport& report = simulator.step();
    ASSERT_TRUE(report.certified()) << k << " energy " << report.energy_error;
    ASSERT_NEAR(simulator.state().v[6], mu * gravity * dt * k, 1e-9);
    ASSERT_NEAR(simulator.contact_force(box, deck).force.x(), mu * 2.0 * gravity, 1e-6);
  }
  simulator.step(700);
  EXPECT_NEAR(simulator.state().v[6], speed, 1e-12);
  EXPECT_NEAR(simulator.state().q[0], 1.0, 1e-12);  // the deck
  EXPECT_NEAR(simulator.state().q[7], 1.0 - speed * speed / (2 * mu * gravity), 2 * dt);
  EXPECT_EQ(simulator.num_uncertified_steps(), 0);
  EXPECT_EQ(simulator.state().v[0], speed);  // nothing changed that, to the bit
}

// A lift: N = m (g + a); what the motor of the lift does to the box is its gain of energy.
TEST(Kinematic, ALiftCarriesTheWeightAndTheAcceleration) {
  const double dt = 1e-3, a = 2.0;
  ModelBuilder builder;
  const int deck = add_deck(builder, Box{{1.0, 1.0, 0.1}}, Pose(Vector3(0, 0, -0.1)), 0.5);
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 2.0, Pose(Vector3(0, 0, 0.1)), 0.5);
  Simulator simulator(builder.build(), {.time_step = dt});
  double work = 0.0;
  for (int k = 1; k <= 500; ++k) {
    simulator.set_body_velocity(deck, Vector3(0, 0, a * dt * k));
    const StepReport& report = simulator.step();
    ASSERT_TRUE(report.certified()) << k << " error " << report.energy_error;
    work += report.applied_work;
    ASSERT_NEAR(simulator.contact_force(1, 0).force.z(), 2.0 * (gravity + a), 1e-5) << k;
  }
  const double v = a * dt * 500, height = simulator.state().q[9] - 0.1;
  EXPECT_NEAR(simulator.state().v[8], v, 1e-9);
  EXPECT_NEAR(work, 0.5 * 2.0 * v * v + 2.0 * gravity * height, 0.02);
}

TEST(Kinematic, ATurntableCarriesWhatStandsOnIt) {
  ModelBuilder builder;
  const int deck = add_deck(builder, Cylinder{1.0, 0.1}, Pose(Vector3(0, 0, -0.1)), 0.8);
  add_free(builder, "box", Box{{0.05, 0.05, 0.05}}, 1.0, Pose(Vector3(0.5, 0, 0.05)), 0.8);
  Simulator simulator(builder.build(), {.time_step = 2e-3});
  const double spin = 1.0;  // m ω² r = 0.5 N, friction holds 7.8 N
  simulator.set_body_velocity(deck, Vector3::Zero(), Vector3(0, 0, spin));
  simulator.set_body_velocity(1, Vector3(0, 0.5 * spin, 0), Vector3(0, 0, spin));
  simulator.step(1000);
  const double angle = 2.0 * spin;
  EXPECT_NEAR(simulator.state().q[7], 0.5 * std::cos(angle), 1e-5);
  EXPECT_NEAR(simulator.state().q[8], 0.5 * std::sin(angle), 1e-5);
}

TEST(Kinematic, MoveBodyToArrivesInOneStep) {
  ModelBuilder builder;
  const int deck = add_deck(builder, Box{{1.0, 1.0, 0.1}}, Pose(), 0.5);
  Simulator simulator(builder.build(), {.time_step = 1e-2});
  const Pose goal(Quaternion(Eigen::AngleAxisd(0.3, Vector3(0.6, 0, 0.8))), Vector3(0.1, -0.2, 0.3));
  simulator.move_body_to(deck, goal);
  simulator.step();
  EXPECT_LT((simulator.body_pose(deck).position - goal.position).norm(), 1e-14);
  EXPECT_LT((simulator.body_pose(deck).rotation - goal.rotation).norm(), 1e-14);
}

// A free body welded to a kinematic one follows it, as a hand follows a marker.
TEST(Kinematic, AWeldFollows) {
  ModelBuilder builder;
  const int marker = builder.add_body({.name = "marker", .pose = Pose(Vector3(0, 0, 1)), .is_kinematic = true});
  const int hand = builder.add_body(
      {.name = "hand", .pose = Pose(Vector3(0, 0, 1)), .inertia = Inertia::of(Box{{0.1, 0.2, 0.3}}, 2.0)});
  builder.add_loop({.name = "grip", .kind = LoopKind::weld, .body_a = hand, .body_b = marker});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.set_body_velocity(marker, Vector3(0.3, 0, 0), Vector3(0, 0.5, 0));
  simulator.step(400);
  EXPECT_LT((simulator.body_pose(1).position - simulator.body_pose(0).position).norm(), 1e-6);
  EXPECT_LT((simulator.body_pose(1).rotation - simulator.body_pose(0).rotation).norm(), 1e-6);
  EXPECT_NEAR(simulator.body_pose(0).position.x(), 0.12, 1e-12);
}

// Two boxes on one deck share nothing: it is no island that they have in common.
TEST(Kinematic, ADeckJoinsNoIslands) {
  ModelBuilder builder;
  add_deck(builder, Box{{3.0, 1.0, 0.1}}, Pose(Vector3(0, 0, -0.1)), 0.5);
  for (int k = 0; k < 3; ++k) {
    add_free(builder, "box" + std::to_string(k), Box{{0.1, 0.1, 0.1}}, 2.0, Pose(Vector3(k - 1.0, 0, 0.1)), 0.5);
  }
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  EXPECT_EQ(simulator.step().num_islands, 3);
}

TEST(Kinematic, StatesAndCopiesGoOnWithTheSameBits) {
  ModelBuilder builder;
  const int deck = add_deck(builder, Box{{2.0, 1.0, 0.1}}, Pose(Vector3(0, 0, -0.1)), 0.5);
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 2.0, Pose(Vector3(0, 0, 0.1)), 0.5);
  Simulator first(builder.build(), {.time_step = 1e-3});
  first.set_body_velocity(deck, Vector3(0.5, 0, 0), Vector3(0, 0, 0.2));
  first.step(50);
  Simulator second = first.copy();
  const State kept = State::from_bytes(first.state().to_bytes());
  first.step(50);
  second.step(50);
  EXPECT_TRUE(first.state().to_bytes() == second.state().to_bytes());
  second.set_state(kept);
  second.step(50);
  EXPECT_TRUE(first.state().to_bytes() == second.state().to_bytes());
}

TEST(Kinematic, SleepersWakeWhenTheirFloorMoves) {
  ModelBuilder builder;
  const int deck = add_deck(builder, Box{{2.0, 1.0, 0.1}}, Pose(Vector3(0, 0, -0.1)), 0.5);
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 2.0, Pose(Vector3(0, 0, 0.1)), 0.5);
  Simulator simulator(builder.build(), {.time_step = 1e-3, .sleeping = true, .sleep_after = 5});
  simulator.step(30);
  ASSERT_EQ(simulator.report().num_sleeping_bodies, 2);
  simulator.set_body_velocity(deck, Vector3(0.1, 0, 0));
  simulator.step(30);
  EXPECT_EQ(simulator.report().num_sleeping_bodies, 0);
  EXPECT_NEAR(simulator.state().v[6], 0.1, 1e-9);
}

TEST(Kinematic, WhatCannotBeSetIsNamed) {
  ModelBuilder builder;
  const int deck = add_deck(builder, Box{{2.0, 1.0, 0.1}}, Pose(Vector3(0, 0, -0.1)), 0.5);
  BodyOptions door{.name = "door", .inertia = Inertia::of(Sphere{0.1}, 1.0)};
  door.joint.kind = JointKind::revolute;
  builder.add_body(door);
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 2.0, Pose(Vector3(0, 0, 0.1)), 0.5);
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  EXPECT_REFUSED(simulator.set_body_velocity(1, Vector3::Zero()), "body 'door' hangs on a revolute joint");
  EXPECT_REFUSED(simulator.set_body_pose(9, Pose()), "body 9");
  EXPECT_REFUSED(simulator.set_body_velocity(deck, Vector3(NAN, 0, 0)), "finite");
  EXPECT_REFUSED(simulator.move_body_to(2, Pose()), "'box' is free");
  Pose bad;
  bad.rotation *= 2.0;
  EXPECT_REFUSED(simulator.set_body_pose(deck, bad), "'deck'");
}

}  // namespace
}  // namespace stiction
