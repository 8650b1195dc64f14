#include "stiction/problem_files/sequence.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "stiction/contact/judge.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

std::string scratch_file() {
  return ::testing::TempDir() + "sequence_" + std::to_string(::getpid()) + ".hdf5";
}

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

// Factored and dense problems, empty steps, contacts and limits: what is read is what was written, to rounding.
TEST(Sequence, WritesWhatItReads) {
  const std::string path = scratch_file();
  Sequence sequence = read_sequence(testing::scene_file("robot-problems/humanoid-fall.hdf5"));
  sequence.steps.resize(20);
  sequence.steps.push_back({ContactProblem(), {}, VectorX()});
  const SequenceStep& some = sequence.steps[10];
  sequence.steps.push_back({some.problem.in_form(DelassusForm::dense), some.id, some.reference});
  sequence.description = "twenty steps and two";
  write_sequence(path, sequence);
  const Sequence again = read_sequence(path);
  EXPECT_EQ(sequence.name, again.name);
  EXPECT_EQ(sequence.description, again.description);
  EXPECT_EQ(sequence.time_step, again.time_step);
  ASSERT_EQ(sequence.steps.size(), again.steps.size());
  for (std::size_t k = 0; k < again.steps.size(); ++k) {
    const SequenceStep &before = sequence.steps[k], &now = again.steps[k];
    EXPECT_EQ(before.id, now.id);
    EXPECT_EQ(before.reference, now.reference);
    ASSERT_EQ(before.problem.num_rows(), now.problem.num_rows());
    if (now.problem.num_rows() == 0) continue;
    EXPECT_EQ(before.problem.free_velocity(), now.problem.free_velocity());
    const MatrixX g = before.problem.to_dense();
    EXPECT_LE((g - now.problem.to_dense()).cwiseAbs().maxCoeff(), 1e-12 * g.cwiseAbs().maxCoeff());
    EXPECT_LE(judge(now.problem, now.reference).eps_rel, 1e-9);
  }
  std::remove(path.c_str());
}

TEST(Sequence, RefusesToWriteWhatTheFormatCannotHold) {
  const std::string path = scratch_file();
  const auto sequence_of = [](ContactProblem problem, std::size_t ids) {
    const VectorX reference = VectorX::Zero(problem.num_rows());
    return Sequence{"one", "", 1e-3, {{std::move(problem), std::vector<SequenceIdentity>(ids), reference}}};
  };
  const MatrixX g = MatrixX::Identity(3, 3);
  const auto one = [&](const Constraint& c, VectorView r = VectorX()) {
    return ContactProblem::from_dense({c}, g.topLeftCorner(c.rows, c.rows), VectorX::Zero(c.rows), r);
  };
  EXPECT_NO_THROW(write_sequence(path, sequence_of(one(Constraint::make_frictional(0.5)), 1)));
  EXPECT_THROW(write_sequence(path, sequence_of(one(Constraint::make_frictional(0.5)), 2)), std::invalid_argument);
  EXPECT_THROW(write_sequence(path, sequence_of(one(Constraint::make_bilateral(3)), 1)), std::invalid_argument);
  EXPECT_THROW(write_sequence(path, sequence_of(one(Constraint::make_anisotropic(0.5, 0.2)), 1)),
               std::invalid_argument);
  EXPECT_THROW(write_sequence(path, sequence_of(one(Constraint::make_frictional(0.5), VectorX::Ones(3)), 1)),
               std::invalid_argument);
  Sequence bad = sequence_of(one(Constraint::make_frictional(0.5)), 1);
  bad.time_step = 0.0;
  EXPECT_THROW(write_sequence(path, bad), std::invalid_argument);
  bad.time_step = 1e-3;
  bad.steps[0].reference = VectorX::Zero(2);
  EXPECT_THROW(write_sequence(path, bad), std::invalid_argument);
  bad.steps.clear();
  EXPECT_THROW(write_sequence(path, bad), std::invalid_argument);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace stiction
