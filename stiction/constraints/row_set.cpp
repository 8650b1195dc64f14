#include "stiction/constraints/row_set.h"

namespace stiction {

void RowSet::clear() {
  constraint.clear();
  id.clear();
  trees.clear();
  free_velocity.clear();
  offset.clear();
  compliance.clear();
  error.clear();
  guess.clear();
  segment_begin.assign(1, 0);
  segments.clear();
  columns.clear();
}

void RowSet::begin_constraint(const Constraint& law, const RowIdentity& identity, int tree_a, int tree_b) {
  constraint.push_back(law);
  id.push_back(identity);
  trees.push_back({tree_a, tree_b});
  free_velocity.push_back(Pack4{});
  offset.push_back(Pack4{});
  compliance.push_back(Pack4{});
  error.push_back(Pack4{});
  guess.push_back(Pack4{});
}

Pack4* RowSet::add_segment(int node, int node_size) {
  const std::size_t first = columns.size();
  segments.push_back({node, static_cast<int>(first)});
  columns.resize(first + node_size, Pack4{});
  return columns.data() + first;
}

}  // namespace stiction
