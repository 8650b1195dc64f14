// Penetration depth of two overlapping convex shapes from nothing but a simplex around the origin: the polytope inside
// A − B is expanded (van den Bergen) until its face nearest to the origin is a face of A − B. Finds the global minimum.
// Fixed storage, no heap. Faces that a new point lies in the plane of count as seen by it and are replaced, so that the
// flat faces of A − B, which are the rule for boxes, leave no slivers.
#pragma once

#include <type_traits>

#include "stiction/collision/convex/shifted_gjk.h"

namespace stiction {

// The part of the expansion that knows points only.
class ExpandingPolytope {
 public:
  static constexpr int max_points = 200, max_faces = 400;

  struct Face {
    int corner[3];
    double distance;  // of its plane from the origin
    Vector3 normal;
  };

  explicit ExpandingPolytope(double scale) : coplanar_(1e-14 * scale) {}

  // Four points that are not in one plane; false where they are.
  bool start(const Vector3 points[4]);
  const Face& nearest() const { return faces_[nearest_]; }
  const Vector3& point(int i) const { return points_[i]; }
  int num_points() const { return num_points_; }
  // Replaces all faces that see the point; false where storage or rounding forbid it: then nothing may be added more.
  bool add(const Vector3& point);

 private:
  bool add_face(int a, int b, int c);
  bool toggle_edge(int a, int b);
  void find_nearest();

  double coplanar_;
  int num_points_ = 0, num_faces_ = 0, num_edges_ = 0, nearest_ = 0;
  Vector3 points_[max_points];
  Face faces_[max_faces];
  int edges_[max_faces][2];
};

// Completes a simplex to a tetrahedron with volume by support points off its span; false for flat shapes.
template <class A, class B>
bool complete_tetrahedron(const A& a, const B& b, const Pose& X_AB, double scale, KeysOf<A, B>& keys, Vector3 w[4]) {
  const double tolerance = 1e-10 * scale;
  // How far x is off the span of the first n points, divided by lengths.
  auto off_span = [&](int n, const Vector3& x) {
    if (n == 1) return (x - w[0]).norm();
    const Vector3 e = (w[1] - w[0]).normalized();
    if (n == 2) return (x - w[0]).cross(e).norm();
    return std::abs((x - w[0]).dot(e.cross(w[2] - w[0]).normalized()));
  };
  int size = 1;
  w[0] = difference_point(a, b, X_AB, keys.a[0], keys.b[0]);
  for (int k = 1; k < keys.size; ++k) {
    const Vector3 x = difference_point(a, b, X_AB, keys.a[k], keys.b[k]);
    if (!(off_span(size, x) > tolerance)) continue;
    keys.a[size] = keys.a[k], keys.b[size] = keys.b[k], w[size++] = x;
  }
  while (size < 4) {
    // Directions across the span: all axes for a point, six around an edge, the two sides of a triangle.
    const Vector3 e = size > 1 ? Vector3((w[1] - w[0]).normalized()) : Vector3::UnitZ();
    const Vector3 u = size == 3 ? Vector3(e.cross(w[2] - w[0]).normalized()) : e.unitOrthogonal();
    const int num_directions = size == 3 ? 2 : 6;
    bool found = false;
    for (int k = 0; k < num_directions && !found; ++k) {
      Vector3 d = k % 2 ? Vector3(-u) : u;
      if (size == 2) d = std::cos(k * M_PI / 3) * u + std::sin(k * M_PI / 3) * e.cross(u);
      if (size == 1) d = Vector3::Unit(k / 2) * (k % 2 ? -1.0 : 1.0);
      const auto i = a.support(d, keys.a[0]);
      const auto j = b.support(-(X_AB.rotation.transpose() * d), keys.b[0]);
      const Vector3 x = difference_point(a, b, X_AB, i, j);
      if (!(off_span(size, x) > tolerance)) continue;
      keys.a[size] = i, keys.b[size] = j, w[size++] = x;
      found = true;
    }
    if (!found) return false;
  }
  keys.size = 4;
  return true;
}

// `keys`: the simplex with which gjk() found the overlap; on return the corners of the face found. converged = false:
// storage or rounding ended the expansion early, or the witness is not on the face; gap and normal are then those of
// the best face so far and serve as a start for shifted_gjk().
template <class A, class B>
ShiftedResult epa(const A& a, const B& b, const Pose& X_AB, KeysOf<A, B>& keys) {
  // Smooth shapes: the expansion need only find the right region; shifted_gjk() makes it exact.
  constexpr bool is_smooth = !std::is_same_v<typename A::Key, int> || !std::is_same_v<typename B::Key, int>;
  const double scale = a.extent() + b.extent();
  const double tolerance = (is_smooth ? 1e-5 : 1e-15) * scale;
  ShiftedResult result;
  Vector3 w[4];
  if (keys.size < 1 || !complete_tetrahedron(a, b, X_AB, scale, keys, w)) return result;
  ExpandingPolytope polytope(scale);
  if (!polytope.start(w)) return result;
  typename A::Key key_a[ExpandingPolytope::max_points];
  typename B::Key key_b[ExpandingPolytope::max_points];
  for (int k = 0; k < 4; ++k) key_a[k] = keys.a[k], key_b[k] = keys.b[k];

  for (;;) {
    const ExpandingPolytope::Face face = polytope.nearest();
    const auto i = a.support(face.normal, key_a[face.corner[0]]);
    const auto j = b.support(-(X_AB.rotation.transpose() * face.normal), key_b[face.corner[0]]);
    const Vector3 x = difference_point(a, b, X_AB, i, j);
    bool done = !(face.normal.dot(x) - face.distance > tolerance);
    for (int corner : face.corner) done |= key_a[corner] == i && key_b[corner] == j;
    result.converged = done;
    if (!done && polytope.num_points() < ExpandingPolytope::max_points) {
      key_a[polytope.num_points()] = i, key_b[polytope.num_points()] = j;
      if (polytope.add(x)) continue;
    }
    // Witness: the origin's foot on the face.
    SimplexPoints triangle;
    triangle.size = keys.size = 3;
    for (int k = 0; k < 3; ++k) {
      triangle.w[k] = polytope.point(face.corner[k]);
      keys.a[k] = key_a[face.corner[k]], keys.b[k] = key_b[face.corner[k]];
    }
    Vector3 v;
    int from[4];
    reduce_simplex(triangle, v, from);
    for (int k = 0; k < triangle.size; ++k) {
      keys.a[k] = keys.a[from[k]], keys.b[k] = keys.b[from[k]], result.weight[k] = triangle.weight[k];
    }
    keys.size = triangle.size;
    // Of several triangles in one plane the foot need not be on this one: no witness then.
    if (v.norm() > face.distance + 1e-13 * scale) result.converged = false;
    result.gap = -face.distance, result.normal = face.normal;
    return result;
  }
}

}  // namespace stiction
