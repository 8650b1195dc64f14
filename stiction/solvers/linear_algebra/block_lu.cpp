#include "stiction/solvers/linear_algebra/block_lu.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction {
namespace {

constexpr Pack4 zero4{};
constexpr double products_between_looks = 2e5;  // a millisecond or two

}  // namespace

void BlockLu::analyse(const DelassusSparse& pattern) {
  if (pattern.row_begin == pattern_begin_ && pattern.column == pattern_column_) return;
  pattern_begin_ = pattern.row_begin;
  pattern_column_ = pattern.column;
  fill_.compute(pattern.row_begin, pattern.column);
  const size_t n = fill_.order.size();
  lower_.resize(fill_.lower_column.size());
  upper_.resize(fill_.upper_column.size());
  kept_column_.resize(fill_.upper_column.size());
  kept_count_.resize(n);
  pivot_inverse_.resize(n);
  work_row_.resize(n);
  work_solve_.resize(n);
  skipped_.assign(n, 0);
}

// Row `row` of the matrix into work_row_, zero where only fill will come.
void BlockLu::scatter_row(int row, const DelassusSparse& delassus, std::span<const Matrix3> diagonal,
                          std::span<const Matrix3> left) {
  constexpr Block empty{};
  for (int e = fill_.lower_begin[row]; e < fill_.lower_begin[row + 1]; ++e) work_row_[fill_.lower_column[e]] = empty;
  for (int e = fill_.upper_begin[row]; e < fill_.upper_begin[row + 1]; ++e) work_row_[fill_.upper_column[e]] = empty;
  const int old = fill_.order[row];
  for (int k = delassus.row_begin[old]; k < delassus.row_begin[old + 1]; ++k) {
    const int column = fill_.position[delassus.column[k]];
    if (skipped_[column]) continue;
    Matrix3 block;
    if (left.empty()) {
      block = delassus.block[k];
    } else {
      block.noalias() = left[old] * delassus.block[k];
    }
    if (column == row) block += diagonal[old];
    for (int c = 0; c < 3; ++c) work_row_[column].column[c] = Pack4{block(0, c), block(1, c), block(2, c), 0.0};
  }
}

// work_row_ ← work_row_ − L_row,k U_k for all k before the row; L of the row is stored on the way. Returns the
// products.
int BlockLu::eliminate_row(int row) {
  int products = 0;
  for (int e = fill_.lower_begin[row]; e < fill_.lower_begin[row + 1]; ++e) {
    const int k = fill_.lower_column[e];
    const Block w = work_row_[k];
    Block& l = lower_[e];
    if (skipped_[k]) {
      l = Block{};
      continue;
    }
    const Block& inverse = pivot_inverse_[k];
    for (int c = 0; c < 3; ++c) {
      l.column[c] = w.column[0] * broadcast4(inverse.column[c][0]) + w.column[1] * broadcast4(inverse.column[c][1]) +
                    w.column[2] * broadcast4(inverse.column[c][2]);
    }
    const Pack4 l0 = l.column[0], l1 = l.column[1], l2 = l.column[2];
    const int begin = fill_.upper_begin[k], end = begin + kept_count_[k];
    products += end - begin;
    for (int u = begin; u < end; ++u) {
      const Block& source = upper_[u];
      Block& target = work_row_[kept_column_[u]];
      for (int c = 0; c < 3; ++c) {
        target.column[c] -= l0 * broadcast4(source.column[c][0]) + l1 * broadcast4(source.column[c][1]) +
                            l2 * broadcast4(source.column[c][2]);
      }
    }
  }
  return products;
}

