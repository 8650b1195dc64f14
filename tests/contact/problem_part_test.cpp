#include "stiction/contact/problem_part.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/allocation_guard.h"
#include "tests/support/random_problems.h"

namespace stiction {
namespace {

// Two random problems side by side, so that the first constraints are not coupled to the last.
struct Pair {
  ContactProblem whole;
  std::vector<int> second;  // constraints of the second
};

Pair two_islands(DelassusForm form) {
  testing::RandomProblemOptions options;
  options.limits = 2;
  options.bilateral = 2;
  options.dry_friction = 1;
  options.compliance = 0.1;
  const testing::Mechanics a = testing::random_mechanics(options);
  options.seed = 1;
  const testing::Mechanics b = testing::random_mechanics(options);
  std::vector<Constraint> constraints = a.constraints;
  constraints.insert(constraints.end(), b.constraints.begin(), b.constraints.end());
  const auto beside = [](const auto& x, const auto& y) {
    std::vector<Eigen::Triplet<double>> entries;
    const auto put = [&](const auto& m, int row, int column) {
      for (int k = 0; k < m.outerSize(); ++k) {
        for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(m, k); it; ++it) {
          entries.emplace_back(row + static_cast<int>(it.row()), column + static_cast<int>(it.col()), it.value());
        }
      }
    };
    put(x, 0, 0);
    put(y, static_cast<int>(x.rows()), static_cast<int>(x.cols()));
    Eigen::SparseMatrix<double, Eigen::RowMajor> out(x.rows() + y.rows(), x.cols() + y.cols());
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  };
  const auto join = [](const VectorX& x, const VectorX& y) {
    VectorX out(x.size() + y.size());
    out << x, y;
    return out;
  };
  const ContactProblem factored =
      ContactProblem::from_inertia(constraints, beside(a.inertia, b.inertia), beside(a.jacobian, b.jacobian),
                                   join(a.free_velocity(), b.free_velocity()), join(a.compliance, b.compliance));
  Pair pair;
  pair.whole = form == DelassusForm::factored ? factored : factored.in_form(form);
  pair.second.resize(b.constraints.size());
  std::iota(pair.second.begin(), pair.second.end(), static_cast<int>(a.constraints.size()));
  return pair;
}

TEST(ProblemPart, HoldsTheBlocksOfItsConstraintsInEveryForm) {
  for (const DelassusForm form : {DelassusForm::dense, DelassusForm::sparse, DelassusForm::factored}) {
    const Pair pair = two_islands(form);
    const MatrixX full = pair.whole.to_dense();
    ProblemPart sparse, dense;
    const ContactProblem& s = sparse.make_sparse(pair.whole, pair.second);
    const ContactProblem& d = dense.make_dense(pair.whole, pair.second);
    const int m = s.num_rows();
    ASSERT_EQ(s.form(), DelassusForm::sparse);
    ASSERT_EQ(d.form(), DelassusForm::dense);
    ASSERT_EQ(d.num_rows(), m);
    const MatrixX expected = full.bottomRightCorner(m, m);
    EXPECT_LT((s.to_dense() - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.cwiseAbs().maxCoeff());
    EXPECT_LT((d.to_dense() - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.cwiseAbs().maxCoeff());
    EXPECT_EQ(s.free_velocity(), VectorX(pair.whole.free_velocity().tail(m)));
    EXPECT_EQ(d.compliance(), VectorX(pair.whole.compliance().tail(m)));
    EXPECT_EQ(s.largest_diagonal(), pair.whole.largest_diagonal());
    EXPECT_EQ(d.largest_free_velocity(), pair.whole.largest_free_velocity());
    const auto& g = s.sparse();
    for (int i = 0; i < s.num_constraints(); ++i) {
      EXPECT_EQ(g.column[g.diagonal[i]], i);
      for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) {
        EXPECT_EQ(g.column[g.transposed[k]], i);
        if (k > g.row_begin[i]) {
          EXPECT_LT(g.column[k - 1], g.column[k]);
        }
      }
      for (int r = 0; r < s.constraint(i).rows; ++r) {
        EXPECT_TRUE(s.diagonal_block(i).row(r).isApprox(pair.whole.diagonal_block(pair.second[i]).row(r)));
      }
    }
  }
}

// Some constraints of a coupled problem while the others keep their impulses: the same velocities as in the whole.
TEST(ProblemPart, FactoredPartFeelsTheImpulsesOfTheRest) {
  const ContactProblem whole = two_islands(DelassusForm::factored).whole;
  std::vector<int> kept;
  for (int i = 1; i < whole.num_constraints(); i += 2) kept.push_back(i);
  const VectorX impulse = VectorX::LinSpaced(whole.num_rows(), -1.0, 2.0);
  VectorX held = impulse, velocity(whole.num_rows()), expected(whole.num_rows());
  for (const int i : kept) held.segment(whole.constraint(i).first_row, whole.constraint(i).rows).setZero();
  whole.velocity(held, velocity);
  whole.velocity(impulse, expected);
  ProblemPart part;
  const ContactProblem& p = part.make_factored(whole, kept, velocity);
  ASSERT_EQ(p.form(), DelassusForm::factored);
  EXPECT_LE(p.factored().num_nodes(), whole.factored().num_nodes());
  VectorX mine, mine_expected, mine_velocity(p.num_rows());
  part.gather(whole, kept, impulse, mine);
  part.gather(whole, kept, expected, mine_expected);
  p.velocity(mine, mine_velocity);
  EXPECT_LT((mine_velocity - mine_expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
  EXPECT_EQ(p.largest_free_velocity(), whole.largest_free_velocity());

  const std::vector<int> first{kept.front()};  // nodes that it does not touch are left out
  part.make_factored(whole, first, velocity);
  const DelassusFactored& f = whole.factored();
  EXPECT_EQ(part.problem().factored().num_nodes(), f.segment_begin[first[0] + 1] - f.segment_begin[first[0]]);
}

TEST(ProblemPart, GathersAndScattersRows) {
  const Pair pair = two_islands(DelassusForm::sparse);
  ProblemPart part;
  part.make_sparse(pair.whole, pair.second);
  const VectorX all = VectorX::LinSpaced(pair.whole.num_rows(), 1.0, 2.0);
  VectorX mine, back = VectorX::Zero(pair.whole.num_rows());
  part.gather(pair.whole, pair.second, all, mine);
  EXPECT_EQ(mine, VectorX(all.tail(mine.size())));
  part.scatter(pair.whole, pair.second, mine, back);
  EXPECT_EQ(VectorX(back.tail(mine.size())), mine);
  EXPECT_EQ(back.head(all.size() - mine.size()).norm(), 0.0);
}

TEST(ProblemPart, RebuildsWithoutAllocation) {
  for (const DelassusForm form : {DelassusForm::dense, DelassusForm::sparse, DelassusForm::factored}) {
    const Pair pair = two_islands(form);
    ProblemPart sparse, dense;
    sparse.make_sparse(pair.whole, pair.second);
    dense.make_dense(pair.whole, pair.second);
    const testing::AllocationGuard guard;
    sparse.make_sparse(pair.whole, pair.second);
    dense.make_dense(pair.whole, pair.second);
    EXPECT_EQ(guard.count(), 0);
  }
}

}  // namespace
}  // namespace stiction
