#include <algorithm>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/factor_rows.h"

namespace stiction {
namespace {

// Backward over the bodies of a run: forces and inertias of subtrees, bias per velocity.
template <class T>
void accumulate_subtrees(const TreeRun& run, DynamicsDataT<T>& d) {
  const int *parent = d.parent.data(), *first = d.first_velocity.data();
  const ChildKind* kind = d.child_kind.data();
  SpatialVector<T>* subtree_force = d.subtree_force.data();
  SpatialInertia<T>* composite = d.composite.data();
  SpatialVector<T> f;
  SpatialInertia<T> inertia;
  for (int i = run.end_body - 1; i >= run.first_body; --i) {
    const bool has_first_child = i + 1 < run.end_body && kind[i + 1] == ChildKind::first;
    f = has_first_child ? d.force[i] + f : d.force[i];
    inertia = has_first_child ? d.inertia[i] + inertia : d.inertia[i];
    if (d.has_several_children[i]) {
      f = f + subtree_force[i];
      inertia = inertia + composite[i];
    }
    subtree_force[i] = f;
    composite[i] = inertia;
    for (int j = first[i]; j < first[i + 1]; ++j) d.bias[j] = dot(d.motion[j], f);
    if (kind[i] == ChildKind::last) {
      subtree_force[parent[i]] = f;
      composite[parent[i]] = inertia;
    } else if (kind[i] == ChildKind::middle) {
      subtree_force[parent[i]] = subtree_force[parent[i]] + f;
      composite[parent[i]] = composite[parent[i]] + inertia;
    }
  }
}

// Row j of M from the momentum f = I_c S_j, for doubles: the motion columns of the chain lie in a stack by depth, four
// to a block and one pack per component, which depth-first order keeps valid. `column` is S_j in memory: from there a
// component fills a pack at no cost.
STICTION_INLINE void row_of_inertia(const SpatialVector<double>& f, const double* column, unsigned depth,
                                    double armature, Pack4* stack, double* row) {
  const Pack4 a = f.angular.lanes(), l = f.linear.lanes();
  const unsigned last = depth / 4;
  const int lane = static_cast<int>(depth % 4);
  Pack4* top = stack + 6 * last;  // whole packs are stored: a lane stored alone would stall the loads below
  for (int k = 0; k < 3; ++k) {
    top[k] = put_lane(top[k], lane, column[k]);
    top[k + 3] = put_lane(top[k + 3], lane, column[k + 4]);
  }
  const auto block = [&](const Pack4* s) {
    return (a[0] * s[0] + a[1] * s[1] + a[2] * s[2]) + (l[0] * s[3] + l[1] * s[4] + l[2] * s[5]);
  };
  for (unsigned b = 0; b < last; ++b) store4(row + 4 * b, block(stack + 6 * b));
  store4(row + 4 * last, keep_lanes_before(block(top), lane + 1) + put_lane(Pack4{}, lane, armature));
}

// Forward over the bodies of a run: M(j, i) = S_i · I_c S_j for the ancestors i of j, I_c the composite inertia.
template <class T>
void fill_rows(const Model& model, const TreeRun& run, DynamicsDataT<T>& d) {
  const int *first = d.first_velocity.data(), *begin = d.row_begin.data(), *depth = d.depth.data();
  const SpatialVector<T>* motion = d.motion.data();
  const SpatialInertia<T>* composite = d.composite.data();
  const double* armature = d.armature.data();
  T* mass_matrix = d.mass_matrix.data();
  for (int i = run.first_body; i < run.end_body; ++i) {
    for (int j = first[i]; j < first[i + 1]; ++j) {
      T* row = mass_matrix + begin[j];
      const SpatialVector<T> f = composite[i] * motion[j];
      if constexpr (std::is_same_v<T, double>) {
        row_of_inertia(f, reinterpret_cast<const double*>(motion + j), depth[j], armature[j], d.column_stack.data(),
                       row);
      } else {
        const int* ancestor = &model.row_ancestor[begin[j]];
        for (int e = 0; e <= depth[j]; ++e) row[e] = dot(f, motion[ancestor[e]]);
        row[depth[j]] += armature[j];
      }
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
void factor_inertia(const Model&, const std::type_identity_t<T>* added_diagonal, DynamicsDataT<T>& data,
                    const std::type_identity_t<T>* added_rows) {
  for (std::size_t i = 0; i < data.runs.size(); ++i) {
    const TreeRun& run = data.runs[i];
    const T* added = added_diagonal;
    if (run.single_free_bodies) {
      if (added && is_zero(added + run.first_velocity, run.end_velocity - run.first_velocity)) added = nullptr;
      if (!added && !data.factor_has_added[i]) continue;  // the constructor's factor still holds
      data.factor_has_added[i] = added != nullptr;
    }
    factor_rows(data, run.first_velocity, run.end_velocity, added, run.single_free_bodies ? nullptr : added_rows);
  }
}

#define STICTION_INSTANTIATE(T)                                  \
  template void update_inertia(const Model&, DynamicsDataT<T>&); \
  template void factor_inertia(const Model&, const T*, DynamicsDataT<T>&, const T*);
STICTION_INSTANTIATE(double)
STICTION_INSTANTIATE(Pack4)
STICTION_INSTANTIATE(Pack8)

}  // namespace stiction