// Gauss–Jordan with row exchanges. False when the pivot block is singular or not finite.
bool BlockLu::invert_pivot(int row) {
  double a[3][6];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      a[r][c] = work_row_[row].column[c][r];
      a[r][3 + c] = r == c ? 1.0 : 0.0;
    }
  }
  for (int c = 0; c < 3; ++c) {
    int best = c;
    for (int r = c + 1; r < 3; ++r) {
      if (std::abs(a[r][c]) > std::abs(a[best][c])) best = r;
    }
    if (best != c) {
      for (int k = 0; k < 6; ++k) std::swap(a[best][k], a[c][k]);
      determinant_sign_ = -determinant_sign_;
    }
    const double pivot = a[c][c];
    if (pivot == 0.0 || !std::isfinite(pivot)) return false;
    if (pivot < 0.0) determinant_sign_ = -determinant_sign_;
    const double inverse = 1.0 / pivot;
    for (int k = 0; k < 6; ++k) a[c][k] *= inverse;
    for (int r = 0; r < 3; ++r) {
      if (r == c) continue;
      const double factor = a[r][c];
      for (int k = 0; k < 6; ++k) a[r][k] -= factor * a[c][k];
    }
  }
  double check = 0.0;
  for (int c = 0; c < 3; ++c) {
    pivot_inverse_[row].column[c] = Pack4{a[0][3 + c], a[1][3 + c], a[2][3 + c], 0.0};
    check += a[0][3 + c] + a[1][3 + c] + a[2][3 + c];
  }
  return std::isfinite(check);
}

bool BlockLu::factor(const DelassusSparse& delassus, std::span<const Matrix3> diagonal, std::span<const Matrix3> left,
                     std::span<const char> skip, Interrupt* interrupt) {
  analyse(delassus);
  InterruptedWork work(interrupt, products_between_looks);
  const int n = static_cast<int>(fill_.order.size());
  determinant_sign_ = 1;
  for (int i = 0; i < n; ++i) skipped_[i] = skip.empty() ? 0 : skip[fill_.order[i]];
  for (int row = 0; row < n; ++row) {
    kept_count_[row] = 0;
    if (skipped_[row]) continue;
    scatter_row(row, delassus, diagonal, left);
    if (work.stops_after(eliminate_row(row))) return false;
    const int begin = fill_.upper_begin[row];
    for (int e = begin; e < fill_.upper_begin[row + 1]; ++e) {
      const int column = fill_.upper_column[e];
      if (skipped_[column]) continue;
      const int kept = begin + kept_count_[row]++;
      upper_[kept] = work_row_[column];
      kept_column_[kept] = column;
    }
    if (!invert_pivot(row)) return false;
  }
  return true;
}

void BlockLu::solve(const double* b, double* x) const {
  const int n = static_cast<int>(fill_.order.size());
  Pack4* y = work_solve_.data();
  for (int i = 0; i < n; ++i) {
    if (skipped_[i]) {
      y[i] = zero4;
      continue;
    }
    const double* from = b + 3 * fill_.order[i];
    Pack4 sum{from[0], from[1], from[2], 0.0};
    for (int e = fill_.lower_begin[i]; e < fill_.lower_begin[i + 1]; ++e) {
      const Block& l = lower_[e];
      const Pack4& v = y[fill_.lower_column[e]];
      sum -= l.column[0] * broadcast4(v[0]) + l.column[1] * broadcast4(v[1]) + l.column[2] * broadcast4(v[2]);
    }
    y[i] = sum;
  }
  for (int i = n - 1; i >= 0; --i) {
    Pack4 sum = y[i];
    const int begin = fill_.upper_begin[i], end = begin + kept_count_[i];
    for (int e = begin; e < end; ++e) {
      const Block& u = upper_[e];
      const Pack4& v = y[kept_column_[e]];
      sum -= u.column[0] * broadcast4(v[0]) + u.column[1] * broadcast4(v[1]) + u.column[2] * broadcast4(v[2]);
    }
    if (skipped_[i]) {
      sum = zero4;
    } else {
      const Block& d = pivot_inverse_[i];
      sum = d.column[0] * broadcast4(sum[0]) + d.column[1] * broadcast4(sum[1]) + d.column[2] * broadcast4(sum[2]);
    }
    y[i] = sum;
    double* to = x + 3 * fill_.order[i];
    to[0] = sum[0];
    to[1] = sum[1];
    to[2] = sum[2];
  }
}

}  // namespace stiction
