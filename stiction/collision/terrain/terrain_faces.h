// The first half of find_ways(): which triangles are near, and the ways of their faces.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/collision/pair_kernels.h"
#include "stiction/collision/terrain/terrain_probe.h"
#include "stiction/collision/terrain/terrain_ways.h"

namespace stiction::detail {

inline constexpr std::uint64_t face_kind = 6, edge_kind = 7, vertex_kind = 8, hollow_kind = 9;  // after FeatureKind's

inline std::uint64_t terrain_feature(std::uint64_t kind, std::uint64_t of_shape, int of_terrain) {
  return (kind << 60) | ((of_shape & ((1ull << 30) - 1)) << 30) | static_cast<std::uint64_t>(of_terrain);
}

// Barycentric coordinates of the foot of p; of corner k the k-th.
inline Vector3 barycentric(const TerrainTriangle& t, const Vector3& p) {
  const Vector3 e1 = t.corner[1] - t.corner[0], e2 = t.corner[2] - t.corner[0], d = p - t.corner[0];
  const double a = e1.squaredNorm(), b = e1.dot(e2), c = e2.squaredNorm(), u = d.dot(e1), v = d.dot(e2);
  const double det = a * c - b * b, x = (c * u - b * v) / det, y = (a * v - b * u) / det;
  return {1.0 - x - y, x, y};
}

template <class G, class Terrain>
class FaceFinder {
 public:
  static constexpr bool is_field = std::is_same_v<Terrain, HeightField>;

  FaceFinder(const TerrainQuery& q, const G& geometry, const Terrain& terrain, TerrainScratch& s)
      : q_(q), terrain_(terrain), probe_(geometry, q.X_BA), s_(s) {
    with_plane_ = find_pair_kernel(q.shape.kind(), ShapeKind::plane);
    // What has its middle behind an open mesh came from elsewhere. Solids push out also what is inside.
    bool is_solid = is_field;
    if constexpr (!is_field) is_solid = terrain.is_closed();
    lowest_middle_ = is_solid ? -q.radius : 0.0;
  }

 protected:
  void gather() {
    TerrainTriangle t;
    bool is_sorted = true;
    for (const int i : s_.listed) {
      get_triangle(terrain_, i, t);
      // Above its plane by more than the margin: no part of it is nearer. The middle tells where that is plain.
      if (t.normal.dot(q_.center - t.corner[0]) > q_.radius + q_.margin) continue;
      is_sorted &= s_.near.empty() || s_.near.back().region <= t.region;
      s_.near.push_back(t), s_.near_number.push_back(i);
      if constexpr (is_field) {
        for (int k = 0; k < 3; ++k)
          if (t.kind[k] == EdgeKind::border) add_side(t, k), is_sorted = false;
      }
    }
    if (!is_sorted) sort_by_region();
  }

  // A height field is solid below: from a border edge its side goes down, as far as the shape does and more.
  void add_side(const TerrainTriangle& t, int k) {
    TerrainTriangle side;
    const Vector3 p = t.corner[k], q = t.corner[(k + 1) % 3], n = t.across[k];
    const double bottom = std::min({p.z(), q.z(), q_.center.z()}) - 4.0 * q_.radius - q_.margin;
    const Vector3 p0(p.x(), p.y(), bottom), q0(q.x(), q.y(), bottom);
    side.normal = n;
    const int direction = std::abs(n.x()) > 0.5 ? (n.x() > 0.0 ? 0 : 1) : (n.y() > 0.0 ? 2 : 3);
    side.region = terrain_.num_triangles() + direction;
    for (int j = 0; j < 3; ++j) {
      side.kind[j] = EdgeKind::flat, side.beyond[j] = p, side.across[j] = n;
      side.vertex[j] = side.edge[j] = -1;
    }
    TerrainTriangle other = side;
    side.corner[0] = p, side.corner[1] = p0, side.corner[2] = q0;
    other.corner[0] = p, other.corner[1] = q0, other.corner[2] = q;
    make_upright(t.vertex[k], side, 0);
    make_upright(t.vertex[(k + 1) % 3], other, 1);
    s_.near.push_back(side), s_.near_number.push_back(-1);
    s_.near.push_back(other), s_.near_number.push_back(-1);
  }

  // At a corner of a height field two sides meet in an upright edge: edge k of one of them.
  void make_upright(int vertex, TerrainTriangle& side, int k) const {
    if constexpr (is_field) {
      const int i = vertex % terrain_.num_x(), j = vertex / terrain_.num_x();
      const double x = i == 0 ? -1.0 : i == terrain_.num_x() - 1 ? 1.0 : 0.0;
      const double y = j == 0 ? -1.0 : j == terrain_.num_y() - 1 ? 1.0 : 0.0;
      if (x == 0.0 || y == 0.0) return;
      side.kind[k] = EdgeKind::convex;
      side.across[k] = std::abs(side.normal.x()) > 0.5 ? Vector3(0.0, y, 0.0) : Vector3(x, 0.0, 0.0);
      side.beyond[k] = side.corner[k] - side.normal;
      side.edge[k] = 3 * terrain_.num_triangles() + (x > 0.0 ? 1 : 0) + (y > 0.0 ? 2 : 0);
    }
  }

