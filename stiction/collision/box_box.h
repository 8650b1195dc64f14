// Box against box by separating axes, clipping and the keep rule (specification 7.2).
#pragma once

#include <cstdint>

#include "stiction/collision/contact_point.h"
#include "stiction/model/shape.h"

namespace stiction {

// What a pair of boxes remembers; all zero: nothing.
struct BoxPairMemory {
  std::int8_t size = 0;       // of the last manifold
  std::int8_t reference = 0;  // whose face the last manifold was clipped in: 1 first, 2 second box; 0: none
  std::int8_t unused[6] = {};
  std::uint64_t feature[Manifold::max_points] = {};
};

// Features: a vertex of the first or of the second box, or an edge of each; a vertex is its signs as bits (x: 1, y: 2,
// z: 4), an edge its two vertices. Contract as in primitives.h.
double collide_boxes(const Box& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin,
                     BoxPairMemory& memory, Manifold& out);

}  // namespace stiction
