// Several models beside the exact one, on scenes whose faults are known in closed form.
#include "stiction/sim/comparison.h"

#include <gtest/gtest.h>

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

TEST(Comparison, BadSettingsAreRefused) {
  const auto model = sliding_box(0.5);
  EXPECT_REFUSED(Comparison(model, {.solvers = {}}), "no solvers");
  EXPECT_REFUSED(Comparison(model, {.solvers = {"auto", "ncp-gs", "auto"}}), "auto is named twice");
  EXPECT_REFUSED(Comparison(model, {.solvers = {"auto", "none"}}), "no solver is called 'none'");
  EXPECT_REFUSED(Comparison(model, {.parting_distance = 0.0}), "parting_distance is 0");
}

}  // namespace
}  // namespace stiction
