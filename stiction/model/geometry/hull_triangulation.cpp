#include "stiction/model/geometry/hull_triangulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace stiction {
namespace {

using Vector3L = Eigen::Matrix<long double, 3, 1>;

// Six times the volume of (a, b, c, d): positive where d is above the outward side of triangle (a, b, c). In long
// double, because faces of meshes are coplanar to the last bit of a double.
long double height_times_area(const std::vector<Vector3>& v, int a, int b, int c, int d) {
  const Vector3L o = v[a].cast<long double>();
  const Vector3L ab = v[b].cast<long double>() - o, ac = v[c].cast<long double>() - o,
                 ad = v[d].cast<long double>() - o;
  const long double value = ab.cross(ac).dot(ad);
  const long double rounding = 2 * std::numeric_limits<long double>::epsilon() * ab.norm() * ac.norm() * ad.norm();
  return std::abs(value) <= rounding ? 0.0L : value;
}

class SurfaceRepair {
 public:
  explicit SurfaceRepair(HullTriangulation& hull) : vertices_(hull.vertices), triangles_(hull.triangles) {}

  bool is_closed() { return find_across(triangles_, across_); }

  // Every flip of a concave edge adds volume, so the loop ends; the limit guards against rounding.
  void run() {
    std::vector<std::pair<int, int>> edges;
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
      for (int k = 0; k < 3; ++k) edges.emplace_back(t, k);
    }
    std::size_t budget = 100 * edges.size();
    while (!edges.empty() && budget-- > 0) {
      const auto [t, k] = edges.back();
      edges.pop_back();
      if (is_dead(t) || !is_concave(t, k)) continue;
      for (int changed : mend(t, k)) {
        if (changed < 0 || is_dead(changed)) continue;
        for (int l = 0; l < 3; ++l) edges.emplace_back(changed, l);
      }
    }
    drop_dead();
  }

