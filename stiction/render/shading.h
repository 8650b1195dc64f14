// The light that comes from a point of the picture: sun, sky, ground, haze. Internal to the renderer.
#pragma once

#include "stiction/render/rasterizer.h"
#include "stiction/render/scene.h"
#include "stiction/render/shadow_map.h"

namespace stiction::raster {

// Lights and colours of a scene, by theme.
struct Look {
  Light sky, zenith, ground, ground_line;
  Light sun, from_above, from_below;  // light on a white surface
};
Look look_of(bool dark);
Vector3 direction_to_sun();  // unit

// A point that is seen.
struct SeenPoint {
  Vector3 position;
  double depth;    // along the line of sight, m
  Vector3 toward;  // to the eye, unit
};

class Shader {
 public:
  // `shadows` may be null. All must outlive the shader.
  Shader(const Look& look, const View& view, const Framing& framing, const ShadowMap* shadows);

  SeenPoint point_at(double x, double y, double depth) const;
  Light sky_at(double x, double y) const;
  Light shade(const Scene& scene, const Triangle& triangle, const SeenPoint& point) const;
  // Of a plane without end; x and y of the picture, where its pattern needs them.
  Light shade_plane(const Thing& plane, double x, double y, const SeenPoint& point) const;

 private:
  Light lit(const Light& color, const Vector3& normal, const SeenPoint& point, float gloss) const;
  Light through_haze(const Light& light, const SeenPoint& point) const;
  float edge_factor(const Vector3& half_size, const Vector3& local, const SeenPoint& point) const;

  const Look& look_;
  const View& view_;
  const ShadowMap* shadows_;
  Vector3 to_sun_;
  double haze_begin_, haze_end_;  // m from the eye
  double grid_cell_;              // m
};

// 0 … 255, by sRGB.
std::uint8_t to_byte(float light);

}  // namespace stiction::raster
