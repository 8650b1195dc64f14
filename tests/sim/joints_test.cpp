// Joints in the step: limits, dry friction, springs, servos, loops, sensors.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

constexpr double g = 9.81;
const Inertia rod{1.0, Vector3(0.0, 0.0, -0.5), Vector3(0.08, 0.08, 0.001).asDiagonal()};

BodyOptions pendulum(JointOptions joint = {}) {
  joint.kind = JointKind::revolute;
  joint.axis = Vector3::UnitY();
  return {.name = "rod", .joint = joint, .joints = {}, .inertia = rod};
}

TEST(Joints, LimitHoldsAndCarriesTheWeight) {
  ModelBuilder builder;
  JointOptions joint;
  joint.lower = -0.5;
  joint.upper = 0.3;
  joint.initial_position = 0.2;
  builder.add_body(pendulum(joint));
  builder.set_gravity(Vector3(g, 0.0, 0.0));  // swings towards −y rotation: the lower limit
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.step(3000);
  const double q = simulator.state().q[0];
  EXPECT_TRUE(std::abs(q - 0.3) < 1e-6 || std::abs(q + 0.5) < 1e-6) << q;
  EXPECT_NEAR(simulator.state().v[0], 0.0, 1e-9);
  EXPECT_EQ(simulator.report().num_limits, 1);
  // The limit carries the moment of the weight.
  EXPECT_NEAR(std::abs(simulator.constraint_impulse()[0]) / 1e-3, g * 0.5 * std::cos(q), 1e-6);
}

// A slider with Coulomb friction: it stops after v²/(2 μ_c/m) and then stays; weaker pushes do not move it.
TEST(Joints, DryFrictionStopsAndHolds) {
  ModelBuilder builder;
  JointOptions joint;
  joint.kind = JointKind::prismatic;
  joint.axis = Vector3::UnitX();
  joint.dry_friction = 2.0;
  builder.add_body({.name = "slider",
                    .joint = joint,
                    .joints = {},
                    .inertia = Inertia{1.0, Vector3::Zero(), Matrix3::Identity() * 0.01}});
  Simulator simulator(builder.build(), {.time_step = 1e-4});
  simulator.set_velocity(VectorX::Constant(1, 1.0));
  simulator.step(10000);
  EXPECT_NEAR(simulator.state().q[0], 1.0 / 4.0, 1e-4);
  EXPECT_NEAR(simulator.state().v[0], 0.0, 1e-12);
  simulator.set_joint_force(VectorX::Constant(1, 1.9));
  const double rest = simulator.state().q[0];
  simulator.step(1000);
  EXPECT_NEAR(simulator.state().q[0], rest, 1e-12);
  simulator.set_joint_force(VectorX::Constant(1, 3.0));
  simulator.step(1000);
  EXPECT_NEAR(simulator.state().v[0], 1.0 * 0.1, 1e-6);
}

// Implicit gains: stable where an explicit spring of this stiffness would explode, and resting at the closed form.
TEST(Joints, StiffServoIsStableAndExact) {
  ModelBuilder builder;
  builder.add_body(pendulum());
  builder.add_actuator({.joint = "rod", .kind = ActuatorKind::position, .kp = 1e7, .kd = 1e3});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.set_control(VectorX::Constant(1, 0.7));
  simulator.step(3000);
  // kp (u − q) = m g l sin q
  const double q = simulator.state().q[0];
  EXPECT_NEAR(1e7 * (0.7 - q), g * 0.5 * std::sin(q), 1e-3);
  EXPECT_NEAR(simulator.actuator_force()[0], g * 0.5 * std::sin(q), 1e-3);
}

// One step in closed form: (I + Δt kd + Δt² kp) (v⁺ − v) = Δt (kp (u − q) − kd v − Δt kp v).
TEST(Joints, ServoActsAtTheEndOfTheStep) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  builder.add_body(pendulum());
  builder.add_actuator({.joint = "rod", .kind = ActuatorKind::position, .kp = 500.0, .kd = 3.0});
  const double dt = 1e-2, v = 2.0, u = 0.7, inertia = 0.08 + 0.25;
  Simulator simulator(builder.build(), {.time_step = dt});
  simulator.set_velocity(VectorX::Constant(1, v));
  simulator.set_control(VectorX::Constant(1, u));
  simulator.step();
  const double gain = dt * (500.0 * u - 3.0 * v - dt * 500.0 * v) / (inertia + dt * 3.0 + dt * dt * 500.0);
  EXPECT_NEAR(simulator.state().v[0], v + gain, 1e-12);
}

TEST(Joints, ServoAtItsLimitExertsTheLimit) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  builder.add_body(pendulum());
  builder.add_actuator(
      {.joint = "rod", .kind = ActuatorKind::position, .kp = 1e6, .force_lower = -2.0, .force_upper = 2.0});
  Simulator simulator(builder.build(), {.time_step = 1e-4});
  simulator.set_control(VectorX::Constant(1, 3.0));
  simulator.step(1000);
  EXPECT_NEAR(simulator.state().v[0], 2.0 / (0.08 + 0.25) * 0.1, 1e-9);
}

