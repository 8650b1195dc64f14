// Faces of shapes other than hulls, for manifolds: made on the stack when a contact asks for one.
#pragma once

#include "stiction/collision/convex/support_shape.h"
#include "stiction/collision/manifold/manifold.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

// Room for one face.
struct FaceStore {
  static constexpr int cap_corners = 16, side_vertices = 2 * cap_corners, leaning_vertices = side_vertices + 2;
  Vector2 points[cap_corners];
  int vertices[cap_corners];
  Vector3 positions[leaning_vertices + 8];
  FaceView view;
};

// The face of a shape that looks along `direction` (unit, in its frame) and the cosine between the two, −2 for a
// segment, which has no direction; null where there is none.
const FaceView* face_along(const Box& box, const Vector3& direction, FaceStore& store, double& cosine);
const FaceView* face_along(const SupportTriangle& triangle, const Vector3& direction, FaceStore& store, double& cosine);
// Standing, the cap within 5°, turned so that a corner is its lowest point; lying, the line of the side; leaning, in
// between, a square in the lower cap from its lowest point, which can only be incident.
const FaceView* face_along(const Cylinder& cylinder, const Vector3& direction, FaceStore& store, double& cosine);
const FaceView* face_along(const Capsule& capsule, const Vector3& direction, FaceStore& store, double& cosine);

}  // namespace stiction
