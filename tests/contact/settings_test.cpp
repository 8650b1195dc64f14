// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/contact/judge.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

TEST(SettingsRanges, JudgeSettings) {
  EXPECT_RANGE(JudgeSettings, time_step, 0.0, -1.0);
}

}  // namespace
}  // namespace stiction
