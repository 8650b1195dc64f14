// From a scene to pixels. Internal to the renderer.
#pragma once

#include "stiction/render/scene.h"

namespace stiction::raster {

struct PictureOptions {
  int width, height;
  bool dark = false, shadows = true;
};

Image draw_picture(const Scene& scene, const View& view, const Framing& framing, const PictureOptions& options);

}  // namespace stiction::raster
