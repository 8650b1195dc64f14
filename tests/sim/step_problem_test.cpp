// The contact problem of a step, histories of solvers, tangential compliance, and the stopping rule on ε_abs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stiction/contact/judge.h"
#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

constexpr double gravity = 9.81, dt = 1e-3;

// Boxes in a row on the ground, far from each other, the first of which slides along x.
std::shared_ptr<const Model> boxes(int count, double mu = 0.4) {
  ModelBuilder builder;
  builder.set_gravity(Vector3(0, 0, -gravity));
  testing::add_ground(builder, mu);
  for (int k = 0; k < count; ++k) {
    const std::string name = "box" + std::to_string(k);
    testing::add_free(builder, name, Box{Vector3(0.1, 0.1, 0.1)}, 1.0, Pose(Vector3(0, k, 0.1)), mu);
  }
  return builder.build();
}

Simulator sliding(int count, SimulatorSettings settings = {}) {
  settings.time_step = dt;
  settings.constraints.baumgarte = 0.0;
  Simulator simulator(boxes(count), settings);
  VectorX v = VectorX::Zero(6 * count);
  v[0] = 1.0;
  simulator.set_velocity(v);
  return simulator;
}

TEST(StepProblem, IsEmptyBeforeTheFirstStep) {
  const Simulator simulator(boxes(1), {.time_step = dt});
  EXPECT_EQ(0, simulator.contact_problem().problem.num_constraints());
  EXPECT_THROW(simulator.contact_problem(0), std::invalid_argument);
  EXPECT_THROW(simulator.solve_report(0), std::invalid_argument);
}

TEST(StepProblem, HasWhatTheStepSolvedByIslandAndWhole) {
  Simulator simulator = sliding(3);
  simulator.step(5);
  const StepReport& report = simulator.report();
  ASSERT_EQ(3, report.num_islands);
  const StepProblem whole = simulator.contact_problem();
  ASSERT_EQ(12, whole.problem.num_constraints());
  EXPECT_LE(judge(whole.problem, whole.impulse, {.time_step = dt}).eps_nat, 1e-9);
  int first = 0;
  for (int k = 0; k < 3; ++k) {
    const StepProblem island = simulator.contact_problem(k);
    ASSERT_EQ(4, island.problem.num_constraints());
    EXPECT_EQ(report.residuals.eps_nat >= judge(island.problem, island.impulse, {.time_step = dt}).eps_nat, true);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(whole.identities[first + i], island.identities[i]);
      EXPECT_EQ(whole.contacts[first + i], island.contacts[i]);
      const Contact& contact = simulator.contacts()[island.contacts[i]];
      EXPECT_EQ(contact.impulse, Vector3(island.impulse.segment<3>(3 * i)));
    }
    EXPECT_EQ(whole.impulse.segment(3 * first, 12), island.impulse);
    const MatrixX g = whole.problem.to_dense().block(3 * first, 3 * first, 12, 12);
    EXPECT_LE((g - island.problem.to_dense()).norm(), 1e-12 * g.norm());
    first += 4;
  }
  EXPECT_THROW(simulator.contact_problem(3), std::invalid_argument);
  EXPECT_THROW(simulator.contact_problem(-1), std::invalid_argument);
}

TEST(StepProblem, NamesConstraintsAlikeInTheNextStep) {
  Simulator simulator = sliding(2);
  simulator.step(3);
  const auto before = simulator.contact_problem().short_identities();
  simulator.step();
  EXPECT_EQ(before, simulator.contact_problem().short_identities());
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(before[i], before[k]);
  }
}

