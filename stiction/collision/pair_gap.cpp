#include "stiction/collision/pair_gap.h"

#include <algorithm>
#include <cassert>

#include "stiction/collision/pair_kernels.h"

namespace stiction {

double PairGap::look(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin) {
  points_.clear();
  if (const PairKernel kernel = find_pair_kernel(a.kind(), b.kind())) {
    alignas(16) std::byte memory[1024] = {};
    assert(pair_memory_size(a.kind(), b.kind()) <= sizeof memory);
    Manifold manifold;
    const double gap = kernel(a, X_WA, b, X_WB, margin, memory, manifold);
    for (int k = 0; k < manifold.size; ++k) {
      points_.push_back({{-1, -1, manifold.feature[k]}, manifold.position[k], manifold.normal[k], manifold.gap[k]});
    }
    return gap;
  }
  TerrainMemory memory;
  const bool is_swapped = is_terrain(a.kind());
  const double gap = is_swapped ? collide_terrain(b, X_WB, a, X_WA, margin, memory, terrain_)
                                : collide_terrain(a, X_WA, b, X_WB, margin, memory, terrain_);
  for (const TerrainPoint& p : terrain_.points) {
    points_.push_back({{-1, -1, p.feature}, p.position, is_swapped ? Vector3(-p.normal) : p.normal, p.gap});
  }
  return gap;
}

const ContactPoint* PairGap::deepest() const {
  const auto found = std::min_element(points_.begin(), points_.end(),
                                      [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; });
  return found == points_.end() ? nullptr : &*found;
}

}  // namespace stiction
