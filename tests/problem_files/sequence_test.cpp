#include "stiction/problem_files/sequence.h"

#include <gtest/gtest.h>

#include "stiction/contact/judge.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

// The stored impulse solves the problem as we build it: a wrong row order, sign or inertia would show here.
TEST(Sequence, StoredImpulsesPassTheJudge) {
  const Sequence sequence = read_sequence(testing::scene_file("robot-problems/quadruped-stand.hdf5"));
  EXPECT_EQ("quadruped-stand", sequence.name);
  EXPECT_EQ(1e-3, sequence.time_step);
  ASSERT_EQ(300u, sequence.steps.size());
  for (const SequenceStep& step : sequence.steps) {
    ASSERT_EQ(step.problem.num_constraints(), static_cast<int>(step.id.size()));
    const Residuals residuals = judge(step.problem, step.reference);
    EXPECT_LE(residuals.eps_rel, 1e-9);
    EXPECT_LE(residuals.eps_nat, 1e-9);
    EXPECT_GE(judge(step.problem, 1.01 * step.reference).eps_rel, 1e-6);
  }
}

TEST(Sequence, ReadsLimitsAmongContacts) {
  const Sequence sequence = read_sequence(testing::scene_file("robot-problems/humanoid-fall.hdf5"));
  bool limits = false;
  for (const SequenceStep& step : sequence.steps) {
    limits |= step.problem.has_kind(ConstraintKind::unilateral);
    EXPECT_LE(judge(step.problem, step.reference).eps_rel, 1e-9);
  }
  EXPECT_TRUE(limits);
}

TEST(Sequence, CarriesImpulsesOverByIdentity) {
  const MatrixX g = MatrixX::Identity(7, 7);
  const auto before = ContactProblem::from_dense(
      {Constraint::make_frictional(0.5), Constraint::make_unilateral(), Constraint::make_frictional(0.5)}, g,
      VectorX::Zero(7));
  const auto now = ContactProblem::from_dense(
      {Constraint::make_frictional(0.5), Constraint::make_frictional(0.5), Constraint::make_unilateral()}, g,
      VectorX::Zero(7));
  const std::vector<SequenceIdentity> ids_before{{1, 2, 0}, {-3, 1, 0}, {1, 2, 1}};
  const std::vector<SequenceIdentity> ids_now{{1, 2, 1}, {4, 4, 4}, {-3, 1, 0}};
  VectorX impulse(7), guess, expected(7);
  impulse << 1, 2, 3, 4, 5, 6, 7;
  carry_over(ids_before, before, impulse, ids_now, now, guess);
  expected << 5, 6, 7, 0, 0, 0, 4;
  EXPECT_EQ(expected, guess);
  EXPECT_THROW(carry_over(ids_before, before, impulse.head(6), ids_now, now, guess), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
