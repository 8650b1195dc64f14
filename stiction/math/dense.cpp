#include "stiction/math/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace stiction {

MatrixX product(const MatrixX& a, const MatrixX& b) {
  return a * b;
}
MatrixX product_of_transposed(const MatrixX& a, const MatrixX& b) {
  return a.transpose() * b;
}
MatrixX product_with_transposed(const MatrixX& a, const MatrixX& b) {
  return a * b.transpose();
}

SymmetricEigen symmetric_eigen(const MatrixX& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(a);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

PrincipalAxes principal_axes(const Matrix3& a) {
  const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(a);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Vector3 principal_moments(const Matrix3& a) {
  return Eigen::SelfAdjointEigenSolver<Matrix3>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

VectorX solve_symmetric(const MatrixX& a, const VectorX& b) {
  return a.ldlt().solve(b);
}

VectorX solve_pivoted(const MatrixX& a, const VectorX& b) {
  return a.colPivHouseholderQr().solve(b);
}
VectorX solve_least(const MatrixX& a, const VectorX& b) {
  return a.completeOrthogonalDecomposition().solve(b);
}

void LeastSolution::compute(const MatrixX& a, double threshold) {
  decomposition_.setThreshold(threshold);
  decomposition_.compute(a);
}
Eigen::Index LeastSolution::rank() const {
  return decomposition_.rank();
}
void LeastSolution::solve(const VectorX& b, VectorX& x) const {
  x = decomposition_.solve(b);
}

}  // namespace stiction
