// The sparse factorisation M + diag = Lᵀ D L on packed rows (Featherstone, Rigid Body Dynamics Algorithms, 6.5). Row k
// updates the rows of its ancestors; packed by depth, every update is one contiguous axpy of a row's own beginning.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/dynamics_data.h"

namespace stiction {

// The lanes of a block of four before lane n.
STICTION_INLINE Pack4 keep_lanes_before(const Pack4& a, int n) {
  using Integers = decltype(a < a);
  const Integers keep = Integers{0, 1, 2, 3} < n;
  return keep ? a : Pack4{};
}

// Subtracts row[e] / D times `row` from the rows of the ancestors e = last … first, which span `blocks` blocks of four.
template <int blocks>
STICTION_INLINE void update_ancestors(double* factor, const double* row, const int* ancestor_row, double inverse_pivot,
                                      int first, int last) {
  Pack4 r[blocks];
  for (int g = 0; g < blocks; ++g) r[g] = load4(row + 4 * g);
  for (int e = last; e >= first; --e) {
    double* y = factor + ancestor_row[e];
    const double scale = row[e] * inverse_pivot;
    for (int g = 0; g < blocks; ++g) store4(y + 4 * g, load4(y + 4 * g) - scale * r[g]);
  }
}

// All ancestors of a row of doubles. Up to 24 of them keep the row in registers; padding lanes carry what they like.
inline void eliminate_row(double* factor, double* row, const int* ancestor_row, double inverse_pivot, int depth) {
  int last = depth - 1;
  for (; last >= 24; --last) {
    double* y = factor + ancestor_row[last];
    const double scale = row[last] * inverse_pivot;
    for (int g = 0; g <= last; g += 4) store4(y + g, load4(y + g) - scale * load4(row + g));
  }
  switch (last < 0 ? 0 : last / 4 + 1) {
    case 6:
      update_ancestors<6>(factor, row, ancestor_row, inverse_pivot, 20, last);
      last = 19;
      [[fallthrough]];
    case 5:
      update_ancestors<5>(factor, row, ancestor_row, inverse_pivot, 16, last);
      last = 15;
      [[fallthrough]];
    case 4:
      update_ancestors<4>(factor, row, ancestor_row, inverse_pivot, 12, last);
      last = 11;
      [[fallthrough]];
    case 3:
      update_ancestors<3>(factor, row, ancestor_row, inverse_pivot, 8, last);
      last = 7;
      [[fallthrough]];
    case 2:
      update_ancestors<2>(factor, row, ancestor_row, inverse_pivot, 4, last);
      last = 3;
      [[fallthrough]];
    case 1:
      update_ancestors<1>(factor, row, ancestor_row, inverse_pivot, 0, last);
      [[fallthrough]];
    default:
      break;
  }
  int g = 0;
  for (; g + 4 <= depth; g += 4) store4(row + g, inverse_pivot * load4(row + g));
  store4(row + g, keep_lanes_before(inverse_pivot * load4(row + g), depth - g));
}

// The same, lane by lane an environment of its own.
template <class T>
inline void eliminate_row(T* factor, T* row, const int* ancestor_row, const T& inverse_pivot, int depth) {
  for (int e = depth - 1; e >= 0; --e) {
    T* y = factor + ancestor_row[e];
    const T scale = row[e] * inverse_pivot;
    for (int g = 0; g <= e; ++g) y[g] -= scale * row[g];
  }
  for (int g = 0; g < depth; ++g) row[g] *= inverse_pivot;
  row[depth] = T{};
}

STICTION_INLINE double square_root(double a) {
  return std::sqrt(a);
}
template <class Pack>
STICTION_INLINE Pack square_root(const Pack& a) {
  Pack root;
  for (std::size_t lane = 0; lane < sizeof(Pack) / sizeof(double); ++lane) root[lane] = std::sqrt(a[lane]);
  return root;
}

// Factors rows [first, end): whole trees.
template <class T>
void factor_rows(DynamicsDataT<T>& d, int first, int end, const T* added_diagonal) {
  const int *begin = d.row_begin.data(), *depth = d.depth.data(), *ancestor_row = d.ancestor_row.data();
  T *const factor = d.factor.data(), *const inverse_pivot = d.inverse_pivot.data();
  std::copy(d.mass_matrix.data() + begin[first], d.mass_matrix.data() + begin[end], factor + begin[first]);
  if (added_diagonal) {
    for (int k = first; k < end; ++k) factor[begin[k] + depth[k]] += added_diagonal[k];
  }
  for (int k = end - 1; k >= first; --k) {
    T* row = factor + begin[k];
    const T inverse = 1.0 / row[depth[k]];
    inverse_pivot[k] = inverse;
    eliminate_row(factor, row, ancestor_row + begin[k], inverse, depth[k]);
  }
  for (int k = first; k < end; ++k) d.inverse_root_pivot[k] = square_root(inverse_pivot[k]);
}

}  // namespace stiction