  void sort_by_region() {
    // The order of equal regions stays: their numbers ascend.
    for (std::size_t i = 1; i < s_.near.size(); ++i)
      for (std::size_t j = i; j > 0 && s_.near[j - 1].region > s_.near[j].region; --j) {
        std::swap(s_.near[j - 1], s_.near[j]);
        std::swap(s_.near_number[j - 1], s_.near_number[j]);
      }
  }

  TerrainWay& add_way(WayKind kind, int number, int triangle, int k, const Vector3& n, const Vector3& at, double gap) {
    TerrainWay way{.kind = kind, .number = number, .triangle = triangle, .k = k, .normal = n, .at = at, .gap = gap};
    way.first = way.last = static_cast<int>(s_.found.size());
    s_.ways.push_back(way);
    return s_.ways.back();
  }
  void add_point(TerrainWay& way, const Vector3& middle, double gap, std::uint64_t feature) {
    if (!(gap <= q_.margin)) return;
    s_.found.push_back({middle, way.normal, gap, feature});
    way.last = static_cast<int>(s_.found.size());
    way.depth = std::max(way.depth, -gap);
  }
  void drop_if_empty() {
    if (s_.ways.back().first == s_.ways.back().last) s_.ways.pop_back();
  }

  void find_faces() {
    const int n = static_cast<int>(s_.near.size());
    for (int first = 0, last; first < n; first = last) {
      for (last = first + 1; last < n && s_.near[last].region == s_.near[first].region;) ++last;
      find_face(first, last);
    }
  }

  // The shape against the plane of a region, the triangles first … last − 1.
  void find_face(int first, int last) {
    static const Shape plane_shape{.geometry = Plane{}};
    const TerrainTriangle& t = s_.near[first];
    if (!(t.normal.dot(q_.center - t.corner[0]) >= lowest_middle_)) return;
    const Pose plane(rotation_with_z(t.normal), t.corner[0]);
    Manifold m;
    const double gap = with_plane_(q_.shape, q_.X_BA, plane_shape, plane, q_.margin, plane_memory_, m);
    if (m.size == 0) return;
    TerrainWay& way = add_way(WayKind::face, t.region, first, 0, t.normal, t.corner[0], gap);
    int num_over = 0;
    for (int i = 0; i < m.size; ++i) {
      if (!is_over(first, last, m.position[i])) continue;
      ++num_over;
      add_point(way, m.position[i], m.gap[i], terrain_feature(face_kind, m.feature[i] & ((1ull << 20) - 1), t.region));
    }
    // Of many corners the plane's kernel keeps four. Where one is over nothing, others may be over the face; and where
    // the margin is wide they need not have the lowest.
    if constexpr (std::is_same_v<G, ConvexHull> || std::is_same_v<G, Cylinder>) {
      const bool has_lowest = *std::min_element(m.gap, m.gap + m.size) <= gap + 1e-9;
      if (num_over < m.size || !has_lowest) add_corners(way, first, last);
    }
    if (num_over < m.size) add_hollow_edges(way, first, last);
    drop_if_empty();
  }

  // A face of the shape that goes on beyond a hollow edge, into the other slope, stands on this one up to the edge.
  void add_hollow_edges(TerrainWay& way, int first, int last) {
    for (int i = first; i < last; ++i)
      for (int k = 0; k < 3; ++k) {
        const TerrainTriangle& t = s_.near[i];
        if (t.kind[k] != EdgeKind::hollow) continue;
        const Vector3 &p = t.corner[k], &q = t.corner[(k + 1) % 3];
        EdgePoint clipped[2];
        const int size = probe_.clip_edge(p, q, t.normal, clipped);
        for (int j = 0; j < size; ++j) {
          const EdgePoint& c = clipped[j];
          const double gap = std::max(c.gap, way.gap);
          const bool is_end = c.along == 0.0 || c.along == 1.0;
          const std::uint64_t vertex = static_cast<std::uint64_t>(t.vertex[c.along < 0.5 ? k : (k + 1) % 3]);
          add_point(way, p + c.along * (q - p) + (0.5 * gap) * t.normal, gap,
                    terrain_feature(hollow_kind, is_end ? (1ull << 29) | vertex : c.of_shape, t.region));
        }
      }
  }

  void add_corners(TerrainWay& way, int first, int last) {
    const std::uint64_t names = std::is_same_v<G, Cylinder> ? 64 : 0;
    probe_.for_each_corner(way.normal, [&](const Vector3& p, int number) {
      const double gap = way.normal.dot(p - way.at);
      const Vector3 middle = p - (0.5 * gap) * way.normal;
      if (!(gap <= q_.margin) || !is_over(first, last, p)) return;
      add_point(way, middle, gap, terrain_feature(face_kind, names + static_cast<std::uint64_t>(number), way.number));
    });
  }

  bool is_over(int first, int last, const Vector3& p) const {
    for (int i = first; i < last; ++i)
      if (barycentric(s_.near[i], p).minCoeff() >= -1e-9) return true;
    return false;
  }

  const TerrainQuery& q_;
  const Terrain& terrain_;
  TerrainProbe<G> probe_;
  TerrainScratch& s_;
  PairKernel with_plane_;
  alignas(16) std::byte plane_memory_[256] = {};
  double lowest_middle_;
};

}  // namespace stiction::detail
