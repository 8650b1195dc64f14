// The geometric certificate: contacts that are all there, nothing that goes through anything, and what is found when
// something is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/sim/geometry_check.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;
using testing::box_on_slope;

void add_wall(ModelBuilder& builder, const Vector3& center, const Vector3& half_size, double restitution = 0.0) {
  ShapeOptions wall;
  wall.name = "wall";
  wall.geometry = Box{half_size};
  wall.pose = Pose(center);
  wall.material.friction = 0.5;
  wall.material.restitution = restitution;
  builder.add_shape(wall);
}

// ---- what is planted is found, in the step in which it acts

struct Planted {
  const char* name;
  void (*change)(std::vector<ContactPoint>& points);
};

class PlantedDefect : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedDefect, IsFoundInOneStep) {
  for (const double dt : {1e-3, 5e-3}) {
    Simulator simulator(box_on_slope(0.5, 0.0), {.time_step = dt, .recheck = false});
    simulator.step(20);
    ASSERT_TRUE(simulator.report().geometry_certified);
    // A load on a corner, so that it matters.
    const ContactPoint loaded = simulator.state().found.points[0];
    simulator.add_external_force(0, Vector3(0.0, 0.0, -20.0), loaded.position);
    simulator.step(20);
    ASSERT_LE(simulator.report().largest_gap_error, 1e-12);
    State state = simulator.state();
    ASSERT_EQ(state.found.points.size(), 4u);
    GetParam().change(state.found.points);
    simulator.set_state(state);
    const StepReport& report = simulator.step();
    EXPECT_TRUE(report.law_certified);
    EXPECT_FALSE(report.geometry_certified) << report.unforeseen_penetration << ' ' << report.largest_gap_error;
    EXPECT_FALSE(report.certified());
    EXPECT_EQ(simulator.num_geometry_uncertified_steps(), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedDefect,
    ::testing::Values(Planted{"ContactLeftOut", [](std::vector<ContactPoint>& p) { p.erase(p.begin()); }},
                      Planted{"AllLeftOut", [](std::vector<ContactPoint>& p) { p.clear(); }},
                      Planted{"NormalTurned",
                              [](std::vector<ContactPoint>& p) {
                                p[0].normal = Vector3(std::sin(0.1), 0.0, std::cos(0.1));
                              }},
                      Planted{"AllNormalsTurned",
                              [](std::vector<ContactPoint>& p) {
                                for (ContactPoint& c : p) c.normal = Vector3(0.0, std::sin(0.1), std::cos(0.1));
                              }},
                      Planted{"GapTooLarge", [](std::vector<ContactPoint>& p) { p[0].gap = 2e-4; }},
                      Planted{"GapTooSmall",
                              [](std::vector<ContactPoint>& p) {
                                for (ContactPoint& c : p) c.gap = -1e-4;
                              }}),
    [](const auto& instance) { return instance.param.name; });

// A contact that pushes where nothing is: between the box and a wall farther or nearer than the margin, and beside the
// box on the ground that it stands on. Its gap is promised and kept; only that nothing is there tells.
struct Invented {
  const char* name;
  double wall;           // how far the wall is, m
  bool is_of_wall;       // the pair of the contact
  bool takes_real_name;  // of a contact that is there
};

class InventedContact : public ::testing::TestWithParam<Invented> {};

TEST_P(InventedContact, IsFoundInOneStep) {
  const Invented& planted = GetParam();
  for (const double margin : {1e-3, 1e-4}) {
    for (const double dt : {1e-3, 5e-3}) {
      for (const bool is_recheck : {false, true}) {
        ModelBuilder builder;
        add_ground(builder, 0.5);
        add_wall(builder, Vector3(0.1 + planted.wall + 0.1, 0.0, 0.0), Vector3(0.1, 1.0, 1.0));
        add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.1)), 0.5);
        SimulatorSettings settings{.time_step = dt, .recheck = is_recheck};
        settings.collision.margin = margin;
        Simulator simulator(builder.build(), settings);
        // Towards the wall; so that the corners at +x carry more, and none of them can be spared.
        simulator.add_external_force(0, Vector3(4.0, 0.0, planted.is_of_wall ? 0.0 : -5.0), Vector3(0.08, 0.0, 0.1));
        simulator.step(20);
        ASSERT_TRUE(simulator.report().certified());
        State state = simulator.state();
        std::vector<ContactPoint>& points = state.found.points;
        ASSERT_EQ(points.size(), 4u);
        if (planted.is_of_wall) {
          // From the second shape to the first.
          points.push_back({{1, 2, 1}, Vector3(0.1, 0.0, 0.1), Vector3::UnitX(), 0.0});
        } else {
          const auto corner =
              std::max_element(points.begin(), points.end(), [](const ContactPoint& a, const ContactPoint& b) {
                return a.position.x() + a.position.y() < b.position.x() + b.position.y();
              });
          corner->position = Vector3(0.2, 0.0, 0.0);
          if (!planted.takes_real_name) corner->id.feature += 1000;
        }
        std::sort(points.begin(), points.end(),
                  [](const ContactPoint& a, const ContactPoint& b) { return a.id < b.id; });
        simulator.set_state(state);
        const StepReport& report = simulator.step();
        EXPECT_TRUE(report.law_certified);
        EXPECT_FALSE(report.geometry_certified) << margin << ' ' << dt << ' ' << report.largest_gap_error;
        EXPECT_GE(report.largest_gap_error, 0.99 * (planted.is_of_wall ? std::min(0.01, planted.wall) : 0.01));
        EXPECT_TRUE(simulator.step().geometry_certified) << "the next step sees the world";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, InventedContact,
                         ::testing::Values(Invented{"OfAFarPair", 0.5, true, false},
                                           Invented{"OfAPairWithinTheTolerance", 4e-3, true, false},
                                           Invented{"BesideTheBox", 0.5, false, false},
                                           Invented{"BesideTheBoxByARealName", 0.5, false, true}),
                         [](const auto& instance) { return instance.param.name; });

// With recheck what was left out is put back, and the box rests.
TEST(GeometryCheck, RecheckMendsWhatWasLeftOut) {
  Simulator simulator(box_on_slope(0.5, 0.0), {.time_step = 1e-3});
  simulator.step(20);
  State state = simulator.state();
  state.found.points.clear();
  const VectorX q = state.q;
  simulator.set_state(state);
  const StepReport& report = simulator.step();
  EXPECT_GE(report.num_rechecks, 1);
  EXPECT_TRUE(report.certified()) << report.unforeseen_penetration << ' ' << report.residuals.eps_nat;
  EXPECT_LE((simulator.state().q - q).norm(), 1e-7);
}

// A normal that is wrong where nothing moves shows by itself: no gap tells.
TEST(GeometryCheck, NormalsOfWhatRestsMustStay) {
  const auto model = box_on_slope(0.5, 0.0);
  DynamicsData dynamics(*model);
  update_kinematics(*model, model->initial_position.data(), model->initial_velocity.data(), dynamics);
  const std::vector<Pose> poses{body_pose(dynamics, 0)};
  const std::vector<double> way{0.0};
  const ContactPoint point{{0, 1, 7}, Vector3(0.1, 0.1, 0.0), Vector3::UnitZ(), 0.0};
  for (const double turn : {0.0, 0.1}) {
    const std::vector<GapPromise> promises{{.id = point.id,
                                            .position = point.position,
                                            .normal = Vector3(std::sin(turn), 0.0, std::cos(turn)),
                                            .is_carried = true}};
    GeometryCheck check;
    check.check({.model = *model,
                 .before = poses,
                 .after = poses,
                 .promises = promises,
                 .sought = {},
                 .found = {&point, 1},
                 .way = way,
                 .dynamics = dynamics,
                 .time_step = 1e-3,
                 .margin = 1e-3,
                 .tolerance = 1e-3});
    EXPECT_EQ(check.is_certified(), turn == 0.0);
    EXPECT_NEAR(check.largest_normal_error(), turn, 1e-7);
  }
}

// ---- nothing goes through anything

// A ball on a slide along x, with its middle at x0; a wall about x = 0.
std::shared_ptr<const Model> slide_and_wall(double x0, double kp, double wall_thickness) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_wall(builder, Vector3::Zero(), Vector3(0.5 * wall_thickness, 1.0, 1.0));
  BodyOptions body;
  body.name = "cart";
  body.pose = Pose(Vector3(x0, 0.0, 0.0));
  body.joint.kind = JointKind::prismatic;
  body.joint.axis = Vector3::UnitX();
  body.joint.name = "slide";
  body.inertia = Inertia::of(Sphere{0.02}, 1.0);
  ShapeOptions shape;
  shape.body = builder.add_body(body);
  shape.name = "cart";
  shape.geometry = Sphere{0.02};
  builder.add_shape(shape);
  if (kp > 0.0) builder.add_actuator({.joint = "slide", .kind = ActuatorKind::position, .kp = kp});
  return builder.build();
}

TEST(Tunnelling, StiffServoStopsAtTheWall) {
  for (const double dt : {1e-3, 5e-3}) {
    Simulator simulator(slide_and_wall(-0.2, 1e6, 0.01), {.time_step = dt});
    simulator.set_control(VectorX::Constant(1, 0.4));  // 0.2 m behind the wall
    for (int k = 0; k < 50; ++k) {
      EXPECT_TRUE(simulator.step().certified()) << k << ' ' << simulator.report().unforeseen_penetration;
      ASSERT_LE(simulator.state().q[0], 0.2 - 0.025 + 1e-6) << k;
    }
    EXPECT_NEAR(simulator.state().q[0], 0.2 - 0.025, 1e-6);
  }
}

TEST(Tunnelling, PushOfTonsStopsAtTheWall) {
  for (const double force : {1e3, 1e5, 1e8}) {
    Simulator simulator(slide_and_wall(-0.2, 0.0, 0.01), {.time_step = 1e-3});
    simulator.set_joint_force(VectorX::Constant(1, force));
    for (int k = 0; k < 50; ++k) {
      EXPECT_TRUE(simulator.step().certified()) << force << ' ' << k;
      ASSERT_LE(simulator.state().q[0], 0.2 - 0.025 + 1e-6) << force << ' ' << k;
    }
  }
}

// A light ball at rest shortly before a wall, struck by a heavy one: it becomes quick only by the impact.
std::shared_ptr<const Model> struck_ball(double gap, double wall_thickness) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_wall(builder, Vector3(0.5 * wall_thickness, 0.0, 0.0), Vector3(0.5 * wall_thickness, 1.0, 1.0), 1.0);
  add_free(builder, "light", Sphere{0.02}, 0.01, Pose(Vector3(-0.02 - gap, 0.0, 0.0)), 0.5, 1.0);
  add_free(builder, "heavy", Sphere{0.1}, 10.0, Pose(Vector3(-0.04 - gap - 0.1 - 5e-4, 0.0, 0.0)), 0.5, 1.0);
  return builder.build();
}

