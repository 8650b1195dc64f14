// Surfaces in the step: anisotropic friction, compliance, projection of positions, sleeping, the failure policy.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

using testing::add_free;
using testing::add_ground;
using testing::box_on_slope;

constexpr double g = 9.81;

// A ground with other friction along x than along y slows a box by μ g of its direction of motion.
TEST(Materials, AnisotropicFrictionSlowsByDirection) {
  for (const bool along_x : {true, false}) {
    ModelBuilder builder;
    ShapeOptions plane;
    plane.geometry = Plane{};
    plane.material.friction = 0.2;
    plane.material.friction_2 = 0.6;
    plane.material.priority = 1;
    builder.add_shape(plane);
    add_free(builder, "box", Box{{0.1, 0.1, 0.02}}, 1.0, Pose(Vector3(0.0, 0.0, 0.02)), 1.0);
    Simulator simulator(builder.build(), {.time_step = 1e-3});
    VectorX v = VectorX::Zero(6);
    v[along_x ? 0 : 1] = 2.0;
    simulator.set_velocity(v);
    simulator.step(200);
    const double mu = along_x ? 0.2 : 0.6;
    EXPECT_NEAR(simulator.state().v[along_x ? 0 : 1], 2.0 - mu * g * 0.2, 1e-6);
    EXPECT_NEAR(simulator.state().v[along_x ? 1 : 0], 0.0, 1e-6);
  }
}

double resting_depth(double compliance, double damping) {
  ModelBuilder builder;
  ShapeOptions plane;
  plane.geometry = Plane{};
  plane.material.compliance = compliance;
  plane.material.damping = damping;
  builder.add_shape(plane);
  add_free(builder, "ball", Sphere{0.1}, 1.0, Pose(Vector3(0.0, 0.0, 0.1)), 1.0);
  Simulator simulator(builder.build(), {.time_step = 1e-3});
  simulator.step(5000);
  return 0.1 - simulator.state().q[2];
}

TEST(Materials, ComplianceIsLinearAndReachesRigid) {
  const double depth = resting_depth(1e-4, 50.0);
  EXPECT_NEAR(depth, 1e-4 * g, 1e-9);
  EXPECT_NEAR(resting_depth(2e-4, 50.0), 2.0 * depth, 1e-9);
  EXPECT_NEAR(resting_depth(1e-9, 0.0), 1e-9 * g, 1e-12);
  EXPECT_NEAR(resting_depth(1e-15, 0.0), 0.0, 1e-12);
  EXPECT_NEAR(resting_depth(0.0, 0.0), 0.0, 1e-12);
}

// A box set 2 mm into the ground comes out without being thrown up.
TEST(Materials, ProjectionOfPositionsAddsNoEnergy) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.098)), 0.5);
  const auto model = builder.build();
  double fastest[2] = {};
  for (const bool project : {false, true}) {
    ConstraintSettings constraints;
    constraints.project_positions = project;
    Simulator simulator(model, {.time_step = 1e-3, .constraints = constraints});
    for (int k = 0; k < 500; ++k) {
      simulator.step();
      fastest[project] = std::max(fastest[project], simulator.state().v[2]);
    }
    EXPECT_NEAR(simulator.state().q[2], 0.1, project ? 1e-9 : 1e-4) << project;
  }
  EXPECT_GT(fastest[0], 0.1);  // Baumgarte: 0.2 · 2 mm / 1 ms
  EXPECT_LE(fastest[1], 1e-9);
}

