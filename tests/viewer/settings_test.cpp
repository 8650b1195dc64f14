// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/viewer/comparison_page.h"
#include "stiction/viewer/live_server.h"
#include "stiction/viewer/live_session.h"
#include "stiction/viewer/live_view.h"
#include "stiction/viewer/page.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

using viewer::LiveServerSettings;
using viewer::LiveSessionSettings;

TEST(SettingsRanges, PageSettings) {
  EXPECT_RANGE(PageSettings, every, 0, -1);
}

TEST(SettingsRanges, ComparisonPageSettings) {
  EXPECT_RANGE(ComparisonPageSettings, every, 0, -1);
}

TEST(SettingsRanges, LiveViewSettings) {
  EXPECT_RANGE(LiveViewSettings, port, -1, 65536);
  EXPECT_RANGE_OR_INFINITE(LiveViewSettings, speed, 0.0, -1.0);
  EXPECT_RANGE(LiveViewSettings, frame_rate, 0.0, 1001.0);
}

TEST(SettingsRanges, LiveSessionSettings) {
  EXPECT_RANGE_OR_INFINITE(LiveSessionSettings, speed, 0.0, -1.0);
  EXPECT_RANGE(LiveSessionSettings, frame_rate, 0.0, 1001.0);
}

TEST(SettingsRanges, LiveServerSettings) {
  EXPECT_RANGE(LiveServerSettings, port, -1, 65536);
}

}  // namespace
}  // namespace stiction
