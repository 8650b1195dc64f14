// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/solvers/auto/solver_auto.h"
#include "tests/support/refused.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

TEST(SettingsRanges, AutoProximalSettings) {
  EXPECT_RANGE(AutoProximalSettings, first, 0.0, -1.0);
  EXPECT_RANGE(AutoProximalSettings, least, 0.0, -1.0);
  EXPECT_RANGE(AutoProximalSettings, most, 0.0, -1.0);
  EXPECT_RANGE(AutoProximalSettings, fall, 0.0, 1.0);
  EXPECT_RANGE(AutoProximalSettings, rise, 1.0);
  EXPECT_RANGE(AutoProximalSettings, patience, 0, -1);
  EXPECT_RANGE(AutoProximalSettings, early, -1);
  EXPECT_RANGE(AutoProximalSettings, settled, 0.0, 1.0);
  EXPECT_RANGE_OR_INFINITE(AutoProximalSettings, creeping, 0.0, -1.0);
}

TEST(SettingsRanges, AutoDenseSettings) {
  EXPECT_RANGE(AutoDenseSettings, sweeps, -1);
  EXPECT_RANGE(AutoDenseSettings, few_contacts, -1);
  EXPECT_RANGE(AutoDenseSettings, light_coupling, -1.0);
  EXPECT_RANGE(AutoDenseSettings, patience, 0, -1);
  EXPECT_RANGE(AutoDenseSettings, release_below, -1.0);
  EXPECT_RANGE(AutoDenseSettings, refine_below, -1.0);
  EXPECT_RANGE(AutoDenseSettings, worthwhile, 0.0, 1.0);
  EXPECT_RANGE(AutoDenseSettings, newton_steps, -1);
  EXPECT_RANGE(AutoDenseSettings, compliant_steps, -1);
  EXPECT_RANGE(AutoDenseSettings, restarts, -1);
  EXPECT_RANGE(AutoDenseSettings, near_restarts, -1);
  EXPECT_RANGE(AutoDenseSettings, near, -1.0);
  EXPECT_RANGE(AutoDenseSettings, proximal, 0.0, -1.0);
  EXPECT_RANGE(AutoDenseSettings, edge, -1.0);
  EXPECT_RANGE(AutoDenseSettings, wide_edge, -1.0);
  EXPECT_RANGE(AutoDenseSettings, in_motion, -1.0);
  EXPECT_RANGE(AutoDenseSettings, seen_rounding, 0.0, -1.0);
}

TEST(SettingsRanges, AutoManyBodiesSettings) {
  EXPECT_RANGE(AutoManyBodiesSettings, relaxation, 0.9, 2.0);
  EXPECT_RANGE(AutoManyBodiesSettings, max_sweeps, -1);
  EXPECT_RANGE(AutoManyBodiesSettings, watch, 0, -1);
  EXPECT_RANGE(AutoManyBodiesSettings, patience, 0, -1);
  EXPECT_RANGE(AutoManyBodiesSettings, full_sweep_every, 0, -1);
  EXPECT_RANGE(AutoManyBodiesSettings, quiet, -0.1, 1.1);
  EXPECT_RANGE(AutoManyBodiesSettings, worth_testing, 0.0, -1.0);
  EXPECT_RANGE(AutoManyBodiesSettings, growth, 0.0, -1.0);
  EXPECT_RANGE(AutoManyBodiesSettings, tolerated_rise, 0.9);
}

TEST(SettingsRanges, AutoNewtonSettings) {
  EXPECT_RANGE(AutoNewtonSettings, worthwhile, 0.0, 1.0);
  EXPECT_RANGE(AutoNewtonSettings, look_every, 0, -1);
  EXPECT_RANGE(AutoNewtonSettings, settled_every, 0);
  EXPECT_RANGE(AutoNewtonSettings, turn, -1.0);
  EXPECT_RANGE(AutoNewtonSettings, cold_turn, -1.0);
  EXPECT_RANGE(AutoNewtonSettings, near, -1.0);
  EXPECT_RANGE(AutoNewtonSettings, cold_beyond, -1.0);
}

