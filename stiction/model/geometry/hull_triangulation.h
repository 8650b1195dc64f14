// The closed surface that a ConvexHull is made of, before faces are merged.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stiction/math/pose.h"

namespace stiction {

struct HullTriangulation {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
};

// Triangulated hull of points that span a volume, by Qhull. Vertices keep the order of the points. With `joggled`
// Qhull moves the points by rounding errors until all facets are triangles: the topology is then sure to be closed.
HullTriangulation triangulate_hull(std::span<const Vector3> points, bool joggled);

// For every triangle the triangles across its edges (v0 v1), (v1 v2), (v2 v0). False where the surface is not closed.
bool find_across(const std::vector<std::array<int, 3>>& triangles, std::vector<std::array<int, 3>>& across);

// Flips concave edges, and drops vertices that turn out to lie inside, until the surface is convex. Returns the largest
// height of a triangle's far vertex over the plane of its neighbour that is left, in m (0 when all is well), or
// infinity where the surface is not closed.
double make_convex(HullTriangulation& hull);

}  // namespace stiction
