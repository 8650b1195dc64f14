// What is true of a convex shape and a block, and of points and a closed mesh, found by trying everything: nothing of
// the library's collision code is used.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "stiction/model/geometry/shape.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction::testing {

// A block as a closed mesh: every face is a grid of `cells` × `cells` cells of two triangles each; `flip` chooses the
// diagonal.
std::shared_ptr<const TriangleMesh> block_mesh(const Vector3& half, int cells, bool flip);

// The farthest point of a shape along d, both in the shape's frame.
Vector3 support_point(const Geometry& shape, const Vector3& d);

// Signed gap of a convex shape and the block |x_k| ≤ half_k (in the block's frame): the largest separation over all
// directions. Polytopes and their like by all their axes, round shapes by climbs and along the circles on which the
// separation has kinks.
struct BlockGap {
  double gap;
  Vector3 normal;  // from the block to the shape
};
BlockGap block_gap(const Geometry& shape, const Pose& X, const Vector3& half);

// Separation of the shape from the block along n.
double separation_from_block(const Geometry& shape, const Pose& X, const Vector3& half, const Vector3& n);

// Distance of p from the surface of a closed mesh, negative inside: the nearest of all triangles, the sign by the
// normal of the feature that is nearest (weighted by angle at corners).
double signed_distance(const TriangleMesh& mesh, const Vector3& p);

}  // namespace stiction::testing
