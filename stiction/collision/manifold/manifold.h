// Contact points of two faces that lie on each other, or of one face and what touches it (theory §5.2).
#pragma once

#include <cstdint>
#include <span>

#include "stiction/collision/contact_point.h"
#include "stiction/math/pose.h"
#include "stiction/model/geometry/convex_hull.h"

namespace stiction {

// A convex polygon of a shape, in the shape's frame. Two vertices: a segment, which can only be incident.
struct FaceView {
  Vector3 normal, origin, tangent_1, tangent_2;  // as ConvexHull::Face
  double radius = 0.0;
  double roundness = 0.0;                 // of a segment: radius of the surface about its axis; −1: a polygon in a disc
  std::span<const Vector2> points;        // in its plane
  std::span<const int> vertices;          // numbers of its vertices
  std::span<const Vector3> all_vertices;  // position of vertex number v: all_vertices[v]
};
FaceView face_view(const ConvexHull& hull, const ConvexHull::Face& face);

enum class Reference : std::int32_t { none = 0, a = 1, b = 2 };

// What a pair remembers of its points; part of its cache. All zero: nothing.
struct ManifoldMemory {
  std::uint64_t feature[4] = {};
  std::int32_t size = 0;
  Reference reference = Reference::none;
};

// Two shapes that touch: everything in A's frame.
struct TouchingPair {
  Pose X_WA, X_AB;
  Vector3 normal;                         // from A to B, exact
  double gap = 0.0;                       // of the surfaces: radii taken off
  double radius_a = 0.0, radius_b = 0.0;  // around faces and witness points
  Vector3 point_a;                        // nearest point of A's core
  std::uint64_t witness_feature = 0;
  double margin = 0.0;
  // The face of each that looks along the normal (null: none), and the cosine between the two.
  const FaceView *face_a = nullptr, *face_b = nullptr;
  double cosine_a = -2.0, cosine_b = -2.0;
};

inline constexpr double cos_face = 0.99619469809174555;   // 5°: faces farther off the normal carry no manifold
inline constexpr double cos_flush = 0.99984769515639124;  // 1°: both faces flush: the larger is the reference

// A cylinder lies where the sine of the angle between its axis and the normal is this many times the cosine (48°), else
// it stands or leans: whatever the margin, it must turn by more than 40° before the other kind of points can touch.
inline constexpr double lying_slope = 1.1;

// Fills `out` with at most four points of gap ≤ margin, or, where no face is near the normal, the ends of lines
// that lie along each other, or the witness point.
void make_manifold(const TouchingPair& pair, ManifoldMemory& memory, Manifold& out);

}  // namespace stiction
