// Shapes that collide. Each is given in its own frame; Shape::pose says where that frame is on the body.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "stiction/math/pose.h"
#include "stiction/model/material.h"

namespace stiction {

class ConvexHull;    // model/convex_hull.h
class TriangleMesh;  // model/triangle_mesh.h
class HeightField;   // model/height_field.h

// Geometry as the user gives it. Lengths in m.
struct Plane {};  // the half space z ≤ 0
struct Sphere {
  double radius = 0.0;
};
struct Capsule {  // about z, with half spheres at z = ± half_length
  double radius = 0.0, half_length = 0.0;
};
struct Cylinder {  // about z
  double radius = 0.0, half_length = 0.0;
};
struct Ellipsoid {
  Vector3 radii = Vector3::Zero();
};
struct Box {
  Vector3 half_size = Vector3::Zero();
};
using Geometry = std::variant<Plane, Sphere, Capsule, Cylinder, Ellipsoid, Box, std::shared_ptr<const ConvexHull>,
                              std::shared_ptr<const TriangleMesh>, std::shared_ptr<const HeightField>>;

// The alternatives of Geometry, in their order.
enum class ShapeKind : std::uint8_t {
  plane,
  sphere,
  capsule,
  cylinder,
  ellipsoid,
  box,
  convex_hull,
  triangle_mesh,  // of the world only: terrain
  height_field,   // of the world only: terrain
};
std::string_view to_string(ShapeKind kind);

struct Shape {
  std::string name{};
  int body = -1;  // which body carries it; −1: the world
  Pose pose{};    // X_BS: shape frame in the body's frame
  Geometry geometry{};
  Material material{};
  // Two shapes may meet when (a.group & b.mask) | (b.group & a.mask) is not zero and no filter of the model says no.
  std::uint32_t group = 1, mask = 1;
  std::array<double, 4> color{0.7, 0.7, 0.7, 1.0};  // red, green, blue, opacity, 0 … 1
  // Smallest known sphere about the shape, in the body's frame; infinite for planes and height fields,
  // which are solid below without end.
  Vector3 bound_center = Vector3::Zero();
  double bound_radius = 0.0;

  ShapeKind kind() const { return static_cast<ShapeKind>(geometry.index()); }
};

}  // namespace stiction
