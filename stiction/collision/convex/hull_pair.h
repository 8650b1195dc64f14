// Kernels for convex hulls against hulls and planes (theory §5.1, §5.2).
//
// All pair kernels keep one convention. Where the gap is proven to exceed `margin` they return a lower bound of it and
// leave `out` empty; else they fill `out` with points of gap ≤ margin and return the smallest gap. Poses that are not
// finite give NaN and no points. Normals point from the second shape to the first.
//
// Caches are plain bytes, all zero when nothing is known; they belong to the state. A cache serves one pair in one
// order. Cold and warm give the same gap; the one exception is overlap, where a warm call stays with the local minimum
// of the depth that the pair has come from (a block that overlaps an edge keeps its upright normal).
#pragma once

#include <cstdint>

#include "stiction/collision/manifold/manifold.h"

namespace stiction {

struct HullPairCache {
  double axis[3] = {};    // last exact normal from A to B, in A's frame; zero: unknown
  double distance = 0.0;  // gap for which the axis was exact
  ManifoldMemory points;
  std::int32_t simplex_size = 0;
  std::int32_t simplex_a[4] = {}, simplex_b[4] = {};  // vertices
  std::int32_t support_a = 0, support_b = 0;          // vertices farthest along the axis
  std::int32_t face_a = 0, face_b = 0;                // of the last manifold, + 1; 0: none
  std::int32_t is_touching = 0;                       // the last call reported points
};

// The pair is apart: points are not remembered, the axis is.
void forget_points(HullPairCache& cache);

struct HullPlaneCache {
  ManifoldMemory points;
  std::int32_t vertex = 0;  // deepest
  std::int32_t unused = 0;
};

double collide_hulls(const ConvexHull& a, const Pose& X_WA, const ConvexHull& b, const Pose& X_WB, double margin,
                     HullPairCache& cache, Manifold& out);

// The half space below n·x = offset (world; n of length one) is the second shape.
double collide_hull_plane(const ConvexHull& a, const Pose& X_WA, const Vector3& normal, double offset, double margin,
                          HullPlaneCache& cache, Manifold& out);

}  // namespace stiction
