// Products and decompositions against their definitions.
#include "stiction/math/dense.h"

#include <gtest/gtest.h>

#include <random>

namespace stiction {
namespace {

MatrixX random_matrix(int rows, int columns, int seed) {
  std::mt19937 generator(static_cast<unsigned>(seed));
  std::normal_distribution<double> normal;
  MatrixX out(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) out(i, j) = normal(generator);
  }
  return out;
}

TEST(Dense, ProductsAreSumsOfProducts) {
  for (const int n : {1, 5, 40}) {
    const MatrixX a = random_matrix(n, n + 3, 1), b = random_matrix(n + 3, n + 1, 2);
    MatrixX ab = MatrixX::Zero(n, n + 1);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n + 1; ++j) {
        for (int k = 0; k < n + 3; ++k) ab(i, j) += a(i, k) * b(k, j);
      }
    }
    EXPECT_LE((product(a, b) - ab).norm(), 1e-13 * ab.norm());
    EXPECT_LE((product_of_transposed(a.transpose(), b) - ab).norm(), 1e-13 * ab.norm());
    EXPECT_LE((product_with_transposed(a, b.transpose()) - ab).norm(), 1e-13 * ab.norm());
  }
}

TEST(Dense, EigenvaluesAscendAndRebuildTheMatrix) {
  for (const int n : {1, 3, 30}) {
    const MatrixX b = random_matrix(n, n, 3), a = b + b.transpose();
    const SymmetricEigen eigen = symmetric_eigen(a);
    for (int k = 1; k < n; ++k) EXPECT_LE(eigen.values[k - 1], eigen.values[k]);
    EXPECT_LE((eigen.vectors.transpose() * eigen.vectors - MatrixX::Identity(n, n)).norm(), 1e-12 * n);
    EXPECT_LE((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - a).norm(), 1e-12 * a.norm());
  }
  const Matrix3 b = random_matrix(3, 3, 4), inertia = b * b.transpose();
  const PrincipalAxes principal = principal_axes(inertia);
  EXPECT_LE((principal.axes * principal.moments.asDiagonal() * principal.axes.transpose() - inertia).norm(),
            1e-14 * inertia.norm());
  EXPECT_LE((principal_moments(inertia) - principal.moments).norm(), 1e-13 * inertia.norm());
  EXPECT_LE(principal.moments[0], principal.moments[2]);
}

TEST(Dense, SolutionsSolve) {
  for (const int n : {1, 4, 40}) {
    const MatrixX a = random_matrix(n, n, 5), symmetric = a * a.transpose();
    const VectorX b = random_matrix(n, 1, 6);
    EXPECT_LE((a * solve_pivoted(a, b) - b).norm(), 1e-9);
    EXPECT_LE((a * solve_least(a, b) - b).norm(), 1e-9);
    EXPECT_LE((symmetric * solve_symmetric(symmetric, b) - b).norm(), 1e-6);
  }
}

// Of two equal columns each bears half, and what no column reaches is left.
TEST(Dense, TheLeastSolutionIsTheShortest) {
  MatrixX a = random_matrix(6, 4, 7);
  a.col(3) = a.col(1);
  const VectorX b = random_matrix(6, 1, 8), x = solve_least(a, b);
  EXPECT_NEAR(x[1], x[3], 1e-12);
  EXPECT_LE((a.transpose() * (a * x - b)).norm(), 1e-12);
  LeastSolution kept;
  kept.compute(a, 1e-11);
  EXPECT_EQ(kept.rank(), 3);
  VectorX y;
  kept.solve(b, y);
  EXPECT_LE((x - y).norm(), 1e-12);
  a(0, 3) += 1e-6;
  kept.compute(a, 1e-3);
  EXPECT_EQ(kept.rank(), 3) << "within the threshold";
  kept.compute(a, 1e-11);
  EXPECT_EQ(kept.rank(), 4);
}

}  // namespace
}  // namespace stiction
