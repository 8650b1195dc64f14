// Triangles of shapes, in the frame of the shape, counter-clockwise from outside. Internal to the renderer.
#pragma once

#include <array>
#include <vector>

#include "stiction/model/geometry/shape.h"

namespace stiction::raster {

struct Surface {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  int num_smooth = 0;     // the first so many triangles stand for a curved surface
  bool is_closed = true;  // seen from outside alone
};

// Height fields are drawn with at most so many cells along a side; finer ones lose samples between.
inline constexpr int most_cells = 1024;

// Segments around a circle so that the chords leave it by at most a tenth of a pixel, of a few sizes.
int num_segments(double radius_in_pixels);

// The surface, in `out`, whose memory is used again. `segments`: of full circles.
void make_surface(const Geometry& geometry, int segments, Surface& out);
// About z, from the ground z = 0 to z = height.
void make_cone(double radius, double height, int segments, Surface& out);

}  // namespace stiction::raster
