// Triangles that lie in one plane and hang together: what a body standing on them takes for one face.
#pragma once

#include <vector>

namespace stiction {

// For every triangle the lowest number in its region. across(t, k): the triangle beyond edge k, or −1; is_flat(t, k):
// whether that edge is flat.
template <class Across, class IsFlat>
std::vector<int> find_flat_regions(int num_triangles, Across&& across, IsFlat&& is_flat) {
  std::vector<int> region(static_cast<std::size_t>(num_triangles), -1), open;
  for (int seed = 0; seed < num_triangles; ++seed) {
    if (region[seed] >= 0) continue;
    region[seed] = seed;
    open.assign(1, seed);
    while (!open.empty()) {
      const int t = open.back();
      open.pop_back();
      for (int k = 0; k < 3; ++k) {
        const int other = across(t, k);
        if (other < 0 || region[other] >= 0 || !is_flat(t, k)) continue;
        region[other] = seed;
        open.push_back(other);
      }
    }
  }
  return region;
}

}  // namespace stiction
