// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/collision/collider.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

TEST(SettingsRanges, CollisionSettings) {
  EXPECT_RANGE(CollisionSettings, margin, -1.0);
}

}  // namespace
}  // namespace stiction
