// Heaps with relative compliance: closed forms of one sphere, and 125 spheres that settle.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/allocation_guard.h"

namespace stiction {
namespace {

constexpr double radius = 0.04, mass = 0.1, gravity = 9.81;

std::shared_ptr<const Model> one_sphere(double compliance = 0.0) {
  ModelBuilder builder;
  builder.set_gravity(Vector3(0, 0, -gravity));
  testing::add_ground(builder, 0.5);
  const int ball = builder.add_body({.pose = Pose(Vector3(0, 0, radius))});
  builder.add_shape({.body = ball,
                     .geometry = Sphere{radius},
                     .material = {.friction = 0.5, .compliance = compliance},
                     .mass = mass});
  return builder.build();
}

// Layers of 25 in a box.
std::shared_ptr<const Model> heap(int count = 125, double pitch = 0.085) {
  ModelBuilder builder;
  builder.set_gravity(Vector3(0, 0, -gravity));
  testing::add_ground(builder, 0.5);
  constexpr double half = 0.2;
  for (int wall = 0; wall < 4; ++wall) {
    const double angle = 0.5 * M_PI * wall;
    const Quaternion turn(Eigen::AngleAxisd(angle, Vector3::UnitZ()));
    builder.add_shape({.pose = Pose(turn, turn * Vector3(half + 0.1, 0, 1)),
                       .geometry = Box{Vector3(0.1, half + 0.2, 1)},
                       .material = {.friction = 0.5}});
  }
  for (int i = 0; i < count; ++i) {
    const double shift = 0.002 * ((7 * i) % 5);
    const int ball =
        builder.add_body({.pose = Pose(Vector3(-0.16 + 0.08 * (i % 5) + shift - 0.004,
                                               -0.16 + 0.08 * (i / 5 % 5) - shift + 0.004, 0.05 + pitch * (i / 25)))});
    builder.add_shape({.body = ball, .geometry = Sphere{radius}, .material = {.friction = 0.5}, .mass = mass});
  }
  return builder.build();
}

SimulatorSettings soft(double time_step, double tolerance = 1e-9) {
  SimulatorSettings settings{.time_step = time_step, .tolerance = tolerance};
  settings.constraints.relative_compliance = 1e-2;
  return settings;
}

// w = (1 + 2 (1 + 5/2 (l/r)²))/3m with the lever l = r − depth/2, because a contact lies in the middle of the overlap;
// the depth is ρ w Δt² m g, some ρ 8/3 g Δt², whatever the mass.
TEST(RelativeCompliance, SphereSinksAsItsOwnInverseMassSays) {
  for (const double dt : {1e-3, 5e-3}) {
    Simulator simulator(one_sphere(), soft(dt));
    const StepReport& report = simulator.step(400);
    double depth = 0.0;
    for (int k = 0; k < 10; ++k) {
      const double lever = 1.0 - 0.5 * depth / radius;
      depth = 1e-2 * (3.0 + 5.0 * lever * lever) / 3.0 * gravity * dt * dt;
    }
    EXPECT_NEAR(report.largest_static_depth, depth, 1e-6 * depth) << dt;
    EXPECT_NEAR(report.largest_penetration, depth, 1e-3 * depth) << dt;
    EXPECT_NEAR(report.largest_compliance, depth / (mass * gravity), 1e-9 * depth / (mass * gravity)) << dt;
    EXPECT_EQ(report.num_softened_contacts, 1);
    EXPECT_EQ(report.num_compliant_contacts, 1);
    EXPECT_FALSE(report.is_rigid());
    EXPECT_TRUE(report.certified());
    EXPECT_LE(report.friction_error, 1e-6);
  }
}

TEST(RelativeCompliance, IsOffUnlessAskedFor) {
  Simulator simulator(one_sphere(), {.time_step = 5e-3});
  const StepReport& report = simulator.step(10);
  EXPECT_TRUE(report.is_rigid());
  EXPECT_EQ(report.num_softened_contacts, 0);
  EXPECT_EQ(report.largest_compliance, 0.0);
  EXPECT_EQ(report.largest_static_depth, 0.0);
}

TEST(RelativeCompliance, LeavesSofterMaterialsAlone) {
  const double compliance = 1e-3;  // m/N; ρ w Δt² is 6.7e-6
  Simulator simulator(one_sphere(compliance), soft(5e-3));
  const StepReport& report = simulator.step(400);
  EXPECT_EQ(report.num_softened_contacts, 0);
  EXPECT_EQ(report.num_compliant_contacts, 1);
  EXPECT_NEAR(report.largest_compliance, compliance, 1e-12);
  EXPECT_NEAR(report.largest_static_depth, compliance * mass * gravity, 1e-6 * compliance * mass * gravity);
}

// A box that a force pulls along the ground within its cone: theory (3-22) lets the contact slip by ε w Δt ΔF, and by
// nothing once F stays, when its law is Coulomb's again.
TEST(RelativeTangentCompliance, SlipsByWhatFrictionChangesAndNoMore) {
  constexpr double eps = 1e-2, dt = 1e-3;
  ModelBuilder builder;
  builder.set_gravity(Vector3(0, 0, -gravity));
  testing::add_ground(builder, 0.5);
  const Geometry box = Box{Vector3::Constant(0.05)};
  testing::add_free(builder, "box", box, 1.0, Pose(Vector3(0, 0, 0.05)), 0.5);
  SimulatorSettings settings{.time_step = dt};
  settings.constraints.relative_tangent_compliance = eps;
  Simulator simulator(builder.build(), settings);
  EXPECT_EQ(simulator.step(200).num_relaxed_contacts, 4);
  EXPECT_FALSE(simulator.report().is_rigid());
  EXPECT_LE(simulator.report().largest_relaxed_slip, 1e-9);
  const double force = 2.0;  // N, of 4.9 that friction holds
  simulator.add_external_force(0, Vector3(force, 0, 0), simulator.body_pose(0).position);
  const StepReport pulled = simulator.step();
  EXPECT_TRUE(pulled.certified());
  // A quarter of it for each of four corners; w of a corner from 1 kg and the inertia of a cube, arms of 5 cm.
  const double inertia = 2.0 / 3.0 * 0.05 * 0.05, w = (3.0 + 2.0 * 3.0 * 0.05 * 0.05 / inertia) / 3.0;
  const double slip = eps * w * dt * force / 4.0;
  EXPECT_GE(pulled.largest_relaxed_slip, 0.3 * slip);
  EXPECT_LE(pulled.largest_relaxed_slip, 3.0 * slip);
  EXPECT_GT(simulator.state().v.head(3).norm() + simulator.state().v.tail(3).norm(), 0.1 * slip);
  const StepReport& held = simulator.step(300);
  EXPECT_LE(held.largest_relaxed_slip, 1e-3 * slip);
  const double x = simulator.body_pose(0).position.x();
  simulator.step(300);
  EXPECT_NEAR(simulator.body_pose(0).position.x(), x, 1e-3 * slip);  // m, against slip·1 s: nothing creeps
}

TEST(RelativeTangentCompliance, RefusesWhatIsNone) {
  for (const double bad : {-1e-3, 1.5, std::nan("")}) {
    SimulatorSettings settings{.time_step = 1e-3};
    settings.constraints.relative_tangent_compliance = bad;
    EXPECT_THROW(Simulator(one_sphere(), settings), std::invalid_argument) << bad;
  }
}

TEST(RelativeCompliance, RefusesWhatIsNone) {
  for (const double bad : {-1e-3, 1.5, std::nan("")}) {
    SimulatorSettings settings{.time_step = 1e-3};
    settings.constraints.relative_compliance = bad;
    EXPECT_THROW(Simulator(one_sphere(), settings), std::invalid_argument) << bad;
  }
}

TEST(Heap, SettlesWithEveryStepSolved) {
  Simulator simulator(heap(), soft(5e-3, 1e-6));
  double worst = 0.0;
  int solved = 0;
  constexpr int steps = 300;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulator.step();
    worst = std::max(worst, report.residuals.eps_nat);
    solved += report.residuals.eps_nat <= 1e-6;
  }
  EXPECT_GE(solved, 99 * steps / 100);
  EXPECT_LE(worst, 1e-4);
  const StepReport before = simulator.report();
  const StepReport& after = simulator.step(100);
  EXPECT_LE(after.kinetic_energy, 1e-3);
  EXPECT_NEAR(after.potential_energy, before.potential_energy, 1e-4 * before.potential_energy);
  // Twice what the weight of all would do to one contact of two spheres, w = 16/3m.
  EXPECT_LE(after.largest_static_depth, 2.0 * 1e-2 * 16.0 / 3.0 * gravity * 25e-6 * 125.0);
  EXPECT_LE(after.largest_penetration, 1e-3);
  EXPECT_LE(after.friction_error, 1e-2 * mass * gravity);  // also of what slips by less than can be told
  EXPECT_LE(after.residuals.signorini_penetration, 1e-6);
  EXPECT_EQ(after.num_softened_contacts, after.num_contacts);
}

TEST(Heap, SameBitsForAnyNumberOfThreads) {
  SimulatorSettings one = soft(5e-3, 1e-6), two = one;
  two.threads = 2;
  Simulator a(heap(), one), b(heap(), two);
  a.step(60);
  b.step(60);
  EXPECT_EQ(a.state().q, b.state().q);
  EXPECT_EQ(a.state().v, b.state().v);
}

// One island, large enough for the threads to share it.
TEST(Heap, SameBitsForAnyNumberOfThreadsOnOneIsland) {
  SimulatorSettings one = soft(5e-3, 1e-6), three = one;
  three.threads = 3;
  const auto model = heap(700, 0.0801);
  Simulator a(model, one), b(model, three);
  int most = 0;
  for (int k = 0; k < 8; ++k) {
    most = std::max(most, a.step(3).num_contacts);
    b.step(3);
    ASSERT_EQ(a.state().v, b.state().v) << k;
  }
  EXPECT_EQ(a.state().q, b.state().q);
  EXPECT_GE(most, 1200);  // IslandSolver's large island
}

}  // namespace
}  // namespace stiction
