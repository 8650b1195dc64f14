#include <algorithm>
#include <cstring>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/factor_chain.h"
#include "stiction/dynamics/pack_lanes.h"

namespace stiction {
namespace {

// Rows 3 … 5 of a single free body couple with one another only: the three entries of L below the diagonal.
template <class T>
struct SingleBodyFactor {
  T l43, l53, l54;
  SingleBodyFactor(const DynamicsDataT<T>& d, int j)
      : l43(d.factor[d.row_begin[j + 4] + 3]),
        l53(d.factor[d.row_begin[j + 5] + 3]),
        l54(d.factor[d.row_begin[j + 5] + 4]) {}
};

template <class T>
void solve_single_body(const DynamicsDataT<T>& d, int j, T* x) {
  const SingleBodyFactor<T> l(d, j);
  const T* inverse = &d.inverse_pivot[j];
  x += j;
  x[4] -= l.l54 * x[5];
  x[3] -= l.l53 * x[5] + l.l43 * x[4];
  for (int k = 0; k < 6; ++k) x[k] *= inverse[k];
  x[4] -= l.l43 * x[3];
  x[5] -= l.l53 * x[3] + l.l54 * x[4];
}

// Entries of L⁻¹ and L⁻ᵀ by depth: of the chain that is being visited, depth-first order keeps one value per depth, so
// that a packed row meets a contiguous vector. Chains longer than this look their ancestors up instead.
constexpr int longest_stacked_chain = 256;

// x ← L⁻¹ x on rows [first, end), root to leaf: x_i −= Σ L_ie x_e over ancestors e, in two sums. The parent comes last
// and alone, so that a row waits for it by one multiplication only. Chains of robots are too short for packs to pay.
// Of loops this short a tenth of the time depends on where in a cache line they begin.
__attribute__((aligned(64))) void apply_inverse_factor_stacked(const DynamicsData& d, int first, int end, double* x) {
  double path[longest_stacked_chain];
  const double* factor = d.factor.data();
  const int *begin = d.row_begin.data(), *depths = d.depth.data();
  for (int i = first; i < end; ++i) {
    const double* row = factor + begin[i];
    const int depth = depths[i];
    double even = x[i], odd = 0.0;
    int e = 0;
    for (; e + 2 < depth; e += 2) {
      even -= row[e] * path[e];
      odd += row[e + 1] * path[e + 1];
    }
    if (e + 1 < depth) {
      odd += row[e] * path[e];
      ++e;
    }
    even -= odd;
    if (e < depth) even -= row[e] * path[e];
    x[i] = path[depth] = even;
  }
}

// x ← D⁻¹ L⁻ᵀ x on rows [first, end), leaf to root: what rows give to their ancestors waits by depth. A parent that is
// the next row takes its child's share at once.
void apply_inverse_transpose_stacked(const DynamicsData& d, int first, int end, double* x) {
  alignas(64) double pending[longest_stacked_chain];
  std::fill_n(pending, padded4(d.longest_chain), 0.0);
  bool taken = false;
  double xi = 0.0;
  for (int i = end - 1; i >= first; --i) {
    const double* row = &d.factor[d.row_begin[i]];
    const int depth = d.depth[i], block = depth & ~3;
    if (!taken) xi = x[i] - pending[depth];
    x[i] = xi * d.inverse_pivot[i];
    taken = i > first && d.depth[i - 1] == depth - 1;
    const double next = taken ? (x[i - 1] - pending[depth - 1]) - row[depth - 1] * xi : 0.0;
    for (int e = 0; e < block; e += 4) store4(pending + e, load4(pending + e) + xi * load4(row + e));
    const Pack4 last = load4(pending + block) + xi * load4(row + block);
    store4(pending + block, keep_lanes_before(last, depth - block));
    xi = next;
  }
}

template <class T>
void apply_inverse_factor(const Model& model, const DynamicsDataT<T>& d, int first, int end, T* x) {
  if constexpr (std::is_same_v<T, double>) {
    if (d.longest_chain <= longest_stacked_chain) return apply_inverse_factor_stacked(d, first, end, x);
  }
  for (int i = first; i < end; ++i) {
    const T* row = &d.factor[d.row_begin[i]];
    const int* ancestor = &model.row_ancestor[d.row_begin[i]];
    T sum{};
    for (int e = 0; e < d.depth[i]; ++e) sum += row[e] * x[ancestor[e]];
    x[i] -= sum;
  }
}

template <class T>
void apply_inverse_transpose(const Model& model, const DynamicsDataT<T>& d, int first, int end, T* x) {
  if constexpr (std::is_same_v<T, double>) {
    if (d.longest_chain <= longest_stacked_chain) return apply_inverse_transpose_stacked(d, first, end, x);
  }
  for (int i = end - 1; i >= first; --i) {
    const T* row = &d.factor[d.row_begin[i]];
    const int* ancestor = &model.row_ancestor[d.row_begin[i]];
    const T xi = x[i];
    for (int e = d.depth[i] - 1; e >= 0; --e) x[ancestor[e]] -= row[e] * xi;
    x[i] = xi * d.inverse_pivot[i];
  }
}

// A single free body: the linear columns are the world's axes, the angular ones the body's.
template <class T>
void chain_of_single_body(const DynamicsDataT<T>& d, int body, SpatialVector<T>* y) {
  const int j = d.first_velocity[body];
  const SingleBodyFactor<T> l(d, j);
  const Rotation<T>& r = d.bodies[body].rotation;
  const T* scale = &d.inverse_root_pivot[j];
  for (int k = 0; k < 3; ++k) y[k] = scale[k] * d.motion[j + k];
  const Vec3<T> zero = zero_vector<T>(), middle = r.y - l.l54 * r.z;
  y[5] = {scale[5] * r.z, zero};
  y[4] = {scale[4] * middle, zero};
  y[3] = {scale[3] * (r.x - l.l53 * r.z - l.l43 * middle), zero};
}

}  // namespace

template <class T>
void solve_inertia(const Model& model, const DynamicsDataT<T>& data, T* x) {
  for (const TreeRun& run : data.runs) {
    if (run.single_free_bodies) {
      for (int j = run.first_velocity; j < run.end_velocity; j += 6) solve_single_body(data, j, x);
    } else {
      apply_inverse_transpose(model, data, run.first_velocity, run.end_velocity, x);
      apply_inverse_factor(model, data, run.first_velocity, run.end_velocity, x);
    }
  }
}

void solve_inertia_of_tree(const Model& model, const DynamicsData& data, int tree, double* x) {
  const Tree& t = model.trees[tree];
  const int first = t.first_velocity, end = first + t.num_velocities;
  if (t.is_single_free_body) return solve_single_body(data, first, x);
  apply_inverse_transpose(model, data, first, end, x);
  apply_inverse_factor(model, data, first, end, x);
}

template <class T>
void multiply_inertia(const Model& model, const DynamicsDataT<T>& data, const T* x, T* y) {
  const int n = static_cast<int>(data.depth.size());
  for (int i = 0; i < n; ++i) {
    const T* row = data.mass_matrix.data() + data.row_begin[i];
    const int* ancestor = model.row_ancestor.data() + data.row_begin[i];
    T sum = row[data.depth[i]] * x[i];
    for (int e = 0; e < data.depth[i]; ++e) {
      sum += row[e] * x[ancestor[e]];
      y[ancestor[e]] += row[e] * x[i];  // ancestors come first: theirs is begun
    }
    y[i] = sum;
  }
}

template <class T>
int chain_through_factor(const Model& model, const DynamicsDataT<T>& data, int body, SpatialVector<T>* y) {
  if (body < 0) return 0;
  if (model.trees[data.tree_of[body]].is_single_free_body) {
    chain_of_single_body(data, body, y);
    return 6;
  }
  const int last = data.first_velocity[body + 1] - 1, n = data.depth[last] + 1;
  const int* ancestor = model.row_ancestor.data() + data.row_begin[last];
  const int* ancestor_row = data.ancestor_row.data() + data.row_begin[last];
  for (int e = 0; e < n; ++e) y[e] = data.motion[ancestor[e]];
  for (int e = n - 1; e >= 0; --e) {  // y L = S from the deepest velocity up
    const T* row = data.factor.data() + ancestor_row[e];
    const SpatialVector<T> ye = y[e];
    for (int g = 0; g < e; ++g) y[g] = y[g] - row[g] * ye;
    y[e] = data.inverse_root_pivot[ancestor[e]] * ye;
  }
  return n;
}

// For doubles a column is one pack; two velocities at a time halve the loads and stores of those above them.
int chain_through_factor(const Model& model, const DynamicsData& data, int body, Pack8* y) {
  static_assert(sizeof(SpatialVector<double>) == sizeof(Pack8));
  if (body < 0) return 0;
  if (model.trees[data.tree_of[body]].is_single_free_body) {
    chain_of_single_body(data, body, reinterpret_cast<SpatialVector<double>*>(y));
    return 6;
  }
  const int last = data.first_velocity[body + 1] - 1, n = data.depth[last] + 1;
  const int* ancestor = model.row_ancestor.data() + data.row_begin[last];
  const int* ancestor_row = data.ancestor_row.data() + data.row_begin[last];
  const double *factor = data.factor.data(), *scale = data.inverse_root_pivot.data();
  for (int e = 0; e < n; ++e) std::memcpy(&y[e], &data.motion[ancestor[e]], sizeof(Pack8));
  int e = n - 1;
  for (; e > 0; e -= 2) {
    const double *row = factor + ancestor_row[e], *next_row = factor + ancestor_row[e - 1];
    const Pack8 ye = y[e], next = y[e - 1] - row[e - 1] * ye;
    for (int g = 0; g < e - 1; ++g) y[g] = (y[g] - row[g] * ye) - next_row[g] * next;
    y[e] = scale[ancestor[e]] * ye;
    y[e - 1] = scale[ancestor[e - 1]] * next;
  }
  if (e == 0) y[0] = scale[ancestor[0]] * y[0];
  return n;
}

template <class T>
void velocity_from_factor(const Model& model, const DynamicsDataT<T>& data, const T* w, T* dv) {
  const int n = static_cast<int>(data.depth.size());
  for (int i = 0; i < n; ++i) dv[i] = data.inverse_root_pivot[i] * w[i];
  for (const TreeRun& run : data.runs) {
    if (run.single_free_bodies) {
      for (int j = run.first_velocity; j < run.end_velocity; j += 6) {
        const SingleBodyFactor<T> l(data, j);
        dv[j + 4] -= l.l43 * dv[j + 3];
        dv[j + 5] -= l.l53 * dv[j + 3] + l.l54 * dv[j + 4];
      }
    } else {
      apply_inverse_factor(model, data, run.first_velocity, run.end_velocity, dv);
    }
  }
}

#define STICTION_INSTANTIATE(T)                                                                     \
  template void solve_inertia(const Model&, const DynamicsDataT<T>&, T*);                           \
  template void multiply_inertia(const Model&, const DynamicsDataT<T>&, const T*, T*);              \
  template int chain_through_factor(const Model&, const DynamicsDataT<T>&, int, SpatialVector<T>*); \
  template void velocity_from_factor(const Model&, const DynamicsDataT<T>&, const T*, T*);
STICTION_INSTANTIATE(double)
STICTION_INSTANTIATE(Pack4)
STICTION_INSTANTIATE(Pack8)

}  // namespace stiction
