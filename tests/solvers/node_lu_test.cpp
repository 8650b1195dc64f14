#include "stiction/solvers/linear_algebra/node_lu.h"

#include <gtest/gtest.h>

#include "../support/allocation_guard.h"
#include "../support/random.h"
#include "../support/random_problems.h"
#include "tests/support/dense.h"

namespace stiction {
namespace {

ContactProblem mixed_problem(unsigned seed) {
  return testing::random_problem(
      {.seed = seed, .bodies = 9, .contacts = 20, .limits = 4, .bilateral = 2, .dry_friction = 2});
}

// One tree of 15 velocities (three nodes, the last of three columns) and a free body.
ContactProblem tree_problem() {
  constexpr int nv = 21;
  MatrixX inertia = MatrixX::Zero(nv, nv);
  testing::Random draw(1);
  const MatrixX root = draw.matrix(15, 15);
  inertia.topLeftCorner(15, 15) = root * root.transpose() + MatrixX::Identity(15, 15);
  inertia.bottomRightCorner(6, 6).setIdentity();
  MatrixX jacobian = draw.matrix(10, nv);
  jacobian.topRightCorner(3, 6).setZero();
  std::vector<Constraint> constraints(3, Constraint::make_frictional(0.5));
  constraints.push_back(Constraint::make_unilateral());
  return ContactProblem::from_inertia(constraints, inertia.sparseView(), jacobian.sparseView(), VectorX::Ones(10));
}

MatrixX dense_a(const ContactProblem& problem) {
  const auto& f = problem.factored();
  MatrixX a = MatrixX::Zero(problem.num_rows(), 8 * f.num_nodes());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      for (int r = 0; r < problem.constraint(i).rows; ++r) {
        for (int k = 0; k < 8; ++k) {
          a(problem.constraint(i).first_row + r, 8 * f.segment_node[s] + k) = f.segment[s].row[r][k];
        }
      }
    }
  }
  return a;
}

void expect_solves(NodeLu& lu, const ContactProblem& problem, double identity) {
  const auto& f = problem.factored();
  testing::Random draw(2);
  std::vector<Matrix3> weight;
  MatrixX b = MatrixX::Zero(problem.num_rows(), problem.num_rows());
  for (const Constraint& c : problem.constraints()) {
    const Matrix3 root = draw.matrix(3, 3);
    Matrix3 w = root * root.transpose() + draw.matrix(3, 3, 0.2);
    if (c.rows == 1) {
      w.setZero();
      w(0, 0) = 0.7;
    }
    weight.push_back(w);
    for (int r = 0; r < c.rows; ++r) {
      for (int q = 0; q < c.rows; ++q) b(c.first_row + r, c.first_row + q) = w(r, q);
    }
  }
  const MatrixX a = dense_a(problem);
  MatrixX k = a.transpose() * b * a;
  k += identity * MatrixX::Identity(k.rows(), k.rows());
  ASSERT_TRUE(lu.factor(f, weight, identity));
  VectorX right = VectorX::Zero(k.rows()), x(k.rows());
  std::vector<Pack8> packs(f.num_nodes());
  for (int n = 0; n < f.num_nodes(); ++n) {
    for (int c = 0; c < f.node_size[n]; ++c) packs[n][c] = right[8 * n + c] = 1.0 + 0.1 * n - 0.3 * c;
  }
  lu.solve(packs.data(), packs.data());
  for (int n = 0; n < f.num_nodes(); ++n) {
    for (int c = 0; c < 8; ++c) x[8 * n + c] = packs[n][c];
  }
  EXPECT_LE((k * x - right).cwiseAbs().maxCoeff(), 1e-9 * x.cwiseAbs().maxCoeff());
  for (int n = 0; n < f.num_nodes(); ++n) {
    for (int c = f.node_size[n]; c < 8; ++c) k(8 * n + c, 8 * n + c) = 1.0;
  }
  EXPECT_EQ(lu.determinant_sign(), testing::determinant(k) > 0.0 ? 1 : -1);
}

TEST(NodeLu, SolvesLikeADenseFactorisation) {
  NodeLu lu;
  expect_solves(lu, mixed_problem(3), 1.0);
  expect_solves(lu, mixed_problem(4), 0.01);
  expect_solves(lu, tree_problem(), 1.0);
}

TEST(NodeLu, AllocatesOnce) {
  const ContactProblem problem = mixed_problem(5);
  const std::vector<Matrix3> weight(problem.num_constraints(), Matrix3::Identity());
  std::vector<Pack8> x(problem.factored().num_nodes());
  NodeLu lu;
  ASSERT_TRUE(lu.factor(problem.factored(), weight));
  const testing::AllocationGuard guard;
  ASSERT_TRUE(lu.factor(problem.factored(), weight));
  lu.solve(x.data(), x.data());
  EXPECT_EQ(guard.count(), 0);
}

TEST(NodeLu, ProductsAgreeWithTheProblem) {
  const ContactProblem problem = mixed_problem(6);
  const VectorX impulse = testing::Random(3).matrix(problem.num_rows(), 1);
  VectorX expected(problem.num_rows()), actual(problem.num_rows());
  problem.apply(impulse, expected);
  std::vector<Pack8> w(problem.factored().num_nodes());
  multiply_transposed(problem.factored(), problem.constraints(), impulse.data(), w.data());
  multiply(problem.factored(), problem.constraints(), w.data(), actual.data());
  EXPECT_LE((expected - actual).cwiseAbs().maxCoeff(), 1e-12);
}

// The search for the fill ends where it is too much, and is taken up again where more is allowed.
TEST(NodeLu, WhatIsTooLargeIsLeftWhereThatIsKnown) {
  const ContactProblem problem = mixed_problem(4);
  const auto& f = problem.factored();
  NodeLu whole, limited;
  ASSERT_TRUE(whole.analyse(f));
  const double all = whole.num_products();
  ASSERT_GE(all, 8.0);
  EXPECT_FALSE(limited.analyse(f, 0.3 * all));
  EXPECT_GT(limited.num_products(), 0.3 * all);
  EXPECT_LT(limited.num_products(), all);
  EXPECT_FALSE(limited.analyse(f, 0.3 * all));
  EXPECT_FALSE(limited.analyse(f, all - 1.0));
  EXPECT_TRUE(limited.analyse(f, all));
  EXPECT_EQ(limited.num_products(), all);
  expect_solves(limited, problem, 1.0);
  EXPECT_FALSE(limited.analyse(f, all - 1.0));
  EXPECT_TRUE(limited.analyse(f, all));
  expect_solves(limited, problem, 1.0);
}

}  // namespace
}  // namespace stiction
