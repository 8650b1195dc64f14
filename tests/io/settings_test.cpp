// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/io/recording/recording.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

TEST(SettingsRanges, RecordingSettings) {
  EXPECT_RANGE(RecordingSettings, steps_per_block, 0, 1000001);
  EXPECT_RANGE(RecordingSettings, compression, -1, 10);
}

}  // namespace
}  // namespace stiction
