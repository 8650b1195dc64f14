#include "stiction/render/scene.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stiction::raster {
namespace {

// Bodies whose file gives them no colours of their own; those of the viewer's page.
constexpr std::array<Color, 8> body_colors = {{{217, 154, 91},
                                               {111, 168, 201},
                                               {143, 191, 127},
                                               {201, 138, 159},
                                               {183, 165, 106},
                                               {143, 148, 207},
                                               {201, 127, 106},
                                               {111, 184, 168}}};

// sRGB to light.
float to_linear(double value) {
  return static_cast<float>(value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
}

// Of the roundest part of a shape; 0 where nothing is round.
double round_radius(const Geometry& geometry) {
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) return sphere->radius;
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) return capsule->radius;
  if (const auto* cylinder = std::get_if<Cylinder>(&geometry)) return cylinder->radius;
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&geometry)) return ellipsoid->radii.maxCoeff();
  return 0.0;
}

// About how large it is in the picture; large where the eye is near or inside.
double radius_in_pixels(const Thing& thing, double radius, const View& view) {
  const double depth = (thing.pose.position - view.eye).norm() - radius;
  return view.focal * radius / std::max(depth, 0.05 * radius);
}

}  // namespace

Light to_light(Color color) {
  return {to_linear(color.red / 255.0), to_linear(color.green / 255.0), to_linear(color.blue / 255.0)};
}

Light to_light(const std::array<double, 4>& color) {
  return {to_linear(color[0]), to_linear(color[1]), to_linear(color[2])};
}

bool has_colors(const Model& model) {
  std::set<std::array<double, 3>> used;
  for (const Shape& shape : model.shapes) {
    if (shape.body >= 0) used.insert({shape.color[0], shape.color[1], shape.color[2]});
  }
  return used.size() > 1 || model.bodies.size() < 2;
}

void add_thing(const Thing& thing, const Surface& surface, Scene& out) {
  const int number = static_cast<int>(out.things.size());
  out.things.push_back(thing);
  std::vector<Vector3> vertices;
  vertices.reserve(surface.vertices.size());
  for (const Vector3& v : surface.vertices) vertices.push_back(thing.pose * v);
  int index = 0;
  for (const auto& t : surface.triangles) {
    Triangle triangle;
    for (int k = 0; k < 3; ++k) triangle.corners[k] = vertices[t[k]];
    const Vector3 across = (triangle.corners[1] - triangle.corners[0]).cross(triangle.corners[2] - triangle.corners[0]);
    const double length = across.norm();
    const bool is_smooth = index++ < surface.num_smooth;
    if (!(length > 0.0) || !std::isfinite(length)) continue;
    triangle.normal = (across / length).cast<float>();
    triangle.thing = number;
    triangle.is_smooth = is_smooth;
    triangle.both_sides = !surface.is_closed;
    out.triangles.push_back(triangle);
  }
}

void add_shapes(const Model& model, std::span<const Pose> bodies, const View& view, bool bodies_by_color, Scene& out) {
  Surface surface;
  for (const Shape& shape : model.shapes) {
    Thing thing;
    thing.geometry = &shape.geometry;
    thing.pose = shape.body < 0 ? shape.pose : bodies[shape.body] * shape.pose;
    thing.color = bodies_by_color && shape.body >= 0 ? to_light(body_colors[shape.body % body_colors.size()])
                                                     : to_light(shape.color);
    thing.opacity = shape.color[3];
    if (!thing.pose.position.allFinite() || !thing.pose.rotation.allFinite() || !(thing.opacity > 0.0)) continue;
    const double radius = round_radius(shape.geometry);
    make_surface(shape.geometry, num_segments(radius_in_pixels(thing, radius, view)), surface);
    add_thing(thing, surface, out);
  }
}

}  // namespace stiction::raster
