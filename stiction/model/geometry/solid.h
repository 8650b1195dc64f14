// Geometry of the shapes as solids: what bounds and inertias are made of.
#pragma once

#include "stiction/model/geometry/shape.h"

namespace stiction {

struct BoundingSphere {
  Vector3 center = Vector3::Zero();  // in the shape's frame, m
  double radius = 0.0;
};

// Infinite for planes and height fields.
BoundingSphere bounding_sphere(const Geometry& geometry);

// A solid of density 1/volume, that is of mass one.
struct UnitSolid {
  double volume = 0.0;                    // m³
  Vector3 com = Vector3::Zero();          // in the shape's frame, m
  Matrix3 unit_moment = Matrix3::Zero();  // about com, per mass, m²
};

// Throws std::invalid_argument for shapes without a volume: planes, triangle meshes, height fields.
UnitSolid unit_solid(const Geometry& geometry);

}  // namespace stiction
