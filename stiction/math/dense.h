// Products and decompositions of dense matrices of any size, compiled once: where Eigen's templates for them are used,
// a compiler takes five to twenty seconds, and they are used in a dozen files.
#pragma once

#include <Eigen/QR>

#include "stiction/math/types.h"

namespace stiction {

MatrixX product(const MatrixX& a, const MatrixX& b);                  // a b
MatrixX product_of_transposed(const MatrixX& a, const MatrixX& b);    // aᵀ b
MatrixX product_with_transposed(const MatrixX& a, const MatrixX& b);  // a bᵀ

// A = V diag(values) Vᵀ of a symmetric A, of which the lower triangle is read; values ascend.
struct SymmetricEigen {
  VectorX values;
  MatrixX vectors;
};
SymmetricEigen symmetric_eigen(const MatrixX& a);

// The same of an inertia, or any symmetric matrix of three rows; and the moments alone.
struct PrincipalAxes {
  Vector3 moments;
  Matrix3 axes;
};
PrincipalAxes principal_axes(const Matrix3& a);
Vector3 principal_moments(const Matrix3& a);

// x of A x = b for a symmetric A, by LDLᵀ with pivots; the lower triangle is read.
VectorX solve_symmetric(const MatrixX& a, const VectorX& b);
// For any A by QR with pivots of columns.
VectorX solve_pivoted(const MatrixX& a, const VectorX& b);
// Of all x that make ‖A x − b‖ least the shortest.
VectorX solve_least(const MatrixX& a, const VectorX& b);

// solve_least() for a matrix that is kept, with its rank.
class LeastSolution {
 public:
  // Pivots below this part of the largest count as zero.
  void compute(const MatrixX& a, double threshold);
  Eigen::Index rank() const;
  void solve(const VectorX& b, VectorX& x) const;

 private:
  Eigen::CompleteOrthogonalDecomposition<MatrixX> decomposition_;
};

}  // namespace stiction