  double worst_height() const {
    long double worst = 0.0L;
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
      const auto [a, b, c] = triangles_[t];
      const Vector3L ab = (vertices_[b] - vertices_[a]).cast<long double>();
      const Vector3L ac = (vertices_[c] - vertices_[a]).cast<long double>();
      const long double area = ab.cross(ac).norm();
      for (int k = 0; k < 3 && area > 0.0L; ++k) {
        const int d = far_vertex(t, k);
        worst = std::max(worst, height_times_area(vertices_, a, b, c, d) / area);
      }
    }
    return static_cast<double>(worst);
  }

 private:
  bool is_dead(int t) const { return triangles_[t][0] < 0; }
  int edge_of(int t, int start) const { return triangles_[t][0] == start ? 0 : triangles_[t][1] == start ? 1 : 2; }
  int far_vertex(int t, int k) const {
    const int u = across_[t][k];
    return triangles_[u][(edge_of(u, triangles_[t][(k + 1) % 3]) + 2) % 3];
  }
  bool is_concave(int t, int k) const {
    return height_times_area(vertices_, triangles_[t][0], triangles_[t][1], triangles_[t][2], far_vertex(t, k)) > 0.0L;
  }
  void link(int t, int k, int u, int old_neighbour_of_u) {
    across_[t][k] = u;
    for (int l = 0; l < 3; ++l) {
      if (across_[u][l] == old_neighbour_of_u && triangles_[u][l] == triangles_[t][(k + 1) % 3]) across_[u][l] = t;
    }
  }

  // Number of triangles around the start vertex of edge k of t; `other` is set where it has an edge to that vertex.
  int degree(int t, int k, int other, bool* has_edge) const {
    const int center = triangles_[t][k];
    int count = 0;
    for (int u = t; count == 0 || u != t; ++count) {
      const int l = edge_of(u, center);
      if (has_edge && triangles_[u][(l + 1) % 3] == other) *has_edge = true;
      u = across_[u][(l + 2) % 3];
      if (count > 100000) break;
    }
    return count;
  }

  // Takes the concave edge (a, b) of t = (a, b, c) and u = (b, a, d) away: flips it to (c, d), or, where that edge is
  // there already, drops a or b with its three triangles. Returns the triangles that changed, −1 for none.
  std::array<int, 2> mend(int t, int k) {
    const int a = triangles_[t][k], b = triangles_[t][(k + 1) % 3], c = triangles_[t][(k + 2) % 3];
    const int u = across_[t][k], l = edge_of(u, b), d = triangles_[u][(l + 2) % 3];
    bool has_edge = false;
    degree(t, (k + 2) % 3, d, &has_edge);
    if (has_edge) {
      if (degree(t, k, -1, nullptr) == 3) return {drop_vertex(t, k), -1};
      if (degree(u, l, -1, nullptr) == 3) return {drop_vertex(u, l), -1};
      return {-1, -1};
    }
    const int ad = across_[u][(l + 1) % 3], db = across_[u][(l + 2) % 3];
    const int bc = across_[t][(k + 1) % 3], ca = across_[t][(k + 2) % 3];
    triangles_[t] = {a, d, c};
    triangles_[u] = {d, b, c};
    across_[t][1] = u, across_[u][2] = t;
    link(t, 0, ad, u), link(t, 2, ca, t), link(u, 0, db, u), link(u, 1, bc, t);
    return {t, u};
  }

  // The three triangles around the start vertex of edge k of t become one, kept as t.
  int drop_vertex(int t, int k) {
    const int a = triangles_[t][k];
    const int second = across_[t][(k + 2) % 3], third = across_[second][(edge_of(second, a) + 2) % 3];
    const int k2 = (edge_of(second, a) + 1) % 3, k3 = (edge_of(third, a) + 1) % 3, k1 = (k + 1) % 3;
    const std::array<int, 3> corner{triangles_[t][k1], triangles_[second][k2], triangles_[third][k3]};
    const std::array<int, 3> outer{across_[t][k1], across_[second][k2], across_[third][k3]};
    triangles_[t] = corner;
    link(t, 0, outer[0], t), link(t, 1, outer[1], second), link(t, 2, outer[2], third);
    triangles_[second] = triangles_[third] = {-1, -1, -1};
    return t;
  }

  void drop_dead() {
    std::erase_if(triangles_, [](const auto& triangle) { return triangle[0] < 0; });
    std::vector<int> index(vertices_.size(), -1);
    for (const auto& triangle : triangles_) {
      for (int v : triangle) index[v] = 0;
    }
    int kept = 0;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      if (index[i] < 0) continue;
      vertices_[kept] = vertices_[i];
      index[i] = kept++;
    }
    vertices_.resize(kept);
    for (auto& triangle : triangles_) {
      for (int& v : triangle) v = index[v];
    }
  }

  std::vector<Vector3>& vertices_;
  std::vector<std::array<int, 3>>& triangles_;
  std::vector<std::array<int, 3>> across_;
};

}  // namespace

bool find_across(const std::vector<std::array<int, 3>>& triangles, std::vector<std::array<int, 3>>& across) {
  std::map<std::pair<int, int>, int> owner;  // of every directed edge
  for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
    for (int k = 0; k < 3; ++k) {
      if (!owner.emplace(std::pair(triangles[t][k], triangles[t][(k + 1) % 3]), t).second) return false;
    }
  }
  across.assign(triangles.size(), {-1, -1, -1});
  for (const auto& [edge, t] : owner) {
    const auto other = owner.find({edge.second, edge.first});
    if (other == owner.end()) return false;
    for (int k = 0; k < 3; ++k) {
      if (triangles[t][k] == edge.first) across[t][k] = other->second;
    }
  }
  return !triangles.empty();
}

double make_convex(HullTriangulation& hull) {
  SurfaceRepair repair(hull);
  if (!repair.is_closed()) return std::numeric_limits<double>::infinity();
  repair.run();
  if (!repair.is_closed()) return std::numeric_limits<double>::infinity();
  return repair.worst_height();
}

}  // namespace stiction
