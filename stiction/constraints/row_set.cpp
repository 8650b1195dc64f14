#include "stiction/constraints/row_set.h"

#include <numeric>

namespace stiction {

void RowSet::clear() {
  constraints.clear();
  segments.clear();
  columns.clear();
  velocity.clear();
  joined_trees.clear();
}

Pack4* RowSet::add_segment(int node, int first_velocity, int node_size) {
  const std::size_t first = columns.size();
  segments.push_back({node, static_cast<int>(first)});
  columns.resize(first + node_size, Pack4{});
  velocity.resize(first + node_size);
  std::iota(velocity.begin() + static_cast<std::ptrdiff_t>(first), velocity.end(), first_velocity);
  return columns.data() + first;
}

Pack4* RowSet::add_segments(std::span<const Segment> segment_list, std::span<const int> velocities) {
  const std::size_t first = columns.size();
  for (const Segment& s : segment_list) segments.push_back({s.node, static_cast<int>(first) + s.first_column});
  columns.resize(first + velocities.size(), Pack4{});
  velocity.insert(velocity.end(), velocities.begin(), velocities.end());
  return columns.data() + first;
}

void RowSet::multiply_transposed(std::span<const Pack4> impulse, std::vector<Pack4>& lanes, VectorX& w) const {
  lanes.assign(static_cast<std::size_t>(w.size()), Pack4{});
  for (int i = 0; i < num_constraints(); ++i) {
    const Pack4 lambda = impulse[i];
    const int end = end_column(i);
    for (int c = first_column(i); c < end; ++c) lanes[velocity[c]] += columns[c] * lambda;
  }
  for (Eigen::Index j = 0; j < w.size(); ++j) w[j] = sum(lanes[j]);
}

}  // namespace stiction
