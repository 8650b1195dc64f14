// Which kernel serves a pair of shapes, and how many bytes it remembers from step to step.
#pragma once

#include <cstddef>

#include "stiction/collision/contact_point.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

// Contract as in primitives.h: normals from b to a. `memory` holds pair_memory_size() bytes, aligned to 16; zero bytes
// mean that nothing is remembered.
using PairKernel = double (*)(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                              std::byte* memory, Manifold& out);

inline bool is_terrain(ShapeKind kind) {
  return kind == ShapeKind::triangle_mesh || kind == ShapeKind::height_field;
}

// False for two planes, two terrains, and planes with terrains.
bool may_meet(ShapeKind a, ShapeKind b);
// Null for terrain, which is served by collide_terrain(), and where two kinds never meet.
PairKernel find_pair_kernel(ShapeKind a, ShapeKind b);
std::size_t pair_memory_size(ShapeKind a, ShapeKind b);

}  // namespace stiction
