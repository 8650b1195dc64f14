// What holding positions must not touch: rolling, the onset of sliding, energy, what rests. And what is forgotten.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/sim/sticking_worlds.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;
using testing::box;
using testing::box_on_slope;
using testing::settings;
using testing::table_top;
using testing::Turntable;

constexpr double g = 9.81;

// ---- rolling

struct Rolling {
  Geometry body = Sphere{0.1};
  bool on_box = false;
  double slope = 0.0, speed = 1.0, radius = 0.1;
  Vector3 spin = Vector3::Zero();  // added to what rolling asks for

  Vector3 run(const SimulatorSettings& s, double seconds) const {
    ModelBuilder builder;
    const Quaternion tilt(Eigen::AngleAxisd(slope, Vector3::UnitY()));
    if (on_box) {
      ShapeOptions shape;
      shape.geometry = Box{{50.0, 50.0, 0.5}};
      shape.pose = Pose(tilt, tilt * Vector3(0.0, 0.0, -0.5));
      shape.material.friction = 0.5;
      builder.add_shape(shape);
    } else {
      add_ground(builder, 0.5, slope);
    }
    const Quaternion lying(Eigen::AngleAxisd(0.5 * M_PI, Vector3::UnitX()));
    add_free(builder, "wheel", body, 1.0, Pose(tilt * lying, tilt * Vector3(0.0, 0.0, radius)), 0.5);
    Simulator simulator(builder.build(), s);
    VectorX v(6);
    v << tilt * Vector3(speed, 0.0, 0.0), lying.inverse() * (Vector3(0.0, speed / radius, 0.0) + spin);
    simulator.set_velocity(v);
    simulator.step(static_cast<int>(std::lround(seconds / s.time_step)));
    EXPECT_EQ(simulator.report().num_sticking, simulator.report().num_contacts);
    EXPECT_EQ(simulator.num_uncertified_steps(), 0);
    return simulator.state().q.head<3>();
  }
  // Relative to the way.
  double difference(double time_step, double seconds) const {
    const Vector3 free = run(settings(time_step, false), seconds), held = run(settings(time_step), seconds);
    EXPECT_GT(free.head<2>().norm(), 0.5 * speed * seconds);
    return (held - free).norm() / free.norm();
  }
};

TEST(Sticking, RollingIsNotBraked) {
  for (const double time_step : {1e-3, 5e-3}) {
    for (const bool on_box : {false, true}) {
      for (const double slope : {0.0, 0.05}) {
        const Rolling ball{.on_box = on_box, .slope = slope};
        EXPECT_LE(ball.difference(time_step, 5.0), 1e-9) << time_step << on_box << slope;
        const Rolling cylinder{.body = Cylinder{0.1, 0.2}, .on_box = on_box, .slope = slope};
        EXPECT_LE(cylinder.difference(time_step, 5.0), 1e-9) << time_step << on_box << slope;
        const Rolling capsule{.body = Capsule{0.1, 0.2}, .on_box = on_box, .slope = slope};
        EXPECT_LE(capsule.difference(time_step, 5.0), 1e-9) << time_step << on_box << slope;
      }
    }
  }
}

TEST(Sticking, ASpinningBallRollsStraight) {
  const Rolling ball{.spin = Vector3(0.0, 0.0, 20.0)};
  EXPECT_LE(ball.difference(2e-3, 5.0), 1e-9);
}

TEST(Sticking, ABallRollsForAKilometre) {
  const Rolling ball{.body = Sphere{1.0}, .speed = 20.0, .radius = 1.0};
  EXPECT_LE(ball.difference(5e-3, 50.0), 1e-9);
}

// A ball on a turning table rolls in a circle, at 2/7 of the table's speed, wherever the axis is. By how much it misses
// its beginning after a round, m.
double circle_miss(const SimulatorSettings& s) {
  constexpr double speed = 2.0, radius = 0.1;
  const Turntable world(Box{{3.0, 3.0, 0.05}}, Sphere{radius}, radius, speed, 0.0, 1e7);
  Simulator simulator(world.model, s);
  VectorX v = VectorX::Zero(7);
  v[world.model->bodies[world.table].first_velocity] = speed;
  // At (0.5, 0, r) with 0.2 m/s along y; the lowest point moves as the table, 1 m/s along y.
  const int first = world.model->bodies[world.load].first_velocity;
  v[first + 1] = 0.2;
  v[first + 3] = (1.0 - 0.2) / radius;
  simulator.set_velocity(v);
  const Vector3 begin = simulator.body_pose(world.load).position;
  const double period = 2.0 * M_PI / (2.0 / 7.0 * speed);
  const int steps = static_cast<int>(period / s.time_step);
  simulator.step(steps);
  const Vector3 last = simulator.body_pose(world.load).position;
  simulator.step();
  const double part = period / s.time_step - steps;
  return (last + part * (simulator.body_pose(world.load).position - last) - begin).norm();
}

