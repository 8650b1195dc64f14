// Shapes on triangle meshes and height fields.
//
// A body stands on faces, ridges and peaks. Per triangle near the shape:
//   faces:  the shape against the plane of the triangle by its plane kernel; of these points those over the triangle
//   are
//           taken. The way out of an overlap is always the face's normal.
//   ridges: where an edge or corner of the triangle is convex or a border, the shape against the triangle itself, of
//           which a point on such an edge or corner is taken if the surface around lies below its normal: the Voronoi
//           region of the edge. On flat and hollow edges nothing is taken, so that nothing catches on inner edges.
// Points of triangles in one plane that hang together are points of one face (TriangleMesh::region), named by the
// region and the feature of the shape, so that they do not change where a body slides from triangle to triangle. Points
// of like normal (1°) are reduced to four by the keep rule.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/collision/contact_point.h"
#include "stiction/model/shape.h"

namespace stiction {

// What a pair remembers: the features of its last points. All zero: nothing.
struct TerrainMemory {
  static constexpr int max_features = 30;
  std::int32_t size = 0, unused = 0;
  std::uint64_t feature[max_features] = {};
};

struct TerrainPoint {
  Vector3 position, normal;  // world, from the terrain to the shape
  double gap;
  std::uint64_t feature;
};

// Scratch and result, kept by the caller so that nothing is allocated once it has grown.
struct TerrainContacts {
  std::vector<TerrainPoint> points;  // the result, by feature

  std::vector<int> triangles;
  std::vector<TerrainPoint> found;
};

// `b` is a triangle mesh or a height field, `a` neither of these nor a plane. Returns a proven lower bound of the
// distance where it exceeds the margin, else the smallest gap, or `margin` where nothing touches and nothing is proven.
double collide_terrain(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                       TerrainMemory& memory, TerrainContacts& out);

}  // namespace stiction
