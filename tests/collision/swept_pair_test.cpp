// When two moving shapes first touch: closed forms, and no earlier touch among many looks between.
#include "stiction/collision/swept_pair.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "../support/convex_oracle.h"
#include "oracles.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"
#include "stiction/model/model_builder.h"

namespace stiction {
namespace {

using testing::Random;

constexpr double touching = 1e-5;  // m

// With its bounds; of the world where it is terrain.
Shape make_shape(const Geometry& geometry, bool is_ground = false) {
  ModelBuilder builder;
  if (is_ground)
    builder.add_shape({.geometry = geometry});
  else
    builder.add_shape({.body = builder.add_body({}), .geometry = geometry, .mass = 1.0});
  return builder.build()->shapes[0];
}

// Moves straight from a place.
SweptBody straight(const Vector3& from, const Vector3& displacement) {
  return {Pose(from), from, displacement, Vector3::Zero()};
}

// z = 0, met from above: a thin box, a sheet of two triangles, a field.
std::vector<Shape> floors() {
  const std::vector<Vector3> corners{{-2.0, -2.0, 0.0}, {2.0, -2.0, 0.0}, {2.0, 2.0, 0.0}, {-2.0, 2.0, 0.0}};
  const std::vector<std::array<int, 3>> triangles{{0, 1, 2}, {0, 2, 3}};
  return {make_shape(Plane{}, true), make_shape(TriangleMesh::make(corners, triangles), true),
          make_shape(HeightField::make(21, 21, 0.2, 0.2, std::vector<double>(21 * 21, 0.0)), true)};
}

TEST(SweptPair, StraightMotionTouchesWhenItsGapIsGone) {
  PairSweep sweep;
  const double radius = 0.02;
  const Shape ball = make_shape(Sphere{radius});
  for (const Shape& floor : floors()) {
    for (const double height : {0.021, 0.1, 0.7}) {
      for (const double way : {0.05, 1.0, 100.0}) {
        const SweptBody motion = straight(Vector3(0.1, 0.2, height), Vector3(0.3, 0.0, -way));
        const FirstTouch touch = sweep.find(ball, motion, floor, {}, touching);
        const double time = (height - radius - touching) / way;
        ASSERT_EQ(touch.touches(), time <= 1.0) << height << ' ' << way;
        if (!touch.touches()) continue;
        EXPECT_NEAR(touch.time, time, touching / way) << height << ' ' << way;
        EXPECT_LE((touch.point.normal - Vector3::UnitZ()).norm(), 1e-9);
        EXPECT_NEAR(touch.point.gap, touching, touching);
        // Swapped, the normal is the other one.
        const FirstTouch swapped = sweep.find(floor, {}, ball, motion, touching);
        EXPECT_NEAR(swapped.time, touch.time, touching / way);
        EXPECT_LE((swapped.point.normal + Vector3::UnitZ()).norm(), 1e-9);
      }
    }
  }
}

TEST(SweptPair, ALevelBelowZeroIsAnOverlap) {
  PairSweep sweep;
  const Shape ball = make_shape(Sphere{0.02}), box = make_shape(Box{{0.1, 0.1, 0.1}});
  const SweptBody motion = straight(Vector3(0.0, 0.0, 0.125), Vector3(0.0, 0.0, -0.02));
  for (const double depth : {1e-4, 1e-3, 5e-3}) {
    const FirstTouch touch = sweep.find(ball, motion, box, {}, -depth);
    ASSERT_TRUE(touch.touches());
    EXPECT_NEAR(touch.time, (0.005 + depth) / 0.02, 0.5 * depth / 0.02);
  }
  EXPECT_FALSE(sweep.find(ball, motion, box, {}, -0.016).touches());
}

TEST(SweptPair, WhatPassesOrPartsDoesNotTouch) {
  PairSweep sweep;
  const Shape ball = make_shape(Sphere{0.02}), box = make_shape(Box{{0.1, 0.1, 0.1}});
  EXPECT_FALSE(
      sweep.find(ball, straight(Vector3(-1.0, 0.0, 0.1201), Vector3(2.0, 0.0, 0.0)), box, {}, touching).touches());
  EXPECT_TRUE(
      sweep.find(ball, straight(Vector3(-1.0, 0.0, 0.1199), Vector3(2.0, 0.0, 0.0)), box, {}, touching).touches());
  EXPECT_FALSE(
      sweep.find(ball, straight(Vector3(0.0, 0.0, 0.13), Vector3(0.0, 0.0, 5.0)), box, {}, touching).touches());
  // Both move alike.
  const SweptBody same = straight(Vector3(0.0, 0.0, 0.13), Vector3(3.0, 0.0, -5.0));
  SweptBody of_box = straight(Vector3::Zero(), Vector3(3.0, 0.0, -5.0));
  EXPECT_FALSE(sweep.find(ball, same, box, of_box, touching).touches());
}

// A rod about one of its points, and a ball on its way: it touches at the angle α − asin((r + R)/d).
TEST(SweptPair, TurningRodTouchesAtTheAngleOfTheClosedForm) {
  PairSweep sweep;
  const double rod_radius = 0.01, ball_radius = 0.02, distance = 0.4;
  const Shape rod = make_shape(Capsule{rod_radius, 0.5}), ball = make_shape(Sphere{ball_radius});
  for (const double at : {0.3, 1.2, 2.9}) {
    for (const double turn : {0.5, 3.0, 20.0}) {
      SweptBody motion;
      motion.turn = Vector3(-turn, 0.0, 0.0);  // z towards y
      const SweptBody still = straight(distance * Vector3(0.0, std::sin(at), std::cos(at)), Vector3::Zero());
      const FirstTouch touch = sweep.find(rod, motion, ball, still, touching);
      const double angle = at - std::asin((rod_radius + ball_radius + touching) / distance);
      ASSERT_EQ(touch.touches(), angle <= turn) << at << ' ' << turn;
      if (touch.touches()) {
        EXPECT_NEAR(touch.time, angle / turn, 2.0 * touching / distance / turn) << at << ' ' << turn;
      }
    }
  }
}

TEST(SweptPair, MotionBetweenTwoPosesHasAsManyTurnsAsItsSpin) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Pose from(random.rotation(), random.vector(1.0));
    const Vector3 axis = random.unit(), pivot = random.vector(0.2);
    const double angle = random.uniform(0.1, 20.0);
    const Matrix3 turned = Eigen::AngleAxisd(angle, axis).toRotationMatrix() * from.rotation;
    const Pose to(turned, random.vector(1.0));
    const SweptBody motion = SweptBody::between(from, to, pivot, angle * axis);
    EXPECT_LE((motion.turn - angle * axis).norm(), 1e-9 * (1.0 + angle)) << angle;
    EXPECT_LE((motion.at(1.0).rotation - to.rotation).norm() + (motion.at(1.0).position - to.position).norm(), 1e-12);
    EXPECT_LE((motion.at(0.0).rotation - from.rotation).norm() + (motion.at(0.0).position - from.position).norm(),
              1e-12);
    // Velocities are those of the way.
    const double time = random.uniform(0.1, 0.9), h = 1e-6;
    const Vector3 local = random.vector(0.3), place = motion.at(time) * local;
    const Vector3 difference = (motion.at(time + h) * local - motion.at(time - h) * local) / (2.0 * h);
    EXPECT_LE((motion.velocity_of(place, time) - difference).norm(), 1e-7 * (1.0 + angle * angle * angle));
  }
}

