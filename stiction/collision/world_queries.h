// Questions to a world that stands still: what a ray meets, how far shapes are apart, what lies somewhere.
//
//     const WorldView world{model, body_poses};
//     const WorldRayHit hit = cast_ray(world, eye, direction);
//     if (hit) …  model.shapes[hit.shape].name, hit.distance
//
// Distances and overlaps come from the kernels that contacts come from, rays from closed forms (ray_cast.h). Filters of
// contacts (groups, masks, exclusions) are not looked at, unless said. Every call looks at all shapes whose bounding
// sphere allows it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stiction/collision/ray_cast.h"
#include "stiction/model/model.h"

namespace stiction {

struct WorldView {
  const Model& model;
  std::span<const Pose> body_pose;  // X_WB of every body

  Pose shape_pose(int shape) const;  // X_WS
};

struct RayOptions {
  double max_distance = std::numeric_limits<double>::infinity();  // m
  int without_body = -2;  // whose shapes the ray goes through: a sensor's own (−1: the world's, −2: none)
  std::uint32_t mask = ~std::uint32_t{0};  // shapes whose group has none of these bits are gone through
};

struct WorldRayHit : RayHit {
  int shape = -1, body = -1;  // shape −1: nothing was hit
  explicit operator bool() const { return shape >= 0; }
};

// The nearest hit; of two at the same distance the shape with the smaller index. `direction` has any length but zero.
// Throws std::invalid_argument for what is not finite.
WorldRayHit cast_ray(const WorldView& world, const Vector3& origin, const Vector3& direction,
                     const RayOptions& options = {});

struct Distance {
  // m; negative: depth, the shortest way apart. Of hulls that overlap deeply it is that of a contact's points, which
  // may be less by some percent.
  double distance = std::numeric_limits<double>::infinity();
  Vector3 point_a = Vector3::Zero(), point_b = Vector3::Zero();  // nearest, or deepest, points; world
  Vector3 normal = Vector3::Zero();                              // unit, from b to a
  int shape_a = -1, shape_b = -1;                                // of two bodies: the nearest ones
};

// Two shapes by index. Throws std::invalid_argument for pairs that have no distance: two planes, two terrains, a plane
// and a terrain.
Distance shape_distance(const WorldView& world, int shape_a, int shape_b);
// Two bodies (−1: the world): the least over their shapes. Infinite, with shapes −1, where one of them has none.
Distance body_distance(const WorldView& world, int body_a, int body_b);

// Shapes nearer than `margin` to a geometry that is no part of the world, by index, ascending; 0: they touch or
// overlap. A point is Sphere{0}. Not for planes and terrains.
std::vector<int> overlapping_shapes(const WorldView& world, const Geometry& geometry, const Pose& pose,
                                    double margin = 0.0);

}  // namespace stiction
