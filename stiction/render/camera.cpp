#include "stiction/render/camera.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/math/refuse.h"
#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {
namespace {

std::string list(const Vector3& v) {
  return message("(", v.x(), ", ", v.y(), ", ", v.z(), ")");
}

void require_finite(const Vector3& value, const char* name) {
  if (!value.allFinite()) refuse("camera: ", name, " is ", list(value), "; it must be finite");
}

}  // namespace

void Camera::validate() const {
  require_finite(position, "position");
  require_finite(target, "target");
  require_finite(up, "up");
  if (!(field_of_view > 0.0 && field_of_view < std::numbers::pi)) {
    refuse("camera: field_of_view is ", field_of_view, " rad; it must lie between 0 and pi");
  }
  const double distance = (target - position).norm();
  if (!(distance > 1e-12 * (1.0 + position.norm())) || !std::isfinite(distance)) {
    refuse("camera: target ", list(target), " is ", distance, " m from position ", list(position),
           "; it looks nowhere");
  }
  if (!(up.norm() > 0.0)) refuse("camera: up is ", list(up), "; it must have a direction");
}

namespace raster {
namespace {

// Of the body and of all that hangs on it; its origin where nothing there has a mass.
Vector3 subtree_com(const Model& model, int body, std::span<const Pose> bodies) {
  if (body < 0) return Vector3::Zero();
  std::vector<char> inside(model.bodies.size(), 0);
  Vector3 sum = Vector3::Zero();
  double mass = 0.0;
  for (int k = body; k < model.num_bodies(); ++k) {  // parents come before their children
    const Body& b = model.bodies[k];
    inside[k] = k == body || (b.parent >= 0 && inside[b.parent]);
    if (!inside[k]) continue;
    sum += b.mass * (bodies[k] * b.com);
    mass += b.mass;
  }
  return mass > 0.0 ? Vector3(sum / mass) : bodies[body].position;
}

Pose frame_at(const Model& model, int frame, std::span<const Pose> bodies) {
  if (frame < 0) return {};
  const Frame& f = model.frames[frame];
  return f.body < 0 ? f.pose : bodies[f.body] * f.pose;
}

Vector3 com_at(const Model& model, int frame, std::span<const Pose> bodies) {
  const int body = frame < 0 ? -1 : model.frames[frame].body;
  return body < 0 ? frame_at(model, frame, bodies).position : subtree_com(model, body, bodies);
}

// A ball that is to be in the picture.
struct Ball {
  Vector3 center;
  double radius;
};

struct AddBalls {
  const Pose& pose;  // X_WS
  std::vector<Ball>& out;

