// Box against box by separating axes, clipping and the keep rule (theory §5.2).
#pragma once

#include "stiction/collision/manifold/manifold.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

// What a pair of boxes remembers; all zero: nothing.
using BoxPairMemory = ManifoldMemory;

// Features as in feature.h, vertices being named by their signs as bits (x: 1, y: 2, z: 4). Contract as in
// primitives.h.
double collide_boxes(const Box& a, const Pose& X_WA, const Box& b, const Pose& X_WB, double margin,
                     BoxPairMemory& memory, Manifold& out);

}  // namespace stiction
