// Settings out of their ranges are refused: all numbers of the room.
#include "stiction/learning/contact_patch.h"
#include "stiction/learning/learned_chain.h"
#include "stiction/learning/powell_hybrid.h"
#include "stiction/learning/throws.h"
#include "stiction/learning/train_contact.h"
#include "stiction/learning/training.h"
#include "tests/support/settings_ranges.h"

namespace stiction {
namespace {

TEST(SettingsRanges, PatchSettings) {
  EXPECT_RANGE(PatchSettings, touch_distance, -1.0);
  EXPECT_RANGE(PatchSettings, thickness, 0.0, -1.0);
}

TEST(SettingsRanges, LearnedChainSettings) {
  EXPECT_RANGE(LearnedChainSettings, tolerance, 0.0, 1.0);
  EXPECT_RANGE(LearnedChainSettings, max_evaluations, 9);
}

TEST(SettingsRanges, PowellSettings) {
  EXPECT_RANGE(PowellSettings, tolerance, -1.0);
  EXPECT_RANGE(PowellSettings, step_tolerance, -1.0);
  EXPECT_RANGE(PowellSettings, max_evaluations, -1);
  EXPECT_RANGE(PowellSettings, difference, 0.0, 1.0);
  EXPECT_RANGE(PowellSettings, least_difference, 0.0, -1.0);
  EXPECT_RANGE(PowellSettings, first_radius, 0.0, -1.0);
}

TEST(SettingsRanges, ThrowRanges) {
  EXPECT_RANGE(ThrowRanges, lowest, -1.0);
  EXPECT_RANGE(ThrowRanges, highest, 0.0);
  EXPECT_RANGE(ThrowRanges, speed, -1.0);
  EXPECT_RANGE(ThrowRanges, vertical_speed, -1.0);
  EXPECT_RANGE(ThrowRanges, spin, -1.0);
  EXPECT_RANGE(ThrowRanges, impact_speed, -1.0);
}

TEST(SettingsRanges, GenerateSettings) {
  EXPECT_RANGE(GenerateSettings, time_step, 0.0, -1.0);
  EXPECT_RANGE(GenerateSettings, steps, 0, -1);
  ANY_VALUE(GenerateSettings, seed);
  EXPECT_RANGE(GenerateSettings, most_static, 0, -1);
  EXPECT_RANGE(GenerateSettings, dimension, -2, 3);
}

TEST(SettingsRanges, ContactTrainingSettings) {
  EXPECT_RANGE(ContactTrainingSettings, fewest_samples, 9);
}

TEST(SettingsRanges, TrainingSettings) {
  EXPECT_RANGE(TrainingSettings, epochs, 0, -1);
  EXPECT_RANGE(TrainingSettings, batch, 0, -1);
  EXPECT_RANGE(TrainingSettings, learning_rate, 0.0, -1.0);
  EXPECT_RANGE(TrainingSettings, dropout, -0.1, 0.95);
  EXPECT_RANGE(TrainingSettings, validation_share, -0.1, 0.6);
  EXPECT_RANGE(TrainingSettings, patience, -1);
  ANY_VALUE(TrainingSettings, seed);
}

}  // namespace
}  // namespace stiction
