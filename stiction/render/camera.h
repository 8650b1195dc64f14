// Where a picture is taken from.
//
//     const Camera camera{.position = {2, -3, 1.5}, .target = {0, 0, 0.4}};
//     render(simulator, {.camera = camera}).save("robot.png");
#pragma once

#include <span>

#include "stiction/model/model.h"

namespace stiction {

struct Camera {
  Vector3 position{2.0, -3.0, 1.5};  // m
  Vector3 target{0.0, 0.0, 0.0};     // the middle of the picture, m
  // What is upwards in the picture; where it lies along the line of sight (a look straight down) y takes its place.
  Vector3 up{0.0, 0.0, 1.0};
  double field_of_view = 0.6981317007977318;  // vertical, rad, 0 … π

  // Throws std::invalid_argument naming field and value: numbers that are not finite, a target where the camera stands.
  void validate() const;
};

namespace raster {

// What is seen: points of the world as x, y (pixels, from the upper left corner) and distance along the line of sight.
struct View {
  Vector3 eye = Vector3::Zero();
  Matrix3 axes = Matrix3::Identity();  // columns: right, down, forward
  double focal = 1.0;                  // pixels
  double center_x = 0.0, center_y = 0.0;

  Vector3 to_view(const Vector3& point) const { return axes.transpose() * (point - eye); }
  // Of a point before the eye; the third is its depth.
  Vector3 project(const Vector3& point) const {
    const Vector3 p = to_view(point);
    return {center_x + focal * p.x() / p.z(), center_y + focal * p.y() / p.z(), p.z()};
  }
  // Through a point of the picture, of length one along the line of sight.
  Vector3 ray(double x, double y) const {
    return axes.col(2) + ((x - center_x) / focal) * axes.col(0) + ((y - center_y) / focal) * axes.col(1);
  }
};

View view_of(const Camera& camera, int width, int height);  // validates the camera

// Of Model::cameras[index], with the poses of all bodies now and at the initial position.
Camera camera_of(const Model& model, int index, std::span<const Pose> bodies, std::span<const Pose> initial_bodies);

// What a picture is about: everything that moves, or the world where nothing does.
struct Framing {
  Vector3 center{0.0, 0.0, 0.5};
  double extent = 1.0;  // about how far it reaches from there, m
  double size = 1.0;    // of a typical shape, m
};
Framing framing_of(const Model& model, std::span<const Pose> bodies);
// From the right, before and above, as near as all of it is in the picture.
Camera framing_camera(const Model& model, std::span<const Pose> bodies, double aspect);

}  // namespace raster
}  // namespace stiction
