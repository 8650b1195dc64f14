// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/dynamics/inverse_kinematics.h"
#include "stiction/model/model_builder.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

TEST(SettingsRanges, InverseKinematicsSettings) {
  const auto model = ModelBuilder().build();
  EXPECT_RANGE_WITH(*model, InverseKinematicsSettings, position_tolerance, 0.0, -1.0);
  EXPECT_RANGE_WITH(*model, InverseKinematicsSettings, orientation_tolerance, 0.0, -1.0);
  EXPECT_RANGE_WITH(*model, InverseKinematicsSettings, max_iterations, 0, -1);
  EXPECT_RANGE_WITH(*model, InverseKinematicsSettings, max_restarts, -1);
  ANY_VALUE(InverseKinematicsSettings, seed);
}

}  // namespace
}  // namespace stiction