TEST(Materials, SleepersStayPutAndWakeWhenHit) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  add_free(builder, "lower", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.1)), 0.5);
  add_free(builder, "upper", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.3)), 0.5);
  add_free(builder, "ball", Sphere{0.1}, 1.0, Pose(Vector3(3.0, 0.0, 0.3)), 0.5);
  Simulator simulator(builder.build(), {.time_step = 1e-3, .sleeping = true});
  VectorX v = VectorX::Zero(18);
  v[12] = -4.0;
  simulator.set_velocity(v);
  const VectorX start = simulator.state().q;
  simulator.step(300);
  EXPECT_EQ(simulator.report().num_sleeping_bodies, 2);
  EXPECT_LE((simulator.state().q - start).head<14>().cwiseAbs().maxCoeff(), 1e-9);
  int sleeping = 2;
  for (int k = 0; k < 700; ++k) sleeping = std::min(sleeping, simulator.step().num_sleeping_bodies);
  EXPECT_EQ(sleeping, 0);
  EXPECT_GT((simulator.state().q - start).head<14>().cwiseAbs().maxCoeff(), 1e-2);  // it hit
  simulator.step(4000);
  simulator.add_external_force(0, Vector3(100.0, 0.0, 0.0), Vector3(0.0, 0.0, 0.1));
  EXPECT_LT(simulator.step().num_sleeping_bodies, 3);
}

TEST(Materials, SolverOptionsReachEveryIsland) {
  Simulator simulator(box_on_slope(0.5, 0.1), {.time_step = 1e-3, .solver = "ncp-pgs"});
  EXPECT_THROW(simulator.set_solver_option("no_such_thing", 1.0), std::invalid_argument);
  simulator.step();
  EXPECT_GT(simulator.report().iterations, 3);
  simulator.set_solver_option("max_iterations", 2);
  simulator.reset();
  simulator.step();
  EXPECT_EQ(simulator.report().iterations, 2);
}

TEST(Materials, FailurePolicyRaisesAndKeepsTheState) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  double mass = 1.0;
  for (int k = 0; k < 3; ++k, mass *= 1e3) {
    add_free(builder, "b" + std::to_string(k), Box{{0.1, 0.1, 0.1}}, mass, Pose(Vector3(0.0, 0.0, 0.1 + 0.2 * k)), 0.5);
  }
  const auto model = builder.build();
  SimulatorSettings settings{.time_step = 1e-3, .solver = "ncp-pgs", .max_iterations = 50};
  Simulator reporting(model, settings);
  reporting.step();
  EXPECT_FALSE(reporting.report().certified());
  EXPECT_FALSE(reporting.report().converged());
  EXPECT_EQ(reporting.num_uncertified_steps(), 1);
  EXPECT_GT(reporting.report().residuals.eps_nat, 1e-9);

  settings.on_failure = FailurePolicy::raise;
  Simulator raising(model, settings);
  const auto before = raising.state().to_bytes();
  EXPECT_THROW(raising.step(), SolverFailure);
  EXPECT_EQ(raising.state().to_bytes(), before);
}

// A tolerance below rounding: never certified, but accepted unless that is forbidden.
TEST(Simulator, AcceptsWhatIsWithinTheAcceptableTolerance) {
  ModelBuilder builder;
  add_ground(builder, 0.5);
  add_free(builder, "box", Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(0.0, 0.0, 0.1)), 0.5);
  const auto model = builder.build();
  SimulatorSettings settings{.time_step = 1e-3, .tolerance = 1e-30, .on_failure = FailurePolicy::raise};
  for (const bool judge : {true, false}) {
    settings.judge = judge;
    settings.acceptable_tolerance = 1e-6;
    Simulator lenient(model, settings);
    VectorX v(6);
    v << 1.0, 0.3, -0.1, 2.0, 0.0, 1.0;
    lenient.set_velocity(v);
    const StepReport& report = lenient.step(3);
    EXPECT_FALSE(report.certified());
    EXPECT_TRUE(report.accepted);
    EXPECT_EQ(report.status, SolveStatus::acceptable);
    EXPECT_EQ(lenient.num_uncertified_steps(), 3);
    EXPECT_EQ(lenient.num_failed_steps(), 0);

    settings.acceptable_tolerance = 0.0;
    Simulator strict(model, settings);
    strict.set_velocity(v);
    EXPECT_THROW(strict.step(20), SolverFailure);  // the first may be exact, to the last bit, by luck
    EXPECT_EQ(strict.num_failed_steps(), 1);
  }
}

}  // namespace
}  // namespace stiction