// The velocity that the law is about: v⁺ of the point while gap and bounce ask for nothing.
TEST(StepProblem, ContactsTellTheVelocityOfTheirLaw) {
  Simulator simulator = sliding(1);
  simulator.step(3);
  const StepProblem step = simulator.contact_problem();
  VectorX sigma(step.problem.num_rows());
  step.problem.velocity(step.impulse, sigma);
  for (int i = 0; i < 4; ++i) {
    const Contact& contact = simulator.contacts()[step.contacts[i]];
    EXPECT_LE((contact.law_velocity - Vector3(sigma.segment<3>(3 * i))).norm(), 1e-12);
    EXPECT_NEAR(contact.velocity[0], contact.law_velocity[0], 1e-15);
  }
  // A gap of 0.2 mm that is reached in the step: σ_N = c_N + Φ/Δt.
  ModelBuilder builder;
  testing::add_ground(builder, 0.4);
  testing::add_free(builder, "ball", Sphere{0.1}, 1.0, Pose(Vector3(0, 0, 0.1002)), 0.4);
  Simulator falling(builder.build(), {.time_step = dt});
  VectorX v = VectorX::Zero(6);
  v[2] = -1.0;
  falling.set_velocity(v);
  falling.step();
  const Contact& contact = falling.contacts()[0];
  EXPECT_NEAR(-0.2, contact.velocity[2], 1e-9);
  EXPECT_NEAR(0.0, contact.law_velocity[2], 1e-9);
}

TEST(SolveHistory, IsThereWhereItIsAskedFor) {
  Simulator simulator = sliding(1, {.solver = "ncp-admm"});
  simulator.step();
  EXPECT_TRUE(simulator.solve_history(0).empty());
  simulator.set_solver_option("record_history", 1);
  simulator.step();
  EXPECT_EQ(simulator.report().iterations, simulator.solve_report(0).iterations);
  simulator.reset();
  VectorX v = VectorX::Zero(6);
  v[0] = 1.0;
  simulator.set_velocity(v);
  simulator.step();
  ASSERT_FALSE(simulator.solve_history(0).empty());
  EXPECT_LE(simulator.solve_history(0).back().residual, 1e-6);
  EXPECT_THROW(simulator.solve_history(1), std::invalid_argument);
}

// Under a force F a contact that sticks creeps at c_T F/(n Δt), n contacts sharing it; Coulomb's own does not move.
TEST(TangentialCompliance, CreepsAsItSays) {
  for (const double compliance : {0.0, 1e-8, 1e-6}) {
    SimulatorSettings settings{.time_step = dt};
    settings.constraints.baumgarte = 0.0;
    settings.constraints.tangential_compliance = compliance;
    Simulator simulator(boxes(1), settings);
    const double force = 2.0;  // of μ m g = 3.9
    simulator.add_external_force(0, Vector3(force, 0, 0), Vector3(0, 0, 0.0));
    simulator.step(50);
    EXPECT_NEAR(compliance * force / (4 * dt), simulator.state().v[0], 1e-9) << compliance;
    EXPECT_EQ(compliance > 0.0 ? 4 : 0, simulator.report().num_relaxed_contacts);
    EXPECT_EQ(compliance == 0.0, simulator.report().is_rigid());
    EXPECT_TRUE(simulator.report().certified());
  }
  SimulatorSettings bad{.time_step = dt};
  for (const double value : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    bad.constraints.tangential_compliance = value;
    EXPECT_THROW(bad.validate(), std::invalid_argument);
  }
}

// Looser stops are met, and no more is done than they ask for.
TEST(AbsoluteTolerance, IsWhatAStepIsCertifiedBy) {
  int before = 1 << 30;
  for (const double absolute : {1e-9, 1e-6, 1e-3}) {
    Simulator simulator = sliding(1, {.solver = "ncp-admm", .absolute_tolerance = absolute, .warm_start = false});
    int iterations = 0;
    for (int k = 0; k < 50; ++k) {
      const StepReport& report = simulator.step();
      EXPECT_LE(report.residuals.eps_abs, absolute);
      EXPECT_TRUE(report.law_certified);
      iterations += report.iterations;
    }
    EXPECT_LT(iterations, before) << absolute;
    before = iterations;
  }
  SimulatorSettings bad{.time_step = dt, .absolute_tolerance = -1e-6};
  EXPECT_THROW(bad.validate(), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
