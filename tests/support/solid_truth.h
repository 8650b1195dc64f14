// What is true of two convex solids, by closed forms and without a line of the library's kernels: support functions,
// distances of points, support sets. A contact list is not compared with another algorithm's: it is proven or refuted.
//
//   from below  the separation s(n) along any direction n is a lower bound of the signed distance (the largest is it);
//   from above  two points, one in each solid, at a distance d: no larger than d, where the solids are apart;
//   in overlap  no direction of a list separates by more: faces, crossed edges, and many around the reported normal.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/shape.h"

namespace stiction::testing {

// A convex shape or a plane (the half space below its z = 0) at a pose.
struct Solid {
  Geometry geometry;
  Pose X;

  bool is_plane() const { return std::holds_alternative<Plane>(geometry); }
  // Largest extent from the centre, and the smallest: half a thickness.
  double size() const, thickness() const;
  // max n·x over the solid, for a unit vector n; of a plane only for its own normal.
  double height(const Vector3& n) const;
  // At least how far a point is outside, to first order near the surface; ≤ 0 inside.
  double outside(const Vector3& p) const;
  // The points whose height along n is within `tolerance` of the largest, as corners of their convex hull: one, the two
  // ends of a segment, or a polygon in no order. Empty for a plane. A disc counts with 64 corners at 0.98 of its
  // radius: what lies on a cap is found on a polygon of 16 corners in it.
  std::vector<Vector3> support_set(const Vector3& n, double tolerance) const;
  // Directions of its edges and normals of its faces, world: where overlap can be least.
  void add_directions(std::vector<Vector3>& normals, std::vector<Vector3>& edges) const;
};

// s(n): how far B lies beyond A along the unit vector n, negative where they overlap along it.
double separation(const Solid& a, const Solid& b, const Vector3& n);

// The largest s(n) over the normals of faces, crossed edges and `start`, then climbing from the best in `num_around`
// random steps of 1 … 1e-7. For boxes and hulls that is exact; for round solids a local and sampled test.
double best_separation(const Solid& a, const Solid& b, const Vector3& start, int num_around, std::mt19937& generator);

// The distance of two solids that are apart, between two proven bounds: the shortest vector of hulls of a few
// difference points, all their subsets tried in long double, and the planes square to it. Slow; where they overlap,
// upper is ~0.
struct Bounds {
  double lower = -1e300, upper = 1e300;
};
Bounds enclose_distance(const Solid& a, const Solid& b, const Vector3& start);

// The common part of two support sets seen along n: corners of a convex polygon in the plane, in cyclic order; two for
// a line. Polygons count without a strip of width `inset` along their borders.
std::vector<Vector2> common_patch(const std::vector<Vector3>& a, const std::vector<Vector3>& b, const Vector3& t1,
                                  const Vector3& t2, double tolerance, double inset);
// Which part of the patch's extent from its middle the points reach, in the direction in which they reach least.
double coverage(const std::vector<Vector2>& patch, const std::vector<Vector2>& points);

}  // namespace stiction::testing
