// Chooses at most four of a manifold's points (theory §5.2): far apart, enclosing a large area, the deepest among
// them, and the same as before wherever those are nearly as good.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "stiction/collision/manifold/clip.h"

namespace stiction {

// Gaps that differ by less are equally deep, m. Margins of quick bodies are large; what is deepest is then no less
// sharp.
inline double gap_tolerance(double margin) {
  return 0.05 * std::clamp(margin, 0.0, 1e-3) + 1e-6;
}

// Candidates by index, in cyclic order; all of them where there are at most four. Each candidate counts with weight
// (1 − 0.9 (gap − gap_min)/range)², the range being that up to the margin, at most a tenth of the width of them all;
// the two that are farthest apart of the deepest (to gap_tolerance) are always there. Keep rule: if all four
// `old_features` are candidates, enclose 0.8 of the weighted area of the new choice and come within gap_tolerance of
// the lowest gap, they stay. At most max_clip_corners candidates.
int choose_points(std::span<const ContactCandidate> candidates, double margin,
                  std::span<const std::uint64_t> old_features, int chosen[4]);

}  // namespace stiction
