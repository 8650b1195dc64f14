// Surfaces that move although their bodies do not: conveyors and turntables.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

constexpr double g = 9.81, mu = 0.4, mass = 1.5;

std::shared_ptr<const Model> conveyor(const Vector3& velocity, const Vector3& spin = Vector3::Zero(),
                                      const Vector3& place = Vector3::Zero(), double turned = 0.0) {
  ModelBuilder builder;
  Material belt;
  belt.friction = mu;
  belt.surface_velocity = velocity;
  belt.surface_spin = spin;
  builder.add_shape({.name = "belt",
                     .pose = Pose(Quaternion(Eigen::AngleAxisd(turned, Vector3::UnitZ())), Vector3::Zero()),
                     .geometry = Plane{},
                     .material = belt});
  const Geometry box = Box{{0.1, 0.1, 0.02}};
  const int body =
      builder.add_body({.name = "box", .pose = Pose(place + Vector3(0, 0, 0.02)), .inertia = Inertia::of(box, mass)});
  Material own;
  own.friction = mu;
  builder.add_shape({.name = "box", .body = body, .geometry = box, .material = own});
  return builder.build();
}

// It gains μ g until it is as fast as the belt, and then it is that for good.
TEST(MovingSurfaces, ABoxReachesTheSpeedOfTheBelt) {
  const double speed = 0.8;
  Simulator simulator(conveyor(Vector3(speed, 0, 0)), {.time_step = 1e-3});
  double dissipated = 0.0, belt = 0.0;
  const auto step = [&] {
    const StepReport& report = simulator.step();
    dissipated += report.dissipated, belt += report.surface_work;
  };
  for (int k = 1; mu * g * k * 1e-3 < speed; ++k) {
    step();
    ASSERT_NEAR(simulator.state().v[0], mu * g * k * 1e-3, 1e-9) << k;
    ASSERT_EQ(simulator.report().num_sliding, 4);
    ASSERT_NEAR(simulator.contacts()[0].velocity.norm(), speed - mu * g * k * 1e-3, 1e-9);
  }
  step();
  const double reached = simulator.state().q[0], at = simulator.state().time;
  for (int k = 0; k < 3000; ++k) step();
  EXPECT_NEAR(simulator.state().v[0], speed, 1e-10);
  EXPECT_NEAR(simulator.state().q[0], reached + speed * (simulator.state().time - at), 1e-9);
  EXPECT_LE(std::abs(simulator.state().q[1]), 1e-10);
  EXPECT_EQ(simulator.report().num_sticking, 4);
  EXPECT_EQ(simulator.num_uncertified_steps(), 0);
  // Half of what the belt gave became heat, half motion: m v² of work in all, to first order in Δt.
  EXPECT_NEAR(belt, mass * speed * speed, 1e-9);
  EXPECT_NEAR(belt - dissipated, 0.5 * mass * speed * speed, 1e-3 * mu * g / speed * belt);
}

// The velocity is given in the axes of the shape; what of it is along the normal does nothing.
TEST(MovingSurfaces, TheVelocityTurnsWithTheShape) {
  Simulator simulator(conveyor(Vector3(0.5, 0, 7.0), Vector3::Zero(), Vector3::Zero(), M_PI / 2.0), {.time_step = 1e-3});
  simulator.step(500);
  EXPECT_NEAR(simulator.state().v[1], 0.5, 1e-9);
  EXPECT_NEAR(simulator.state().v[0], 0.0, 1e-9);
  EXPECT_NEAR(simulator.state().q[2], 0.02, 1e-9);
}

// A box in the middle of a turntable turns with it; one beside the middle is carried round.
TEST(MovingSurfaces, ATurntableCarriesRound) {
  Simulator middle(conveyor(Vector3::Zero(), Vector3(0, 0, 2.0)), {.time_step = 1e-3});
  middle.step(1000);
  EXPECT_NEAR(middle.state().v[5], 2.0, 1e-9);
  EXPECT_LE(middle.state().v.head<2>().norm(), 1e-9);
  Simulator beside(conveyor(Vector3::Zero(), Vector3(0, 0, 1.0), Vector3(0.5, 0, 0)), {.time_step = 1e-3});
  beside.step(2000);
  const Vector3 p = beside.state().q.head<3>();
  EXPECT_NEAR(beside.state().v.head<2>().norm(), p.head<2>().norm(), 2e-3);
  EXPECT_NEAR(beside.state().v[5], 1.0, 1e-3);
}

// Torsional friction of a single point feels the spin of the surface.
TEST(MovingSurfaces, TorsionFollowsTheSpinOfTheSurface) {
  ModelBuilder builder;
  Material material;
  material.torsional_friction = 5e-3;
  material.surface_spin = Vector3(0, 0, 2.0);
  builder.add_shape({.geometry = Plane{}, .material = material});
  material.surface_spin.setZero();
  const int ball = builder.add_body({.pose = Pose(Vector3(0, 0, 0.1)), .inertia = Inertia::of(Sphere{0.1}, mass)});
  builder.add_shape({.body = ball, .geometry = Sphere{0.1}, .material = material});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.step(100);
  EXPECT_NEAR(simulator.state().v[5], 5e-3 * g / (0.4 * 0.01) * 0.1, 1e-8);
  simulator.step(400);
  EXPECT_NEAR(simulator.state().v[5], 2.0, 1e-9);
}

// A belt that is part of a moving body: two carts, one drives along on the other.
TEST(MovingSurfaces, ActionIsReaction) {
  ModelBuilder builder;
  builder.set_gravity(Vector3(0, 0, -g));
  JointOptions rail;
  rail.name = "rail";
  rail.kind = JointKind::prismatic;
  rail.axis = Vector3::UnitX();
  const Geometry slab = Box{{1.0, 0.5, 0.05}};
  const int cart = builder.add_body({.name = "cart", .joint = rail, .inertia = Inertia::of(slab, 3.0)});
  Material belt;
  belt.friction = mu;
  belt.surface_velocity = Vector3(1.0, 0, 0);
  builder.add_shape({.body = cart, .geometry = slab, .material = belt});
  const Geometry box = Box{{0.1, 0.1, 0.02}};
  const int load = builder.add_body({.name = "load", .pose = Pose(Vector3(0, 0, 0.07)), .inertia = Inertia::of(box, mass)});
  belt.surface_velocity.setZero();
  builder.add_shape({.body = load, .geometry = box, .material = belt});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.step(600);
  const double v_cart = simulator.state().v[0], v_load = simulator.state().v[1];
  EXPECT_NEAR(3.0 * v_cart + mass * v_load, 0.0, 1e-9);
  EXPECT_NEAR(v_load - v_cart, 1.0, 1e-9);
  EXPECT_EQ(simulator.num_uncertified_steps(), 0);
}

}  // namespace
}  // namespace stiction
