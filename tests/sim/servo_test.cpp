// Servos with limits (theory §3.9): impacts, walls and free motion in closed form; what is told is what acted;
// the same motion as rows and in the inertia; the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "stiction/sim/servo_law.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

ActuatorOptions servo(double kp, double kd, double limit) {
  return {.joint = "slider",
          .kind = kp > 0.0 ? ActuatorKind::position : ActuatorKind::velocity,
          .kp = kp,
          .kd = kd,
          .force_lower = -limit,
          .force_upper = limit};
}

void add_slider(ModelBuilder& builder, const std::string& name, double mass, double x, double effort = no_limit) {
  JointOptions joint;
  joint.name = name;
  joint.kind = JointKind::prismatic;
  joint.axis = Vector3::UnitX();
  joint.effort_limit = effort;
  const int body = builder.add_body({.name = name,
                                     .pose = Pose(Vector3(x, 0.0, 0.0)),
                                     .joint = joint,
                                     .joints = {},
                                     .inertia = Inertia{mass, Vector3::Zero(), Matrix3::Identity() * 0.01 * mass}});
  ShapeOptions ball;
  ball.body = body;
  ball.geometry = Sphere{0.1};
  builder.add_shape(ball);
}

void add_wall(ModelBuilder& builder, double x) {  // it holds whatever comes from smaller x
  ShapeOptions wall;
  wall.geometry = Plane{};
  wall.pose = Pose(Quaternion(Eigen::AngleAxisd(-M_PI / 2.0, Vector3::UnitY())), Vector3(x, 0.0, 0.0));
  builder.add_shape(wall);
}

std::shared_ptr<const Model> one_slider(const std::vector<ActuatorOptions>& actuators, double mass = 2.0,
                                        double effort = no_limit, double wall = no_limit) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_slider(builder, "slider", mass, 0.0, effort);
  if (std::isfinite(wall)) add_wall(builder, wall);
  for (std::size_t k = 0; k < actuators.size(); ++k) {
    ActuatorOptions a = actuators[k];
    a.name = "a" + std::to_string(k);
    builder.add_actuator(a);
  }
  return builder.build();
}

VectorX one(double x) {
  return VectorX::Constant(1, x);
}

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

