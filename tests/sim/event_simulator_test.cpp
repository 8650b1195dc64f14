// Events against closed forms: bouncing, rows of balls, rolling and sliding to rest, joints at limits.
#include "stiction/sim/event_simulator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sim/worlds.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;

constexpr double g = 9.81;

std::shared_ptr<const Model> ball_over_ground(double restitution, double height, double friction = 0.0) {
  ModelBuilder builder;
  add_ground(builder, friction, 0.0, restitution);
  add_free(builder, "ball", Sphere{0.1}, 1.0, Pose(Vector3(0, 0, 0.1 + height)), friction, restitution);
  return builder.build();
}

TEST(EventSimulator, BouncingBallHasItsFlightTimesAndEnergies) {
  for (const double e : {1.0, 0.7}) {
    EventSettings settings;
    settings.step = 0.01;
    EventSimulator simulator(ball_over_ground(e, 1.0), settings);
    simulator.advance(2.4);
    const double fall = std::sqrt(2.0 / g);
    double when = fall, speed = g * fall;
    ASSERT_GE(simulator.events().size(), e == 1.0 ? 2u : 4u);
    for (const MotionEvent& event : simulator.events()) {
      EXPECT_EQ(event.kind, EventKind::impact);
      EXPECT_NEAR(event.time, when, 1e-10);
      EXPECT_NEAR(event.speed, speed, 1e-10);
      EXPECT_NEAR(event.energy_change, 0.5 * speed * speed * (e * e - 1.0), 1e-10);
      speed *= e;
      when += 2.0 * speed / g;
    }
    const EventReport& report = simulator.report();
    EXPECT_TRUE(report.certified());
    EXPECT_LE(report.largest_penetration, 1e-9);
    EXPECT_NEAR(report.kinetic_energy + report.potential_energy, 0.1 * g + g + report.impact_change, 1e-10);
    if (e == 1.0) {
      EXPECT_NEAR(report.impact_change, 0.0, 1e-10);
    }
  }
}

TEST(EventSimulator, BouncingEndsAtTheClosedFormTimeAndRests) {
  EventSettings settings;
  settings.restitution_threshold = 0.0;
  settings.step = 0.01;
  const double e = 0.5;
  EventSimulator simulator(ball_over_ground(e, 1.0), settings);
  const double end = std::sqrt(2.0 / g) * (1.0 + e) / (1.0 - e);
  simulator.advance(2.0);
  EXPECT_GT(simulator.report().num_impacts, 10);
  EXPECT_LT(simulator.report().num_impacts, 100);
  EXPECT_NEAR(simulator.events().back().time, end, 1e-4);
  EXPECT_NEAR(simulator.q()[2], 0.1, 1e-9);
  EXPECT_NEAR(simulator.v().norm(), 0.0, 1e-7);
  EXPECT_EQ(simulator.report().num_resting, 1);
}

TEST(EventSimulator, CrowdsOfEventsArePassedByTimeStepsAndCounted) {
  EventSettings settings;
  settings.restitution_threshold = 0.0;
  settings.minimum_interval = 1e-3;
  settings.most_close_events = 3;
  EventSimulator simulator(ball_over_ground(0.9, 0.1), settings);
  const EventReport& report = simulator.advance(4.0);
  EXPECT_GE(report.num_time_steps, 1);
  EXPECT_LE(report.largest_penetration, settings.event_tolerance);
  EXPECT_TRUE(report.geometry_certified && report.law_certified);
  EXPECT_NEAR(simulator.q()[2], 0.1, settings.event_tolerance);
  EXPECT_NEAR(simulator.time(), 4.0, 1e-12);
}

