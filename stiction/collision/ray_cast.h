// Where a ray first meets a shape, by closed forms: no iteration, exact to rounding.
//
// Shapes are solid: a ray that starts inside one hits it at once, at distance 0 with the normal against its direction.
// A triangle mesh alone is a surface, which a ray meets from either side. A height field is solid below, and its sides
// go straight down.
#pragma once

#include <limits>
#include <optional>

#include "stiction/math/pose.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

struct RayHit {
  double distance = 0.0;               // from the origin, m
  Vector3 position = Vector3::Zero();  // world
  Vector3 normal = Vector3::Zero();    // of the surface there, world, unit, against the ray
};

// `direction` has length one. Nothing where the shape is not met within max_distance, or numbers are not finite.
std::optional<RayHit> cast_ray(const Geometry& geometry, const Pose& X_WS, const Vector3& origin,
                               const Vector3& direction, double max_distance = std::numeric_limits<double>::infinity());

}  // namespace stiction