TEST(Servo, AnImpactIsNotHeldBeyondTheLimit) {
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

TEST(Servo, EverySolverTakesItsRow) {
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
TEST(Servo, WhatWasHitIsBrakedByTheLimit) {
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

// A row of a servo is no matter of positions: there is nothing to project.
TEST(Servo, PositionsAreNotProjectedOnItsRow) {
  for (const double v : {1.0, -1.0}) {
    SimulatorSettings settings{.time_step = 2e-3};
    settings.constraints.project_positions = true;
    Simulator simulator(one_slider({servo(1e5, 1e2, 10.0)}), settings);
    simulator.set_velocity(one(v));
    simulator.step();
    EXPECT_EQ(simulator.report().num_servos, 1);
    EXPECT_NEAR(simulator.state().q[0], settings.time_step * simulator.state().v[0], 1e-12);
  }
}

// What a servo does as a row is its own work, not that of constraints: the balance of energy closes to rounding.
TEST(Servo, WorkOfARowIsTheActuators) {
  Simulator simulator(one_slider({servo(4e3, 40.0, 10.0)}), {.time_step = 1e-3});
  simulator.set_joint_force(one(6.0));
  int limited = 0;
  double work = 0.0;
  for (int k = 0; k < 400; ++k) {
    simulator.set_control(one(0.01 * std::sin(0.05 * k)));
    const StepReport& report = simulator.step();
    limited += report.num_servos;
    work += std::abs(report.actuator_work);
    ASSERT_NEAR(report.energy_error, 0.0, 1e-12) << k;
  }
  EXPECT_GT(limited, 50);
  EXPECT_GT(work, 1e-3);
}

TEST(Servo, PressesOnAWallWithItsLimit) {
  for (const ActuatorOptions& a : {servo(1e6, 1e3, 10.0), servo(1e6, 0.0, 10.0), servo(0.0, 1e3, 10.0)}) {
    const double dt = 2e-3;
    Simulator simulator(one_slider({a}, 2.0, no_limit, 0.15), {.time_step = dt});
    simulator.set_control(one(3.0));
    for (int k = 0; k < 500; ++k) {
      simulator.step();
      EXPECT_LE(std::abs(simulator.actuator_force()[0]), 10.0);
    }
    EXPECT_NEAR(simulator.state().q[0], 0.05, 1e-9);
    EXPECT_NEAR(simulator.state().v[0], 0.0, 1e-9);
    EXPECT_EQ(simulator.actuator_force()[0], 10.0);
    EXPECT_NEAR(simulator.constraint_impulse()[0], -dt * 10.0, 1e-10);
    EXPECT_EQ(simulator.report().num_saturated_servos, 1);
    EXPECT_EQ(simulator.num_law_uncertified_steps(), 0);
    EXPECT_EQ(simulator.num_geometry_uncertified_steps(), 0);
    EXPECT_EQ(simulator.num_energy_uncertified_steps(), 0);
  }
}

TEST(Servo, SleepsAtItsLimitAndWakes) {
  Simulator simulator(one_slider({servo(1e6, 1e3, 10.0)}, 2.0, no_limit, 0.15), {.time_step = 1e-3, .sleeping = true});
  simulator.set_control(one(3.0));
  simulator.step(1000);
  EXPECT_EQ(simulator.report().num_sleeping_bodies, 1);
  EXPECT_EQ(simulator.actuator_force()[0], 10.0);
  simulator.set_control(one(-3.0));
  simulator.step(100);
  EXPECT_NEAR(simulator.state().v[0], -10.0 / 2.0 * 0.1, 1e-6);
  EXPECT_EQ(simulator.actuator_force()[0], -10.0);
}

// The force is that at the end of the step: a stiff servo that asks for more than its limit at the beginning, and has
// what it wants before the end, was never limited.
TEST(Servo, TheEndOfTheStepDecides) {
  const double dt = 1e-2, kd = 1000.0, mass = 1.0;
  Simulator simulator(one_slider({servo(0.0, kd, 100.0)}, mass), {.time_step = dt});
  simulator.set_control(one(1.0));
  simulator.step();
  const double v = dt * kd / (mass + dt * kd);
  EXPECT_NEAR(simulator.state().v[0], v, 1e-12);
  EXPECT_NEAR(simulator.actuator_force()[0], kd * (1.0 - v), 1e-9);
  EXPECT_EQ(simulator.report().num_servos, 0);
}

// Constant acceleration under the limit, to the last bit but rounding; then the target, without passing it.
TEST(Servo, AcceleratesWithItsLimit) {
  const double dt = 2e-3, limit = 10.0, mass = 2.0, target = 1.003;
  for (const double kd : {1.0, 1e2, 1e6}) {
    Simulator simulator(one_slider({servo(0.0, kd, limit)}, mass), {.time_step = dt});
    simulator.set_control(one(target));
    const double slow = target - limit / kd;  // beyond, it is no longer limited
    double v = 0.0;
    for (int k = 0; k < 300; ++k) {
      const double limited = v + dt * limit / mass, followed = (mass * v + dt * kd * target) / (mass + dt * kd);
      v = limited <= slow ? limited : followed;
      simulator.step();
      ASSERT_NEAR(simulator.state().v[0], v, 1e-9) << kd << " " << k;
      ASSERT_NEAR(simulator.actuator_force()[0], std::min(limit, kd * (target - v)), 1e-6 * limit) << kd << " " << k;
    }
  }
}

TEST(Servo, UnequalLimits) {
  const double dt = 1e-3, mass = 2.0;
  for (const double wanted : {3.0, -3.0}) {
    ActuatorOptions a = servo(1e6, 1e3, 0.0);
    a.force_lower = -2.0, a.force_upper = 7.0;
    Simulator simulator(one_slider({a}, mass), {.time_step = dt});
    simulator.set_control(one(wanted));
    simulator.step(100);
    const double force = wanted > 0.0 ? 7.0 : -2.0;
    EXPECT_NEAR(simulator.state().v[0], force / mass * 0.1, 1e-9);
    EXPECT_EQ(simulator.actuator_force()[0], force);
  }
  // Hit from either side, braked by that side's limit; with no limit on one side, stopped there as by the plain servo.
  for (const double lower : {-2.0, -no_limit}) {
    for (const double v : {4.0, -4.0}) {
      ActuatorOptions a = servo(1e5, 1e2, 0.0);
      a.force_lower = lower, a.force_upper = 7.0;
      Simulator simulator(one_slider({a}, mass), {.time_step = dt});
      simulator.set_velocity(one(v));
      simulator.step();
      const double gain = dt * 1e2 + dt * dt * 1e5;
      const double held = mass * v / (mass + gain), limited = v + dt / mass * (v > 0.0 ? lower : 7.0);
      EXPECT_NEAR(simulator.state().v[0], std::isfinite(limited) ? limited : held, 1e-9) << lower << " " << v;
    }
  }
  // A range without zero.
  ActuatorOptions a = servo(1e6, 1e4, 0.0);
  a.force_lower = 1.0, a.force_upper = 4.0;
  Simulator simulator(one_slider({a}, mass), {.time_step = dt});
  simulator.step(100);
  EXPECT_NEAR(simulator.state().v[0], 1.0 / mass * 0.1, 1e-9);
  // A range of one force.
  a.force_lower = a.force_upper = 0.0;
  Simulator none(one_slider({a}, mass), {.time_step = dt});
  none.set_velocity(one(1.0));
  none.step(100);
  EXPECT_NEAR(none.state().v[0], 1.0, 1e-12);
}

TEST(Servo, AnEffortLimitHoldsTheSum) {
  const double dt = 1e-3, mass = 2.0;
  const auto model = one_slider({servo(1e6, 1e3, 6.0), servo(0.0, 1e4, 8.0)}, mass, 10.0);
  Simulator simulator(model, {.time_step = dt});
  simulator.set_control((VectorX(2) << 5.0, 5.0).finished());
  simulator.step(100);
  EXPECT_NEAR(simulator.state().v[0], 10.0 / mass * 0.1, 1e-9);
  EXPECT_EQ(simulator.actuator_force()[0], 10.0);
  EXPECT_NEAR(simulator.actuator_forces()[0], 6.0 * 10.0 / 14.0, 1e-12);
  EXPECT_NEAR(simulator.actuator_forces()[1], 8.0 * 10.0 / 14.0, 1e-12);
  EXPECT_EQ(simulator.report().num_saturated_servos, 2);
  // Against each other: 6 − 8.
  simulator.reset();
  simulator.set_control((VectorX(2) << 5.0, -5.0).finished());
  simulator.step(100);
  EXPECT_NEAR(simulator.state().v[0], -2.0 / mass * 0.1, 1e-9);
  EXPECT_NEAR(simulator.actuator_forces()[0], 6.0, 1e-12);
  EXPECT_NEAR(simulator.actuator_forces()[1], -8.0, 1e-12);
  // One keeps its place, the other is saturated: the first exerts what the second does not overcome.
  Simulator held(one_slider({servo(1e6, 1e3, no_limit), servo(0.0, 1e4, 8.0)}, mass), {.time_step = dt});
  held.set_control((VectorX(2) << 0.0, 5.0).finished());
  held.step(2000);
  EXPECT_NEAR(held.state().q[0], 8.0 / 1e6, 1e-12);
  EXPECT_NEAR(held.actuator_forces()[0], -8.0, 1e-6);
  // Motors alone.
  ActuatorOptions motor{.joint = "slider", .force_lower = -6.0, .force_upper = 9.0};
  Simulator motors(one_slider({motor, motor}, mass, 10.0), {.time_step = dt});
  motors.set_control((VectorX(2) << 20.0, 20.0).finished());
  motors.step(100);
  EXPECT_NEAR(motors.state().v[0], 10.0 / mass * 0.1, 1e-9);
  EXPECT_NEAR(motors.actuator_forces()[0], 5.0, 1e-12);
  EXPECT_EQ(motors.report().num_servos, 0);
}

TEST(Servo, GearTurnsForcesAndPositions) {
  const double dt = 1e-3, mass = 2.0;
  ActuatorOptions a = servo(1e6, 1e3, 0.0);
  a.gear = -2.0, a.force_lower = -1.0, a.force_upper = 3.0, a.control_lower = -0.4;
  Simulator simulator(one_slider({a}, mass), {.time_step = dt});
  simulator.set_control(one(-5.0));  // −0.4: the slider goes to 0.2
  simulator.step(100);
  EXPECT_NEAR(simulator.state().v[0], 2.0 * 1.0 / mass * 0.1, 1e-9);
  EXPECT_EQ(simulator.actuator_forces()[0], -1.0);
  EXPECT_EQ(simulator.actuator_force()[0], 2.0);
  simulator.set_control(one(5.0));
  simulator.step(100);
  EXPECT_NEAR(simulator.state().v[0], 0.1 - 2.0 * 3.0 / mass * 0.1, 1e-9);
  EXPECT_EQ(simulator.actuator_forces()[0], 3.0);
  EXPECT_EQ(simulator.actuator_force()[0], -6.0);
  // Within its limits: gains by the square of the gear.
  a.kp = 100.0, a.kd = 1.0;
  Simulator free(one_slider({a}, mass), {.time_step = dt});
  free.set_control(one(0.02));
  free.set_velocity(one(0.3));
  free.step();
  const double v = (mass * 0.3 - 2.0 * dt * 100.0 * 0.02) / (mass + 4.0 * (dt * 1.0 + dt * dt * 100.0));
  EXPECT_NEAR(free.state().v[0], v, 1e-12);
  EXPECT_NEAR(free.actuator_forces()[0], 100.0 * (0.02 + 2.0 * dt * v) + 2.0 * v, 1e-10);
}

// A servo that was saturated one way and is hit so that it must be the other way, in one step.
TEST(Servo, AnImpactTurnsItsForce) {
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

// What is no longer near its limit is no row any more, and nothing is remembered of it.
TEST(Servo, RowsEnd) {
  Simulator simulator(one_slider({servo(1e4, 300.0, 10.0)}), {.time_step = 1e-3});
  simulator.set_velocity(one(1.0));
  simulator.step(20);
  EXPECT_EQ(simulator.report().num_servos, 1);
  EXPECT_EQ(simulator.state().warm_starts.size(), 1u);
  simulator.step(2000);
  EXPECT_NEAR(simulator.state().q[0], 0.0, 1e-6);
  EXPECT_EQ(simulator.report().num_servos, 0);
  EXPECT_EQ(simulator.state().warm_starts.size(), 0u);
}

// The effort limit of one joint while another joint is saturated.
TEST(Servo, JointsAreLimitedEachForItself) {
  const double dt = 1e-3, mass = 2.0;
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  add_slider(builder, "slider", mass, 0.0);
  add_slider(builder, "other", mass, 5.0, 6.0);
  builder.add_actuator(servo(1e6, 1e3, 10.0));
  ActuatorOptions pair = servo(1e6, 1e3, no_limit);
  pair.joint = "other";
  for (const char* name : {"first", "second"}) {
    pair.name = name;
    builder.add_actuator(pair);
  }
  Simulator simulator(builder.build(), {.time_step = dt});
  simulator.set_control((VectorX(3) << -9.0, 0.0, 0.0).finished());
  simulator.step(10);  // the first is saturated, the others hold
  EXPECT_EQ(simulator.report().num_servos, 1);
  simulator.set_control((VectorX(3) << -9.0, 3.0, 3.0).finished());
  simulator.step(100);
  EXPECT_NEAR(simulator.state().v[0], -10.0 / mass * 0.11, 1e-9);
  EXPECT_NEAR(simulator.state().v[1], 6.0 / mass * 0.1, 1e-9);
  EXPECT_EQ(simulator.report().num_saturated_servos, 3);
}

// Without implicit gains the force at the beginning of the step is limited, and nothing is a row.
TEST(Servo, ExplicitGains) {
  const double dt = 1e-3, mass = 2.0;
  Simulator simulator(one_slider({servo(0.0, 100.0, 10.0)}, mass), {.time_step = dt, .implicit = false});
  simulator.set_control(one(0.05));
  simulator.step();
  EXPECT_NEAR(simulator.state().v[0], dt * 100.0 * 0.05 / mass, 1e-12);
  simulator.set_control(one(5.0));
  simulator.step();
  EXPECT_NEAR(simulator.state().v[0], dt * 5.0 / mass + dt * 10.0 / mass, 1e-12);
  EXPECT_EQ(simulator.actuator_force()[0], 10.0);
  EXPECT_EQ(simulator.report().num_servos, 0);
}

// The sum of line and rows is the law, for any actuators on one joint.
TEST(Servo, LawsAreSumsOfRows) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const double dt = 1e-3;
  int most = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<ServoLine> lines(1 + trial % 3);
    for (ServoLine& line : lines) {
      line.slope = unit(random) < 0.15 ? 0.0 : std::pow(10.0, 4.0 * unit(random) - 1.0);
      line.force = 40.0 * (unit(random) - 0.5);
      line.lower = unit(random) < 0.2 ? -no_limit : 20.0 * (unit(random) - 0.8);
      line.upper = unit(random) < 0.2 ? no_limit : std::max(line.lower, -20.0) + 25.0 * unit(random);
    }
    const double effort = unit(random) < 0.5 ? no_limit : 15.0 * unit(random);
    ServoLaw law;
    law.build(lines, effort);
    std::vector<ServoRow> rows;
    const ServoTangent stays = law.split(0, dt, rows);
    most = std::max(most, static_cast<int>(rows.size()));
    for (int k = 0; k < 50; ++k) {
      const double v = std::pow(10.0, 5.0 * unit(random) - 3.0) * (unit(random) < 0.5 ? -1.0 : 1.0);
      double sum = 0.0, raw = 0.0, scale = 1.0;
      for (const ServoLine& line : lines) {
        raw += std::clamp(line.force - line.slope * v, line.lower, line.upper);
        scale += std::abs(line.force) + std::abs(line.slope * v);
      }
      sum = stays.force - stays.slope * v;
      for (const ServoRow& row : rows) {
        const double lambda = -(row.sign * v + row.offset) / row.compliance;
        const double bounded =
            std::isfinite(row.bound) ? std::clamp(lambda, -row.bound, row.bound) : std::max(0.0, lambda);
        sum += row.sign * bounded / dt;
      }
      const double expected = std::clamp(raw, -effort, effort);
      ASSERT_NEAR(law.at(v), expected, 1e-12 * scale);
      ASSERT_NEAR(sum, expected, 1e-11 * scale) << trial << " at " << v;
      const ServoTangent tangent = law.tangent(v);
      ASSERT_NEAR(tangent.force - tangent.slope * v, expected, 1e-11 * scale);
      if (law.place(v) == ServoLaw::Place::between) continue;
      const ServoTangent end = law.end(law.place(v));
      ASSERT_NEAR(end.force - end.slope * v, expected, 1e-11 * scale) << trial << " at " << v;
    }
  }
  EXPECT_GE(most, 5);
}

}  // namespace
}  // namespace stiction
