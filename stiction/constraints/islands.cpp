#include "stiction/constraints/islands.h"

#include <numeric>

namespace stiction {

int Islands::root(int tree) {
  while (parent_[tree] != tree) {
    parent_[tree] = parent_[parent_[tree]];
    tree = parent_[tree];
  }
  return tree;
}

void Islands::find(const RowSet& rows, int num_trees) {
  if (num_trees == 1) {  // one robot: nothing to find
    island_of_tree_.assign(1, rows.num_constraints() > 0 ? 0 : -1);
    begin_.assign(1, 0);
    if (rows.num_constraints() > 0) begin_.push_back(rows.num_constraints());
    member_.resize(rows.num_constraints());
    std::iota(member_.begin(), member_.end(), 0);
    return;
  }
  parent_.resize(num_trees);
  std::iota(parent_.begin(), parent_.end(), 0);
  const auto join = [this](int a, int b) {
    const int ra = root(a), rb = root(b);
    if (ra != rb) parent_[std::max(ra, rb)] = std::min(ra, rb);  // the smaller number leads: no dependence on order
  };
  for (const StepConstraint& constraint : rows.constraints) {
    const auto& [a, b] = constraint.trees;
    if (a >= 0 && b >= 0) join(a, b);
  }
  for (const auto& [a, b] : rows.joined_trees) join(a, b);
  island_of_tree_.assign(num_trees, -1);
  island_of_.resize(rows.num_constraints());
  begin_.assign(1, 0);
  for (int i = 0; i < rows.num_constraints(); ++i) {
    const auto& [a, b] = rows[i].trees;
    int& island = island_of_tree_[root(a >= 0 ? a : b)];
    if (island < 0) {
      island = size();
      begin_.push_back(0);
    }
    island_of_[i] = island;
    ++begin_[island + 1];
  }
  for (int k = 0; k < size(); ++k) begin_[k + 1] += begin_[k];
  member_.resize(rows.num_constraints());
  for (int i = 0; i < rows.num_constraints(); ++i) member_[begin_[island_of_[i]]++] = i;
  for (int k = size(); k > 0; --k) begin_[k] = begin_[k - 1];  // filling moved every begin to its end
  begin_[0] = 0;
  for (int t = 0; t < num_trees; ++t) island_of_tree_[t] = island_of_tree_[root(t)];
}

void Islands::remove_left_out(const RowSet& rows) {
  int to = 0, first = 0;
  for (int k = 0; k < size(); ++k) {
    const int begin = to, end = begin_[k + 1];
    for (int from = first; from < end; ++from) {
      const bool last_chance = from + 1 == end && to == begin;
      if (!rows[member_[from]].is_left_out() || last_chance) member_[to++] = member_[from];
    }
    first = end;
    begin_[k + 1] = to;
  }
  member_.resize(to);
}

}  // namespace stiction