// A pendulum swings beside a ball whose bounces crowd: the time steps that pass them are of order one, and what they
// gain on the pendulum is not hidden by what they lose.
TEST(EventSimulator, WhatTimeStepsGainIsNoCertifiedEnergy) {
  ModelBuilder builder;
  add_ground(builder, 0.0, 0.0, 0.9);
  add_free(builder, "ball", Sphere{0.1}, 0.1, Pose(Vector3(0, 0, 0.15)), 0.0, 0.9);
  JointOptions joint;
  joint.name = "hinge";
  joint.kind = JointKind::revolute;
  joint.axis = Vector3::UnitY();
  joint.initial_position = 2.4;
  const int body = builder.add_body({.name = "rod", .pose = Pose(Vector3(5, 0, 3)), .joint = joint});
  ShapeOptions bob;
  bob.body = body;
  bob.geometry = Sphere{0.05};
  bob.pose = Pose(Vector3(0, 0, -0.5));
  bob.mass = 1.0;
  builder.add_shape(bob);
  const auto model = builder.build();
  const auto run = [&](double interval) {
    EventSettings settings;
    settings.restitution_threshold = 0.0;
    settings.minimum_interval = interval;
    settings.most_close_events = 3;
    EventSimulator simulator(model, settings);
    return simulator.advance(3.0);
  };
  const EventReport coarse = run(0.02), fine = run(1e-5);
  ASSERT_GE(coarse.num_time_steps, 1);
  EXPECT_GT(coarse.time_step_gain, 1e-6 * coarse.largest_energy);
  EXPECT_FALSE(coarse.energy_certified);
  EXPECT_TRUE(fine.energy_certified) << fine.time_step_gain << " of " << fine.largest_energy;
}

// A tilted rod lands on its end, which slides one way before and the other way after: Newton's e = 1 then adds energy,
// and Poisson's is cut back. Two lumps have met before and lost more than that.
TEST(EventSimulator, GainOfOneImpactDoesNotHideBehindTheLossOfAnother) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_ground(builder, 0.1, 0.0, 1.0);
  const double tip = 0.01, half = std::sqrt(0.5);
  const int rod = builder.add_body({.name = "rod",
                                    .pose = Pose(Vector3(0, 0, half + tip + 0.2)),
                                    .inertia = Inertia::of(Sphere{std::sqrt(5.0 / 6.0)}, 1.0)});
  ShapeOptions end;
  end.body = rod;
  end.name = "end";
  end.geometry = Sphere{tip};
  end.pose = Pose(Vector3(-half, 0, -half));
  end.material = {.friction = 0.1, .restitution = 1.0};
  builder.add_shape(end);
  add_free(builder, "lump", Sphere{0.1}, 1.0, Pose(Vector3(0, 5, 2)), 0.0, 0.0);
  add_free(builder, "other", Sphere{0.1}, 1.0, Pose(Vector3(0.25, 5, 2)), 0.0, 0.0);
  const auto model = builder.build();
  for (const bool poisson : {false, true}) {
    EventSettings settings;
    settings.impact_law = poisson ? ImpactLaw::poisson : ImpactLaw::newton;
    EventSimulator simulator(model, settings);
    VectorX v = simulator.v();
    v[0] = 0.8, v[2] = -1.0, v[6] = 3.0;
    simulator.set_velocity(v);
    const EventReport& report = simulator.advance(0.3);
    ASSERT_EQ(simulator.events().size(), 2u);
    const double loss = simulator.events()[0].energy_change, gain = simulator.events()[1].energy_change;
    EXPECT_NEAR(loss, -2.25, 1e-8);
    EXPECT_LT(report.impact_change, 0.0);
    if (poisson) {
      EXPECT_LE(gain, 1e-10);
    } else {
      EXPECT_GT(gain, 1e-3);
      EXPECT_EQ(report.largest_impact_gain, gain);
    }
    EXPECT_EQ(report.energy_certified, poisson);
    EXPECT_EQ(report.certified(), poisson);
  }
}

// Balls in a row on a line without gravity.
std::shared_ptr<const Model> row_of_balls(int count, double distance, double e) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  for (int k = 0; k < count; ++k) {
    const double x = k == 0 ? -1.0 : 0.2 * (k - 1) + distance * (k - 1);
    add_free(builder, "ball" + std::to_string(k), Sphere{0.1}, 1.0, Pose(Vector3(x, 0, 0)), 0.0, e);
  }
  return builder.build();
}

VectorX speeds_after(EventSimulator& simulator, int count) {
  VectorX v = simulator.v();
  v[0] = 1.0;
  simulator.set_velocity(v);
  simulator.advance(2.0);
  VectorX along(count);
  for (int k = 0; k < count; ++k) along[k] = simulator.v()[6 * k];
  return along;
}

