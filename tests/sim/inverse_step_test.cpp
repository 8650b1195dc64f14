// Inverse dynamics with contact: forward after inverse is the identity on motions that can be reached; closed forms;
// what the convex relaxation cannot do.
#include "stiction/sim/inverse_step.h"

#include <gtest/gtest.h>

#include <random>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/mechanics.h"
#include "tests/sim/worlds.h"
#include "tests/support/test_files.h"
#include "tests/support/tree_file.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;

constexpr double pi = 3.141592653589793;

// ---- robots

constexpr double tool_radius = 0.03;

ShapeOptions tool_sphere() {
  ShapeOptions tool{.name = "tool", .body = 5, .pose = Pose(Vector3(0.0, 0.0823, 0.0))};
  tool.geometry = Sphere{tool_radius};
  tool.material.friction = 0.5;
  return tool;
}

VectorX ur5_position() {
  VectorX q(6);
  q << 0.3, -1.9, 2.1, -0.6, -1.2, 0.4;
  return q;
}

// A UR5 whose tool touches a wall: the half space beyond x = the tool's foremost point.
std::shared_ptr<const Model> ur5_at_wall(double compliance) {
  const std::string path = testing::data_file("dynamics/ur5-pinocchio.txt");
  const auto bare = testing::read_tree_file(path, [](ModelBuilder& b) { b.add_shape(tool_sphere()); }).model;
  Simulator probe(bare);
  probe.set_position(ur5_position());
  const Shape& tool = bare->shapes[0];
  const Vector3 center = probe.body_pose(tool.body) * tool.pose.position;
  return testing::read_tree_file(path,
                                 [&](ModelBuilder& b) {
                                   b.add_shape(tool_sphere());
                                   ShapeOptions wall{.name = "wall"};
                                   wall.geometry = Plane{};
                                   wall.pose = Pose(Quaternion(Eigen::AngleAxisd(-pi / 2, Vector3::UnitY())),
                                                    Vector3(center.x() + tool_radius, 0.0, 0.0));
                                   wall.material = {.friction = 0.5, .compliance = compliance};
                                   b.add_shape(wall);
                                 })
      .model;
}

// A Solo-12 with round feet over the plane z = 0. It has no actuators: its free joint counts as unactuated.
std::shared_ptr<const Model> solo12(double friction) {
  return testing::read_tree_file(testing::data_file("dynamics/solo12-pinocchio.txt"),
                                 [&](ModelBuilder& b) {
                                   add_ground(b, friction);
                                   for (int leg = 0; leg < 4; ++leg) {
                                     ShapeOptions foot{.name = "foot " + std::to_string(leg), .body = 3 + 3 * leg};
                                     foot.pose = Pose(Vector3(0.0, leg % 2 ? -0.008 : 0.008, -0.16));
                                     foot.geometry = Sphere{0.017};
                                     foot.material.friction = friction;
                                     b.add_shape(foot);
                                   }
                                 })
      .model;
}

VectorX solo_position(const Model& model) {
  VectorX q = model.initial_position;
  const double thigh = 0.7;
  for (int leg = 0; leg < 4; ++leg) {
    q[7 + 3 * leg] = 0.0;
    q[8 + 3 * leg] = thigh;
    q[9 + 3 * leg] = -2.0 * thigh;
  }
  q[2] = 2.0 * 0.16 * std::cos(thigh) + 0.017;
  return q;
}

// Servo forces by hand: stiffness and damping on joints of one degree of freedom, none on the base.
VectorX servo(const Simulator& simulator, const VectorX& target, double kp, double kd) {
  const Model& model = simulator.model();
  VectorX tau = VectorX::Zero(model.num_velocities());
  for (int j = 0; j < model.num_velocities(); ++j) {
    const Body& body = model.bodies[model.dofs[j].body];
    if (num_velocities_of(body.joint) != 1) continue;
    const State& s = simulator.state();
    tau[j] = kp * (target[body.first_position] - s.q[body.first_position]) - kd * s.v[j];
  }
  return tau;
}

// ---- the identity

struct Trip {
  InverseStepResult inverse;
  double error = 0.0;  // of the velocity after forward ∘ inverse
  StepReport report;   // of the forward step that made v_ref
};

