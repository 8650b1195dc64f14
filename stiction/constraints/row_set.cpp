#include "stiction/constraints/row_set.h"

#include <numeric>

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
  velocity.clear();
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

Pack4* RowSet::add_segment(int node, int first_velocity, int node_size) {
  const std::size_t first = columns.size();
  segments.push_back({node, static_cast<int>(first)});
  columns.resize(first + node_size, Pack4{});
  velocity.resize(first + node_size);
  std::iota(velocity.begin() + static_cast<std::ptrdiff_t>(first), velocity.end(), first_velocity);
  return columns.data() + first;
}

Pack4* RowSet::add_segments(std::span<const Segment> list, std::span<const int> velocities) {
  const std::size_t first = columns.size();
  for (const Segment& s : list) segments.push_back({s.node, static_cast<int>(first) + s.first_column});
  columns.resize(first + velocities.size(), Pack4{});
  velocity.insert(velocity.end(), velocities.begin(), velocities.end());
  return columns.data() + first;
}

}  // namespace stiction