TEST(EventSimulator, NewtonsCradlePassesTheBlowOn) {
  // A gap of a micrometre between the balls: one collision after the other.
  EventSimulator apart(row_of_balls(5, 1e-6, 1.0));
  VectorX v = speeds_after(apart, 5);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(v[k], 0.0, 1e-10);
  EXPECT_NEAR(v[4], 1.0, 1e-10);
  EXPECT_EQ(apart.report().num_impacts, 4);
  // They touch: contact by contact it is the same, in one event.
  EventSettings settings;
  settings.impact_order = ImpactOrder::pairwise;
  EventSimulator touching(row_of_balls(5, 0.0, 1.0), settings);
  v = speeds_after(touching, 5);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(v[k], 0.0, 1e-10);
  EXPECT_NEAR(v[4], 1.0, 1e-10);
  EXPECT_EQ(touching.report().num_impacts, 1);
}

// All at once, Newton's law: c⁺ ≥ −e c⁻ where it pushes. Of three balls the first meets the other two as one of mass
// two would be met by what leaves with them: (−1/3, 2/3, 2/3).
TEST(EventSimulator, TouchingBallsAtOnceHaveMoreausSolution) {
  EventSimulator simulator(row_of_balls(3, 0.0, 1.0));
  const VectorX v = speeds_after(simulator, 3);
  EXPECT_NEAR(v[0], -1.0 / 3.0, 1e-9);
  EXPECT_NEAR(v[1], 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(v[2], 2.0 / 3.0, 1e-9);
}

// Poisson: compression leaves all at 1/3 with impulses 2/3 and 1/3; both once more: (−1/3, 2/3, 2/3), and with e = 1/2
// half of that: (0, 1/2, 1/2).
TEST(EventSimulator, PoissonsRestitutionDoublesTheCompression) {
  for (const double e : {1.0, 0.5}) {
    EventSettings settings;
    settings.impact_law = ImpactLaw::poisson;
    settings.solver = "max-dissipation";
    settings.tolerance = 1e-7;
    EventSimulator simulator(row_of_balls(3, 0.0, e), settings);
    const VectorX v = speeds_after(simulator, 3);
    EXPECT_NEAR(v[0], (1.0 - 2.0 * e) / 3.0, 1e-6) << e;
    EXPECT_NEAR(v[1], (1.0 + e) / 3.0, 1e-6) << e;
    EXPECT_NEAR(v[2], (1.0 + e) / 3.0, 1e-6) << e;
  }
}

// The cue ball meets two that touch, symmetrically: with e = 1 and no friction the closed form (−1/5, 6/5 cos 30°).
TEST(EventSimulator, BilliardBreakOfThreeBalls) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  const double r = 0.03, along = std::sqrt(3.0) * r;
  add_free(builder, "cue", Sphere{r}, 0.2, Pose(Vector3(-0.5, 0, 0)), 0.0, 1.0);
  add_free(builder, "left", Sphere{r}, 0.2, Pose(Vector3(0, r, 0)), 0.0, 1.0);
  add_free(builder, "right", Sphere{r}, 0.2, Pose(Vector3(0, -r, 0)), 0.0, 1.0);
  EventSimulator simulator(builder.build());
  VectorX v = simulator.v();
  v[0] = 2.0;
  simulator.set_velocity(v);
  simulator.advance(0.5);
  ASSERT_EQ(simulator.report().num_impacts, 1);
  EXPECT_NEAR(simulator.events()[0].time, (0.5 - along) / 2.0, 1e-10);
  const double forward = 1.2 * std::cos(M_PI / 6) * std::cos(M_PI / 6) * 2.0 / 1.5;
  EXPECT_NEAR(simulator.v()[0], -0.4, 1e-9);
  EXPECT_NEAR(simulator.v()[6], forward, 1e-9);
  EXPECT_NEAR(simulator.v()[7], forward * std::tan(M_PI / 6), 1e-9);
  EXPECT_NEAR(simulator.v()[13], -forward * std::tan(M_PI / 6), 1e-9);
}

TEST(EventSimulator, SlidingBallBeginsToRollAtTheClosedFormTime) {
  const double mu = 0.3, speed = 2.0;
  EventSimulator simulator(ball_over_ground(0.0, 0.0, mu));
  VectorX v = simulator.v();
  v[0] = speed;
  simulator.set_velocity(v);
  simulator.advance(1.0);
  const double rolls = 2.0 * speed / (7.0 * mu * g);
  const MotionEvent* slip_end = nullptr;
  for (const MotionEvent& event : simulator.events()) {
    if (event.kind == EventKind::slip_end && slip_end == nullptr) slip_end = &event;
  }
  ASSERT_NE(slip_end, nullptr);
  EXPECT_NEAR(slip_end->time, rolls, 1e-8);
  EXPECT_NEAR(simulator.v()[0], 5.0 / 7.0 * speed, 1e-8);
  EXPECT_NEAR(simulator.v()[4], 5.0 / 7.0 * speed / 0.1, 1e-7);
  const double way = speed * rolls - 0.5 * mu * g * rolls * rolls + 5.0 / 7.0 * speed * (1.0 - rolls);
  EXPECT_NEAR(simulator.q()[0], way, 1e-8);
  EXPECT_TRUE(simulator.report().certified()) << simulator.report().energy_error;
  EXPECT_LE(simulator.report().largest_penetration, 1e-9);
}

