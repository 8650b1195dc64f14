// All constraints of one step in the coordinates of the inertia's factor.
//
// With M = Lᵀ D L a constraint i has A_i = J_i L⁻¹ D^(−1/2), non-zero only on the chains of its two bodies, and
// G_ij = A_i A_jᵀ. Velocities are cut into nodes (Model::nodes); per constraint and node there is one segment, and per
// velocity of the node one column: the three rows of the constraint in one pack (a constraint of one row uses the first
// lane). Products of two constraints run over their common nodes only.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stiction/constraints/constraint_identity.h"
#include "stiction/contact/constraint.h"
#include "stiction/math/pack.h"
#include "stiction/math/types.h"

namespace stiction {

struct RowSet {
  struct Segment {
    int node = 0;
    int first_column = 0;  // in `columns`; as many as the node has velocities
  };

  struct Row {
    Constraint law;
    ConstraintIdentity id;                    // ascending
    std::array<int, 2> trees{-1, -1};         // trees that it touches, −1: none
    int first_segment = 0, first_column = 0;  // of its own; they end where those of the next one begin
    // Rows of a loop that others say already (redundant_loops.h), by bit; all of a contact that no joint moves along
    // its normal.
    unsigned left_out = 0;
    double doubt = 0.0;        // of a loop: ‖A_r‖² that moving its points by loop_tolerance may change
    double left_depth = 0.0;   // penetration of a contact that is not driven out (corrections.h), m
    bool jam_changed = false;  // WarmStart::left_depth is to be negative
    Pack4 free_velocity{};     // g = J v_f + γ, lanes = rows
    Pack4 offset{};            // γ
    Pack4 compliance{};        // R
    Pack4 error{};             // position error: gap of a contact (third lane) or limit, of a loop, m or rad
    Pack4 guess{};             // impulse to start from

    bool is_left_out() const { return left_out == (1U << law.rows) - 1U; }  // all of it
  };

  std::vector<Row> list;          // by constraint
  std::vector<Segment> segments;  // ascending node within a constraint
  // By column: A, lanes = rows, and the velocity that it belongs to. The columns of a constraint follow one another.
  std::vector<Pack4> columns;
  std::vector<int> velocity;

  int size() const { return static_cast<int>(list.size()); }
  Row& operator[](int i) { return list[i]; }
  const Row& operator[](int i) const { return list[i]; }
  Row& back() { return list.back(); }
  const Row& back() const { return list.back(); }

  void clear();
  // Opens the next constraint; its segments follow. Inline, so that law and identity are written straight into it.
  Row& begin_constraint(const Constraint& law, const ConstraintIdentity& identity, int tree_a, int tree_b) {
    Row& row = list.emplace_back();
    row.law = law;
    row.id = identity;
    row.trees = {tree_a, tree_b};
    row.first_segment = static_cast<int>(segments.size());
    row.first_column = static_cast<int>(columns.size());
    return row;
  }
  // Zero columns; valid until the next call.
  Pack4* add_segment(int node, int first_velocity, int node_size);
  // Several segments at once, their first_column counted from the first; `velocities` of all their columns.
  Pack4* add_segments(std::span<const Segment> segment_list, std::span<const int> velocities);

  // w = Aᵀ λ over all constraints, λ by constraint; w has its size, `lanes` is scratch.
  void multiply_transposed(std::span<const Pack4> impulse, std::vector<Pack4>& lanes, VectorX& w) const;

  // Columns and segments of constraint i.
  int first_column(int i) const { return list[i].first_column; }
  int end_column(int i) const { return i + 1 < size() ? list[i + 1].first_column : static_cast<int>(columns.size()); }
  std::span<const Segment> segments_of(int i) const {
    const std::size_t end = i + 1 < size() ? list[i + 1].first_segment : segments.size();
    return {segments.data() + list[i].first_segment, end - list[i].first_segment};
  }
};

}  // namespace stiction
