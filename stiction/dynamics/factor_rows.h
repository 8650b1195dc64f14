// The sparse factorisation M + diag = Lᵀ D L on packed rows (Featherstone, Rigid Body Dynamics Algorithms, 6.5). Row k
// updates the rows of its ancestors; packed by depth, every update is one contiguous axpy of a row's own beginning.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/pack_lanes.h"
#include "stiction/math/vectorise.h"

namespace stiction {

// A row on its way into the ancestors: row k and what it is divided by.
struct EliminatedRow {
  double* row;
  double inverse_pivot;
};

// Subtracts row[e] / D times each row from the rows of the ancestors e = last … first, which span `blocks` blocks of
// four. Two rows at a time halve the loads and stores of the ancestors.
template <int blocks, int num_rows>
STICTION_INLINE void update_ancestors(double* factor, const EliminatedRow* rows, const int* ancestor_row, int first,
                                      int last) {
  Pack4 r[num_rows][blocks];
  for (int i = 0; i < num_rows; ++i) {
    for (int g = 0; g < blocks; ++g) r[i][g] = load4(rows[i].row + 4 * g);
  }
  for (int e = last; e >= first; --e) {
    double* y = factor + ancestor_row[e];
    Pack4 scale[num_rows];
    for (int i = 0; i < num_rows; ++i) scale[i] = broadcast4(rows[i].row[e]) * rows[i].inverse_pivot;
    for (int g = 0; g < blocks; ++g) {
      Pack4 sum = load4(y + 4 * g);
      for (int i = 0; i < num_rows; ++i) sum -= scale[i] * r[i][g];
      store4(y + 4 * g, sum);
    }
  }
}

// All `depth` common ancestors of one row, or of a row and its parent. Up to 24 ancestors keep the rows in registers;
// padding lanes carry what they like.
template <int num_rows>
inline void eliminate_rows(double* factor, const EliminatedRow* rows, const int* ancestor_row, int depth) {
  int last = depth - 1;
  for (; last >= 24; --last) {
    double* y = factor + ancestor_row[last];
    double scale[num_rows];
    for (int i = 0; i < num_rows; ++i) scale[i] = rows[i].row[last] * rows[i].inverse_pivot;
    for (int g = 0; g <= last; g += 4) {
      Pack4 sum = load4(y + g);
      for (int i = 0; i < num_rows; ++i) sum -= scale[i] * load4(rows[i].row + g);
      store4(y + g, sum);
    }
  }
  switch (last < 0 ? 0 : last / 4 + 1) {
    case 6:
      update_ancestors<6, num_rows>(factor, rows, ancestor_row, 20, last);
      last = 19;
      [[fallthrough]];
    case 5:
      update_ancestors<5, num_rows>(factor, rows, ancestor_row, 16, last);
      last = 15;
      [[fallthrough]];
    case 4:
      update_ancestors<4, num_rows>(factor, rows, ancestor_row, 12, last);
      last = 11;
      [[fallthrough]];
    case 3:
      update_ancestors<3, num_rows>(factor, rows, ancestor_row, 8, last);
      last = 7;
      [[fallthrough]];
    case 2:
      update_ancestors<2, num_rows>(factor, rows, ancestor_row, 4, last);
      last = 3;
      [[fallthrough]];
    case 1:
      update_ancestors<1, num_rows>(factor, rows, ancestor_row, 0, last);
      [[fallthrough]];
    default:
      break;
  }
}

// Divides a row by its pivot and clears the diagonal and the padding.
STICTION_INLINE void finish_row(const EliminatedRow& r, int depth) {
  int g = 0;
  for (; g + 4 <= depth; g += 4) store4(r.row + g, r.inverse_pivot * load4(r.row + g));
  store4(r.row + g, keep_lanes_before(r.inverse_pivot * load4(r.row + g), depth - g));
}

// Rows [first, end) of doubles, a row and its parent together where the parent is the row before: nothing else is then
// left to be done to the parent.
inline void eliminate(DynamicsDataT<double>& d, int first, int end) {
  const int *begin = d.row_begin.data(), *depth = d.depth.data(), *ancestor_row = d.ancestor_row.data();
  double *const factor = d.factor.data(), *const inverse_pivot = d.inverse_pivot.data();
  for (int k = end - 1; k >= first; --k) {
    EliminatedRow rows[2] = {{factor + begin[k], 1.0 / factor[begin[k] + depth[k]]}, {}};
    inverse_pivot[k] = rows[0].inverse_pivot;
    const int n = depth[k] - 1;  // depth of the parent
    if (k == first || depth[k - 1] != n) {
      eliminate_rows<1>(factor, rows, ancestor_row + begin[k], n + 1);
      finish_row(rows[0], n + 1);
      continue;
    }
    double *const row = rows[0].row, *const parent = factor + begin[k - 1];
    const double pivot = row[n + 1], scale = row[n] * rows[0].inverse_pivot;
    // 1 / (parent_n − row_n² / pivot), so that this division does not wait for the other.
    rows[1] = {parent, pivot / (pivot * parent[n] - row[n] * row[n])};
    inverse_pivot[k - 1] = rows[1].inverse_pivot;
    for (int g = 0; g <= n; g += 4) store4(parent + g, load4(parent + g) - scale * load4(row + g));
    eliminate_rows<2>(factor, rows, ancestor_row + begin[k - 1], n);
    finish_row(rows[0], n + 1);
    finish_row(rows[1], n);
    --k;
  }
}

// The same for packs, lane by lane an environment of its own.
template <class T>
inline void eliminate(DynamicsDataT<T>& d, int first, int end) {
  T* const factor = d.factor.data();
  for (int k = end - 1; k >= first; --k) {
    const int depth = d.depth[k];
    const int* ancestor_row = &d.ancestor_row[d.row_begin[k]];
    T* row = factor + d.row_begin[k];
    const T inverse_pivot = 1.0 / row[depth];
    d.inverse_pivot[k] = inverse_pivot;
    for (int e = depth - 1; e >= 0; --e) {
      T* y = factor + ancestor_row[e];
      const T scale = row[e] * inverse_pivot;
      for (int g = 0; g <= e; ++g) y[g] -= scale * row[g];
    }
    for (int g = 0; g < depth; ++g) row[g] *= inverse_pivot;
    row[depth] = T{};
  }
}

// Factors rows [first, end): whole trees.
template <class T>
void factor_rows(DynamicsDataT<T>& d, int first, int end, const T* added_diagonal, const T* added_rows) {
  const int *begin = d.row_begin.data(), *depth = d.depth.data();
  T* const factor = d.factor.data();
  std::copy(d.mass_matrix.data() + begin[first], d.mass_matrix.data() + begin[end], factor + begin[first]);
  for (int e = begin[first]; added_rows && e < begin[end]; ++e) factor[e] += added_rows[e];
  if (added_diagonal) {
    for (int k = first; k < end; ++k) factor[begin[k] + depth[k]] += added_diagonal[k];
  }
  const auto for_each_kinematic = [&d, first, end](auto&& function) {
    for (const int j : d.kinematic_velocities) {
      if (j >= first && j < end) function(j);
    }
  };
  for_each_kinematic([&](int j) { factor[begin[j] + depth[j]] = T{} + 1.0; });  // whatever is not zero
  eliminate(d, first, end);
  for_each_kinematic([&](int j) { d.inverse_pivot[j] = T{}; });
  constexpr int lanes = sizeof(T) / sizeof(double);
  const double* inverse = reinterpret_cast<const double*>(d.inverse_pivot.data());
  double* root = reinterpret_cast<double*>(d.inverse_root_pivot.data());
  STICTION_VECTORISE
  for (int k = first * lanes; k < end * lanes; ++k) root[k] = std::sqrt(inverse[k]);
}

}  // namespace stiction