TEST(Joints, VelocityServoAndEffortLimit) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  JointOptions joint;
  joint.effort_limit = 1.0;
  builder.add_body(pendulum(joint));
  builder.add_actuator({.joint = "rod", .kind = ActuatorKind::velocity, .kd = 1e4});
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.set_control(VectorX::Constant(1, 2.0));
  simulator.step(100);
  EXPECT_NEAR(simulator.state().v[0], 1.0 / 0.33 * 0.1, 1e-9);  // limited
  simulator.step(2000);
  EXPECT_NEAR(simulator.state().v[0], 2.0, 1e-6);  // reached
}

// Damped oscillator: amplitude decays as exp(−d t / 2 m), by the integrator's order.
TEST(Joints, SpringAndDamperOscillate) {
  ModelBuilder builder;
  JointOptions joint;
  joint.kind = JointKind::prismatic;
  joint.axis = Vector3::UnitX();
  joint.stiffness = 100.0;
  joint.damping = 0.4;
  joint.rest_position = 0.1;
  joint.initial_position = 0.2;
  builder.add_body({.name = "mass",
                    .joint = joint,
                    .joints = {},
                    .inertia = Inertia{1.0, Vector3::Zero(), Matrix3::Identity() * 0.01}});
  Simulator simulator(builder.build(), {.time_step = 1e-5});
  simulator.step(100000);
  const double w = std::sqrt(100.0 - 0.04), t = 1.0;
  const double exact = 0.1 + 0.1 * std::exp(-0.2 * t) * (std::cos(w * t) + 0.2 / w * std::sin(w * t));
  EXPECT_NEAR(simulator.state().q[0], exact, 5e-4 * 0.1 * 10);
}

// Four bars of length 1 hinged to a parallelogram: the closing hinge as a loop.
struct FourBar {
  std::shared_ptr<const Model> model;
  static FourBar make(LoopKind kind) {
    ModelBuilder builder;
    JointOptions hinge;
    hinge.kind = JointKind::revolute;
    hinge.axis = Vector3::UnitY();
    int parent = -1;
    // Up from the ground, across, and down: bars along z, x, −z in their own frames' −z at the initial angles.
    const double angles[] = {M_PI - 0.5, M_PI / 2.0 + 0.5, M_PI / 2.0 - 0.5};
    for (int k = 0; k < 3; ++k) {
      hinge.initial_position = angles[k];
      parent = builder.add_body({.name = "bar" + std::to_string(k),
                                 .parent = parent,
                                 .pose = Pose(parent < 0 ? Vector3(0, 0, 0) : Vector3(0, 0, -1.0)),
                                 .joint = hinge,
                                 .joints = {},
                                 .inertia = rod});
    }
    LoopOptions loop;
    loop.kind = kind;
    loop.body_a = parent;
    loop.pose_a = Pose(Matrix3(Eigen::AngleAxisd(M_PI / 2, Vector3::UnitX())), Vector3(0.0, 0.0, -1.0));
    loop.pose_b.rotation = loop.pose_a.rotation;
    FourBar made;
    // The closing point is wherever the chain ends at the start.
    const auto open = builder.build();
    DynamicsData data(*open);
    update_kinematics(*open, open->initial_position.data(), open->initial_velocity.data(), data);
    const Pose end = frame_pose(*open, data, open->find_frame("bar2")) * loop.pose_a;
    loop.pose_b = end;
    if (kind == LoopKind::hinge) loop.pose_b.rotation = loop.pose_a.rotation;
    builder.add_loop(loop);
    made.model = builder.build();
    return made;
  }
};

double loop_error(Simulator& simulator) {
  const Loop& loop = simulator.model().loops[0];
  return ((simulator.body_pose(loop.body_a) * loop.pose_a).position - loop.pose_b.position).norm();
}

TEST(Joints, FourBarDriftStaysBounded) {
  for (const LoopKind kind : {LoopKind::point, LoopKind::hinge}) {
    for (const bool project : {false, true}) {
      const FourBar bars = FourBar::make(kind);
      ConstraintSettings constraints;
      constraints.project_positions = project;
      constraints.baumgarte = project ? 1.0 : 0.2;
      Simulator simulator(bars.model, {.time_step = 1e-3, .constraints = constraints});
      double largest = 0.0;
      for (int k = 0; k < 5000; ++k) {
        simulator.step();
        largest = std::max(largest, loop_error(simulator));
      }
      EXPECT_LE(largest, project ? 2e-5 : 2e-4) << to_string(kind) << project;
      EXPECT_GT(largest, 0.0);
      EXPECT_EQ(simulator.num_uncertified_steps(), 0);
      EXPECT_TRUE(simulator.state().q.allFinite());
    }
  }
}

