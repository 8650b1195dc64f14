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

// A brick of 1 kg in empty space, its frame at `offset` from its centre.
std::shared_ptr<const Model> brick(const Vector3& offset = Vector3::Zero()) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  const int body = builder.add_body({.name = "brick"});
  builder.add_shape({.body = body, .pose = Pose(Vector3(-offset)), .geometry = Box{brick_half_size}, .mass = 1.0});
  return builder.build();
}

void spin(Simulator& simulator, const Vector3& angular_velocity, const Vector3& offset = Vector3::Zero()) {
  VectorX v = VectorX::Zero(6);
  v.head<3>() = angular_velocity.cross(offset);  // the centre rests; body and world axes agree at the start
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
  for (const Vector3& offset : {Vector3(0.0, 0.0, 0.0), Vector3(0.05, -0.03, 0.1)}) {
    Simulator simulator(brick(offset), {.time_step = 5e-3});
    spin(simulator, Vector3(30.0, 3.0, 1.0), offset);
    const double energy = kinetic_energy(simulator.dynamics(), simulator.state().v.data());
    const Vector3 momentum = angular_momentum_about_center_of_mass(simulator.dynamics());
    for (int k = 0; k < 20000; ++k) simulator.step();
    const double end = kinetic_energy(simulator.dynamics(), simulator.state().v.data());
    const Vector3 end_momentum = angular_momentum_about_center_of_mass(simulator.dynamics());
    const bool centred = offset.isZero();
    EXPECT_NEAR(end, energy, (centred ? 1e-10 : 0.02) * energy);
    EXPECT_NEAR(end_momentum.norm(), momentum.norm(), 1e-10 * momentum.norm());
    // Its direction wavers: the orientation follows ω⁺, not ω̄.
    EXPECT_LE((end_momentum - momentum).norm(), 0.02 * momentum.norm());
  }
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

// What turns is the same wherever the frame lies.
TEST(FreeSpin, DoesNotDependOnTheFrame) {
  const Vector3 offset(0.05, -0.03, 0.1), omega(20.0, 5.0, -7.0);
  Simulator centred(brick(), {.time_step = 1e-3}), beside(brick(offset), {.time_step = 1e-3});
  spin(centred, omega);
  spin(beside, omega, offset);
  for (int k = 0; k < 500; ++k) centred.step(), beside.step();
  EXPECT_LE((centred.state().v.tail<3>() - beside.state().v.tail<3>()).norm(), 1e-9 * omega.norm());
  // The centre moves by half a step of centripetal acceleration, once, as with every frame beside it.
  const double speed = 0.5e-3 * omega.squaredNorm() * offset.norm();
  EXPECT_LE((center_of_mass(beside.dynamics()) + offset).norm(), 1.5 * speed * 0.5);
}

}  // namespace
}  // namespace stiction
