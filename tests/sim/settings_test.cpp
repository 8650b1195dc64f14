// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/sim/assembly.h"
#include "stiction/sim/comparison.h"
#include "stiction/sim/event_simulator.h"
#include "stiction/sim/impact.h"
#include "stiction/sim/inverse_step.h"
#include "stiction/sim/simulator.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

TEST(SettingsRanges, SimulatorSettings) {
  EXPECT_RANGE(SimulatorSettings, time_step, -1.0);
  EXPECT_RANGE(SimulatorSettings, tolerance, 0.0, -1.0);
  EXPECT_RANGE(SimulatorSettings, acceptable_tolerance, -1.0);
  EXPECT_RANGE(SimulatorSettings, absolute_tolerance, -1.0);
  EXPECT_RANGE(SimulatorSettings, geometric_tolerance, 0.0, -1.0);
  EXPECT_RANGE(SimulatorSettings, energy_tolerance, 0.0, -1.0);
  EXPECT_RANGE(SimulatorSettings, max_iterations, -1);
  EXPECT_RANGE(SimulatorSettings, threads, 0, 1025);
  EXPECT_RANGE(SimulatorSettings, sleep_speed, 0.0, -1.0);
  EXPECT_RANGE(SimulatorSettings, sleep_after, 0, -1);
  EXPECT_RANGE(SimulatorSettings, sensor_seed, -1);
  EXPECT_RANGE(SimulatorSettings, timed_every, 0, -1);
}

TEST(SettingsRanges, EventSettings) {
  EXPECT_RANGE(EventSettings, step, 0.0, -1.0);
  EXPECT_RANGE(EventSettings, largest_step, 0.0, -1.0);
  EXPECT_RANGE(EventSettings, relative_tolerance, 0.0, -1.0);
  EXPECT_RANGE(EventSettings, absolute_tolerance, 0.0, -1.0);
  EXPECT_RANGE(EventSettings, event_tolerance, 0.0, -1.0);
  EXPECT_RANGE(EventSettings, rest_speed, 0.0, -1.0);
  EXPECT_RANGE(EventSettings, slip_speed, 0.0, -1.0);
  EXPECT_RANGE(EventSettings, restitution_threshold, -1.0);
  EXPECT_RANGE(EventSettings, tolerance, 0.0, -1.0);
  EXPECT_RANGE(EventSettings, acceptable_tolerance, -1.0);
  EXPECT_RANGE(EventSettings, max_iterations, -1);
  EXPECT_RANGE(EventSettings, energy_tolerance, 0.0, -1.0);
  EXPECT_RANGE(EventSettings, minimum_interval, 0.0, -1.0);
  EXPECT_RANGE(EventSettings, most_close_events, 0, -1);
}

TEST(SettingsRanges, ImpactSettings) {
  EXPECT_RANGE(ImpactSettings, restitution_threshold, -1.0);
  EXPECT_RANGE(ImpactSettings, rest_speed, -1.0);
  EXPECT_RANGE(ImpactSettings, tolerance, -1.0);
}

TEST(SettingsRanges, InverseStepSettings) {
  EXPECT_RANGE_WITH(0, InverseStepSettings, proximal, 0.0, -1.0);
  EXPECT_RANGE_WITH(0, InverseStepSettings, tolerance, 0.0, -1.0);
  EXPECT_RANGE_WITH(0, InverseStepSettings, max_iterations, 0, -1);
  EXPECT_RANGE_WITH(0, InverseStepSettings, unactuated_share, -0.1, 1.1);
}

TEST(SettingsRanges, AssemblySettings) {
  EXPECT_RANGE(AssemblySettings, tolerance, 0.0, -1.0);
  EXPECT_RANGE(AssemblySettings, largest_move, 0.0, -1.0);
  EXPECT_RANGE(AssemblySettings, limit_inset, -1.0);
  EXPECT_RANGE(AssemblySettings, max_iterations, -1);
}

TEST(SettingsRanges, ComparisonSettings) {
  EXPECT_RANGE(ComparisonSettings, parting_distance, 0.0, -1.0);
}

}  // namespace
}  // namespace stiction