// A forward step makes v_ref; the inverse finds forces; they are fed back from the same state.
Trip round_trip(Simulator& simulator, const VectorX& tau, const InverseStepSettings& settings) {
  const State before = simulator.state();
  simulator.set_joint_force(tau);
  Trip trip;
  trip.report = simulator.step();
  const State after = simulator.state();
  simulator.set_state(before);
  trip.inverse = inverse_step(simulator, after.v, settings);
  EXPECT_EQ(simulator.state().to_bytes(), before.to_bytes()) << "asking changes nothing";
  simulator.set_joint_force(trip.inverse.joint_force);
  simulator.step();
  trip.error = (simulator.state().v - after.v).norm();
  simulator.set_state(after);  // goes on as if nothing had been asked
  return trip;
}

// Gravity compensated, and a force on the tool: into the wall, and along it in a direction that turns.
VectorX push(Simulator& simulator, int k, double forward, double side) {
  const Model& model = simulator.model();
  const Shape& tool = model.shapes[0];
  const Vector3 point = simulator.body_pose(tool.body) * tool.pose.position;
  const DynamicsData& dynamics = simulator.dynamics();
  VectorX tau = ConstVectorMap(dynamics.bias.data(), model.num_velocities());
  const Vector3 force(forward, side * std::sin(0.01 * k), side * std::cos(0.01 * k));
  add_body_wrench(model, dynamics, tool.body, force, Vector3::Zero(), point, tau.data());
  return tau;
}

TEST(InverseStep, ForwardAfterInverseIsTheIdentityForAUr5AtAWall) {
  for (const double compliance : {0.0, 1e-5}) {
    Simulator simulator(ur5_at_wall(compliance), {.time_step = 1e-3});
    simulator.set_position(ur5_position());
    int sliding = 0, sticking = 0, most = 0, iterated = 0;
    for (int k = 0; k < 300; ++k) {
      const Trip trip = round_trip(simulator, push(simulator, k, 60.0, k < 100 ? 10.0 : 60.0), {});
      ASSERT_TRUE(trip.inverse.converged()) << k << ' ' << trip.inverse.residuals.eps_abs;
      EXPECT_LE(trip.inverse.residuals.eps_abs, 1e-6);
      EXPECT_LT(trip.error, 1e-8) << k;
      EXPECT_EQ(trip.inverse.unactuated_norm, 0.0);
      sliding += trip.report.num_sliding, sticking += trip.report.num_sticking;
      most = std::max(most, trip.inverse.iterations);
      iterated += trip.inverse.iterations > 0;
    }
    EXPECT_GT(sliding, 50);
    EXPECT_GT(sticking, 20);
    if (compliance == 0.0) {
      EXPECT_LE(most, 2);
      EXPECT_GT(iterated, 50);
    }
  }
}

// With compliance the impulse is determined by the motion: it is that of the forward step.
TEST(InverseStep, CompliantContactGivesBackTheImpulse) {
  Simulator simulator(ur5_at_wall(1e-4), {.time_step = 1e-3});
  simulator.set_position(ur5_position());
  for (int k = 0; k < 100; ++k) {
    const VectorX tau = push(simulator, k, 60.0, 50.0);
    const Trip trip = round_trip(simulator, tau, {.tolerance = 1e-9, .from_last_step = false});
    ASSERT_TRUE(trip.inverse.converged());
    EXPECT_LT((trip.inverse.joint_force - tau).norm(), 1e-4 * tau.norm()) << k;
  }
}

TEST(InverseStep, ForwardAfterInverseIsTheIdentityForASoloThatStandsAndSlides) {
  for (const bool slides : {false, true}) {
    const auto model = solo12(slides ? 0.2 : 0.9);
    // Residuals are quadratic in the direction of sliding, and feet are light: 1e-12 leaves 1e-6 of a velocity.
    Simulator simulator(model, {.time_step = 1e-3, .tolerance = 1e-11});
    const VectorX target = solo_position(*model);
    simulator.set_position(target);
    if (slides) {
      VectorX v = VectorX::Zero(model->num_velocities());
      v[0] = 0.8, v[1] = 0.3;
      simulator.set_velocity(v);
    }
    int sliding = 0, sticking = 0;
    for (int k = 0; k < 200; ++k) {
      const VectorX tau = servo(simulator, target, 20.0, 0.3);
      const Trip trip = round_trip(simulator, tau, {.method = InverseMethod::least_squares});
      EXPECT_LT(trip.inverse.residuals.eps_nat, 1e-9) << k;
      EXPECT_LT(trip.inverse.velocity_defect, 1e-6) << k;
      EXPECT_LT(trip.inverse.unactuated_norm, 1e-6) << k << ": nothing pushes the base";
      EXPECT_LT(trip.error, 5e-6) << k;
      sliding += trip.report.num_sliding, sticking += trip.report.num_sticking;
      if (k % 20 == 0) {  // the exact method asks something of the base, and says so
        const Trip exact = round_trip(simulator, servo(simulator, target, 20.0, 0.3), {.from_last_step = false});
        ASSERT_TRUE(exact.inverse.converged()) << k;
        EXPECT_LE(exact.inverse.iterations, 2);
        EXPECT_LT(exact.error, 1e-8) << k;
      }
    }
    EXPECT_GT(slides ? sliding : sticking, 300);
  }
}

