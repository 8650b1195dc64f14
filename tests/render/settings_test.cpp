// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/model/model_builder.h"
#include "stiction/render/render.h"
#include "stiction/render/video.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

TEST(SettingsRanges, RenderSettings) {
  const auto model = ModelBuilder().build();
  EXPECT_RANGE_WITH(*model, RenderSettings, width, 0, 16385);
  EXPECT_RANGE_WITH(*model, RenderSettings, height, 0, 16385);
  EXPECT_RANGE_WITH(*model, RenderSettings, follow, -2, 0);
  EXPECT_RANGE_WITH(*model, RenderSettings, metres_per_newton, -1.0);
}

TEST(SettingsRanges, VideoSettings) {
  EXPECT_RANGE(VideoSettings, frames_per_second, 0.05, 1001.0);
}

}  // namespace
}  // namespace stiction
