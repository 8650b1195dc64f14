// Several models beside the exact one, on scenes whose faults are known in closed form.
#include "stiction/sim/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "../support/refused.h"
#include "tests/sim/worlds.h"

namespace stiction {
namespace {

// A box that slides along x on a plane with friction μ.
std::shared_ptr<const Model> sliding_box(double friction) {
  ModelBuilder builder;
  testing::add_ground(builder, friction);
  testing::add_free(builder, "box", Box{Vector3(0.1, 0.1, 0.1)}, 8.0, Pose(Vector3(0, 0, 0.1)), friction);
  return builder.build();
}

State sliding_state(const Model& model, double speed) {
  State state = State::initial(model);
  state.v[0] = speed;
  return state;
}

// The relaxed cone lets what slides lift off with σ_N = μ‖σ_T‖: the exact law sees that, the CCP's own does not. With
// σ_N = x − gΔt and ‖σ_T‖ = v − μ x the impulse over the mass is x = (μ v + gΔt)/(1 + μ²).
TEST(Comparison, TheConeComplementarityModelLiftsOff) {
  const auto model = sliding_box(0.5);
  const State start = sliding_state(*model, 2.0);
  Comparison comparison(model, {.solvers = {"auto", "ccp-admm"}}, start);
  ASSERT_TRUE(comparison.step());
  const ComparedRun &exact = comparison.runs()[0], &relaxed = comparison.runs()[1];
  EXPECT_EQ(exact.model, ContactModel::ncp);
  EXPECT_EQ(relaxed.model, ContactModel::ccp);
  EXPECT_LE(exact.residuals.eps_nat, 1e-9);
  EXPECT_LE(exact.residuals.normal_separation, 1e-8);
  EXPECT_EQ(exact.certified_steps, 1);
  EXPECT_EQ(relaxed.converged_steps, 1);
  EXPECT_EQ(relaxed.certified_steps, 0);
  const double fall = 9.81 * comparison.simulator(0).time_step(), x = (0.5 * 2.0 + fall) / 1.25;
  EXPECT_NEAR(relaxed.residuals.normal_separation, x - fall, 1e-5);
}

TEST(Comparison, RunsPartWhereTheModelsDiffer) {
  const auto model = sliding_box(0.5);
  Comparison comparison(model, {.solvers = {"auto", "ncp-gs", "ccp-admm"}, .parting_distance = 1e-3},
                        sliding_state(*model, 2.0));
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(comparison.step());
  const auto& runs = comparison.runs();
  EXPECT_EQ(runs[0].distance, 0.0);
  EXPECT_EQ(runs[1].parting_step, -1);  // the same law: the same motion
  EXPECT_LE(runs[1].largest_distance, 1e-6);
  EXPECT_GE(runs[2].parting_step, 0);
  EXPECT_LT(runs[2].parting_step, 20);
  EXPECT_GT(runs[2].largest_distance, 1e-3);
  for (const ComparedRun& run : runs) EXPECT_EQ(run.steps, 100) << run.solver;
}

TEST(Comparison, IsTheSameAsASimulatorAlone) {
  const auto model = sliding_box(0.5);
  const State start = sliding_state(*model, 2.0);
  Comparison comparison(model, {.solvers = {"lcp-pgs", "auto"}}, start);
  SimulatorSettings settings;
  settings.solver = "lcp-pgs";
  Simulator alone(model, settings);
  alone.set_state(start);
  for (int k = 0; k < 50; ++k) {
    comparison.step();
    alone.step();
  }
  EXPECT_EQ(comparison.simulator(0).state().q, alone.state().q);
  EXPECT_EQ(comparison.simulator(0).state().v, alone.state().v);
}

TEST(Comparison, OneSolverStandsForEachModel) {
  const std::vector<std::string> solvers = solver_of_each_model();
  std::vector<ContactModel> models;
  for (const std::string& name : solvers) {
    models.push_back(make_solver(name)->traits().model);
    EXPECT_FALSE(make_solver(name)->traits().needs_compliance) << name;
  }
  EXPECT_EQ(solvers[0], "auto");
  EXPECT_EQ(models, (std::vector{ContactModel::ncp, ContactModel::ccp, ContactModel::lcp, ContactModel::raisim,
                                 ContactModel::frictionless, ContactModel::max_dissipation}));
}

// A stack of which each cube is four times as heavy as the one below: sweeps that stop early make energy.
TEST(Comparison, ConstraintsThatGiveEnergyAreCounted) {
  ModelBuilder builder;
  testing::add_ground(builder, 0.5);
  for (int k = 0; k < 6; ++k) {
    testing::add_free(builder, "cube " + std::to_string(k), Box{Vector3(0.1, 0.1, 0.1)}, 0.5 * std::pow(4.0, k),
                      Pose(Vector3(0.01 * (k % 2), 0.0, 0.1 + 0.2 * k)), 0.5);
  }
  SimulatorSettings settings;
  settings.time_step = 5e-3;
  Comparison comparison(builder.build(), {.solvers = {"auto", "ncp-pgs"}, .simulator = settings});
  double gained = 0.0;
  for (int k = 0; k < 150; ++k) {
    ASSERT_TRUE(comparison.step());
    gained += std::max(comparison.simulator(1).report().constraint_work, 0.0);
  }
  EXPECT_LT(comparison.runs()[0].energy_gain, 1e-9);
  EXPECT_GT(comparison.runs()[1].energy_gain, 1.0);
  EXPECT_DOUBLE_EQ(comparison.runs()[1].energy_gain, gained);
}

TEST(Comparison, TheTableNamesEveryRunAndWhyOneEnded) {
  const auto model = sliding_box(0.5);
  Comparison comparison(model, {.solvers = {"auto", "ccp-admm", "lcp-pgs"}}, sliding_state(*model, 2.0));
  for (int k = 0; k < 10; ++k) comparison.step();
  comparison.simulator(2).set_joint_force(VectorX::Constant(6, 1e300));
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(comparison.step());
  const std::string text = comparison.to_text();
  EXPECT_NE(text.find("\nauto      ncp       20 of 20"), std::string::npos) << text;
  EXPECT_NE(text.find("\nccp-admm  ccp"), std::string::npos) << text;
  const ComparedRun& failed = comparison.runs()[2];
  ASSERT_FALSE(failed.failure.empty());
  EXPECT_NE(text.find("\nlcp-pgs ended after " + std::to_string(failed.steps) + " steps: " + failed.failure + "\n"),
            std::string::npos)
      << text;
  for (const char* unit : {"m/s", "N s", "1/s"}) EXPECT_NE(text.find(unit), std::string::npos) << unit;
  std::istringstream lines(text);
  std::string head, units, rule;
  std::getline(lines, head), std::getline(lines, units), std::getline(lines, rule);
  EXPECT_EQ(head.size(), rule.size());
}

TEST(Comparison, BadSettingsAreRefused) {
  const auto model = sliding_box(0.5);
  EXPECT_REFUSED(Comparison(model, {.solvers = {}}), "no solvers");
  EXPECT_REFUSED(Comparison(model, {.solvers = {"auto", "ncp-gs", "auto"}}), "auto is named twice");
  EXPECT_REFUSED(Comparison(model, {.solvers = {"auto", "none"}}), "no solver is called 'none'");
  EXPECT_REFUSED(Comparison(model, {.parting_distance = 0.0}), "parting_distance is 0");
}

}  // namespace
}  // namespace stiction