TEST(SettingsRanges, AutoContactSpaceSettings) {
  EXPECT_RANGE(AutoContactSpaceSettings, near, -1.0);
  EXPECT_RANGE(AutoContactSpaceSettings, near_start, 0.0, -1.0);
  EXPECT_RANGE(AutoContactSpaceSettings, least_start, 0.0, -1.0);
  EXPECT_RANGE(AutoContactSpaceSettings, near_patience, 0, -1);
  EXPECT_RANGE(AutoContactSpaceSettings, delta, -0.1, 1.0);
  EXPECT_RANGE(AutoContactSpaceSettings, factorisations, -1);
  EXPECT_RANGE(AutoContactSpaceSettings, path_start, 0.0, -1.0);
  EXPECT_RANGE(AutoContactSpaceSettings, nearly_found, -1.0);
  EXPECT_RANGE(AutoContactSpaceSettings, usual_products, 0.0, -1.0);
  EXPECT_RANGE(AutoContactSpaceSettings, least_factorisations, -1);
}

TEST(SettingsRanges, AutoVelocitySpaceSettings) {
  EXPECT_RANGE(AutoVelocitySpaceSettings, near, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, near_start, 0.0, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, probe_rounds, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, probe_eta, 0.0, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, probe_eta_of_piles, 0.0, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, few_nodes, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, many_nodes, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, bent_nodes, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, large_nodes, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, high_floor, 0.0, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, short_patience, 0, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, much_violation, -0.1, 1.1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, fold_rounds, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, hardly, 0.0, 1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, fold_reserve, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, at_rest, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, well_before, 0.0, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, centring_steps, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, delta, -0.1, 1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, factorisations, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, path_start, 0.0, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, least_path, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, nearly_found, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, retries, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, stricter, 0.0, 1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, usual_products, 0.0, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, most_products, 0.0, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, nodes_ordered, 0.0, -1.0);
  EXPECT_RANGE(AutoVelocitySpaceSettings, most_nodes, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, least_factorisations, -1);
  EXPECT_RANGE(AutoVelocitySpaceSettings, long_double_size, -1);
}

TEST(SettingsRanges, AutoLastResortSettings) {
  EXPECT_RANGE(AutoLastResortSettings, proximal, 0.0, -1.0);
  EXPECT_RANGE(AutoLastResortSettings, max_steps, -1);
  EXPECT_RANGE(AutoLastResortSettings, first_sweeps, -1);
  EXPECT_RANGE(AutoLastResortSettings, sweeps_per_step, -1);
}

TEST(SettingsRanges, AutoHeapSettings) {
  EXPECT_RANGE(AutoHeapSettings, least_nodes, -1);
  EXPECT_RANGE(AutoHeapSettings, least_compliance, -1.0);
  EXPECT_RANGE(AutoHeapSettings, contacts_per_pair, 0.0, -1.0);
  EXPECT_RANGE(AutoHeapSettings, columns, -1, 17);
  EXPECT_RANGE(AutoHeapSettings, columns_of_large, -1, 17);
  EXPECT_RANGE(AutoHeapSettings, large_constraints, -1);
  EXPECT_RANGE(AutoHeapSettings, most_sweeps, -1);
  EXPECT_RANGE(AutoHeapSettings, most_nodes_for_others, -1);
  EXPECT_RANGE(AutoHeapSettings, factorisations_beyond, -1);
}

// What is tuned is looked at when the solver is made, wherever it lies.
TEST(SettingsRanges, AutoTuning) {
  const auto expect = [](const char* said, auto&& change) {
    SolverAutoSettings settings;
    change(settings.tuning);
    EXPECT_REFUSED(SolverAuto{settings}, said);
  };
  expect("heap.least_nodes is -1", [](AutoTuning& t) { t.heap.least_nodes = -1; });
  expect("window.growth is 1", [](AutoTuning& t) { t.heap.sweeps.window.growth = 1.0; });
  expect("dense.sweeps is -1", [](AutoTuning& t) { t.dense.sweeps = -1; });
  expect("proximal.rise is 0.5", [](AutoTuning& t) { t.dense.compliant.rise = 0.5; });
  expect("many_bodies.watch is 0", [](AutoTuning& t) { t.many_bodies.watch = 0; });
  expect("newton.turn is -2", [](AutoTuning& t) { t.contact_space.newton.turn = -2.0; });
  expect("velocity_space.stricter is 1", [](AutoTuning& t) { t.velocity_space.stricter = 1.0; });
  expect("last_resort.max_steps is -1", [](AutoTuning& t) { t.last_resort.max_steps = -1; });
}

}  // namespace
}  // namespace stiction