  void corners(const Vector3& low, const Vector3& high) const {
    for (int k = 0; k < 8; ++k) {
      const Vector3 corner((k & 1) ? high.x() : low.x(), (k & 2) ? high.y() : low.y(), (k & 4) ? high.z() : low.z());
      out.push_back({pose * corner, 0.0});
    }
  }
  void ends(double half, double radius) const {
    for (const double z : {-half, half}) out.push_back({pose * Vector3(0.0, 0.0, z), radius});
  }
  void operator()(const Plane&) const {}
  void operator()(const Sphere& g) const { out.push_back({pose.position, g.radius}); }
  void operator()(const Capsule& g) const { ends(g.half_length, g.radius); }
  void operator()(const Cylinder& g) const { ends(g.half_length, g.radius); }
  void operator()(const Ellipsoid& g) const { corners(-g.radii, g.radii); }
  void operator()(const Box& g) const { corners(-g.half_size, g.half_size); }
  template <class Surface>
  void operator()(const std::shared_ptr<const Surface>& g) const {
    corners(g->lower(), g->upper());
  }
};

// Of everything that moves, else of the world; `sizes` of each shape, half its extent.
std::vector<Ball> balls_of(const Model& model, std::span<const Pose> bodies, std::vector<double>& sizes) {
  std::vector<Ball> balls;
  for (const bool moving : {true, false}) {
    for (const Shape& shape : model.shapes) {
      if ((shape.body >= 0) != moving || shape.kind() == ShapeKind::plane) continue;
      const Pose pose = moving ? bodies[shape.body] * shape.pose : shape.pose;
      const std::size_t first = balls.size();
      std::visit(AddBalls{pose, balls}, shape.geometry);
      double reach = 0.0;
      for (std::size_t k = first; k < balls.size(); ++k) {
        reach = std::max(reach, 0.5 * (balls[k].center - balls[first].center).norm() + balls[k].radius);
      }
      sizes.push_back(reach);
    }
    std::erase_if(balls, [](const Ball& b) { return !b.center.allFinite() || !std::isfinite(b.radius); });
    if (!balls.empty()) return balls;
    sizes.clear();
  }
  sizes = {1.0};
  return {{Vector3(0.0, 0.0, 0.5), 1.0}};
}

Vector3 middle_of(const std::vector<Ball>& balls) {
  Vector3 low = Vector3::Constant(INFINITY), high = -low;
  for (const Ball& ball : balls) {
    low = low.cwiseMin(ball.center.array().matrix() - Vector3::Constant(ball.radius));
    high = high.cwiseMax(ball.center + Vector3::Constant(ball.radius));
  }
  return 0.5 * (low + high);
}

}  // namespace

View view_of(const Camera& camera, int width, int height) {
  camera.validate();
  View view;
  view.eye = camera.position;
  const Vector3 forward = (camera.target - camera.position).normalized();
  Vector3 right = forward.cross(camera.up.normalized());
  if (right.norm() < 1e-6) right = forward.cross(Vector3::UnitY());
  if (right.norm() < 1e-6) right = forward.cross(Vector3::UnitZ());
  right.normalize();
  view.axes << right, forward.cross(right), forward;
  view.focal = 0.5 * height / std::tan(0.5 * camera.field_of_view);
  view.center_x = 0.5 * width, view.center_y = 0.5 * height;
  return view;
}

Camera camera_of(const Model& model, int index, std::span<const Pose> bodies, std::span<const Pose> initial_bodies) {
  const MountedCamera& mounted = model.cameras[index];
  const bool tracks = mounted.mode == CameraMode::track || mounted.mode == CameraMode::track_com;
  Pose pose = frame_at(model, mounted.frame, tracks ? initial_bodies : bodies) * mounted.pose;
  if (mounted.mode == CameraMode::track) {
    pose.position += frame_at(model, mounted.frame, bodies).position;
    pose.position -= frame_at(model, mounted.frame, initial_bodies).position;
  } else if (mounted.mode == CameraMode::track_com) {
    pose.position += com_at(model, mounted.frame, bodies) - com_at(model, mounted.frame, initial_bodies);
  }
  Camera camera;
  camera.position = pose.position;
  camera.field_of_view = mounted.field_of_view;
  camera.target = pose.position - pose.rotation.col(2);
  camera.up = pose.rotation.col(1);
  if (mounted.mode == CameraMode::target || mounted.mode == CameraMode::target_com) {
    camera.target = mounted.mode == CameraMode::target ? frame_at(model, mounted.target, bodies).position
                                                       : com_at(model, mounted.target, bodies);
    camera.up = Vector3::UnitZ();
  }
  return camera;
}

Framing framing_of(const Model& model, std::span<const Pose> bodies) {
  std::vector<double> sizes;
  const std::vector<Ball> balls = balls_of(model, bodies, sizes);
  Framing framing;
  framing.center = middle_of(balls);
  framing.extent = 0.0;
  for (const Ball& ball : balls) {
    framing.extent = std::max(framing.extent, (ball.center - framing.center).norm() + ball.radius);
  }
  framing.extent = std::max(framing.extent, 1e-3);
  const auto half = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), half, sizes.end());
  framing.size = *half;
  return framing;
}

Camera framing_camera(const Model& model, std::span<const Pose> bodies, double aspect) {
  std::vector<double> sizes;
  const std::vector<Ball> balls = balls_of(model, bodies, sizes);
  const Vector3 center = middle_of(balls), away = Vector3(0.9, -1.35, 0.62).normalized();
  Camera camera;
  camera.target = center;
  camera.position = center + away;
  const View view = view_of(camera, 2, 2);
  const double vertical = 0.5 * camera.field_of_view, horizontal = std::atan(aspect * std::tan(vertical));
  // A ball at (x, y, z) from the middle touches the upper or lower border of what is seen from `distance` away where
  // (z + distance) sin a = |y| cos a + radius.
  double distance = 1e-3;
  for (const Ball& ball : balls) {
    const Vector3 p = view.axes.transpose() * (ball.center - center);
    const auto needs = [&](double across, double angle) {
      return (ball.radius + std::abs(across) * std::cos(angle)) / std::sin(angle) - p.z();
    };
    distance = std::max({distance, needs(p.x(), horizontal), needs(p.y(), vertical)});
  }
  constexpr double margin = 1.15;
  camera.position = center + margin * distance * away;
  return camera;
}

}  // namespace raster
}  // namespace stiction