TEST(EventSimulator, BoxSlidesToRestOnFourCorners) {
  ModelBuilder builder;
  add_ground(builder, 0.4);
  add_free(builder, "box", Box{{0.2, 0.1, 0.05}}, 2.0, Pose(Vector3(0, 0, 0.05)), 0.4);
  EventSimulator simulator(builder.build());
  VectorX v = simulator.v();
  v[0] = 1.5;
  simulator.set_velocity(v);
  simulator.advance(1.0);
  const double stops = 1.5 / (0.4 * g);
  EXPECT_NEAR(simulator.q()[0], 0.5 * 1.5 * stops, 1e-7);
  EXPECT_NEAR(simulator.q()[2], 0.05, 1e-9);
  EXPECT_NEAR(simulator.v().norm(), 0.0, 1e-7);
  EXPECT_EQ(simulator.report().num_resting, 4);
  EXPECT_LE(simulator.report().largest_penetration, 1e-9);
}

// A ball rolls down a fixed ball from rest next to the top, without friction, and leaves it where cos = 2/3.
TEST(EventSimulator, BallLeavesABallWhereItsPushEnds) {
  ModelBuilder builder;
  ShapeOptions ground;
  ground.geometry = Sphere{1.0};
  ground.name = "hill";
  ground.material.friction = 0.0;
  builder.add_shape(ground);
  const double angle = 0.05;
  add_free(builder, "ball", Sphere{0.1}, 1.0, Pose(Vector3(1.1 * std::sin(angle), 0, 1.1 * std::cos(angle))), 0.0);
  EventSettings settings;
  settings.step = 1e-4;
  EventSimulator simulator(builder.build(), settings);
  double left_at = 0.0;
  while (simulator.time() < 3.0) {
    simulator.advance(1e-3);
    if (simulator.report().num_resting == 0) break;
    left_at = simulator.q()[2] / 1.1;
  }
  EXPECT_NEAR(left_at, 2.0 / 3.0 * std::cos(angle), 5e-3);
}

TEST(EventSimulator, PendulumIsOfOrderFourAndBouncesOffItsLimit) {
  ModelBuilder builder;
  JointOptions joint;
  joint.name = "hinge";
  joint.kind = JointKind::revolute;
  joint.axis = Vector3::UnitY();
  joint.initial_position = 1.2;
  const int body = builder.add_body({.name = "rod", .joint = joint});
  ShapeOptions bob;
  bob.body = body;
  bob.geometry = Sphere{0.05};
  bob.pose = Pose(Vector3(0, 0, -0.5));
  bob.mass = 1.0;
  builder.add_shape(bob);
  const auto model = builder.build();
  const auto end_of = [&](double step, Integrator integrator) {
    EventSettings settings;
    settings.step = step;
    settings.integrator = integrator;
    EventSimulator simulator(model, settings);
    simulator.advance(1.0);
    return simulator.q()[0];
  };
  const double exact = end_of(1e-4, Integrator::rk4);
  const double coarse = std::abs(end_of(0.02, Integrator::rk4) - exact);
  const double fine = std::abs(end_of(0.01, Integrator::rk4) - exact);
  EXPECT_GT(coarse, 1e-10);
  EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.3);
  EXPECT_NEAR(end_of(1e-3, Integrator::rk45), exact, 1e-8);
}

