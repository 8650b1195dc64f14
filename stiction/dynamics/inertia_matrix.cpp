#include <algorithm>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/factor_rows.h"

namespace stiction {
namespace {

// Backward over the bodies of a run: forces and inertias of subtrees, bias per velocity.
template <class T>
void accumulate_subtrees(const TreeRun& run, DynamicsDataT<T>& d) {
  const int *parent = d.parent.data(), *first = d.first_velocity.data();
  SpatialVector<T>* force = d.subtree_force.data();
  SpatialInertia<T>* composite = d.composite.data();
  const SpatialVector<T>* motion = d.motion.data();
  T* bias = d.bias.data();
  std::copy(d.force.begin() + run.first_body, d.force.begin() + run.end_body, force + run.first_body);
  std::copy(d.inertia.begin() + run.first_body, d.inertia.begin() + run.end_body, composite + run.first_body);
  for (int i = run.end_body - 1; i >= run.first_body; --i) {
    const SpatialVector<T> f = force[i];
    for (int j = first[i]; j < first[i + 1]; ++j) bias[j] = dot(motion[j], f);
    if (const int p = parent[i]; p >= 0) {
      force[p] = force[p] + f;
      composite[p] = composite[p] + composite[i];
    }
  }
}

// Row j of M from the momentum f = I_c S_j, for doubles: the motion columns of the chain lie in a stack by depth, four
// to a block and one pack per component, which depth-first order keeps valid.
STICTION_INLINE void row_of_inertia(const SpatialVector<double>& f, const SpatialVector<double>& column, int depth,
                                    Pack4* stack, double* row) {
  using Integers = decltype(Pack4{} < Pack4{});
  const Pack4 a = f.angular.lanes(), l = f.linear.lanes(), ca = column.angular.lanes(), cl = column.linear.lanes();
  const int last_block = depth / 4;
  const Integers here = Integers{0, 1, 2, 3} == depth % 4;
  Pack4* top = stack + 6 * last_block;  // whole packs are stored: a lane stored alone would stall the loads below
  for (int k = 0; k < 3; ++k) {
    top[k] = here ? broadcast4(ca[k]) : top[k];
    top[k + 3] = here ? broadcast4(cl[k]) : top[k + 3];
  }
  Pack4 sum{};
  for (int b = 0; b <= last_block; ++b) {
    const Pack4* s = stack + 6 * b;
    sum = (a[0] * s[0] + a[1] * s[1] + a[2] * s[2]) + (l[0] * s[3] + l[1] * s[4] + l[2] * s[5]);
    store4(row + 4 * b, sum);
  }
  store4(row + 4 * last_block, keep_lanes_before(sum, depth % 4 + 1));
}

// Forward over the bodies of a run: M(j, i) = S_i · I_c S_j for the ancestors i of j, I_c the composite inertia.
template <class T>
void fill_rows(const Model& model, const TreeRun& run, DynamicsDataT<T>& d) {
  const int *first = d.first_velocity.data(), *begin = d.row_begin.data(), *depth = d.depth.data();
  const SpatialVector<T>* motion = d.motion.data();
  for (int i = run.first_body; i < run.end_body; ++i) {
    const SpatialInertia<T> composite = d.composite[i];
    for (int j = first[i]; j < first[i + 1]; ++j) {
      T* row = &d.mass_matrix[begin[j]];
      const SpatialVector<T> f = composite * motion[j];
      if constexpr (std::is_same_v<T, double>) {
        row_of_inertia(f, motion[j], depth[j], d.column_stack.data(), row);
      } else {
        const int* ancestor = &model.row_ancestor[begin[j]];
        for (int e = 0; e <= depth[j]; ++e) row[e] = dot(f, motion[ancestor[e]]);
      }
      row[depth[j]] += d.armature[j];
    }
  }
}

template <class T>
bool is_zero(const T* a, int n) {
  bool zero = true;
  for (const double *x = reinterpret_cast<const double*>(a), *end = x + n * (sizeof(T) / sizeof(double)); x != end; ++x)
    zero = zero && *x == 0.0;
  return zero;
}

}  // namespace

template <class T>
void update_inertia(const Model& model, DynamicsDataT<T>& data) {
  for (const TreeRun& run : data.runs) {
    if (run.single_free_bodies) continue;  // M is constant, the bias came with the kinematics
    accumulate_subtrees(run, data);
    fill_rows(model, run, data);
  }
}

template <class T>
void factor_inertia(const Model&, const std::type_identity_t<T>* added_diagonal, DynamicsDataT<T>& data) {
  for (std::size_t i = 0; i < data.runs.size(); ++i) {
    const TreeRun& run = data.runs[i];
    const T* added = added_diagonal;
    if (run.single_free_bodies) {
      if (added && is_zero(added + run.first_velocity, run.end_velocity - run.first_velocity)) added = nullptr;
      if (!added && !data.factor_has_added[i]) continue;  // the constructor's factor still holds
      data.factor_has_added[i] = added != nullptr;
    }
    factor_rows(data, run.first_velocity, run.end_velocity, added);
  }
}

#define STICTION_INSTANTIATE(T)                                  \
  template void update_inertia(const Model&, DynamicsDataT<T>&); \
  template void factor_inertia(const Model&, const T*, DynamicsDataT<T>&);
STICTION_INSTANTIATE(double)
STICTION_INSTANTIATE(Pack4)
STICTION_INSTANTIATE(Pack8)

}  // namespace stiction
