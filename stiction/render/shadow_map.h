// What the sun sees: a parallel picture of the things about the middle of a scene. Internal to the renderer.
#pragma once

#include "stiction/render/rasterizer.h"
#include "stiction/render/scene.h"

namespace stiction::raster {

class ShadowMap {
 public:
  // Looks from `to_sun` (unit) at the ball about `center`; what casts into it from farther off counts.
  ShadowMap(const Vector3& to_sun, const Vector3& center, double radius, int size);
  void draw(const Scene& scene);

  // How much of the sun a point on a surface gets, 0 … 1; all of it outside of the ball. Edges are smooth over some
  // cells.
  float light_at(const Vector3& point, const Vector3& normal) const;

 private:
  static constexpr int tile = 8;  // cells

  void find_nearest();
  double cell(int x, int y) const { return reinterpret_cast<const double*>(buffer_.all().data())[x + y * size_]; }

  Vector3 center_;
  Matrix3 axes_;  // columns: right, down, away from the sun
  double cells_per_metre_;
  int size_;
  SampleBuffer buffer_;
  std::vector<double> nearest_;  // of a tile and those around it
  int num_tiles_;
};

}  // namespace stiction::raster