TEST(Tunnelling, StruckBallStaysBeforeTheWall) {
  for (const double speed : {1.0, 10.0, 100.0}) {
    for (const double gap : {1e-4, 1.2e-3, 5e-3, 0.05}) {
      Simulator simulator(struck_ball(gap, 0.002), {.time_step = 1e-3});
      VectorX v = VectorX::Zero(12);
      v[6] = speed;
      simulator.set_velocity(v);
      for (int k = 0; k < 200; ++k) {
        simulator.step();
        EXPECT_TRUE(simulator.report().geometry_certified) << speed << ' ' << gap << ' ' << k;
        ASSERT_LE(simulator.state().q[0], -0.02 + 1e-5) << speed << ' ' << gap << ' ' << k;
        ASSERT_LE(simulator.state().q[7], -0.1 + 1e-5) << speed << ' ' << gap << ' ' << k;
      }
    }
  }
}

// A pellet that is through the wall and away within the step in which it is struck: at its end nothing overlaps.
TEST(Tunnelling, WhatPassesWithinAStepIsSeenOnItsWay) {
  for (const bool recheck : {true, false}) {
    ModelBuilder builder;
    builder.set_gravity(Vector3::Zero());
    add_wall(builder, Vector3(1e-3, 0.0, 0.0), Vector3(1e-3, 1.0, 1.0));
    add_free(builder, "pellet", Sphere{0.002}, 1e-4, Pose(Vector3(-0.052, 0.0, 0.0)), 0.5, 1.0);
    add_free(builder, "heavy", Sphere{0.1}, 10.0, Pose(Vector3(-0.1545, 0.0, 0.0)), 0.5, 1.0);
    Simulator simulator(builder.build(), {.time_step = 1e-3, .recheck = recheck});
    VectorX v = VectorX::Zero(12);
    v[6] = 40.0;
    simulator.set_velocity(v);
    const StepReport& report = simulator.step();
    EXPECT_EQ(report.geometry_certified, recheck) << report.unforeseen_penetration;
    EXPECT_EQ(report.num_rechecks > 0, recheck);
    if (recheck) {
      EXPECT_LE(simulator.state().q[0], -0.002 + 1e-5);
    } else {
      EXPECT_GT(simulator.state().q[0], 0.01);
      EXPECT_GT(report.unforeseen_penetration, 0.01);
    }
  }
}

