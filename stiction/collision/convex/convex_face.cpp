#include "stiction/collision/convex/convex_face.h"

#include <cmath>

namespace stiction {
namespace {

const FaceView* finish(FaceStore& store, int size, int num_positions) {
  const auto count = static_cast<std::size_t>(size);
  store.view.points = {store.points, size > 2 ? count : 0};
  store.view.vertices = {store.vertices, count};
  store.view.all_vertices = {store.positions, static_cast<std::size_t>(num_positions)};
  return &store.view;
}

// Plane coordinates of corners whose positions and numbers are filled in.
const FaceView* finish_polygon(FaceStore& store, int size, int num_positions, const Vector3& normal) {
  FaceView& view = store.view;
  view.normal = normal;
  view.origin = store.positions[store.vertices[0]];
  view.tangent_1 = (std::abs(normal.x()) < 0.7 ? Vector3::UnitX() : Vector3::UnitY()).cross(normal).normalized();
  view.tangent_2 = normal.cross(view.tangent_1);
  Vector3 low = view.origin, high = view.origin;
  for (int k = 0; k < size; ++k) {
    const Vector3& x = store.positions[store.vertices[k]];
    low = low.cwiseMin(x), high = high.cwiseMax(x);
    store.points[k] = {(x - view.origin).dot(view.tangent_1), (x - view.origin).dot(view.tangent_2)};
  }
  view.radius = 0.5 * (high - low).norm();
  return finish(store, size, num_positions);
}

const FaceView* finish_segment(FaceStore& store, int first, const Vector3& low, const Vector3& high, double roundness,
                               double& cosine) {
  store.positions[first] = low, store.positions[first + 1] = high;
  store.vertices[0] = first, store.vertices[1] = first + 1;
  store.view.radius = 0.5 * (high - low).norm();
  store.view.roundness = roundness;
  cosine = -2.0;
  return finish(store, 2, first + 2);
}

}  // namespace

const FaceView* face_along(const Box& box, const Vector3& direction, FaceStore& store, double& cosine) {
  int axis;
  direction.cwiseAbs().maxCoeff(&axis);
  const double sign = direction[axis] > 0.0 ? 1.0 : -1.0;
  cosine = sign * direction[axis];
  for (int v = 0; v < 8; ++v) store.positions[v] = SupportBox{box.half_size}.point(v);
  const int u = 1 << (axis + 1) % 3, w = 1 << (axis + 2) % 3, base = sign > 0.0 ? 1 << axis : 0;
  const int corner[4] = {base, base | u, base | u | w, base | w};
  for (int k = 0; k < 4; ++k) store.vertices[k] = corner[sign > 0.0 ? k : 3 - k];
  return finish_polygon(store, 4, 8, sign * Vector3::Unit(axis));
}

const FaceView* face_along(const SupportTriangle& triangle, const Vector3& direction, FaceStore& store,
                           double& cosine) {
  const Vector3* c = triangle.corners;
  const Vector3 n = (c[1] - c[0]).cross(c[2] - c[0]).normalized();
  const double along = n.dot(direction);
  cosine = std::abs(along);
  for (int k = 0; k < 3; ++k) {
    store.positions[k] = c[k];
    store.vertices[k] = along >= 0.0 ? k : 2 - k;
  }
  return finish_polygon(store, 3, 3, along >= 0.0 ? n : Vector3(-n));
}

const FaceView* face_along(const Cylinder& cylinder, const Vector3& direction, FaceStore& store, double& cosine) {
  constexpr int corners = FaceStore::cap_corners;
  constexpr double step = 2 * M_PI / corners;
  const double across = std::sqrt(direction.x() * direction.x() + direction.y() * direction.y());
  const double sign = direction.z() > 0.0 ? 1.0 : -1.0, z = sign * cylinder.half_length;
  if (across > lying_slope * std::abs(direction.z())) {
    const Vector3 rim = (cylinder.radius / across) * Vector3(direction.x(), direction.y(), 0.0);
    const Vector3 up = cylinder.half_length * Vector3::UnitZ();
    return finish_segment(store, FaceStore::side_vertices, rim - up, rim + up, cylinder.radius, cosine);
  }
  cosine = sign * direction.z();
  if (cosine < cos_face) {
    const double x = cylinder.radius * direction.x() / across, y = cylinder.radius * direction.y() / across;
    const int first = FaceStore::leaning_vertices + (sign > 0.0 ? 4 : 0);
    Vector3* p = store.positions + first;
    p[0] = {x, y, z}, p[1] = {-sign * y, sign * x, z}, p[2] = {-x, -y, z}, p[3] = {sign * y, -sign * x, z};
    for (int k = 0; k < 4; ++k) store.vertices[k] = first + k;
    store.view.roundness = -1.0;
    return finish_polygon(store, 4, first + 4, sign * Vector3::UnitZ());
  }
  store.view.roundness = -1.0;
  // Lying flat, corners are fixed to the cylinder; tilted, all are turned by less than half a step.
  const double angle = std::atan2(direction.y(), direction.x());
  const double turn = across > 1e-3 ? angle - step * std::round(angle / step) : 0.0;
  for (int k = 0; k < corners; ++k) {
    const int corner = sign > 0.0 ? k : corners - 1 - k, number = corner + (sign > 0.0 ? corners : 0);
    store.vertices[k] = number;
    store.positions[number] = {cylinder.radius * std::cos(corner * step + turn),
                               cylinder.radius * std::sin(corner * step + turn), z};
  }
  return finish_polygon(store, corners, 2 * corners, sign * Vector3::UnitZ());
}

const FaceView* face_along(const Capsule& capsule, const Vector3&, FaceStore& store, double& cosine) {
  const Vector3 up = capsule.half_length * Vector3::UnitZ();
  return finish_segment(store, 0, -up, up, capsule.radius, cosine);
}

}  // namespace stiction