TEST(Sticking, ABallOnATurningTableRollsInACircle) {
  EXPECT_LE(circle_miss(settings(1e-3)), 2e-7);
  EXPECT_LE(circle_miss(settings(4e-3)), 3e-6);  // second order
  EXPECT_GT(circle_miss(settings(1e-3, false)), 5e-4);
}

// A ball rolls down a ball: by how much the way over the one differs from the way over the other, m.
double slip_on_ball(const SimulatorSettings& s) {
  constexpr double large = 1.0, small = 0.2, start = 0.1;
  ModelBuilder builder;
  ShapeOptions below;
  below.geometry = Sphere{large};
  below.material.friction = 2.0;
  builder.add_shape(below);
  const Vector3 up(std::sin(start), 0.0, std::cos(start));
  add_free(builder, "ball", Sphere{small}, 1.0, Pose(Vector3((large + small) * up)), 2.0);
  Simulator simulator(builder.build(), s);
  double turned_by = 0.0, angle = start;
  while (angle < 0.7) {
    simulator.step();
    turned_by += s.time_step * simulator.state().v[4];
    angle = std::atan2(simulator.state().q[0], simulator.state().q[2]);
    EXPECT_EQ(simulator.report().num_sliding, 0);
  }
  return std::abs(small * turned_by - (large + small) * (angle - start));
}

// What is left is the ball's small leap along the tangent in each step: it rolls at a radius that is larger by half of
// the gap.
TEST(Sticking, ABallRollsOnABall) {
  EXPECT_LE(slip_on_ball(settings(1e-3)), 7.8e-7);
  EXPECT_GT(slip_on_ball(settings(1e-3, false)), 8.2e-7);
}

// ---- friction is what it was

TEST(Sticking, SlidingBeginsWhereItDid) {
  const auto way = [](double push, bool hold) {
    Simulator simulator(box_on_slope(0.5, 0.0), settings(1e-3, hold));
    simulator.step(100);
    // As low as the ground: it would else shift the load of the corners.
    simulator.add_external_force(0, Vector3(push * 0.5 * g, 0.0, 0.0), Vector3::Zero());
    simulator.step(1000);
    return simulator.state().q[0];
  };
  EXPECT_LE(std::abs(way(0.999, true)), 1e-9);
  // Δt² Σ k a
  EXPECT_NEAR(way(1.001, true), 0.001 * 0.5 * g * 1e-6 * 1000 * 1001 / 2, 1e-7);
  EXPECT_NEAR(way(1.001, true), way(1.001, false), 1e-9);
}

TEST(Sticking, ASlopeHoldsAndReleases) {
  const double angle = std::atan(0.5);
  for (const double slope : {angle - 0.01, angle + 0.01}) {
    Simulator held(box_on_slope(0.5, slope), settings(1e-3)), free(box_on_slope(0.5, slope), settings(1e-3, false));
    held.step(2000);
    free.step(2000);
    EXPECT_LE((held.state().q - free.state().q).norm(), 1e-9) << slope;
    EXPECT_EQ(held.report().num_sticking, slope < angle ? 4 : 0);
  }
}

TEST(Sticking, BrakesAsBefore) {
  const auto stop = [](bool hold) {
    Simulator simulator(box_on_slope(0.5, 0.1), settings(1e-3, hold));
    VectorX v(6);
    v << 1.0 * std::cos(0.1), 0.2, -1.0 * std::sin(0.1), 0.0, 0.0, 3.0;
    simulator.set_velocity(v);
    simulator.step(1000);
    EXPECT_EQ(simulator.report().num_sticking, 4);
    return VectorX(simulator.state().q);
  };
  EXPECT_LE((stop(true) - stop(false)).norm(), 1e-8);
}

