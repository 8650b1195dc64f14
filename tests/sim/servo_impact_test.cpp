// Servos with limits that are hit (theory §3.9), in closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stiction/sim/simulator.h"
#include "tests/sim/servo_worlds.h"

namespace stiction {
namespace {

using testing::add_slider;
using testing::one;
using testing::servo;

// A hinged arm of inertia I about its joint, hit at the length L by a mass m of speed w. The arm was at rest where its
// servo wants it. Without bounce, and as Δt → 0, it turns with m w L/(I + m L²) whatever the gain: the servo's limit
// has no impulse. In one step it has Δt τ_max.
struct HitArm {
  static constexpr double inertia = 0.4, length = 0.8, mass = 1.5, speed = 5.0, limit = 10.0;
  static constexpr double moment = inertia + mass * length * length;

  static Simulator make(double kp, double kd, const SimulatorSettings& settings) {
    ModelBuilder builder;
    builder.set_gravity(Vector3::Zero());
    JointOptions hinge;
    hinge.name = "hinge";
    hinge.kind = JointKind::revolute;
    hinge.axis = -Vector3::UnitY();
    const int arm = builder.add_body({.name = "arm",
                                      .joint = hinge,
                                      .joints = {},
                                      .inertia = Inertia{1.0, Vector3::Zero(), Matrix3::Identity() * inertia}});
    ShapeOptions bar;
    bar.body = arm;
    bar.geometry = Box{{0.5, 0.05, 0.05}};
    bar.pose = Pose(Vector3(0.5, 0.0, 0.0));
    bar.material.friction = 0.0;
    builder.add_shape(bar);
    JointOptions rail;
    rail.name = "rail";
    rail.kind = JointKind::prismatic;
    rail.axis = Vector3::UnitZ();
    const int hammer = builder.add_body({.name = "hammer",
                                         .pose = Pose(Vector3(length, 0.0, -0.15)),
                                         .joint = rail,
                                         .joints = {},
                                         .inertia = Inertia{mass, Vector3::Zero(), Matrix3::Identity() * 0.01}});
    ShapeOptions head;
    head.body = hammer;
    head.geometry = Sphere{0.1};
    head.material.friction = 0.0;
    builder.add_shape(head);
    builder.add_actuator({.joint = "hinge",
                          .kind = ActuatorKind::position,
                          .kp = kp,
                          .kd = kd,
                          .force_lower = -limit,
                          .force_upper = limit});
    Simulator simulator(builder.build(), settings);
    simulator.set_velocity((VectorX(2) << 0.0, speed).finished());
    return simulator;
  }
};

TEST(ServoImpact, AnImpactIsNotHeldBeyondTheLimit) {
  const double limit_speed = HitArm::mass * HitArm::speed * HitArm::length / HitArm::moment;
  for (const double kp : {1e2, 1e4, 1e5, 1e6}) {
    double last_error = 1.0;
    for (const double dt : {2e-3, 1e-3, 5e-4}) {
      Simulator simulator = HitArm::make(kp, 0.01 * kp, {.time_step = dt});
      const StepReport& report = simulator.step();
      const double turning = simulator.state().v[0], error = std::abs(turning - limit_speed) / limit_speed;
      EXPECT_LE(error, 0.02) << kp << " " << dt;
      EXPECT_LE(error, 0.55 * last_error) << kp << " " << dt;
      last_error = error;
      EXPECT_TRUE(report.law_certified);
      if (kp < 1e4) continue;
      EXPECT_NEAR(turning, limit_speed - dt * HitArm::limit / HitArm::moment, 1e-8);
      EXPECT_EQ(report.num_servos, 1);
      EXPECT_EQ(report.num_saturated_servos, 1);
      EXPECT_EQ(report.num_limits + report.num_dry_frictions, 0);
      EXPECT_EQ(simulator.actuator_force()[0], -HitArm::limit);
      // Momenta: the hammer lost what the contact took, the arm has that and what the servo did.
      const double contact = HitArm::mass * (HitArm::speed - simulator.state().v[1]);
      EXPECT_NEAR(HitArm::inertia * turning, contact * HitArm::length + dt * simulator.actuator_force()[0], 1e-9);
      EXPECT_NEAR(simulator.constraint_impulse()[0], contact * HitArm::length, 1e-9);
    }
  }
}

TEST(ServoImpact, EverySolverTakesItsRow) {
  const double dt = 2e-3, impulse = HitArm::mass * HitArm::speed * HitArm::length - dt * HitArm::limit;
  for (const std::string_view name : solver_names()) {
    if (make_solver(name)->traits().needs_compliance) continue;  // contacts of its own
    Simulator simulator = HitArm::make(1e6, 1e4, {.time_step = dt, .solver = std::string(name)});
    simulator.step();
    EXPECT_NEAR(simulator.state().v[0], impulse / HitArm::moment, 1e-7) << name;
    EXPECT_NEAR(simulator.actuator_force()[0], -HitArm::limit, 1e-6) << name;
  }
}

// On rails everything is linear. A slider of mass M that its servo holds at 0 is hit by one of mass m: both go on at
// v₀ = m w/(M + m) and are braked by the limit F, x = v₀ t − F t²/2(M + m), until they are back at 0. Steps that take
// the velocity at their end have t (t + Δt) in place of t².
TEST(ServoImpact, WhatWasHitIsBrakedByTheLimit) {
  const double mass = 2.0, hit_by = 1.0, w = -3.0, limit = 10.0, common = mass + hit_by, v0 = hit_by * w / common;
  const double end = 0.9 * 2.0 * std::abs(v0) * common / limit;
  for (const double kp : {1e4, 1e6}) {
    double last_error = 1.0;
    for (const int steps : {300, 600, 1200}) {
      ModelBuilder builder;
      builder.set_gravity(Vector3::Zero());
      add_slider(builder, "slider", mass, 0.0);
      add_slider(builder, "other", hit_by, 0.2);
      builder.add_actuator(servo(kp, 0.003 * kp, limit));
      const double dt = end / steps;
      Simulator simulator(builder.build(), {.time_step = dt});
      simulator.set_velocity((VectorX(2) << 0.0, w).finished());
      double momentum = hit_by * w, worst = 0.0;
      for (int k = 1; k <= steps; ++k) {
        simulator.step();
        const VectorX &q = simulator.state().q, &v = simulator.state().v;
        const double now = mass * v[0] + hit_by * v[1], force = simulator.actuator_force()[0], t = k * dt;
        EXPECT_LE(std::abs(force), limit);
        EXPECT_EQ(force, simulator.actuator_forces()[0]);
        EXPECT_NEAR(now - momentum, dt * force, 1e-9);
        momentum = now;
        worst = std::max(worst, std::abs(q[0] - (v0 * t + 0.5 * limit / common * t * t)));
        ASSERT_NEAR(q[0], v0 * t + 0.5 * limit / common * t * (t + dt), 1e-8) << kp;
      }
      EXPECT_LE(worst, 0.51 * last_error) << kp;
      last_error = worst;
      EXPECT_EQ(simulator.num_uncertified_steps(), 0);
    }
  }
}

// A servo that was saturated one way and is hit so that it must be the other way, in one step.
TEST(ServoImpact, AnImpactTurnsItsForce) {
  const double dt = 1e-3, kd = 1e4, limit = 10.0, target = 5.0, mass = 2.0, heavy = 100.0;
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_slider(builder, "slider", mass, 0.0);
  add_slider(builder, "other", heavy, -0.7);
  builder.add_actuator(servo(0.0, kd, limit));
  Simulator simulator(builder.build(), {.time_step = dt});
  simulator.set_velocity((VectorX(2) << 0.0, 20.0).finished());
  simulator.set_control(one(target));
  double momentum = heavy * 20.0;
  int forwards = 0, backwards = 0;
  for (int k = 0; k < 50; ++k) {
    simulator.step();
    const VectorX& v = simulator.state().v;
    const double force = simulator.actuator_force()[0];
    EXPECT_NEAR(mass * v[0] + heavy * v[1] - momentum, dt * force, 1e-9);
    EXPECT_NEAR(force, std::clamp(kd * (target - v[0]), -limit, limit), 1e-6) << k;
    momentum = mass * v[0] + heavy * v[1];
    forwards += force == limit;
    backwards += force == -limit;
  }
  EXPECT_GE(forwards, 20);
  EXPECT_GE(backwards, 20);
  EXPECT_EQ(forwards + backwards, 50);
}

}  // namespace
}  // namespace stiction
