#include "tests/support/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace stiction::testing {

MatrixX inverse(const MatrixX& a) {
  return a.inverse();
}
double determinant(const MatrixX& a) {
  return a.fullPivLu().determinant();
}
MatrixX solve(const MatrixX& a, const MatrixX& b) {
  return a.partialPivLu().solve(b);
}
MatrixX solve_positive(const MatrixX& a, const MatrixX& b) {
  return a.llt().solve(b);
}
double log_determinant_of_positive(const MatrixX& a) {
  return 2.0 * a.llt().matrixLLT().diagonal().array().log().sum();
}
bool solve_if_invertible(const MatrixX& a, const VectorX& b, VectorX& x) {
  const Eigen::FullPivLU<MatrixX> lu(a);
  if (!lu.isInvertible()) return false;
  x = lu.solve(b);
  return true;
}

}  // namespace stiction::testing
