// Free bodies that spin: energy and momentum stay, whatever the time step.
#include "stiction/sim/free_spin.h"

#include <gtest/gtest.h>

#include <random>

#include "stiction/dynamics/mechanics.h"
#include "stiction/model/model_builder.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

const Vector3 brick_half_size(0.02, 0.1, 0.2);

// 1 kg, its frame at `offset` from its centre.
void add_thrown(ModelBuilder& builder, const Geometry& shape, const Vector3& offset, const Pose& pose = Pose()) {
  const int body = builder.add_body({.name = "thrown", .pose = pose});
  builder.add_shape(
      {.body = body, .pose = Pose(Vector3(-offset)), .geometry = shape, .material = {.friction = 0.5}, .mass = 1.0});
}

// In empty space.
std::shared_ptr<const Model> thrown(const Geometry& shape, const Vector3& offset = Vector3::Zero()) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_thrown(builder, shape, offset);
  return builder.build();
}

std::shared_ptr<const Model> brick() {
  return thrown(Box{brick_half_size});
}

// `velocity` is that of the centre; body and world axes agree at the start.
void spin(Simulator& simulator, const Vector3& angular_velocity, const Vector3& offset = Vector3::Zero(),
          const Vector3& velocity = Vector3::Zero()) {
  VectorX v = VectorX::Zero(6);
  v.head<3>() = velocity + angular_velocity.cross(offset);
  v.tail<3>() = angular_velocity;
  simulator.set_velocity(v);
}

TEST(FreeSpin, RuleKeepsEnergyAndMomentumForAnyStep) {
  std::mt19937_64 rng(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int k = 0; k < 2000; ++k) {
    const Vector3 size(1.0 + 0.9 * unit(rng), 1.0 + 0.9 * unit(rng), 1.0 + 0.9 * unit(rng)), square = size.cwiseAbs2();
    const Matrix3 turn = Quaternion(unit(rng), unit(rng), unit(rng), unit(rng)).normalized().toRotationMatrix();
    const Vector3 moments(square.y() + square.z(), square.z() + square.x(), square.x() + square.y());
    const Matrix3 inertia = turn * moments.asDiagonal() * turn.transpose();
    const Vector3 omega(unit(rng), unit(rng), unit(rng));
    const double dt = std::pow(10.0, 4.0 * unit(rng) - 2.0);  // up to a hundred radians
    const Vector3 next = spin_after(inertia, omega, dt);
    const double energy = omega.dot(inertia * omega), momentum = (inertia * omega).norm();
    EXPECT_NEAR(next.dot(inertia * next), energy, 1e-8 * energy) << "dt " << dt;
    EXPECT_NEAR((inertia * next).norm(), momentum, 1e-8 * momentum) << "dt " << dt;
    if (dt > 0.5) continue;
    EXPECT_NEAR(next.dot(inertia * next), energy, 1e-14 * energy) << "dt " << dt;
    // The defining equation, so that standing still does not pass.
    const Vector3 mean = 0.5 * (omega + next);
    EXPECT_LE((inertia * (next - omega) + dt * mean.cross(inertia * mean)).norm(), 1e-14 * momentum);
  }
}

// Five turns a second about a shaky axis, for a hundred seconds. An explicit step overflows within seconds.
TEST(FreeSpin, BrickKeepsItsEnergyForALongTime) {
  Simulator simulator(brick(), {.time_step = 5e-3});
  spin(simulator, Vector3(30.0, 3.0, 1.0));
  const double energy = kinetic_energy(simulator.dynamics(), simulator.state().v.data());
  const Vector3 momentum = angular_momentum_about_center_of_mass(simulator.dynamics());
  for (int k = 0; k < 20000; ++k) simulator.step();
  EXPECT_NEAR(kinetic_energy(simulator.dynamics(), simulator.state().v.data()), energy, 1e-10 * energy);
  const Vector3 end = angular_momentum_about_center_of_mass(simulator.dynamics());
  EXPECT_NEAR(end.norm(), momentum.norm(), 1e-10 * momentum.norm());
  // Its direction wavers: the orientation follows ω⁺, not ω̄.
  EXPECT_LE((end - momentum).norm(), 0.02 * momentum.norm());
}

// ω converges with the square of the step.
TEST(FreeSpin, SecondOrder) {
  const auto spin_at_end = [](int steps) {
    Simulator simulator(brick(), {.time_step = 0.4 / steps});
    spin(simulator, Vector3(1.0, 12.0, 0.5));  // about the middle axis, where it flips
    for (int k = 0; k < steps; ++k) simulator.step();
    return Vector3(simulator.state().v.tail<3>());
  };
  const Vector3 exact = spin_at_end(12800);
  const double coarse = (spin_at_end(200) - exact).norm(), fine = (spin_at_end(400) - exact).norm();
  EXPECT_GT(exact.norm(), 1.0);
  EXPECT_LT(fine, 0.3 * coarse);
  EXPECT_GT(fine, 0.2 * coarse);
}

// A body is the same wherever its frame lies, and its centre flies straight: the brick, and a ball without gyroscopic
// moment.
TEST(FreeSpin, DoesNotDependOnTheFrame) {
  const Vector3 offset(0.05, -0.03, 0.1), omega(20.0, 5.0, -7.0), flight(1.0, -2.0, 0.5);
  for (const Geometry& shape : {Geometry(Box{brick_half_size}), Geometry(Sphere{0.1})}) {
    Simulator centred(thrown(shape), {.time_step = 1e-3}), beside(thrown(shape, offset), {.time_step = 1e-3});
    spin(centred, omega, Vector3::Zero(), flight);
    spin(beside, omega, offset, flight);
    for (int k = 0; k < 5000; ++k) centred.step(), beside.step();
    EXPECT_LE((centred.state().v.tail<3>() - beside.state().v.tail<3>()).norm(), 1e-9 * omega.norm());
    EXPECT_LE((linear_momentum(beside.dynamics()) - flight).norm(), 1e-10);
    EXPECT_LE((center_of_mass(beside.dynamics()) - (5.0 * flight - offset)).norm(), 1e-9);
    const Quaternion a(centred.state().q.tail<4>()), b(beside.state().q.tail<4>());
    EXPECT_LE(a.angularDistance(b), 1e-6);
  }
}

// Contacts see the same: the brick tumbles on a plane, its frame in its centre and at a corner.
TEST(FreeSpin, TumblesOnAPlaneAlikeWhereverTheFrameLies) {
  const Vector3 offset = brick_half_size;
  std::vector<Vector3> path[2];
  for (const int k : {0, 1}) {
    ModelBuilder builder;
    builder.add_shape({.geometry = Plane{}, .material = {.friction = 0.5}});
    add_thrown(builder, Box{brick_half_size}, k * offset, Pose(Vector3(Vector3(0.0, 0.0, 0.3) + k * offset)));
    Simulator simulator(builder.build(), {.time_step = 1e-3});
    spin(simulator, Vector3(1.0, 3.0, 0.5), k * offset);
    for (int n = 0; n < 600; ++n) {
      simulator.step();
      path[k].push_back(center_of_mass(simulator.dynamics()));
    }
    EXPECT_EQ(simulator.num_uncertified_steps(), 0);
    EXPECT_LT(path[k].back().z(), 0.25);  // it has landed
  }
  for (int n = 0; n < 600; ++n) ASSERT_LE((path[0][n] - path[1][n]).norm(), 1e-6) << n;
}

}  // namespace
}  // namespace stiction
