#include "stiction/collision/world_queries.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "stiction/collision/pair_kernels.h"
#include "stiction/collision/terrain/terrain.h"
#include "stiction/math/refuse.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/solid.h"

namespace stiction {
namespace {

void check_shape(const Model& model, int shape) {
  if (shape < 0 || shape >= static_cast<int>(model.shapes.size())) {
    refuse("shape ", shape, " does not exist; the model has ", model.shapes.size());
  }
}

void check_body(const Model& model, int body) {
  if (body < -1 || body >= model.num_bodies()) {
    refuse("body ", body, " does not exist; the model has ", model.num_bodies(), ", and -1 is the world");
  }
}

// A shape where it stands.
struct Placed {
  const Shape& shape;
  Pose pose;  // X_WS
  Vector3 center() const { return pose * bounding_sphere(shape.geometry).center; }
};

// No less than the distance of two shapes, a being bounded.
double distance_bound(const Placed& a, const Placed& b) {
  const BoundingSphere own = bounding_sphere(a.shape.geometry);
  const Vector3 center = a.pose * own.center;
  if (b.shape.kind() == ShapeKind::plane) {
    return std::abs(b.pose.rotation.col(2).dot(center - b.pose.position)) + own.radius;
  }
  if (const auto* field = std::get_if<std::shared_ptr<const HeightField>>(&b.shape.geometry)) {
    Vector3 at = b.pose.to_local(center);
    const Vector3 low = (*field)->lower(), high = (*field)->upper();
    const double x = std::clamp(at.x(), low.x(), high.x()), y = std::clamp(at.y(), low.y(), high.y());
    return (at - Vector3(x, y, (*field)->height_at(x, y))).norm() + own.radius;
  }
  const BoundingSphere other = bounding_sphere(b.shape.geometry);
  return (center - b.pose * other.center).norm() + own.radius + other.radius;
}

void take(const Vector3& position, const Vector3& normal, double gap, Distance& out) {
  if (!(gap < out.distance)) return;
  out.distance = gap;
  out.normal = normal;
  out.point_a = position + 0.5 * gap * normal;
  out.point_b = position - 0.5 * gap * normal;
}

// The least gap within the margin; false where there is none.
bool find_distance(const Placed& a, const Placed& b, double margin, Distance& out) {
  out = {};
  if (const PairKernel kernel = find_pair_kernel(a.shape.kind(), b.shape.kind())) {
    alignas(16) std::byte memory[1024] = {};
    assert(pair_memory_size(a.shape.kind(), b.shape.kind()) <= sizeof memory);
    Manifold manifold;
    kernel(a.shape, a.pose, b.shape, b.pose, margin, memory, manifold);
    for (int k = 0; k < manifold.size; ++k) take(manifold.position[k], manifold.normal[k], manifold.gap[k], out);
    return manifold.size > 0;
  }
  TerrainMemory memory;
  TerrainContacts contacts;
  const bool is_swapped = is_terrain(a.shape.kind());
  if (is_swapped) {
    collide_terrain(b.shape, b.pose, a.shape, a.pose, margin, memory, contacts);
  } else {
    collide_terrain(a.shape, a.pose, b.shape, b.pose, margin, memory, contacts);
  }
  for (const TerrainPoint& p : contacts.points) {
    take(p.position, is_swapped ? Vector3(-p.normal) : p.normal, p.gap, out);
  }
  return !contacts.points.empty();
}

bool is_unbounded(ShapeKind kind) {
  return kind == ShapeKind::plane || is_terrain(kind);
}

Distance distance_of(const Placed& a, const Placed& b) {
  const bool is_swapped = is_unbounded(a.shape.kind());
  const double bound = is_swapped ? distance_bound(b, a) : distance_bound(a, b);
  Distance found;
  find_distance(a, b, bound * (1.0 + 1e-9) + 1e-9, found);
  return found;
}

}  // namespace

Pose WorldView::shape_pose(int shape) const {
  const Shape& s = model.shapes[static_cast<std::size_t>(shape)];
  return s.body < 0 ? s.pose : body_pose[static_cast<std::size_t>(s.body)] * s.pose;
}

WorldRayHit cast_ray(const WorldView& world, const Vector3& origin, const Vector3& direction,
                     const RayOptions& options) {
  const double length = direction.stableNorm();
  if (!origin.allFinite() || !(length > 0.0) || !std::isfinite(length)) {
    refuse("ray: origin (", origin.transpose(), ") and direction (", direction.transpose(),
           ") must be finite, and the direction not zero");
  }
  if (!(options.max_distance >= 0.0))
    refuse("ray: max_distance is ", options.max_distance, "; it must not be negative");
  const Vector3 along = direction / length;
  WorldRayHit nearest;
  nearest.distance = options.max_distance;
  for (int s = 0; s < static_cast<int>(world.model.shapes.size()); ++s) {
    const Shape& shape = world.model.shapes[static_cast<std::size_t>(s)];
    if (shape.body == options.without_body || (shape.group & options.mask) == 0) continue;
    const Pose carrier = shape.body < 0 ? Pose() : world.body_pose[static_cast<std::size_t>(shape.body)];
    if (std::isfinite(shape.bound_radius)) {
      const Vector3 to_center = carrier * shape.bound_center - origin;
      const double foot = to_center.dot(along), reach = shape.bound_radius * (1.0 + 1e-9);
      if (foot < -reach || foot > nearest.distance + reach) continue;
      if ((to_center - foot * along).squaredNorm() > reach * reach) continue;
    }
    const auto hit = cast_ray(shape.geometry, carrier * shape.pose, origin, along, nearest.distance);
    if (!hit || (nearest && !(hit->distance < nearest.distance))) continue;
    static_cast<RayHit&>(nearest) = *hit;
    nearest.shape = s;
    nearest.body = shape.body;
  }
  return nearest;
}

Distance shape_distance(const WorldView& world, int shape_a, int shape_b) {
  check_shape(world.model, shape_a);
  check_shape(world.model, shape_b);
  const Shape& a = world.model.shapes[static_cast<std::size_t>(shape_a)];
  const Shape& b = world.model.shapes[static_cast<std::size_t>(shape_b)];
  if (!may_meet(a.kind(), b.kind())) {
    refuse("distance of shape '", a.name, "' (", to_string(a.kind()), ") and shape '", b.name, "' (",
           to_string(b.kind()), "): these kinds have none");
  }
  Distance found = distance_of({a, world.shape_pose(shape_a)}, {b, world.shape_pose(shape_b)});
  found.shape_a = shape_a, found.shape_b = shape_b;
  return found;
}

Distance body_distance(const WorldView& world, int body_a, int body_b) {
  check_body(world.model, body_a);
  check_body(world.model, body_b);
  if (body_a == body_b) refuse("distance of body ", body_a, " and itself");
  Distance nearest;
  const std::vector<Shape>& shapes = world.model.shapes;
  for (int s = 0; s < static_cast<int>(shapes.size()); ++s) {
    if (shapes[static_cast<std::size_t>(s)].body != body_a) continue;
    for (int t = 0; t < static_cast<int>(shapes.size()); ++t) {
      const Shape &a = shapes[static_cast<std::size_t>(s)], &b = shapes[static_cast<std::size_t>(t)];
      if (b.body != body_b || !may_meet(a.kind(), b.kind())) continue;
      const Distance found = shape_distance(world, s, t);
      if (found.distance < nearest.distance) nearest = found;
    }
  }
  return nearest;
}

std::vector<int> overlapping_shapes(const WorldView& world, const Geometry& geometry, const Pose& pose, double margin) {
  Shape probe;
  probe.geometry = geometry;
  if (is_unbounded(probe.kind())) refuse("overlap with a ", to_string(probe.kind()), ", which has no end");
  if (!pose.position.allFinite() || !pose.rotation.allFinite() || !std::isfinite(margin) || margin < 0.0) {
    refuse("overlap: position (", pose.position.transpose(), ") and margin ", margin,
           " must be finite, the margin not negative");
  }
  const BoundingSphere bound = bounding_sphere(geometry);
  probe.bound_center = bound.center, probe.bound_radius = bound.radius;  // of its frame: it is on no body
  const Vector3 center = pose * bound.center;
  std::vector<int> found;
  for (int s = 0; s < static_cast<int>(world.model.shapes.size()); ++s) {
    const Shape& shape = world.model.shapes[static_cast<std::size_t>(s)];
    const Pose carrier = shape.body < 0 ? Pose() : world.body_pose[static_cast<std::size_t>(shape.body)];
    const double reach = shape.bound_radius + bound.radius + margin;
    if (std::isfinite(reach) && (carrier * shape.bound_center - center).norm() > reach * (1.0 + 1e-9)) continue;
    Distance distance;
    if (!find_distance({probe, pose}, {shape, carrier * shape.pose}, margin + 1e-9, distance)) continue;
    if (distance.distance <= margin) found.push_back(s);
  }
  return found;
}

}  // namespace stiction