TEST(EventSimulator, SpinningBodyKeepsItsEnergyToOrderFour) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  const int body = builder.add_body({.name = "body", .pose = Pose(Vector3(0, 0, 1))});
  ShapeOptions box;
  box.body = body;
  box.geometry = Box{{0.3, 0.2, 0.1}};
  box.pose = Pose(Vector3(0.1, 0.05, 0.0));  // its centre of mass is not its origin
  box.mass = 2.0;
  builder.add_shape(box);
  const auto model = builder.build();
  const auto drift = [&](double step) {
    EventSettings settings;
    settings.step = step;
    EventSimulator simulator(model, settings);
    VectorX v(6);
    v << 0.1, 0.2, 0.3, 1.0, 5.0, 0.5;
    simulator.set_velocity(v);
    simulator.advance(0.0);
    const double before = simulator.report().kinetic_energy;
    simulator.advance(2.0);
    return std::abs(simulator.report().kinetic_energy - before);
  };
  const double coarse = drift(0.02), fine = drift(0.01);
  EXPECT_GT(coarse, 1e-12);
  EXPECT_GT(coarse / fine, 12.0);
}

// A rod on a hinge rests on the ground with one end while a spring swings the other, which dips into the ground by 5 µm
// for 3 ms of a step of 20: between its quarters, and out again before its end.
TEST(EventSimulator, NewPointOfAPairThatTouchesIsFoundBetweenInstants) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_ground(builder, 0.0, 0.0, 0.0);
  const double swing = 0.1, dip = 1e-5, lowest_at = 0.3125, radius = 0.02, half = 0.25;
  JointOptions joint;
  joint.name = "hinge";
  joint.kind = JointKind::revolute;
  joint.axis = -Vector3::UnitY();  // the angle lifts the far end
  joint.initial_position = 2.0 * swing - dip;
  joint.rest_position = swing - dip;
  joint.stiffness = std::pow(M_PI / lowest_at, 2);
  const int body = builder.add_body({.name = "rod",
                                     .pose = Pose(Vector3(0, 0, radius)),
                                     .joint = joint,
                                     .inertia = Inertia::of(Sphere{std::sqrt(2.5)}, 1.0)});
  ShapeOptions rod;
  rod.body = body;
  rod.name = "rod";
  rod.geometry = Capsule{radius, half};
  rod.pose = Pose(rotation_with_z(Vector3::UnitX()), Vector3(half, 0, 0));
  rod.material = {.friction = 0.0, .restitution = 0.0};
  builder.add_shape(rod);
  EventSettings settings;
  settings.step = 0.02;
  EventSimulator simulator(builder.build(), settings);
  const EventReport& report = simulator.advance(0.4);
  ASSERT_GE(report.num_impacts, 1);
  const double touches = lowest_at / M_PI * std::acos(-(1.0 - dip / swing));
  EXPECT_NEAR(simulator.events()[0].time, touches, 1e-4);
  EXPECT_LE(report.largest_penetration, settings.event_tolerance);
}

TEST(EventSimulator, SlideStopsAtItsLimit) {
  ModelBuilder builder;
  builder.set_gravity(Vector3(0, 0, -g));
  JointOptions joint;
  joint.name = "slide";
  joint.kind = JointKind::prismatic;
  joint.axis = Vector3::UnitZ();
  joint.lower = -0.5, joint.upper = 1.0;
  const int body = builder.add_body({.name = "car", .joint = joint, .inertia = Inertia::of(Sphere{0.1}, 1.0)});
  (void)body;
  EventSimulator simulator(builder.build());
  simulator.advance(1.0);
  ASSERT_FALSE(simulator.events().empty());
  EXPECT_NEAR(simulator.events()[0].time, std::sqrt(2.0 * 0.5 / g), 1e-10);
  EXPECT_NEAR(simulator.events()[0].speed, std::sqrt(2.0 * 0.5 * g), 1e-9);
  EXPECT_NEAR(simulator.q()[0], -0.5, 1e-9);
  EXPECT_NEAR(simulator.v()[0], 0.0, 1e-9);
}

