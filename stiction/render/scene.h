// What is drawn: things with a colour, and their triangles in the world. Internal to the renderer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stiction/model/model.h"
#include "stiction/render/camera.h"
#include "stiction/render/image.h"
#include "stiction/render/surface.h"

namespace stiction::raster {

// Light by red, green and blue; 1 is the white of the picture.
using Light = Eigen::Array3f;
Light to_light(Color color);
Light to_light(const std::array<double, 4>& color);

struct Thing {
  const Geometry* geometry = nullptr;
  Pose pose{};  // X_WS
  Light color = Light::Ones();
  double opacity = 1.0;
  bool is_mark = false;  // of a contact: before everything else, in its own light
};

// Three corners in the world, counter-clockwise from outside.
struct Triangle {
  std::array<Vector3, 3> corners;
  Eigen::Vector3f normal;  // unit
  int thing;
  bool is_smooth;   // stands for a curved surface, which tells the normal
  bool both_sides;  // of a surface that is open
};

struct Scene {
  std::vector<Thing> things;
  std::vector<Triangle> triangles;  // by thing, in their order
};

// Whether the model tells bodies apart by colour.
bool has_colors(const Model& model);

// Of the shapes of a model. `bodies_by_color`: every body has a colour of its own instead of that of its shapes.
void add_shapes(const Model& model, std::span<const Pose> bodies, const View& view, bool bodies_by_color, Scene& out);
// A thing with the triangles of `surface`; a plane has none.
void add_thing(const Thing& thing, const Surface& surface, Scene& out);

}  // namespace stiction::raster