// Rigid contact leaves the impulse open. From zero the base is asked to carry itself: the whole weight, and said so.
TEST(InverseStep, TheTorqueOnUnactuatedJointsIsReported) {
  const auto model = solo12(0.9);
  Simulator simulator(model, {.time_step = 1e-3});
  simulator.set_position(solo_position(*model));
  const VectorX still = VectorX::Zero(model->num_velocities());
  const auto result = inverse_step(simulator, still, {.from_last_step = false});
  ASSERT_TRUE(result.converged());
  const double weight = 9.81 * total_mass(*model);
  EXPECT_NEAR(result.unactuated_force[2], weight, 1e-9 * weight);
  EXPECT_EQ(result.unactuated_force[2], result.joint_force[2]);
  EXPECT_EQ(result.unactuated_force.tail(12).norm(), 0.0);
  EXPECT_NEAR(result.unactuated_norm, result.unactuated_force.norm(), 1e-12);
  const auto carried = inverse_step(simulator, still, {.method = InverseMethod::least_squares});
  ASSERT_TRUE(carried.converged());
  EXPECT_LT(carried.unactuated_norm, 1e-9 * weight);
  double normal = 0.0;
  for (const Constraint& c : carried.constraints) normal += carried.impulse[c.first_row + 2];
  EXPECT_NEAR(normal, weight * 1e-3, 1e-9);
}

// Hovering is nothing a free box can do: a share of its weight falls to forces that nobody exerts, the rest to v_ref.
TEST(InverseStep, LeastSquaresTradesVelocityAgainstForce) {
  ModelBuilder builder;
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 2.0, Pose(Vector3(0, 0, 5)), 0.5);
  Simulator simulator(builder.build(), {.time_step = 1e-2});
  for (const double share : {0.0, 0.25, 1.0}) {
    const auto result =
        inverse_step(simulator, VectorX::Zero(6), {.method = InverseMethod::least_squares, .unactuated_share = share});
    EXPECT_NEAR(result.velocity[2], -(1.0 - share) * 9.81e-2, 1e-12);
    EXPECT_NEAR(result.unactuated_force[2], share * 2.0 * 9.81, 1e-10);
    EXPECT_NEAR(result.velocity_defect, (1.0 - share) * 9.81e-2, 1e-12);
    simulator.set_joint_force(result.joint_force);
    const State before = simulator.state();
    simulator.step();
    EXPECT_LT((simulator.state().v - result.velocity).norm(), 1e-12);
    simulator.set_state(before);
  }
}

// The experiment of the paper: sliding is not feasible in the CCP, and the impulses diverge.
TEST(InverseStep, TheConvexRelaxationDivergesWhenSliding) {
  Simulator simulator(ur5_at_wall(0.0), {.time_step = 1e-3});
  simulator.set_position(ur5_position());
  for (int k = 0; k < 150; ++k) {
    simulator.set_joint_force(push(simulator, k, 60.0, 60.0));
    simulator.step();
  }
  ASSERT_EQ(simulator.report().num_sliding, 1);
  const State before = simulator.state();
  simulator.step();
  const VectorX v_ref = simulator.state().v;
  simulator.set_state(before);
  const auto exact = inverse_step(simulator, v_ref);
  EXPECT_TRUE(exact.converged());
  EXPECT_LE(exact.iterations, 2);
  const auto relaxed = inverse_step(simulator, v_ref, {.contact_model = ContactModel::ccp});
  EXPECT_EQ(relaxed.status, InverseStatus::unreachable);
  EXPECT_EQ(relaxed.iterations, 100);
  const auto& norms = relaxed.impulse_history;
  ASSERT_EQ(norms.size(), 101u);
  EXPECT_GT(norms[100], 1e6 * exact.impulse_history.back());
  EXPECT_NEAR(norms[100] / norms[50], 2.0, 1e-3) << "the same amount in every iteration";
}

