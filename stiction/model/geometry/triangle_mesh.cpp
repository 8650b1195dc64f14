#include "stiction/model/geometry/triangle_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stiction/math/refuse.h"
#include "stiction/model/geometry/flat_regions.h"

namespace stiction {

std::shared_ptr<const TriangleMesh> TriangleMesh::make(std::span<const Vector3> vertices,
                                                       std::span<const std::array<int, 3>> triangles) {
  if (vertices.size() > max_vertices) refuse("TriangleMesh: ", vertices.size(), " vertices are too many");
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!vertices[i].allFinite()) refuse("TriangleMesh: vertex ", i, " = ", vertices[i].transpose(), " is not finite");
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const int v : triangles[t])
      if (v < 0 || static_cast<std::size_t>(v) >= vertices.size())
        refuse("TriangleMesh: triangle ", t, " has corner ", v, ", but there are ", vertices.size(), " vertices");
  std::shared_ptr<TriangleMesh> mesh(new TriangleMesh);
  mesh->merge_vertices(vertices, triangles);
  if (mesh->triangles_.empty()) refuse("TriangleMesh: no triangle with an area among ", triangles.size());
  mesh->find_neighbours();
  mesh->find_regions();
  mesh->build_tree();
  return mesh;
}

// Files repeat a vertex for every triangle that has it (STL), which would hide who is whose neighbour.
void TriangleMesh::merge_vertices(std::span<const Vector3> vertices, std::span<const std::array<int, 3>> triangles) {
  std::vector<int> order(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) { return std::array{vertices[i][0], vertices[i][1], vertices[i][2]}; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  // Every vertex is named by the first of those at its place; then those that are used are numbered in order.
  std::vector<int> same_as(vertices.size()), number(vertices.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i)
    same_as[order[i]] = i > 0 && key(order[i]) == key(order[i - 1]) ? same_as[order[i - 1]] : order[i];
  for (const std::array<int, 3>& t : triangles) {
    const Vector3 &a = vertices[t[0]], &b = vertices[t[1]], &c = vertices[t[2]];
    const Vector3 n = (b - a).cross(c - a);
    const double longest2 = std::max({(b - a).squaredNorm(), (c - a).squaredNorm(), (c - b).squaredNorm()});
    if (!(n.norm() > 1e-9 * longest2)) continue;
    std::array<int, 3> corners;
    for (int k = 0; k < 3; ++k) {
      int& v = number[same_as[t[k]]];
      if (v < 0) v = static_cast<int>(vertices_.size()), vertices_.push_back(vertices[t[k]]);
      corners[k] = v;
    }
    triangles_.push_back(corners);
    normals_.push_back(n.normalized());
  }
}

void TriangleMesh::find_neighbours() {
  struct Side {
    int low, high, triangle, edge;
    bool forward;  // runs from low to high
  };
  std::vector<Side> sides;
  for (int t = 0; t < num_triangles(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int a = triangles_[t][k], b = triangles_[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), t, k, a < b});
    }
  std::stable_sort(sides.begin(), sides.end(),
                   [](const Side& a, const Side& b) { return std::pair(a.low, a.high) < std::pair(b.low, b.high); });
  across_.assign(triangles_.size(), {-1, -1, -1});
  for (std::size_t i = 0, end; i < sides.size(); i = end) {
    for (end = i; end < sides.size() && sides[end].low == sides[i].low && sides[end].high == sides[i].high;) ++end;
    if (end - i != 2 || sides[i].forward == sides[i + 1].forward) continue;
    across_[sides[i].triangle][sides[i].edge] = sides[i + 1].triangle;
    across_[sides[i + 1].triangle][sides[i + 1].edge] = sides[i].triangle;
  }
  is_closed_ = std::all_of(across_.begin(), across_.end(),
                           [](const std::array<int, 3>& a) { return a[0] >= 0 && a[1] >= 0 && a[2] >= 0; });
}

void TriangleMesh::find_regions() {
  const auto is_flat = [&](int t, int k) {
    const int other = across(t, k);
    double farthest = 0.0, size = 0.0;
    for (int i = 0; i < 3; ++i) {
      const Vector3 e = corner(other, i) - corner(t, k);
      farthest = std::max(farthest, std::abs(e.dot(normal(t)))), size = std::max(size, e.norm());
    }
    return farthest <= 1e-9 * size && normal(t).dot(normal(other)) > 0.0;
  };
  regions_ = find_flat_regions(num_triangles(), [&](int t, int k) { return across(t, k); }, is_flat);
}

void TriangleMesh::build_tree() {
  order_.resize(triangles_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<Vector3> centers;
  for (int t = 0; t < num_triangles(); ++t) centers.push_back((corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3.0);
  nodes_.push_back({Vector3::Zero(), Vector3::Zero(), 0, num_triangles()});
  for (std::size_t i = 0; i < nodes_.size(); ++i) split(static_cast<int>(i), centers);
}

// Halves a node at the median of the longest extent of its centres. Halving keeps the depth below 32.
void TriangleMesh::split(int node, const std::vector<Vector3>& centers) {
  const int first = nodes_[node].first, size = nodes_[node].size;
  const double infinity = std::numeric_limits<double>::infinity();
  Vector3 low = Vector3::Constant(infinity), high = -low, center_low = low, center_high = high;
  for (int i = first; i < first + size; ++i) {
    for (int k = 0; k < 3; ++k) low = low.cwiseMin(corner(order_[i], k)), high = high.cwiseMax(corner(order_[i], k));
    center_low = center_low.cwiseMin(centers[order_[i]]), center_high = center_high.cwiseMax(centers[order_[i]]);
  }
  nodes_[node].low = low, nodes_[node].high = high;
  if (size <= leaf_size) return;
  int axis = 0;
  (center_high - center_low).maxCoeff(&axis);
  const auto begin = order_.begin() + first;
  std::nth_element(begin, begin + size / 2, begin + size,
                   [&](int a, int b) { return std::pair(centers[a][axis], a) < std::pair(centers[b][axis], b); });
  const int child = static_cast<int>(nodes_.size());
  nodes_[node].first = child, nodes_[node].size = 0;
  nodes_.push_back({low, high, first, size / 2});
  nodes_.push_back({low, high, first + size / 2, size - size / 2});
}

}  // namespace stiction
