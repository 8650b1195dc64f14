// More of math/dense.h that only tests need: compiled once, as its templates take a compiler many seconds each.
#pragma once

#include "stiction/math/dense.h"

namespace stiction::testing {

MatrixX inverse(const MatrixX& a);
double determinant(const MatrixX& a);
MatrixX solve(const MatrixX& a, const MatrixX& b);           // of any A
MatrixX solve_positive(const MatrixX& a, const MatrixX& b);  // of a symmetric, positive definite A
double log_determinant_of_positive(const MatrixX& a);
bool solve_if_invertible(const MatrixX& a, const VectorX& b, VectorX& x);
// a m aᵀ
inline MatrixX congruent(const MatrixX& a, const MatrixX& m) {
  return product_with_transposed(product(a, m), a);
}

}  // namespace stiction::testing
