// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/constraints/constraint_settings.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

TEST(SettingsRanges, ConstraintSettings) {
  EXPECT_RANGE(ConstraintSettings, baumgarte, -0.1, 1.1);
  EXPECT_RANGE(ConstraintSettings, slop, -1.0);
  EXPECT_RANGE(ConstraintSettings, largest_correction, -1.0);
  EXPECT_RANGE(ConstraintSettings, relative_compliance, -0.1, 1.1);
  EXPECT_RANGE(ConstraintSettings, relative_tangent_compliance, -0.1, 1.1);
  EXPECT_RANGE(ConstraintSettings, tangential_compliance, -1.0);
  EXPECT_RANGE(ConstraintSettings, restitution_threshold, -1.0);
  EXPECT_RANGE(ConstraintSettings, limit_margin, -1.0);
}

}  // namespace
}  // namespace stiction
