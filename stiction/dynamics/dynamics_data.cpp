#include "stiction/dynamics/dynamics_data.h"

#include <algorithm>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/factor_rows.h"

namespace stiction {
namespace {

BodyConstants constants_of(const Body& body) {
  BodyConstants c;
  for (int k = 0; k < 9; ++k) c.rotation[k] = body.placement.rotation(k % 3, k / 3);
  for (int k = 0; k < 3; ++k) c.position[k] = body.placement.position[k], c.com[k] = body.com[k];
  const Matrix3& i = body.inertia;
  c.moment = {i(0, 0), i(0, 1), i(0, 2), i(1, 1), i(1, 2), i(2, 2)};
  c.mass = body.mass;
  c.parent = body.parent;
  c.first_velocity = body.first_velocity;
  c.first_position = body.first_position;
  c.angle = -1;
  c.joint = body.joint;
  c.tree = body.tree;
  c.is_massless = body.mass == 0.0 && body.inertia.isZero(0.0);
  return c;
}

std::vector<TreeRun> runs_of(const Model& model) {
  std::vector<TreeRun> runs;
  for (const Tree& tree : model.trees) {
    if (runs.empty() || runs.back().single_free_bodies != tree.is_single_free_body) {
      runs.push_back(
          {tree.is_single_free_body, tree.first_body, tree.first_body, tree.first_velocity, tree.first_velocity});
    }
    runs.back().end_body = tree.first_body + tree.num_bodies;
    runs.back().end_velocity = tree.first_velocity + tree.num_velocities;
  }
  return runs;
}

std::vector<ChildKind> child_kinds_of(const std::vector<int>& parent, std::vector<char>& has_several_children) {
  const int n = static_cast<int>(parent.size());
  std::vector<ChildKind> kinds(n, ChildKind::of_world);
  std::vector<char> has_given(n, 0);
  has_several_children.assign(n, 0);
  for (int i = n - 1; i >= 0; --i) {
    const int p = parent[i];
    if (p < 0) continue;
    kinds[i] = p == i - 1 ? ChildKind::first : has_given[p] ? ChildKind::middle : ChildKind::last;
    if (p != i - 1) has_several_children[p] = has_given[p] = 1;
  }
  return kinds;
}

template <class T>
void zero(AlignedVector<T>& array, std::size_t size) {
  array.assign(size, T{});
}

template <class T>
void size_arrays(DynamicsDataT<T>& d, std::size_t bodies, std::size_t trees, std::size_t velocities) {
  const std::size_t angles = padded8(static_cast<int>(d.revolute_position.size()));
  const std::size_t entries = d.row_begin.back();
  zero(d.reference, trees);
  zero(d.reference_velocity, trees);
  zero(d.bodies, bodies);
  zero(d.motion, velocities);
  zero(d.acceleration, bodies);
  zero(d.inertia, bodies);
  zero(d.force, bodies);
  zero(d.angle, angles);
  zero(d.sine, angles);
  zero(d.cosine, angles);
  zero(d.bias, velocities);
  zero(d.mass_matrix, entries);
  zero(d.composite, bodies);
  zero(d.subtree_force, bodies);
  zero(d.factor, entries);
  zero(d.inverse_pivot, velocities);
  zero(d.inverse_root_pivot, padded4(static_cast<int>(velocities)));
  zero(d.column_stack, 6 * (padded4(d.longest_chain) / 4));
  zero(d.scratch_force, 2 * bodies);
  zero(d.scratch_motion, 3 * bodies);
  d.factor_has_added.assign(d.runs.size(), 0);
}

// A free body about its centre of mass: M and the linear part of the bias, −m g, are constant.
template <class T>
void set_inertia_of_single_body(DynamicsDataT<T>& d, int body) {
  const BodyConstants& c = d.constants[body];
  const int rows[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};  // of BodyConstants::moment
  for (int k = 0; k < 6; ++k) {
    const int j = c.first_velocity + k;
    T* row = &d.mass_matrix[d.row_begin[j]];
    if (k >= 3) {
      for (int e = 3; e <= k; ++e) row[e] = broadcast<T>(c.moment[rows[k - 3][e - 3]]);
    } else {
      row[k] = broadcast<T>(c.mass);
      d.bias[j] = broadcast<T>(-c.mass * d.gravity.lanes()[k]);
    }
    row[k] += d.armature[j];
  }
}

}  // namespace

template <class T>
DynamicsDataT<T>::DynamicsDataT(const Model& model) : gravity(to_vec3(model.gravity)), runs(runs_of(model)) {
  for (const Body& body : model.bodies) {
    constants.push_back(constants_of(body));
    if (body.joint == JointType::revolute) {
      constants.back().angle = static_cast<int>(revolute_position.size());
      revolute_position.push_back(body.first_position);
    }
    for (int k = 0; body.is_kinematic && k < num_velocities_of(body.joint); ++k) {
      kinematic_velocities.push_back(body.first_velocity + k);
    }
    parent.push_back(body.parent);
    tree_of.push_back(body.tree);
    first_velocity.push_back(body.first_velocity);
  }
  first_velocity.push_back(model.num_velocities());
  child_kind = child_kinds_of(parent, has_several_children);
  for (const Dof& dof : model.dofs) {
    depth.push_back(dof.depth);
    armature.push_back(dof.armature);
    longest_chain = std::max(longest_chain, dof.depth + 1);
  }
  row_begin = model.row_begin;
  if (row_begin.empty()) row_begin.push_back(0);
  for (int ancestor : model.row_ancestor) ancestor_row.push_back(row_begin[ancestor]);
  size_arrays(*this, model.bodies.size(), model.trees.size(), model.dofs.size());

  const Vec3<T> axes[3] = {broadcast<T>(Vec3<double>(1, 0, 0)), broadcast<T>(Vec3<double>(0, 1, 0)),
                           broadcast<T>(Vec3<double>(0, 0, 1))};
  for (const BodyConstants& c : constants) {
    if (c.joint != JointType::free) continue;  // its linear columns are the world's axes
    for (int k = 0; k < 3; ++k) motion[c.first_velocity + k] = {zero_vector<T>(), axes[k]};
  }
  for (const TreeRun& run : runs) {
    if (!run.single_free_bodies) continue;
    for (int body = run.first_body; body < run.end_body; ++body) set_inertia_of_single_body(*this, body);
    factor_rows(*this, run.first_velocity, run.end_velocity, static_cast<const T*>(nullptr),
                static_cast<const T*>(nullptr));
  }
}

template struct DynamicsDataT<double>;
template struct DynamicsDataT<Pack4>;
template struct DynamicsDataT<Pack8>;

void DynamicsDataDeleter::operator()(DynamicsData* data) const {
  delete data;
}

std::unique_ptr<DynamicsData, DynamicsDataDeleter> make_dynamics_data(const Model& model) {
  return std::unique_ptr<DynamicsData, DynamicsDataDeleter>(new DynamicsData(model));
}

}  // namespace stiction