TEST(InverseStep, AMotionIntoTheGroundIsUnreachable) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  add_free(builder, "ball", Sphere{0.1}, 1.0, Pose(Vector3(0, 0, 0.1)), 0.5);
  Simulator ball(builder.build(), {.time_step = 1e-3});
  VectorX down = VectorX::Zero(6);
  down[2] = -0.1;
  EXPECT_EQ(inverse_step(ball, down).status, InverseStatus::unreachable);
  EXPECT_GT(inverse_step(ball, down).residuals.eps_abs, 0.05);
  down[2] = 0.1;
  const auto up = inverse_step(ball, down);
  EXPECT_TRUE(up.converged());
  EXPECT_EQ(up.impulse.norm(), 0.0);
}

// ---- other rows, and what acts by itself

// A four-bar closed by a loop, with a limit that is met, dry friction, damping, a spring and a servo.
std::shared_ptr<const Model> linkage() {
  ModelBuilder builder;
  const auto bar = [&](const std::string& name, int parent, const Pose& pose, double length, JointOptions joint) {
    joint.kind = JointKind::revolute;
    joint.axis = Vector3::UnitY();
    const Geometry shape = Box{{0.02, 0.02, length / 2}};
    return builder.add_body({.name = name,
                             .parent = parent,
                             .pose = pose,
                             .joint = joint,
                             .inertia = Inertia::of(shape, 1.0).in(Pose(Vector3(0, 0, length / 2)))});
  };
  const int a = bar("a", -1, Pose(), 0.5, {.damping = 0.3, .dry_friction = 0.2, .upper = 0.35});
  const int b = bar("b", a, Pose(Quaternion(Eigen::AngleAxisd(pi / 2, Vector3::UnitY())), Vector3(0, 0, 0.5)), 0.6,
                    {.armature = 0.01, .stiffness = 2.0});
  const int c = bar("c", -1, Pose(Vector3(0.6, 0, 0)), 0.5, {.dry_friction = 0.1});
  builder.add_loop({.name = "closed",
                    .kind = LoopKind::point,
                    .body_a = b,
                    .body_b = c,
                    .pose_a = Pose(Vector3(0, 0, 0.6)),
                    .pose_b = Pose(Vector3(0, 0, 0.5))});
  builder.add_actuator({.joint = "a", .kind = ActuatorKind::position, .kp = 20.0, .kd = 1.0});
  builder.add_actuator({.joint = "b"});
  builder.add_actuator({.joint = "c", .kind = ActuatorKind::velocity, .kd = 0.5});
  return builder.build();
}

TEST(InverseStep, LoopsLimitsDryFrictionServosAndForcesAreInTheSameProblem) {
  for (const bool implicit : {true, false}) {
    const auto model = linkage();
    Simulator simulator(model, {.time_step = 1e-3, .tolerance = 1e-12, .implicit = implicit});
    VectorX control(3);
    control << 0.6, 0.0, 0.4;
    simulator.set_control(control);
    simulator.add_external_force(model->num_bodies() - 1, Vector3(1.0, 0.0, 2.0), Vector3(0.6, 0, 0.4));
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    int limits = 0;
    for (int k = 0; k < 400; ++k) {
      VectorX tau(3);
      for (double& t : tau) t = 2.0 * normal(random);
      const Trip trip = round_trip(simulator, tau, {});
      ASSERT_TRUE(trip.inverse.converged()) << k << ' ' << trip.inverse.residuals.eps_abs;
      EXPECT_LT(trip.error, 1e-7) << k;
      limits += trip.report.num_limits;
      EXPECT_GT(trip.report.num_loops, 0);
      EXPECT_EQ(trip.report.num_dry_frictions, 2);
    }
    EXPECT_GT(limits, 50);
  }
}

TEST(InverseStep, BadInputIsRefused) {
  ModelBuilder builder;
  add_free(builder, "ball", Sphere{0.1}, 1.0, Pose(Vector3(0, 0, 0.1)), 0.5);
  Simulator simulator(builder.build());
  VectorX v = VectorX::Zero(6);
  EXPECT_THROW(inverse_step(simulator, VectorX::Zero(5)), std::invalid_argument);
  v[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(inverse_step(simulator, v), std::invalid_argument);
  v.setZero();
  EXPECT_THROW(inverse_step(simulator, v, {.contact_model = ContactModel::lcp}), std::invalid_argument);
  EXPECT_THROW(inverse_step(simulator, v, {.proximal = 0.0}), std::invalid_argument);
  EXPECT_THROW(inverse_step(simulator, v, {.max_iterations = 0}), std::invalid_argument);
  EXPECT_THROW(inverse_step(simulator, v, {.unactuated_share = 1.5}), std::invalid_argument);
  EXPECT_THROW(inverse_step(simulator, v, {.unactuated = {6}}), std::invalid_argument);
  InverseStep inverse(simulator);
  EXPECT_THROW(inverse.solve(Simulator(builder.build()), v), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
