// All constraints of one step in the coordinates of the inertia's factor.
//
// With M = Lᵀ D L a constraint i has A_i = J_i L⁻¹ D^(−1/2), non-zero only on the chains of its two bodies, and
// G_ij = A_i A_jᵀ. Velocities are cut into nodes (Model::nodes); per constraint and node there is one segment, and per
// velocity of the node one column: the three rows of the constraint in one pack (a constraint of one row uses the first
// lane). Products of two constraints run over their common nodes only.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stiction/constraints/step_constraint.h"
#include "stiction/math/pack.h"
#include "stiction/math/types.h"

namespace stiction {

struct RowSet {
  struct Segment {
    int node = 0;
    int first_column = 0;  // in `columns`; as many as the node has velocities
  };

  std::vector<StepConstraint> constraints;
  std::vector<Segment> segments;  // ascending node within a constraint
  // By column: A, lanes = rows, and the velocity that it belongs to. The columns of a constraint follow one another.
  std::vector<Pack4> columns;
  std::vector<int> velocity;
  // Trees that a constraint joins beyond the two that it names: of tendons over many bodies.
  std::vector<std::pair<int, int>> joined_trees;

  int num_constraints() const { return static_cast<int>(constraints.size()); }
  StepConstraint& operator[](int i) { return constraints[i]; }
  const StepConstraint& operator[](int i) const { return constraints[i]; }
  StepConstraint& back() { return constraints.back(); }
  const StepConstraint& back() const { return constraints.back(); }

  void clear();
  // Opens the next constraint; its segments follow. Inline, so that law and identity are written straight into it.
  StepConstraint& begin_constraint(const Constraint& law, const ConstraintIdentity& identity, int tree_a, int tree_b) {
    StepConstraint& next = constraints.emplace_back();
    next.law = law;
    next.id = identity;
    next.trees = {tree_a, tree_b};
    next.first_segment = static_cast<int>(segments.size());
    next.first_column = static_cast<int>(columns.size());
    return next;
  }
  // Zero columns; valid until the next call.
  Pack4* add_segment(int node, int first_velocity, int node_size);
  // Several segments at once, their first_column counted from the first; `velocities` of all their columns.
  Pack4* add_segments(std::span<const Segment> segment_list, std::span<const int> velocities);

  // w = Aᵀ λ over all constraints, λ by constraint; w has its size, `lanes` is scratch.
  void multiply_transposed(std::span<const Pack4> impulse, std::vector<Pack4>& lanes, VectorX& w) const;

  // Columns and segments of constraint i.
  int first_column(int i) const { return constraints[i].first_column; }
  int end_column(int i) const {
    return i + 1 < num_constraints() ? constraints[i + 1].first_column : static_cast<int>(columns.size());
  }
  std::span<const Segment> segments_of(int i) const {
    const std::size_t end = i + 1 < num_constraints() ? constraints[i + 1].first_segment : segments.size();
    return {segments.data() + constraints[i].first_segment, end - constraints[i].first_segment};
  }
};

}  // namespace stiction
