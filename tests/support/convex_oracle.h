// Gap of two convex polytopes by trying every vertex, edge and face: slow, obvious, and without a line of the library's
// algorithms. And hulls and poses to try it on.
#pragma once

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "stiction/model/geometry/convex_hull.h"

namespace stiction::testing {

struct OracleGap {
  double gap = 0.0;       // m; negative: the smallest translation that separates them
  Vector3 normal;         // from A to B, world
  bool is_unique = true;  // whether no other direction is as good within 1e-7 m (overlap), or the gap tells it (apart)
};

// Any convex polytope by its parts, in the world: also a point, a segment, a triangle.
struct OraclePolytope {
  std::vector<Vector3> vertices;
  std::vector<std::array<Vector3, 3>> triangles;
  std::vector<std::array<Vector3, 2>> edges;
};
OraclePolytope oracle_polytope(const ConvexHull& hull, const Pose& X_WH);
OracleGap oracle_gap(const OraclePolytope& a, const OraclePolytope& b);
OracleGap oracle_gap(const ConvexHull& a, const Pose& X_WA, const ConvexHull& b, const Pose& X_WB);

// Height of the lowest vertex over the plane n·x = offset.
double oracle_plane_gap(const ConvexHull& a, const Pose& X_WA, const Vector3& normal, double offset);

Vector3 random_direction(std::mt19937& generator);
Pose random_pose(std::mt19937& generator, double distance);
std::shared_ptr<const ConvexHull> random_hull(std::mt19937& generator, int num_points, double size);
// Regular prism about z.
std::shared_ptr<const ConvexHull> prism_hull(int num_sides, double radius, double half_length);
// Points spread evenly over a sphere.
std::shared_ptr<const ConvexHull> round_hull(int num_vertices, double radius);

}  // namespace stiction::testing
