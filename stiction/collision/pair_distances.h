// How far all pairs of shapes that may touch are apart, with witness points: what an event-driven simulation looks for
// next, and anybody who wants to know how near things are.
#pragma once

#include <vector>

#include "stiction/collision/world_queries.h"

namespace stiction {

struct PairDistance {
  int shape_a = -1, shape_b = -1;  // ascending
  // m; negative: depth. Where `is_bound`, a proven lower bound of the distance, and points and normal are zero.
  double distance = 0.0;
  bool is_bound = false;
  Vector3 point_a = Vector3::Zero(), point_b = Vector3::Zero();  // nearest, or deepest, points; world
  Vector3 normal = Vector3::Zero();                              // unit, from b to a
};

// Every pair that the filters allow (groups, masks, exclusions; Model::may_collide) and that has a distance, ascending.
// Pairs that are no farther than `within` get their distance, others a bound that exceeds it. Throws
// std::invalid_argument where `within` is negative or no number.
std::vector<PairDistance> pair_distances(const WorldView& world, double within);

}  // namespace stiction