TEST(Joints, WeldHoldsAWeight) {
  ModelBuilder builder;
  const int box = builder.add_body({.name = "box", .pose = Pose(Vector3(0.0, 0.0, 1.0)), .joints = {}, .inertia = rod});
  LoopOptions weld;
  weld.kind = LoopKind::weld;
  weld.body_a = box;
  weld.pose_b = Pose(Vector3(0.0, 0.0, 1.0));
  builder.add_loop(weld);
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  const VectorX start = simulator.state().q;
  simulator.step(1000);
  EXPECT_LE((simulator.state().q - start).cwiseAbs().maxCoeff(), 1e-9);
}

// Bodies in free fall do not move against each other: all that loops see is rounding, and a residual relative to
// rounding would never be small. Relative to what gravity does in a step it is, without any impulse.
TEST(Joints, LoopsInFreeFallAskForNothing) {
  ModelBuilder builder;
  // A triangle: two arms hinged to a body, held together at their ends.
  const int base = builder.add_body({.name = "base",
                                     .pose = Pose(Quaternion(0.3, 0.2, -0.5, 0.7).normalized(), Vector3(1.0, 2.0, 5.0)),
                                     .inertia = Inertia::of(Box{{0.1, 0.2, 0.3}}, 2.0)});
  const Vector3 meet(0.13, 0.0, -0.37);
  LoopOptions tips;
  tips.kind = LoopKind::point;
  for (int k = 0; k < 2; ++k) {
    const Vector3 hip(0.3 * k, 0.0, 0.1);
    JointOptions hinge;
    hinge.kind = JointKind::revolute;
    hinge.axis = Vector3::UnitY();
    const int arm = builder.add_body({.name = "arm" + std::to_string(k),
                                      .parent = base,
                                      .pose = Pose(hip),
                                      .joint = hinge,
                                      .joints = {},
                                      .inertia = rod});
    (k == 0 ? tips.body_a : tips.body_b) = arm;
    (k == 0 ? tips.pose_a : tips.pose_b) = Pose(Vector3(meet - hip));
  }
  builder.add_loop(tips);
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  for (int k = 0; k < 100; ++k) {
    const StepReport& report = simulator.step();
    EXPECT_TRUE(report.certified()) << k << ' ' << report.residuals.eps_nat;
    EXPECT_EQ(report.iterations, 0) << k;
  }
}

TEST(Joints, MimicFollows) {
  ModelBuilder builder;
  builder.set_gravity(Vector3::Zero());
  BodyOptions a = pendulum(), b = pendulum();
  a.name = "a";
  b.name = "b";
  b.pose = Pose(Vector3(5.0, 0.0, 0.0));
  builder.add_body(a);
  builder.add_body(b);
  LoopOptions mimic;
  mimic.kind = LoopKind::joint_equality;
  mimic.joint_a = "b";
  mimic.joint_b = "a";
  mimic.coefficients = {0.0, -2.0, 0.0, 0.0, 0.0};
  builder.add_loop(mimic);
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  VectorX torque(2);
  torque << 1.0, 0.0;
  simulator.set_joint_force(torque);
  simulator.step(500);
  // Inertia I + 4 I at the driving joint.
  EXPECT_NEAR(simulator.state().v[0], 0.5 / (5.0 * 0.33), 1e-7);
  EXPECT_NEAR(simulator.state().q[1], -2.0 * simulator.state().q[0], 1e-9);
}

TEST(Joints, SensorsFeelWeightAndContact) {
  ModelBuilder builder;
  const int upper = builder.add_body(pendulum());
  BodyOptions lower = pendulum();
  lower.name = "lower";
  lower.parent = upper;
  lower.pose = Pose(Vector3(0.0, 0.0, -1.0));
  builder.add_body(lower);
  Simulator hanging(builder.build(), {.time_step = 1e-3});
  hanging.step(10);
  EXPECT_NEAR(hanging.joint_wrench(0).first[2], 2.0 * g, 1e-9);
  EXPECT_NEAR(hanging.joint_wrench(1).first[2], g, 1e-9);
  EXPECT_LE(hanging.joint_wrench(1).second.norm(), 1e-9);

  // A slider pressed onto the ground: the joint carries no vertical force, the ground carries it all.
  ModelBuilder press;
  testing::add_ground(press, 0.5);
  JointOptions slide;
  slide.kind = JointKind::prismatic;
  const int body = press.add_body({.name = "foot",
                                   .pose = Pose(Vector3(0.0, 0.0, 0.1)),
                                   .joint = slide,
                                   .joints = {},
                                   .inertia = Inertia::of(Sphere{0.1}, 2.0)});
  ShapeOptions foot;
  foot.body = body;
  foot.geometry = Sphere{0.1};
  press.add_shape(foot);
  Simulator standing(press.build(), {.time_step = 1e-3});
  standing.step(10);
  ASSERT_EQ(standing.contacts().size(), 1u);
  EXPECT_NEAR(std::abs(standing.contacts()[0].force[2]), 2.0 * g, 1e-6);
  EXPECT_LE(standing.joint_wrench(0).first.norm(), 1e-6);
}

}  // namespace
}  // namespace stiction