// Among many looks before the returned time none is nearer than the level, and at that time the gap is there; where no
// touch is returned, none of all is.
TEST(SweptPair, NothingTouchesEarlier) {
  std::mt19937 generator(5);
  const std::vector<Shape> shapes{make_shape(Sphere{0.05}), make_shape(Capsule{0.02, 0.1}),
                                  make_shape(Cylinder{0.05, 0.05}), make_shape(Box{{0.1, 0.03, 0.05}}),
                                  make_shape(testing::random_hull(generator, 12, 0.1))};
  std::vector<Shape> others = shapes;
  for (const Shape& floor : floors()) others.push_back(floor);
  Random random(9);
  PairSweep sweep;
  PairGap pair_gap;
  int num_touches = 0, num_passes = 0;
  for (int i = 0; i < 400; ++i) {
    const Shape& a = shapes[random.index(static_cast<int>(shapes.size()))];
    const Shape& b = others[random.index(static_cast<int>(others.size()))];
    const bool is_ground = b.body < 0;
    const Vector3 start = is_ground ? Vector3(random.vector(0.2) + Vector3(0.0, 0.0, 0.5)) : random.unit() * 0.5;
    SweptBody motion_a{Pose(random.rotation(), start), start, random.vector(0.2) - 1.2 * start, random.vector(6.0)};
    SweptBody motion_b;
    if (!is_ground)
      motion_b = {Pose(random.rotation(), Vector3::Zero()), Vector3::Zero(), random.vector(0.3), random.vector(6.0)};
    const auto gap_at = [&](double time) {
      return pair_gap.look(a, motion_a.at(time) * a.pose, b, motion_b.at(time) * b.pose, 0.05);
    };
    if (gap_at(0.0) < 1e-3) continue;
    const FirstTouch touch = sweep.find(a, motion_a, b, motion_b, touching);
    const double end = touch.touches() ? touch.time : 1.0;
    ++(touch.touches() ? num_touches : num_passes);
    for (int k = 0; k < 400; ++k) {
      const double time = end * k / 400.0;
      ASSERT_GT(gap_at(time), touching) << i << ": at " << time << " before " << end;
    }
    if (touch.touches()) {
      EXPECT_NEAR(gap_at(touch.time), touching, touching) << i;
    }
  }
  EXPECT_GT(num_touches, 100);
  EXPECT_GT(num_passes, 30);
}

}  // namespace
}  // namespace stiction
