// A convex polytope ready for collision: vertices, faces, and neighbours laid out for climbing (theory §5.1).
//
// Built once from points and shared, never changed. The triangulation is repaired by edge flips until no edge is
// concave, because climbing sticks at concave edges in exactly the directions that GJK asks for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stiction/math/pack.h"
#include "stiction/math/pose.h"

namespace stiction {

struct HullTriangulation;  // model/hull_triangulation.h

class ConvexHull {
 public:
  static constexpr int max_vertices = 1 << 15;     // a contact feature packs four vertex numbers into 60 bits
  static constexpr int max_face_vertices = 256;    // larger polygons are thinned out: they are clipped on the stack
  static constexpr double merge_tolerance = 1e-5;  // triangles within this times radius() of a plane make one face
  static constexpr double flat_tolerance = 1e-9;   // thinner than this times the extent is refused as flat

  // Convex hull of the points. Throws std::invalid_argument for fewer than four points, numbers that are not finite,
  // points in one plane, and hulls of more than max_vertices. Vertices keep the order of the points.
  static std::shared_ptr<const ConvexHull> from_points(std::span<const Vector3> points);
  // From vertices() and triangles() of a hull, as they were stored: the same hull to the last bit. Throws
  // std::invalid_argument where they are no closed convex surface.
  static std::shared_ptr<const ConvexHull> from_surface(std::span<const Vector3> vertices,
                                                        std::span<const std::array<int, 3>> triangles);
  // Vertex i has x = +half_size.x where bit 0 of i is set, y by bit 1, z by bit 2.
  static std::shared_ptr<const ConvexHull> box(const Vector3& half_size);

  // A polygon merged from coplanar triangles; counter-clockwise seen from outside. n·x = offset is the plane of its
  // largest triangle, below which the whole hull lies.
  struct Face {
    Vector3 normal;                // n, outward, unit
    double offset;                 // m
    Vector3 origin;                // first vertex: where the coordinates of face_points() begin
    Vector3 tangent_1, tangent_2;  // with n a right-handed frame
    double flatness;  // how far off the plane any of its vertices lies, m; at most merge_tolerance radius()
    double radius;    // half the diagonal of the polygon in its plane: of two faces the larger is the reference
    int first, size;  // into the lists of face_vertices() and face_points()
  };

  std::span<const Vector3> vertices() const { return vertices_; }
  std::span<const std::array<int, 3>> triangles() const { return triangles_; }  // counter-clockwise from outside
  std::span<const Face> faces() const { return faces_; }
  std::span<const int> face_vertices(const Face& face) const { return slice(face_vertices_, face.first, face.size); }
  // The same vertices in the plane of the face: ((v − origin)·tangent_1, (v − origin)·tangent_2).
  std::span<const Vector2> face_points(const Face& face) const { return slice(face_points_, face.first, face.size); }
  std::span<const int> faces_of(int vertex) const { return slice(faces_of_, faces_of_begin_, vertex); }
  std::span<const int> neighbours(int vertex) const { return slice(neighbours_, neighbours_begin_, vertex); }

  int num_vertices() const { return static_cast<int>(vertices_.size()); }
  int num_faces() const { return static_cast<int>(faces_.size()); }
  const Vector3& vertex(int i) const { return vertices_[i]; }

  // Bounding sphere (nearly the smallest) and box.
  const Vector3& center() const { return center_; }
  double radius() const { return radius_; }
  const Vector3& lower() const { return lower_; }
  const Vector3& upper() const { return upper_; }

  double volume() const { return volume_; }                      // m³
  const Vector3& com() const { return com_; }                    // m
  const Matrix3& unit_inertia() const { return unit_inertia_; }  // about com, of density 1 kg/m³, kg·m²

  // The vertex farthest along `direction`, climbing from vertex `start` over the edges; `start` where direction is NaN.
  int support(const Vector3& direction, int start = 0) const;

 private:
  // Four neighbours of a vertex with their coordinates; the last blocks are padded by repetition.
  struct NeighbourBlock {
    Pack4 x, y, z;
    std::int64_t vertex[4];
  };

  ConvexHull() = default;
  static std::shared_ptr<const ConvexHull> finish(HullTriangulation&& surface);
  void make_adjacency();
  void make_faces();
  void add_face(const std::vector<int>& triangles, int face, std::vector<int>& owner);
  void make_bounds();
  void make_mass_properties();

  template <class T>
  static std::span<const T> slice(const std::vector<T>& list, int first, int size) {
    return {list.data() + first, static_cast<std::size_t>(size)};
  }
  static std::span<const int> slice(const std::vector<int>& list, const std::vector<int>& begin, int i) {
    return slice(list, begin[i], begin[i + 1] - begin[i]);
  }

  std::vector<Vector3> vertices_;
  std::vector<std::array<int, 3>> triangles_;
  std::vector<std::array<int, 3>> across_;  // triangle on the other side of edge (k, k + 1)
  std::vector<Face> faces_;
  std::vector<int> face_vertices_;
  std::vector<Vector2> face_points_;
  std::vector<int> faces_of_, faces_of_begin_;
  std::vector<int> neighbours_, neighbours_begin_;
  std::vector<NeighbourBlock> blocks_;
  std::vector<int> blocks_begin_;
  Vector3 center_ = Vector3::Zero(), lower_ = Vector3::Zero(), upper_ = Vector3::Zero(), com_ = Vector3::Zero();
  double radius_ = 0.0, volume_ = 0.0;
  Matrix3 unit_inertia_ = Matrix3::Zero();
};

inline int ConvexHull::support(const Vector3& direction, int start) const {
  const Pack4 dx = broadcast4(direction.x()), dy = broadcast4(direction.y()), dz = broadcast4(direction.z());
  int i = start;
  double height =
      direction.x() * vertices_[i].x() + direction.y() * vertices_[i].y() + direction.z() * vertices_[i].z();
  for (;;) {
    int next = -1;
    const NeighbourBlock* end = blocks_.data() + blocks_begin_[i + 1];
    for (const NeighbourBlock* block = blocks_.data() + blocks_begin_[i]; block != end; ++block) {
      const Pack4 heights = dx * block->x + (dy * block->y + dz * block->z);
      const bool second_01 = heights[1] > heights[0], second_23 = heights[3] > heights[2];
      const double best_01 = second_01 ? heights[1] : heights[0], best_23 = second_23 ? heights[3] : heights[2];
      const bool upper = best_23 > best_01;
      const double best = upper ? best_23 : best_01;
      if (best > height) {  // strictly, so that the climb ends and a tie keeps the vertex
        height = best;
        next = static_cast<int>(block->vertex[upper ? 2 + second_23 : 0 + second_01]);
      }
    }
    if (next < 0) return i;
    i = next;
  }
}

}  // namespace stiction