// Centrifugal force of 0.98 and 1.02 of what friction holds.
TEST(Sticking, TheTurntableReleasesAtItsSpeed) {
  const auto speed = [](double part) { return std::sqrt(part * 0.6 * g / 0.5); };
  EXPECT_LE(Turntable(table_top, Box{{0.1, 0.1, 0.01}}, 0.01, speed(0.98)).drift(settings(1e-3), 5.0), 1e-9);
  EXPECT_GT(Turntable(table_top, Box{{0.1, 0.1, 0.01}}, 0.01, speed(1.02)).drift(settings(1e-3), 1.0), 1e-2);
}

// ---- energy

// A tall box that rocks from edge to edge never gains energy.
TEST(Sticking, RockingGainsNoEnergy) {
  constexpr double angle = 0.12;
  for (const double time_step : {1e-3, 5e-3}) {
    ModelBuilder builder;
    add_ground(builder, 0.8);
    const Vector3 half(0.06, 0.15, 0.4);
    const double height = half.x() * std::sin(angle) + half.z() * std::cos(angle);
    add_free(builder, "box", Box{half}, 1.0,
             Pose(Quaternion(Eigen::AngleAxisd(angle, Vector3::UnitY())), Vector3(0.0, 0.0, height)), 0.8);
    Simulator simulator(builder.build(), settings(time_step));
    double least = 1e9, most_gain = 0.0, tilt_before = angle;
    int turns = 0;
    for (int k = 0; k < static_cast<int>(5.0 / time_step); ++k) {
      simulator.step();
      const double energy = simulator.report().kinetic_energy + simulator.report().potential_energy;
      least = std::min(least, energy);
      most_gain = std::max(most_gain, energy - least);
      const double tilt = simulator.body_pose(0).rotation(0, 2);
      turns += tilt * tilt_before < 0.0;
      tilt_before = tilt;
    }
    EXPECT_GE(turns, 3);
    EXPECT_LE(most_gain, 1e-9) << time_step;
  }
}

// A disc that wobbles on its rim: its points of contact run and jump. It does so as without memory.
TEST(Sticking, ADiscWobblesAsBefore) {
  ModelBuilder builder;
  add_ground(builder, 0.8);
  const Quaternion tilt(Eigen::AngleAxisd(0.5, Vector3::UnitY()));
  add_free(builder, "disc", Cylinder{0.2, 0.02}, 1.0,
           Pose(tilt, Vector3(0.0, 0.0, 0.2 * std::sin(0.5) + 0.02 * std::cos(0.5))), 0.8);
  const auto model = builder.build();
  VectorX v = VectorX::Zero(6);
  v[5] = 3.0;
  double most_gain[2], end[2];
  for (const bool hold : {true, false}) {
    Simulator simulator(model, settings(1e-3, hold));
    simulator.set_velocity(v);
    double least = 1e9;
    most_gain[hold] = 0.0;
    for (int k = 0; k < 3000; ++k) {
      simulator.step();
      end[hold] = simulator.report().kinetic_energy + simulator.report().potential_energy;
      least = std::min(least, end[hold]);
      most_gain[hold] = std::max(most_gain[hold], end[hold] - least);
    }
  }
  EXPECT_LE(most_gain[true], 1.001 * most_gain[false] + 1e-9);  // J; neither gains more than rounding
  EXPECT_NEAR(end[true], end[false], 1e-3);
}

// ---- at rest

TEST(Sticking, WhatRestsCostsNoMoreIterations) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  for (int k = 0; k < 5; ++k) {
    const Quaternion turn(Eigen::AngleAxisd(0.3 * k, Vector3::UnitZ()));
    add_free(builder, "box" + std::to_string(k), box, 1.0, Pose(turn, Vector3(0.01 * k, 0.0, 0.1 + 0.2 * k)), 0.5);
  }
  const auto model = builder.build();
  long iterations[2] = {0, 0};
  for (const bool hold : {true, false}) {
    Simulator simulator(model, settings(1e-3, hold));
    for (int k = 0; k < 2000; ++k) iterations[hold] += simulator.step().iterations;
  }
  EXPECT_LE(iterations[true], iterations[false]);
}

