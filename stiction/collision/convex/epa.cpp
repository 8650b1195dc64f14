#include "stiction/collision/convex/epa.h"

#include <utility>

namespace stiction {

bool ExpandingPolytope::start(const Vector3 points[4]) {
  for (int k = 0; k < 4; ++k) points_[k] = points[k];
  num_points_ = 4;
  num_faces_ = 0;
  if ((points_[1] - points_[0]).cross(points_[2] - points_[0]).dot(points_[3] - points_[0]) > 0.0) {
    // Faces are counter-clockwise seen from outside; the keys of the caller stay in their order.
    return add_face(0, 2, 1) && add_face(0, 1, 3) && add_face(0, 3, 2) && add_face(1, 2, 3) && (find_nearest(), true);
  }
  return add_face(0, 1, 2) && add_face(0, 3, 1) && add_face(0, 2, 3) && add_face(1, 3, 2) && (find_nearest(), true);
}

bool ExpandingPolytope::add_face(int a, int b, int c) {
  if (num_faces_ == max_faces) return false;
  const Vector3 n = (points_[b] - points_[a]).cross(points_[c] - points_[a]);
  const double length = n.norm();
  if (!(length > 1e-30)) return false;
  Face& face = faces_[num_faces_++];
  face.corner[0] = a, face.corner[1] = b, face.corner[2] = c;
  face.normal = n / length;
  // The mean over the corners: one corner alone may carry the rounding of a long edge.
  face.distance = face.normal.dot(points_[a] + points_[b] + points_[c]) / 3.0;
  return true;
}

// An edge met twice, once in each direction, lies between two faces that go: it is no part of the horizon.
bool ExpandingPolytope::toggle_edge(int a, int b) {
  for (int k = 0; k < num_edges_; ++k) {
    if (edges_[k][0] != b || edges_[k][1] != a) continue;
    --num_edges_;
    edges_[k][0] = edges_[num_edges_][0], edges_[k][1] = edges_[num_edges_][1];
    return true;
  }
  if (num_edges_ == max_faces) return false;
  edges_[num_edges_][0] = a, edges_[num_edges_][1] = b;
  ++num_edges_;
  return true;
}

bool ExpandingPolytope::add(const Vector3& point) {
  if (num_points_ == max_points) return false;
  const int apex = num_points_++;
  points_[apex] = point;
  num_edges_ = 0;
  int kept = 0;
  for (int k = 0; k < num_faces_; ++k) {
    if (faces_[k].normal.dot(point) - faces_[k].distance < -coplanar_) {
      if (kept != k) faces_[kept] = faces_[k];
      ++kept;
      continue;
    }
    for (int l = 0; l < 3; ++l) {
      if (!toggle_edge(faces_[k].corner[l], faces_[k].corner[(l + 1) % 3])) return false;
    }
  }
  num_faces_ = kept;
  for (int k = 0; k < num_edges_; ++k) {
    if (!add_face(edges_[k][0], edges_[k][1], apex)) return false;
  }
  if (num_faces_ < 4) return false;
  find_nearest();
  return true;
}

void ExpandingPolytope::find_nearest() {
  nearest_ = 0;
  for (int k = 1; k < num_faces_; ++k) {
    if (faces_[k].distance < faces_[nearest_].distance) nearest_ = k;
  }
}

}  // namespace stiction
