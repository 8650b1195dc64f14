// One kernel for all pairs of convex shapes that have no closed form: GJK on their cores, and points where a face of
// one lies along the normal. Contract as in hull_pair.h.
//
// Points: where a face (of a hull, a box, a triangle, a cylinder's cap) is within 5° of the normal, what the other has
// there is clipped against it: a face, a cap as a polygon of 16 corners, the segment of a capsule, the line of a
// cylinder's side. Else, and for spheres and ellipsoids always, the one witness point.
//
// Features of vertices: hulls and triangles by number, boxes by their signs as bits (x: 1, y: 2, z: 4), capsule ends 0
// and 1, cylinder rims 16 cap + corner, the ends of a cylinder's side 32 and 33, the rim of a leaning one 34 + 4 cap
// + quarter from its lowest point. A witness point has feature 0 unless
// both shapes are polytopes.
#pragma once

#include "stiction/collision/convex/hull_pair.h"
#include "stiction/collision/convex/support_shape.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

using ConvexPairCache = HullPairCache;

// Instantiated, in this order, for (Sphere, Capsule, Cylinder, Ellipsoid, Box) × ConvexHull; Cylinder × (Cylinder,
// Ellipsoid, Box); Ellipsoid × (Ellipsoid, Box); (Sphere, Capsule) × (Cylinder, Ellipsoid); and (Sphere, Capsule,
// Cylinder, Ellipsoid, Box, ConvexHull) × SupportTriangle: a triangle of a terrain, counter-clockwise seen from above.
// Where a shape overlaps a triangle, the way out is along the triangle's normal unless that is twice as deep as another
// that leads up too.
template <class ShapeA, class ShapeB>
double collide_convex(const ShapeA& a, const Pose& X_WA, const ShapeB& b, const Pose& X_WB, double margin,
                      ConvexPairCache& cache, Manifold& out);

}  // namespace stiction