// Corners that are carried round want to come nearer to each other, which no motion of a rigid body does: rows that ask
// for it contradict each other, and a contact that slips is sought in vain.
TEST(Sticking, WhatIsCarriedRoundCostsNoMoreIterations) {
  for (const double speed : {0.5, 1.0, 2.0}) {
    const Turntable world(table_top, box, 0.1, speed, 0.2);
    long iterations[2] = {0, 0};
    for (const bool hold : {true, false}) {
      Simulator simulator = world.start(settings(2e-3, hold));
      for (int k = 0; k < 1000; ++k) iterations[hold] += simulator.step().iterations;
    }
    EXPECT_LE(iterations[true], iterations[false]) << speed;
  }
}

// ---- memory

// A point of the face that is new takes part in the motion of the others: nothing jumps.
TEST(Sticking, ANewPointOfAPairFollowsTheOthers) {
  const Turntable world(table_top, box, 0.1, 3.0);
  Simulator through = world.start(settings(2e-3)), forgetful = world.start(settings(2e-3));
  through.step(100);
  State state = through.state();
  ASSERT_EQ(state.warm_starts.size(), 4u);
  state.warm_starts.erase(state.warm_starts.begin() + 1);
  forgetful.set_state(state);
  through.step();
  forgetful.step();
  EXPECT_EQ(forgetful.report().num_sticking, 4);
  EXPECT_LE((forgetful.state().v - through.state().v).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LE((forgetful.state().q - through.state().q).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Sticking, SleepForgetsNothing) {
  SimulatorSettings s = settings(1e-3);
  s.sleeping = true;
  Simulator simulator(box_on_slope(0.5, 0.3), s);
  simulator.step(500);
  ASSERT_EQ(simulator.report().num_sleeping_bodies, 1);
  const State asleep = simulator.state();
  ASSERT_EQ(asleep.warm_starts.size(), 4u);
  for (const WarmStart& start : asleep.warm_starts) EXPECT_NE(start.normal[2], 0.0);
  simulator.step(500);
  simulator.set_joint_force(VectorX::Constant(6, 1e-3));  // wakes
  simulator.step();
  EXPECT_EQ(simulator.report().num_sleeping_bodies, 0);
  EXPECT_LE((simulator.state().q - asleep.q).norm(), 1e-12);
  ASSERT_EQ(simulator.state().warm_starts.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(simulator.state().warm_starts[i].point_a[k], asleep.warm_starts[i].point_a[k]);
      EXPECT_EQ(simulator.state().warm_starts[i].point_b[k], asleep.warm_starts[i].point_b[k]);
    }
  }
}

// What is put elsewhere by set_position stays there. A state that is changed by hand still holds where it stuck.
TEST(Sticking, SetPositionForgets) {
  for (const bool forgets : {true, false}) {
    Simulator simulator(box_on_slope(0.5, 0.0), settings(1e-3));
    simulator.step(10);
    State state = simulator.state();
    state.q[0] += 1e-6;
    if (forgets) {
      simulator.set_position(state.q);
    } else {
      simulator.set_state(state);
    }
    simulator.step(100);
    EXPECT_NEAR(simulator.state().q[0], forgets ? 1e-6 : 0.0, 1e-9);
  }
}

TEST(Sticking, NothingIsRememberedWhereNothingIsHeld) {
  SimulatorSettings off = settings(1e-3, false), projected = settings(1e-3), uncorrected = settings(1e-3);
  projected.constraints.project_positions = true;
  uncorrected.constraints.baumgarte = 0.0;
  for (const SimulatorSettings& s : {off, projected, uncorrected}) {
    Simulator simulator(box_on_slope(0.5, 0.1), s);
    simulator.step(10);
    ASSERT_EQ(simulator.state().warm_starts.size(), 4u);
    for (const WarmStart& start : simulator.state().warm_starts) EXPECT_EQ(Vector3(start.normal).norm(), 0.0);
  }
}

TEST(Sticking, PlacesThatAreNotFiniteAreRefused) {
  Simulator simulator(box_on_slope(0.5, 0.1), settings(1e-3));
  simulator.step(10);
  for (int field = 0; field < 4; ++field) {
    State state = simulator.state();
    WarmStart& start = state.warm_starts[2];
    double* const places[] = {start.point_a, start.point_b, start.normal, start.end_velocity};
    places[field][1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(simulator.set_state(state), std::invalid_argument) << field;
  }
}

}  // namespace
}  // namespace stiction
