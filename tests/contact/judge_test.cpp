#include "stiction/contact/judge.h"

#include <gtest/gtest.h>

#include "../support/random_problems.h"

namespace stiction {
namespace {

using testing::mass_ratio_stack;

TEST(Judge, ExactStackAtRestHasNoResidual) {
  const auto mechanics = mass_ratio_stack(1.0, 1);
  const ContactProblem problem = mechanics.problem();
  VectorX impulse = VectorX::Zero(12);
  for (int i = 0; i < 4; ++i) impulse[3 * i + 2] = 9.81e-3 / 4;
  EXPECT_LE(judge(problem, impulse).eps_rel, 1e-15);
  impulse[2] *= 1.001;
  EXPECT_GT(judge(problem, impulse).eps_rel, 1e-6);
}

}  // namespace
}  // namespace stiction
