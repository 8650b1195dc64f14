// Clips the polygon of one body (incident) against the prism over the polygon of another (reference),
// theory §5.2.
//
// All in the plane of the reference face: x, y within it, height over it along its outward normal. The height of a
// corner of the result is its gap. Corners carry the labels of their two edges through the clipping, from which their
// lasting name is made. Box against box and hull against hull share this.
//
//     ClipCorner incident[max_clip_corners];             // corners in cyclic order, either way round
//     ContactCandidate found[max_clip_corners];
//     int n = clip_polygon({points, vertices}, {incident, size}, options, found);
//     int chosen[4]; int m = choose_points({found, n}, margin, old_features, chosen);   // reduce.h
#pragma once

#include <cstdint>
#include <span>

#include "stiction/math/types.h"

namespace stiction {

inline constexpr int max_clip_corners = 512;  // corners of both polygons together

// Points closer than this are one, m.
inline constexpr double same_point_distance = 1e-7;

// Corners counter-clockwise, seen from where heights are positive, with the numbers of the vertices that they are.
struct ReferencePolygon {
  std::span<const Vector2> points;
  std::span<const int> vertices;
};

struct ClipCorner {
  double x, y, height;
  int vertex;  // number of the incident body's vertex
};

struct ContactCandidate {
  double x, y, gap;
  std::uint64_t feature;
};

struct ClipOptions {
  bool reference_is_a = true;
  double margin = 0.0;  // corners with a larger gap are left out
  // Incident vertices count as inside up to snap_distance outside the reference polygon, those that made a point before
  // up to hold_distance, m: else the points of two equal boxes stacked flush would change their names with every
  // jitter.
  double snap_distance = 0.0, hold_distance = 0.0;
  std::span<const std::uint64_t> old_features;
};

// Fills `out` (room for max_clip_corners), returns how many.
int clip_polygon(const ReferencePolygon& reference, std::span<const ClipCorner> incident, const ClipOptions& options,
                 ContactCandidate* out);

}  // namespace stiction
