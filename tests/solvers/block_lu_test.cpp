#include "stiction/solvers/linear_algebra/block_lu.h"

#include <gtest/gtest.h>

#include <vector>

#include "../support/allocation_guard.h"
#include "../support/random.h"
#include "../support/random_problems.h"
#include "tests/support/dense.h"

namespace stiction {
namespace {

// Everything in three rows per constraint, as BlockLu sees it.
struct Padded {
  std::vector<Matrix3> diagonal, left;
  MatrixX matrix;
  Padded(const ContactProblem& problem, testing::Random& draw) {
    const int n = problem.num_constraints();
    const auto& g = problem.sparse();
    matrix = MatrixX::Zero(3 * n, 3 * n);
    for (int i = 0; i < n; ++i) {
      const Matrix3 root = draw.matrix(3, 3);
      diagonal.push_back(root * root.transpose() + draw.matrix(3, 3, 0.1));
      left.push_back(Matrix3::Identity() + draw.matrix(3, 3, 0.1));
      if (problem.constraint(i).rows == 1) {
        diagonal[i] = Matrix3::Identity();
        left[i] = Matrix3::Identity();
      }
      for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) {
        matrix.block<3, 3>(3 * i, 3 * g.column[k]) = left[i] * g.block[k];
      }
      matrix.block<3, 3>(3 * i, 3 * i) += diagonal[i];
    }
  }
};

ContactProblem mixed_problem() {
  return testing::random_problem(
             {.seed = 3, .bodies = 9, .contacts = 20, .limits = 4, .bilateral = 2, .dry_friction = 2})
      .in_form(DelassusForm::sparse);
}

TEST(BlockLu, SolvesLikeADenseFactorisation) {
  testing::Random draw(1);
  const ContactProblem problem = mixed_problem();
  const Padded padded(problem, draw);
  BlockLu lu;
  ASSERT_TRUE(lu.factor(problem.sparse(), padded.diagonal, padded.left));
  const VectorX b = draw.matrix(static_cast<int>(padded.matrix.rows()), 1);
  VectorX x(b.size());
  lu.solve(b.data(), x.data());
  EXPECT_LE((padded.matrix * x - b).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_EQ(lu.determinant_sign(), testing::determinant(padded.matrix) > 0.0 ? 1 : -1);
}

TEST(BlockLu, LeavesOutSkippedConstraints) {
  testing::Random draw(2);
  const ContactProblem problem = mixed_problem();
  const Padded padded(problem, draw);
  std::vector<char> skip(problem.num_constraints(), 0);
  skip[0] = skip[5] = skip[problem.num_constraints() - 1] = 1;
  BlockLu lu;
  ASSERT_TRUE(lu.factor(problem.sparse(), padded.diagonal, padded.left, skip));
  const VectorX b = draw.matrix(static_cast<int>(padded.matrix.rows()), 1);
  VectorX x(b.size());
  lu.solve(b.data(), x.data());
  const VectorX r = padded.matrix * x - b;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    if (skip[i]) {
      EXPECT_EQ(x.segment<3>(3 * i).norm(), 0.0);
    } else {
      EXPECT_LE(r.segment<3>(3 * i).norm(), 1e-11);
    }
  }
  // Skipping is not remembered.
  ASSERT_TRUE(lu.factor(problem.sparse(), padded.diagonal, padded.left));
  lu.solve(b.data(), x.data());
  EXPECT_LE((padded.matrix * x - b).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(BlockLu, TellsASingularPivotAndAllocatesOnce) {
  testing::Random draw(3);
  const ContactProblem problem = mixed_problem();
  const Padded padded(problem, draw);
  BlockLu lu;
  ASSERT_TRUE(lu.factor(problem.sparse(), padded.diagonal));
  VectorX x = VectorX::Ones(padded.matrix.rows());
  const testing::AllocationGuard guard;
  ASSERT_TRUE(lu.factor(problem.sparse(), padded.diagonal));
  lu.solve(x.data(), x.data());
  EXPECT_EQ(guard.count(), 0);

  const ContactProblem zero = ContactProblem::from_sparse(
      {Constraint::make_frictional(0.5)}, Eigen::SparseMatrix<double, Eigen::RowMajor>(3, 3), VectorX::Ones(3));
  const std::vector<Matrix3> nothing(1, Matrix3::Zero());
  EXPECT_FALSE(lu.factor(zero.sparse(), nothing));
}

}  // namespace
}  // namespace stiction
