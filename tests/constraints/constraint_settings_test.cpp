// How far a position error is driven out in a step.
#include "stiction/constraints/constraint_settings.h"

#include <gtest/gtest.h>

namespace stiction {
namespace {

constexpr double dt = 1e-3;

double speed_out(const ConstraintSettings& settings, double depth) {
  return -settings.one_sided_offset(-depth, dt, true);
}

TEST(OneSidedOffset, GapsMayJustBeClosed) {
  EXPECT_DOUBLE_EQ(ConstraintSettings{}.one_sided_offset(2e-3, dt, true), 2.0);
  EXPECT_DOUBLE_EQ(ConstraintSettings{}.one_sided_offset(2e-3, dt, false), 2.0);
}

TEST(OneSidedOffset, LittleIsDrivenOutAtOnceAndMoreByItsFraction) {
  const ConstraintSettings settings;
  const double little = ConstraintSettings::gentle_correction * dt;
  EXPECT_DOUBLE_EQ(speed_out(settings, 0.5 * little), 0.5 * little / dt);
  EXPECT_DOUBLE_EQ(speed_out(settings, little), ConstraintSettings::gentle_correction);
  EXPECT_DOUBLE_EQ(speed_out(settings, 3.0 * little), (1.0 + 2.0 * settings.baumgarte) * little / dt);
  EXPECT_EQ(speed_out(settings, 1.0), settings.largest_correction);
  EXPECT_EQ(settings.one_sided_offset(-1.0, dt, false), 0.0);
}

TEST(OneSidedOffset, WhatIsSwitchedOffStaysOff) {
  EXPECT_EQ(speed_out({.baumgarte = 0.0}, 1e-8), 0.0);
  EXPECT_EQ(speed_out({.slop = 1e-4}, 1e-4), 0.0);
  EXPECT_NEAR(speed_out({.slop = 1e-4}, 1e-4 + 1e-8), 1e-8 / dt, 1e-16);
}

// Corners of a sliding face lie a rounding error above or below it: one rule for both, also where nothing is corrected.
TEST(OneSidedOffset, GapsOfAnAtomAreNoneWherePenetrationsAre) {
  for (const double gap : {1e-17, 1e-12, 1e-10}) {
    EXPECT_EQ(ConstraintSettings{.baumgarte = 0.0}.one_sided_offset(gap, dt, true), 0.0);
    EXPECT_EQ(ConstraintSettings{}.one_sided_offset(gap, dt, false), 0.0);
    EXPECT_DOUBLE_EQ(ConstraintSettings{}.one_sided_offset(gap, dt, true), gap / dt);
  }
  const ConstraintSettings off{.baumgarte = 0.0};
  EXPECT_NEAR(off.one_sided_offset(1.5e-10, dt, true), 1e-7, 1e-15);  // no jump between
  for (const double gap : {2e-10, 1e-9, 1e-3}) EXPECT_DOUBLE_EQ(off.one_sided_offset(gap, dt, true), gap / dt);
}

}  // namespace
}  // namespace stiction