TEST(EventSimulator, HeapOfBouncingBallsNeverPenetratesNorStalls) {
  ModelBuilder builder;
  add_ground(builder, 0.3, 0.0, 0.9);
  for (const double sign : {-1.0, 1.0}) {
    for (const int axis : {0, 1}) {
      ShapeOptions wall;
      wall.name = "wall" + std::to_string(axis) + (sign > 0.0 ? "+" : "-");
      wall.geometry = Plane{};
      Vector3 normal = Vector3::Zero();
      normal[axis] = sign;
      wall.pose = Pose(rotation_with_z(normal), -0.35 * normal);
      wall.material = {.friction = 0.3, .restitution = 0.9};
      builder.add_shape(wall);
    }
  }
  int count = 0;
  for (int k = 0; k < 36; ++k, ++count) {
    const Vector3 at(0.18 * (k % 3 - 1) + 0.003 * k, 0.18 * (k / 3 % 3 - 1) + 0.002 * k, 0.3 + 0.2 * (k / 9));
    add_free(builder, "ball" + std::to_string(k), Sphere{0.05}, 0.5, Pose(at), 0.3, 0.9);
  }
  EventSettings settings;
  settings.step = 5e-3;
  EventSimulator simulator(builder.build(), settings);
  const EventReport& report = simulator.advance(1.0);
  EXPECT_GT(report.num_events, 300);
  EXPECT_LE(report.largest_penetration, 1e-9);
  EXPECT_TRUE(report.law_certified) << report.impact_residuals.eps_nat << " " << report.rest_residuals.eps_nat;
  EXPECT_EQ(report.num_unsure, 0);
}

// Sums of steps round: the end is nevertheless the one that was asked for, so that a loop up to it ends.
TEST(EventSimulator, EndsWhereItWasAskedTo) {
  EventSettings settings;
  settings.step = 1e-4;
  EventSimulator simulator(ball_over_ground(0.5, 100.0), settings);
  for (int k = 1; k <= 100; ++k) {
    const double end = simulator.time() + 0.01;
    simulator.advance_to(end);
    ASSERT_EQ(simulator.time(), end) << k;
    ASSERT_EQ(simulator.report().time, end) << k;
  }
}

TEST(EventSimulator, SameBitsEveryTime) {
  const auto run = [] {
    EventSimulator simulator(ball_over_ground(0.7, 0.5, 0.2));
    VectorX v = simulator.v();
    v[0] = 1.0, v[3] = 3.0;
    simulator.set_velocity(v);
    simulator.advance(1.5);
    return simulator.q();
  };
  EXPECT_EQ(run(), run());
}

std::string refusal(const std::function<void()>& what) {
  try {
    what();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(EventSimulator, BadInputIsRefusedByName) {
  const auto model = ball_over_ground(0.5, 1.0);
  for (const double tolerance : {0.0, -1e-9, std::nan("")}) {
    EventSettings settings;
    settings.event_tolerance = tolerance;
    EXPECT_NE(refusal([&] { EventSimulator(model, settings); }).find("event_tolerance"), std::string::npos);
  }
  EventSettings unknown;
  unknown.solver = "newton-raphson";
  EXPECT_NE(refusal([&] { EventSimulator(model, unknown); }).find("newton-raphson"), std::string::npos);
  const std::string overlap = refusal([&] { EventSimulator(ball_over_ground(0.5, -0.01)); });
  EXPECT_NE(overlap.find("'ball'"), std::string::npos) << overlap;
  EXPECT_NE(overlap.find("overlap"), std::string::npos) << overlap;
  EXPECT_NE(refusal([&] { EventSimulator(nullptr); }).find("no model"), std::string::npos);
  EventSimulator simulator(model);
  EXPECT_NE(refusal([&] { simulator.advance(-1.0); }).find("-1"), std::string::npos);
  EXPECT_NE(refusal([&] { simulator.set_velocity(VectorX::Zero(3)); }).find("v has 3"), std::string::npos);
  VectorX q = simulator.q();
  q[2] = 0.05;
  EXPECT_NE(refusal([&] { simulator.set_position(q); }).find("overlap"), std::string::npos);
  EXPECT_NEAR(simulator.q()[2], 1.1, 1e-15);
}

TEST(EventSimulator, DistancesOfAllowedPairs) {
  EventSimulator simulator(row_of_balls(3, 0.01, 1.0));
  const std::vector<PairDistance> near = simulator.pair_distances(0.5);
  ASSERT_EQ(near.size(), 3u);
  for (const PairDistance& pair : near) {
    const double exact = pair.shape_a == 0 ? (pair.shape_b == 1 ? 0.8 : 1.01) : 0.01;
    if (pair.is_bound) {
      EXPECT_GT(pair.distance, 0.5);
      EXPECT_LE(pair.distance, exact + 1e-12);
    } else {
      EXPECT_NEAR(pair.distance, exact, 1e-12);
      EXPECT_NEAR((pair.point_a - pair.point_b - pair.distance * pair.normal).norm(), 0.0, 1e-12);
    }
  }
}

}  // namespace
}  // namespace stiction
