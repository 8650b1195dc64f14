// A robot whose servos reach their limits: the same motion whether they are rows or not, the same bits, no allocation.
#include <gtest/gtest.h>

#include <algorithm>

#include "stiction/sim/inverse_step.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/allocation_guard.h"

namespace stiction {
namespace {

// Robots all of whose servos have a limit.
std::shared_ptr<const Model> quadruped(double limit, int count = 1) {
  ModelBuilder builder;
  testing::add_ground(builder, 0.8);
  for (int robot = 0; robot < count; ++robot) {
    testing::add_quadruped(builder, {.prefix = "r" + std::to_string(robot),
                                     .place = Vector3(0, robot, 0.45 + 0.1 * robot),
                                     .kp = 300.0,
                                     .limit = limit});
  }
  return builder.build();
}

VectorX standing(const Model& model) {
  VectorX control(model.actuators.size());
  for (Eigen::Index k = 0; k < control.size(); ++k) {
    const double bend = k % 8 < 4 ? -1.0 : 1.0;
    control[k] = k % 2 == 0 ? -0.5 * bend : bend;
  }
  return control;
}

// A robot that stands far below its limits has no rows, and moves as if there were no limits: bit for bit.
TEST(ServoRobot, FarFromItsLimitItIsNoRow) {
  Simulator limited(quadruped(200.0), {.time_step = 1e-3}), plain(quadruped(no_limit), {.time_step = 1e-3});
  limited.set_control(standing(limited.model()));
  plain.set_control(standing(plain.model()));
  for (int k = 0; k < 1000; ++k) {
    EXPECT_EQ(limited.step().num_servos, 0);
    plain.step();
  }
  EXPECT_TRUE(limited.state().to_bytes() == plain.state().to_bytes());
}

// The state of a simulation with servos as rows where the last step had none: all of them, by what it remembers.
State with_rows(const Model& model, State state) {
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const ConstraintIdentity id{.source = ConstraintSource::servo, .first = model.actuators[k].dof, .second = 0};
    std::erase_if(state.warm_starts,
                  [&](const WarmStart& w) { return w.id.source == ConstraintSource::servo && w.id.first == id.first; });
    state.warm_starts.push_back({.id = id});
  }
  return state;
}

State without_rows(State state) {
  std::erase_if(state.warm_starts, [](const WarmStart& w) { return w.id.source == ConstraintSource::servo; });
  return state;
}

// As rows or in the inertia: the same motion, below the limit and at it.
TEST(ServoRobot, RowsChangeNothing) {
  for (const double limit : {200.0, 12.0}) {
    const auto model = quadruped(limit);
    Simulator simulator(model, {.time_step = 1e-3}), other(model, {.time_step = 1e-3});
    simulator.set_control(standing(*model));
    int saturated = 0;
    for (int k = 0; k < 400; ++k) {
      const State before = simulator.state();
      simulator.step();
      saturated += simulator.report().num_saturated_servos;
      EXPECT_TRUE(simulator.report().law_certified);
      for (int m = 0; m < 8; ++m) {  // the law, where the step ended
        const Actuator& servo = model->actuators[m];
        const double q = before.q[model->bodies[model->dofs[servo.dof].body].first_position];
        const double v = simulator.state().v[servo.dof];
        const double asked = servo.kp * (before.control[m] - q - 1e-3 * v) - servo.kd * v;
        ASSERT_NEAR(simulator.actuator_forces()[m], std::clamp(asked, -limit, limit), 1e-5) << limit << " " << k;
      }
      for (const State& start : {with_rows(*model, before), without_rows(before)}) {
        other.set_state(start);
        other.step();
        ASSERT_LE((other.state().v - simulator.state().v).cwiseAbs().maxCoeff(), 1e-6) << limit << " " << k;
        ASSERT_LE((other.actuator_forces() - simulator.actuator_forces()).cwiseAbs().maxCoeff(), 1e-4)
            << limit << " " << k;
        ASSERT_LE((other.constraint_impulse() - simulator.constraint_impulse()).cwiseAbs().maxCoeff(), 1e-6)
            << limit << " " << k;
      }
    }
    if (limit < 100.0) {
      EXPECT_GT(saturated, 20);
    } else {
      EXPECT_EQ(saturated, 0);
    }
  }
}

// What the motion of a step asks for beyond what acts by itself, servos at their limits included, is the impulse of its
// constraints. How the feet share it is not unique, so joint force and impulse are not compared one by one. (Explicit
// turning: in the middle of the free step it depends on what is joint force and what is impulse.)
TEST(ServoRobot, InverseDynamicsKnowsTheLimit) {
  const double dt = 1e-3;
  const auto model = quadruped(12.0);
  const SimulatorSettings settings{.time_step = dt, .implicit_turning = false};
  Simulator simulator(model, settings), after(model, settings);
  simulator.set_control(standing(*model));
  InverseStep inverse(simulator);
  int saturated = 0;
  for (int k = 0; k < 300; ++k) {
    after.set_state(simulator.state());
    saturated += after.step().num_saturated_servos;
    const InverseStepResult& result = inverse.solve(simulator, after.state().v);
    ASSERT_EQ(result.status, InverseStatus::converged);
    const VectorX asked = result.joint_force + result.constraint_impulse / dt;
    ASSERT_LE((asked - after.constraint_impulse() / dt).cwiseAbs().maxCoeff(), 1e-4) << k;
    simulator.step();
  }
  EXPECT_GT(saturated, 20);
}

// Fed back, the joint forces found for the motion of a step give that motion.
TEST(ServoRobot, ForwardAfterInverseIsTheIdentityAtTheLimit) {
  const auto model = quadruped(12.0);
  Simulator simulator(model, {.time_step = 1e-3}), after(model, {.time_step = 1e-3});
  simulator.set_control(standing(*model));
  InverseStep inverse(simulator);
  int saturated = 0;
  for (int k = 0; k < 300; ++k) {
    after.set_state(simulator.state());
    after.set_joint_force(VectorX::Zero(model->num_velocities()));
    saturated += after.step().num_saturated_servos;
    const VectorX wanted = after.state().v;
    const InverseStepResult& result = inverse.solve(simulator, wanted);
    ASSERT_EQ(result.status, InverseStatus::converged);
    after.set_joint_force(result.joint_force);
    after.set_state(simulator.state());
    after.step();
    ASSERT_LE((after.state().v - wanted).cwiseAbs().maxCoeff(), 1e-6) << k;
    simulator.step();
  }
  EXPECT_GT(saturated, 20);
}

TEST(ServoRobot, SavedStatesContinueBitForBit) {
  const auto model = quadruped(12.0);
  Simulator simulator(model, {.time_step = 1e-3});
  simulator.set_control(standing(*model));
  int servos = 0;
  for (int k = 0; k < 300; ++k) {
    Simulator restored(model, {.time_step = 1e-3}), ahead(model, {.time_step = 1e-3});
    restored.set_state(State::from_bytes(simulator.state().to_bytes()));
    restored.step(3);
    servos += simulator.step().num_servos;
    ahead.set_state(simulator.state());
    ahead.step(2);
    ASSERT_TRUE(restored.state().to_bytes() == ahead.state().to_bytes()) << k;
  }
  EXPECT_GT(servos, 20);
}

TEST(ServoRobot, ThreadsDoNotChangeTheBits) {
  const auto model = quadruped(12.0, 3);
  Simulator alone(model, {.time_step = 1e-3, .threads = 1}), many(model, {.time_step = 1e-3, .threads = 3});
  alone.set_control(standing(*model));
  many.set_control(standing(*model));
  alone.step(400);
  many.step(400);
  EXPECT_TRUE(alone.state().to_bytes() == many.state().to_bytes());
}

TEST(ServoRobot, NothingIsAllocated) {
  const auto model = quadruped(12.0, 2);
  Simulator simulator(model, {.time_step = 1e-3});
  simulator.set_control(standing(*model));
  const State start = simulator.state();
  int servos = 0;
  const auto run = [&] {
    servos = 0;
    for (int k = 0; k < 600; ++k) servos += simulator.step().num_servos;
  };
  run();
  simulator.set_state(start);
  const testing::AllocationGuard guard;
  run();
  EXPECT_EQ(guard.count(), 0);
  EXPECT_GT(servos, 20);
}

}  // namespace
}  // namespace stiction
