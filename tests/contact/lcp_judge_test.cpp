#include "stiction/contact/lcp_judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stiction {
namespace {

LinearComplementarityProblem small_problem() {
  LinearComplementarityProblem p;
  p.matrix = (MatrixX(2, 2) << 2, 1, 1, 2).finished();
  p.offset = (VectorX(2) << -3, 1).finished();
  return p;
}

TEST(LcpJudge, SolutionHasNoResidualAndPerturbationHasTheKnownOne) {
  const auto p = small_problem();  // z = (3/2, 0), w = (0, 5/2)
  VectorX z = (VectorX(2) << 1.5, 0.0).finished();
  EXPECT_EQ(judge_lcp(p, z).eps_abs, 0.0);
  z[0] = 1.4;  // w = (−0.2, 2.4): |z w| = 0.28
  const LcpResiduals r = judge_lcp(p, z);
  EXPECT_NEAR(r.negative_slack, 0.2, 1e-15);
  EXPECT_NEAR(r.complementarity, 0.28, 1e-15);
  EXPECT_NEAR(r.eps_abs, 0.28, 1e-15);
  EXPECT_NEAR(r.natural_map, 0.2, 1e-15);
  EXPECT_EQ(r.worst_row, 0);
  z << 1.5, -0.5;
  EXPECT_NEAR(judge_lcp(p, z).negative_unknown, 0.5, 1e-15);
}

TEST(LcpJudge, RelativeResidualDoesNotFeelUnits) {
  const auto p = small_problem();
  const VectorX z = (VectorX(2) << 1.3, 0.2).finished();
  const LcpResiduals r = judge_lcp(p, z);
  LinearComplementarityProblem scaled{1e-6 * p.matrix, 1e3 * p.offset};
  const LcpResiduals s = judge_lcp(scaled, 1e9 * z);
  EXPECT_NEAR(s.eps_rel, r.eps_rel, 1e-12);
  EXPECT_NEAR(s.eps_nat, r.eps_nat, 1e-12);
}

TEST(LcpJudge, NanIsInfinitelyWrong) {
  const auto p = small_problem();
  const VectorX z = (VectorX(2) << std::nan(""), 0.0).finished();
  EXPECT_EQ(judge_lcp(p, z).eps_nat, std::numeric_limits<double>::infinity());
  EXPECT_EQ(judge_lcp(p, z).natural_map, std::numeric_limits<double>::infinity());
}

TEST(LcpJudge, EmptyProblemIsSolved) {
  EXPECT_EQ(judge_lcp({}, VectorX()).eps_nat, 0.0);
}

TEST(LcpJudge, RefusesBadInputWithItsPlace) {
  auto p = small_problem();
  EXPECT_THROW(judge_lcp(p, VectorX::Zero(3)), std::invalid_argument);
  p.matrix(1, 0) = std::nan("");
  try {
    p.validate();
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("M[1, 0] is nan"), std::string::npos) << e.what();
  }
  p = small_problem();
  p.offset[1] = std::numeric_limits<double>::infinity();
  try {
    p.validate();
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("q[1] is inf"), std::string::npos) << e.what();
  }
  p.offset.resize(3);
  EXPECT_THROW(p.validate(), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
