// The ways on which a convex shape leaves a terrain, or the shortest distances to it (theory §5.4).
//
// A way is a feature of the terrain with a normal n from the cone of that feature, the separation s of the shape from
// it along n, and points. Where shapes are apart the ways are the local minima of the distance; where they overlap, the
// local minima of the depth:
//   faces (regions of triangles in one plane): n is theirs; points are the vertices of the shape that are over it.
//   convex and border edges: the local maxima of s over the n between the two faces, from several starts. Points: where
//            the edge runs under a face of the shape, else the nearest point.
//   convex corners that are inside the shape: the same over the cone of the corner.
// Flat and hollow edges give none. Which ways are true: see drop_false_ways().
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/collision/terrain/terrain_triangle.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

struct TerrainPoint {
  Vector3 position, normal;  // from the terrain to the shape; world (in the scratch: terrain frame)
  double gap;
  std::uint64_t feature;
};

enum class WayKind : std::uint8_t { face, edge, corner };

struct TerrainWay {
  WayKind kind;
  bool is_false = false;
  bool is_tip = false;  // the shape does not overlap the edge: it must overlap a face beside it
  int number;           // region, edge or vertex of the terrain
  int triangle;         // in TerrainScratch::near: the first of the region; one that has the edge or the corner
  int k = 0;            // edge or corner of that triangle
  Vector3 normal, at;   // all of the shape is at least `gap` above the plane through `at`
  double gap;
  double depth = 0.0;       // of the deepest point; at most −gap
  int first = 0, last = 0;  // points found[first … last − 1]
};

// Kept by the caller so that nothing is allocated once it has grown.
struct TerrainScratch {
  struct Edge {
    int number, triangle, k;
  };
  std::vector<int> listed;
  std::vector<TerrainTriangle> near;  // by region
  std::vector<int> near_number;       // of the triangle in the terrain; −1: the side of a height field
  std::vector<Edge> edges;
  std::vector<int> corners_seen;
  std::vector<TerrainWay> ways;
  std::vector<TerrainPoint> found;
};

struct TerrainQuery {
  const Shape& shape;
  Pose X_BA;       // the shape in the terrain's frame
  Vector3 center;  // of the sphere about it, in the terrain's frame
  double radius;   // of that sphere
  double margin;
};

// Fills `ways` and `found` from `listed`.
void find_ways(const TerrainQuery& query, const TriangleMesh& mesh, TerrainScratch& s);
void find_ways(const TerrainQuery& query, const HeightField& field, TerrainScratch& s);

}  // namespace stiction
