// Servos with limits (theory §3.9): walls and free motion in closed form; what is told is what acted; the same motion
// as rows and in the inertia; the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stiction/sim/simulator.h"
#include "tests/sim/servo_worlds.h"

namespace stiction {
namespace {

using testing::add_slider;
using testing::one;
using testing::one_slider;
using testing::servo;

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

}  // namespace
}  // namespace stiction
