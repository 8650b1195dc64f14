// The flat layout over the degrees of freedom: ancestors, packed rows of M, velocity nodes.
#include "stiction/math/refuse.h"
#include "stiction/model/builder/model_draft.h"

namespace stiction {
namespace {

constexpr int row_padding = 4;
constexpr int max_node_size = 6;
constexpr std::int64_t max_row_entries = std::int64_t{1} << 27;  // 1 GB of doubles; a chain of 16 000 joints

void link_dofs(Model& model) {
  for (int k = 0; k < model.num_bodies(); ++k) {
    const Body& body = model.bodies[k];
    const int first = body.first_velocity, last = model.last_dof(k);
    for (int j = first; j <= last; ++j) {
      Dof& dof = model.dofs[j];
      dof.parent = j > first ? j - 1 : model.last_dof(body.parent);
      dof.depth = dof.parent < 0 ? 0 : model.dofs[dof.parent].depth + 1;
    }
  }
}

void pack_rows(Model& model) {
  std::int64_t entries = 0;
  const auto padded = [](int depth) { return (depth + row_padding) / row_padding * row_padding; };
  for (const Dof& dof : model.dofs) entries += padded(dof.depth);
  if (entries > max_row_entries) {
    refuse("model: the inertia matrix of ", model.num_velocities(), " velocities would have ", entries,
           " entries, at most ", max_row_entries, " are allowed; its chains of joints are too long");
  }
  model.row_begin.assign(1, 0);
  for (const Dof& dof : model.dofs) model.row_begin.push_back(model.row_begin.back() + padded(dof.depth));
  model.row_ancestor.assign(model.row_begin.back(), 0);
  for (int j = 0; j < model.num_velocities(); ++j) {
    for (int i = j; i >= 0; i = model.dofs[i].parent) model.row_ancestor[model.row_begin[j] + model.dofs[i].depth] = i;
  }
}

// A node goes on to the next velocity while that hangs on the last one alone.
void cut_nodes(Model& model) {
  const int nv = model.num_velocities();
  std::vector<int> children(nv, 0);
  for (const Dof& dof : model.dofs) {
    if (dof.parent >= 0) ++children[dof.parent];
  }
  model.node_of.assign(nv, -1);
  for (int j = 0; j < nv; ++j) {
    const int parent = model.dofs[j].parent;
    const bool goes_on =
        parent >= 0 && parent == j - 1 && children[parent] == 1 && model.nodes.back().size < max_node_size;
    if (!goes_on) {
      model.nodes.push_back({.first_velocity = j, .size = 0, .parent = parent < 0 ? -1 : model.node_of[parent]});
    }
    ++model.nodes.back().size;
    model.node_of[j] = static_cast<int>(model.nodes.size()) - 1;
  }
}

// A centre of mass off the origin by rounding alone is put there: the inertia matrix is then constant.
void mark_single_free_bodies(Model& model) {
  for (Tree& tree : model.trees) {
    Body& body = model.bodies[tree.first_body];
    if (tree.num_bodies != 1 || body.joint != JointType::free) continue;
    if (model.dofs[tree.first_velocity].armature != 0.0) continue;
    if (body.mass * body.com.squaredNorm() > 1e-28 * body.inertia.trace()) continue;
    body.com.setZero();
    tree.is_single_free_body = body.is_kinematic || !model.fluid.is_there();  // drag couples its velocities
  }
}

}  // namespace

void lay_out_rows(Model& model) {
  link_dofs(model);
  pack_rows(model);
  cut_nodes(model);
  mark_single_free_bodies(model);
}

}  // namespace stiction
