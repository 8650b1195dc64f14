// Shapes on triangle meshes and height fields.
//
// The solid is what the outer sides of the triangles bound; below a height field all is solid, and its sides go
// straight down. A contact is a face, a convex edge or a convex corner of the terrain with a normal from the normal
// cone of that feature, and a signed gap along it: where apart, a local minimum of the distance; where they overlap,
// the shortest way out around there (terrain_ways.h). On flat and hollow edges nothing is taken, so that nothing
// catches on inner edges. Points of triangles in one plane that hang together are points of one face
// (TriangleMesh::region), named by the region and the feature of the shape, so that they do not change where a body
// slides from triangle to triangle. Points of like normal (1°) are reduced to four by the keep rule.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/collision/contact_point.h"
#include "stiction/collision/terrain/terrain_ways.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

// What a pair remembers: the features of its last points. All zero: nothing.
struct TerrainMemory {
  static constexpr int max_features = 30;
  std::int32_t size = 0, unused = 0;
  std::uint64_t feature[max_features] = {};
};

// Scratch and result, kept by the caller so that nothing is allocated once it has grown.
struct TerrainContacts {
  std::vector<TerrainPoint> points;  // the result, by feature

  TerrainScratch scratch;
};

// `b` is a triangle mesh or a height field, `a` neither of these nor a plane. Returns a proven lower bound of the
// distance where it exceeds the margin, else the smallest gap, or `margin` where nothing touches and nothing is proven.
double collide_terrain(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                       TerrainMemory& memory, TerrainContacts& out);

}  // namespace stiction
