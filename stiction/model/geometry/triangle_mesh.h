// A surface of triangles, for terrain and other things of the world: validated, with neighbours and a tree of boxes.
// Built once, shared, never changed. The outer side of a triangle is where its corners go round counter-clockwise; what
// is outside pushes out of that side only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stiction/math/pose.h"

namespace stiction {

class TriangleMesh {
 public:
  static constexpr int max_vertices = 1 << 28;

  // Throws std::invalid_argument for numbers that are not finite, corners that do not exist, and no triangle at all.
  // Triangles without an area (two equal corners, or thinner than 1e-9 of their longest edge) are left out; vertices at
  // the same place are one.
  static std::shared_ptr<const TriangleMesh> make(std::span<const Vector3> vertices,
                                                  std::span<const std::array<int, 3>> triangles);

  int num_vertices() const { return static_cast<int>(vertices_.size()); }
  int num_triangles() const { return static_cast<int>(triangles_.size()); }
  std::span<const Vector3> vertices() const { return vertices_; }
  std::span<const std::array<int, 3>> triangles() const { return triangles_; }
  const Vector3& vertex(int i) const { return vertices_[i]; }
  const Vector3& corner(int triangle, int k) const { return vertices_[triangles_[triangle][k]]; }
  const Vector3& normal(int triangle) const { return normals_[triangle]; }  // unit, outward
  // The triangle on the other side of the edge from corner k to corner k + 1, in which that edge runs the other way;
  // −1 at a border, and where more than two triangles share the edge.
  int across(int triangle, int k) const { return across_[triangle][k]; }
  // Whether no edge is a border: the mesh bounds a solid.
  bool is_closed() const { return is_closed_; }

  // The lowest number among the triangles that hang together with this one over flat edges (to 1e-9 of their size).
  int region(int triangle) const { return regions_[triangle]; }

  const Vector3& lower() const { return nodes_[0].low; }
  const Vector3& upper() const { return nodes_[0].high; }

  // Calls visit(triangle) for every triangle whose box meets [low, high]; not in the order of their numbers.
  template <class Visit>
  void for_each_in(const Vector3& low, const Vector3& high, Visit&& visit) const {
    int stack[max_depth];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node& node = nodes_[stack[--top]];
      if (!((node.low.array() <= high.array()).all() && (node.high.array() >= low.array()).all())) continue;
      if (node.size > 0) {
        for (int i = node.first; i < node.first + node.size; ++i) visit(order_[i]);
      } else {
        stack[top++] = node.first, stack[top++] = node.first + 1;
      }
    }
  }

 private:
  static constexpr int max_depth = 64, leaf_size = 4;
  struct Node {
    Vector3 low, high;
    int first, size;  // leaf: triangles order_[first …]; size 0: children nodes first and first + 1
  };

  TriangleMesh() = default;
  void merge_vertices(std::span<const Vector3> vertices, std::span<const std::array<int, 3>> triangles);
  void find_neighbours();
  void find_regions();
  void build_tree();
  void split(int node, const std::vector<Vector3>& centers);

  std::vector<Vector3> vertices_, normals_;
  std::vector<std::array<int, 3>> triangles_, across_;
  std::vector<Node> nodes_;
  std::vector<int> order_, regions_;
  bool is_closed_ = false;
};

}  // namespace stiction
