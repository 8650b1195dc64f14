#include "stiction/model/geometry/solid.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "stiction/math/refuse.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {
namespace {

constexpr double pi = std::numbers::pi;
const BoundingSphere unbounded{.radius = std::numeric_limits<double>::infinity()};  // solid below without end

UnitSolid about_origin(double volume, const Vector3& moments) {
  return {.volume = volume, .unit_moment = moments.asDiagonal()};
}

// Moments per mass of a solid whose mean squares along its axes are s: I_x = s_y + s_z, and so on.
Vector3 moments_of(const Vector3& s) {
  return {s[1] + s[2], s[0] + s[2], s[0] + s[1]};
}

struct SolidOf {
  UnitSolid operator()(const Plane&) const { refuse("inertia: a plane has no volume"); }
  UnitSolid operator()(const Sphere& s) const {
    const double r = s.radius;
    return about_origin(4.0 / 3.0 * pi * r * r * r, Vector3::Constant(0.4 * r * r));
  }
  // A cylinder and two half spheres. About its own centre of mass, 3/8 r from its base, a half sphere of mass one has
  // 83/320 r²; with the parallel axis that makes 2/5 r² + h² + 3/4 h r about the middle of the capsule.
  UnitSolid operator()(const Capsule& c) const {
    const double r = c.radius, h = c.half_length;
    const double cylinder = 2.0 * pi * r * r * h, ends = 4.0 / 3.0 * pi * r * r * r;
    const double volume = cylinder + ends, a = h / (h + 2.0 / 3.0 * r), b = 1.0 - a;  // shares of the mass
    const double across = a * (r * r / 4.0 + h * h / 3.0) + b * (0.4 * r * r + h * h + 0.75 * h * r);
    return about_origin(volume, Vector3(across, across, a * 0.5 * r * r + b * 0.4 * r * r));
  }
  UnitSolid operator()(const Cylinder& c) const {
    const double r = c.radius, h = c.half_length;
    return about_origin(2.0 * pi * r * r * h, moments_of(Vector3(r * r / 4.0, r * r / 4.0, h * h / 3.0)));
  }
  UnitSolid operator()(const Ellipsoid& e) const {
    return about_origin(4.0 / 3.0 * pi * e.radii.prod(), moments_of(e.radii.cwiseAbs2() / 5.0));
  }
  UnitSolid operator()(const Box& b) const {
    return about_origin(8.0 * b.half_size.prod(), moments_of(b.half_size.cwiseAbs2() / 3.0));
  }
  UnitSolid operator()(const std::shared_ptr<const ConvexHull>& hull) const {
    return {.volume = hull->volume(), .com = hull->com(), .unit_moment = hull->unit_inertia() / hull->volume()};
  }
  UnitSolid operator()(const std::shared_ptr<const TriangleMesh>&) const {
    refuse("inertia: a triangle mesh is a surface without volume; use convex hulls");
  }
  UnitSolid operator()(const std::shared_ptr<const HeightField>&) const {
    refuse("inertia: a height field has no volume");
  }
};

struct BoundOf {
  BoundingSphere operator()(const Plane&) const { return unbounded; }
  BoundingSphere operator()(const Sphere& s) const { return {.radius = s.radius}; }
  BoundingSphere operator()(const Capsule& c) const { return {.radius = c.radius + c.half_length}; }
  BoundingSphere operator()(const Cylinder& c) const { return {.radius = std::hypot(c.radius, c.half_length)}; }
  BoundingSphere operator()(const Ellipsoid& e) const { return {.radius = e.radii.maxCoeff()}; }
  BoundingSphere operator()(const Box& b) const { return {.radius = b.half_size.stableNorm()}; }
  BoundingSphere operator()(const std::shared_ptr<const ConvexHull>& hull) const {
    return {.center = hull->center(), .radius = hull->radius()};
  }
  BoundingSphere operator()(const std::shared_ptr<const TriangleMesh>& mesh) const {
    const Vector3 half_size = 0.5 * mesh->upper() - 0.5 * mesh->lower();
    return {.center = mesh->lower() + half_size, .radius = half_size.stableNorm()};
  }
  BoundingSphere operator()(const std::shared_ptr<const HeightField>&) const { return unbounded; }
};

}  // namespace

BoundingSphere bounding_sphere(const Geometry& geometry) {
  return std::visit(BoundOf{}, geometry);
}

UnitSolid unit_solid(const Geometry& geometry) {
  return std::visit(SolidOf{}, geometry);
}

}  // namespace stiction