// Without it what passes is reported in the step in which it does.
TEST(Tunnelling, WithoutRecheckWhatPassesIsReported) {
  Simulator simulator(struck_ball(5e-3, 0.002), {.time_step = 1e-3, .recheck = false});
  VectorX v = VectorX::Zero(12);
  v[6] = 10.0;
  simulator.set_velocity(v);
  bool has_passed = false;
  for (int k = 0; k < 20 && !has_passed; ++k) {
    const double before = simulator.state().q[0];
    const StepReport& report = simulator.step();
    has_passed = before < -0.019 && simulator.state().q[0] > -0.015;
    EXPECT_EQ(report.geometry_certified, !has_passed) << k;
    EXPECT_TRUE(!has_passed || report.unforeseen_penetration > 5e-3) << report.unforeseen_penetration;
  }
  EXPECT_TRUE(has_passed);
}

struct Flight {
  const char* name;
  Geometry geometry;
  double speed, spin;     // m/s along x; rad/s about y
  double wall_thickness;  // m
};

class Flying : public ::testing::TestWithParam<Flight> {};

// From many distances, so that no step happens to end inside the wall.
TEST_P(Flying, NothingPasses) {
  const Flight& flight = GetParam();
  for (int k = 0; k < 40; ++k) {
    ModelBuilder builder;
    builder.set_gravity(Vector3::Zero());
    add_wall(builder, Vector3(0.5 * flight.wall_thickness, 0.0, 0.0), Vector3(0.5 * flight.wall_thickness, 2.0, 2.0));
    const Quaternion turn(Eigen::AngleAxisd(0.37 * k, Vector3(1.0, 2.0, 0.5 * k).normalized()));
    add_free(builder, "flyer", flight.geometry, 0.1, Pose(turn, Vector3(-0.6 - 0.0137 * k, 0.0, 0.0)), 0.3);
    Simulator simulator(builder.build(), {.time_step = 5e-3});
    VectorX v = VectorX::Zero(6);
    v[0] = flight.speed;
    v.tail<3>() = turn.inverse() * Vector3(0.0, flight.spin, 0.0);
    simulator.set_velocity(v);
    const int steps = static_cast<int>(3.0 / (flight.speed * 5e-3)) + 10;
    for (int step = 0; step < steps; ++step) {
      const StepReport& report = simulator.step();
      ASSERT_LE(report.unforeseen_penetration, 2e-3) << "start " << k << ", step " << step;
      ASSERT_LE(simulator.state().q[0], 0.0) << "start " << k << ", step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Flying,
                         ::testing::Values(Flight{"Bullet", Sphere{0.004}, 500.0, 0.0, 1e-3},
                                           Flight{"LongBullet", Capsule{0.004, 0.01}, 900.0, 0.0, 1e-3},
                                           Flight{"Coin", Cylinder{0.01, 0.0005}, 10.0, 0.0, 1e-3},
                                           Flight{"TumblingCoin", Cylinder{0.01, 0.0005}, 10.0, 40.0, 1e-3},
                                           Flight{"Box", Box{{0.1, 0.1, 0.1}}, 100.0, 0.0, 1e-2},
                                           Flight{"SpinningRod", Capsule{0.005, 0.25}, 5.0, 30.0, 1e-2},
                                           Flight{"WhirlingRod", Capsule{0.005, 0.25}, 2.0, 300.0, 1e-2},
                                           Flight{"Plate", Box{{0.1, 0.1, 0.0005}}, 30.0, 10.0, 1e-3}),
                         [](const auto& instance) { return instance.param.name; });

// A rod that turns on a hinge against a thin post: half a turn per step.
TEST(Tunnelling, RodOnAHingeStopsAtAPost) {
  for (const double spin : {5.0, 50.0, 300.0, 1000.0}) {
    ModelBuilder builder;
    builder.set_gravity(Vector3::Zero());
    ShapeOptions post;
    post.name = "post";
    post.geometry = Cylinder{0.005, 0.2};
    post.pose = Pose(Vector3(0.0, 0.4, 0.0));
    builder.add_shape(post);
    BodyOptions body;
    body.name = "rod";
    body.joint.kind = JointKind::revolute;
    body.joint.axis = Vector3::UnitZ();
    body.joint.name = "hinge";
    body.inertia = Inertia::of(Box{{0.5, 0.005, 0.005}}, 1.0);
    ShapeOptions shape;
    shape.body = builder.add_body(body);
    shape.name = "rod";
    shape.geometry = Box{{0.5, 0.005, 0.005}};
    builder.add_shape(shape);
    Simulator simulator(builder.build(), {.time_step = 2e-3});
    simulator.set_velocity(VectorX::Constant(1, spin));
    // It touches the post a little before a right angle.
    for (int k = 0; k < 400; ++k) {
      simulator.step();
      ASSERT_LE(simulator.state().q[0], 0.5 * M_PI - 0.01) << spin << ' ' << k;
    }
    EXPECT_GE(simulator.state().q[0], 0.5 * M_PI - 0.2) << spin;
  }
}

// What passes beside something is not stopped.
TEST(Tunnelling, NothingIsStoppedByWhatItPasses) {
  for (const double offset : {0.021, 0.03, 0.05}) {
    for (const double speed : {1.0, 20.0, 200.0}) {
      ModelBuilder builder;
      builder.set_gravity(Vector3::Zero());
      add_wall(builder, Vector3(0.0, -0.1, 0.0), Vector3(0.1, 0.1, 0.1));
      add_free(builder, "ball", Sphere{0.02}, 1.0, Pose(Vector3(-0.5, offset, 0.0)), 0.5);
      Simulator simulator(builder.build(), {.time_step = 2e-3});
      VectorX v = VectorX::Zero(6);
      v[0] = speed;
      simulator.set_velocity(v);
      simulator.step(static_cast<int>(1.0 / (speed * 2e-3)) + 5);
      EXPECT_NEAR(simulator.state().v[0], speed, 1e-9) << offset;
      EXPECT_NEAR(simulator.state().v[1], 0.0, 1e-9) << offset << ' ' << speed;
    }
  }
}

}  // namespace
}  // namespace stiction
