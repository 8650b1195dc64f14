#include "stiction/collision/terrain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/convex_pair.h"
#include "stiction/collision/feature.h"
#include "stiction/collision/pair_grid.h"
#include "stiction/collision/pair_kernels.h"
#include "stiction/collision/reduce.h"
#include "stiction/collision/terrain_triangle.h"

namespace stiction {

namespace {

constexpr double like_normal = 0.99984769515639124;  // cos 1°
constexpr double below_sine = 1e-3;  // the surface around an edge may rise this much over the tangent plane
constexpr double on_edge = 1e-6;     // barycentric coordinate of a point on an edge
constexpr std::uint64_t face_kind = 6, edge_kind = 7, vertex_kind = 8;  // of features, after those of FeatureKind

std::uint64_t terrain_feature(std::uint64_t kind, std::uint64_t of_shape, int of_terrain) {
  return (kind << 60) | ((of_shape & ((1ull << 30) - 1)) << 30) | static_cast<std::uint64_t>(of_terrain);
}

struct Work {
  const Shape& shape;
  Pose X_WA, X_WB;
  double margin;
  bool is_solid_below;  // height field: nothing is ever on the wrong side
  PairKernel with_plane;
  alignas(16) std::byte plane_memory[256] = {};
  TerrainContacts& out;
};

// Barycentric coordinates of the foot of p; of corner k the k-th.
Vector3 barycentric(const TerrainTriangle& t, const Vector3& p) {
  const Vector3 e1 = t.corner[1] - t.corner[0], e2 = t.corner[2] - t.corner[0], d = p - t.corner[0];
  const double a = e1.squaredNorm(), b = e1.dot(e2), c = e2.squaredNorm(), u = d.dot(e1), v = d.dot(e2);
  const double det = a * c - b * b, x = (c * u - b * v) / det, y = (a * v - b * u) / det;
  return {1.0 - x - y, x, y};
}

// The shape against the face. The plane's frame: z along the normal, through the first corner.
double touch_face(Work& w, const TerrainTriangle& t) {
  const Vector3 n = w.X_WB.rotation * t.normal;
  const Pose plane(rotation_with_z(n), w.X_WB * t.corner[0]);
  static const Shape plane_shape{.geometry = Plane{}};
  // A mesh has an inside without a bottom: what has its middle below the surface came from elsewhere.
  const Vector3 center = w.X_WA * w.shape.pose.to_local(w.shape.bound_center);
  const double height = n.dot(center - plane.position);
  const double deepest = w.is_solid_below ? -w.shape.bound_radius : 0.0;
  if (!(height >= deepest)) return std::numeric_limits<double>::infinity();
  Manifold m;
  const double gap = w.with_plane(w.shape, w.X_WA, plane_shape, plane, w.margin, w.plane_memory, m);
  for (int i = 0; i < m.size; ++i) {
    const Vector3 at = barycentric(t, w.X_WB.to_local(m.position[i]));
    if (!(at.minCoeff() >= -1e-9)) continue;
    w.out.found.push_back(
        {m.position[i], n, m.gap[i], terrain_feature(face_kind, m.feature[i] & ((1ull << 20) - 1), t.region)});
  }
  return gap;
}

// Whether the surface around q lies below the plane through q with normal n (terrain frame): the triangle, and its
// neighbours across those edges that q lies on.
bool lies_below(const TerrainTriangle& t, const bool is_on[3], const Vector3& q, const Vector3& n) {
  const auto is_below = [&](const Vector3& p) { return n.dot(p - q) <= below_sine * (p - q).norm() + 1e-12; };
  for (int k = 0; k < 3; ++k)
    if (!is_below(t.corner[k]) || (is_on[k] && !is_below(t.beyond[k]))) return false;
  return true;
}

// Takes a point of the shape against the triangle if it is on a ridge, peak or border.
void take_ridge_point(Work& w, const TerrainTriangle& t, const Vector3& position, const Vector3& normal, double gap,
                      std::uint64_t feature) {
  const Vector3 q = w.X_WB.to_local(position - (0.5 * gap) * normal), n = w.X_WB.rotation.transpose() * normal;
  const Vector3 at = barycentric(t, q);
  int edge = -1, num_edges = 0, corner = -1;
  bool is_sharp = false, is_on[3];
  for (int k = 0; k < 3; ++k) {
    is_on[k] = at[(k + 2) % 3] <= on_edge;  // edge k is where the coordinate of the third corner is zero
    if (!is_on[k]) continue;
    edge = k, ++num_edges;
    is_sharp |= t.kind[k] == EdgeKind::convex || t.kind[k] == EdgeKind::border;
  }
  if (num_edges == 0 || !is_sharp || !(t.normal.dot(n) > 0.0) || !lies_below(t, is_on, q, n)) return;
  if (num_edges >= 2) at.maxCoeff(&corner);
  const std::uint64_t of_shape = kind_of(feature) == FeatureKind::edges ? feature >> 30 : 0;
  w.out.found.push_back({position, normal, gap,
                         corner >= 0 ? terrain_feature(vertex_kind, of_shape, t.vertex[corner])
                                     : terrain_feature(edge_kind, of_shape, t.edge[edge])});
}

template <class T>
void touch_triangle(Work& w, const T& shape, const TerrainTriangle& t) {
  ConvexPairCache cache;
  Manifold m;
  collide_convex(shape, w.X_WA, SupportTriangle{{t.corner[0], t.corner[1], t.corner[2]}}, w.X_WB, w.margin, cache, m);
  for (int i = 0; i < m.size; ++i) take_ridge_point(w, t, m.position[i], m.normal[i], m.gap[i], m.feature[i]);
}

void touch_ridges(Work& w, const TerrainTriangle& t) {
  const auto is_sharp = [&](int k) { return t.kind[k] == EdgeKind::convex || t.kind[k] == EdgeKind::border; };
  if (!is_sharp(0) && !is_sharp(1) && !is_sharp(2)) return;
  std::visit(
      [&](const auto& g) {
        using G = std::decay_t<decltype(g)>;
        if constexpr (std::is_same_v<G, std::shared_ptr<const ConvexHull>>)
          touch_triangle(w, *g, t);
        else if constexpr (std::is_same_v<G, Sphere> || std::is_same_v<G, Capsule> || std::is_same_v<G, Cylinder> ||
                           std::is_same_v<G, Ellipsoid> || std::is_same_v<G, Box>)
          touch_triangle(w, g, t);
      },
      w.shape.geometry);
}

// Points found twice are one: the same feature, or the same place with a like normal. The deeper one stays.
void merge_equal(std::vector<TerrainPoint>& points) {
  std::sort(points.begin(), points.end(), [](const TerrainPoint& p, const TerrainPoint& q) {
    return p.feature != q.feature ? p.feature < q.feature : p.gap < q.gap;
  });
  std::size_t n = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool is_new = n == 0 || points[n - 1].feature != points[i].feature;
    for (std::size_t j = 0; j < n && is_new; ++j)
      is_new = points[j].normal.dot(points[i].normal) < like_normal ||
               (points[j].position - points[i].position).norm() > same_point_distance;
    if (is_new) points[n++] = points[i];
  }
  points.resize(n, {});
}

// Groups of like normal, each reduced to four points.
void reduce_groups(Work& w, const TerrainMemory& memory) {
  constexpr int most = 128;
  std::vector<TerrainPoint>& found = w.out.found;
  const std::size_t n = found.size();
  ContactCandidate group[most];
  std::size_t member[most];
  std::uint64_t old[Manifold::max_points];
  for (std::size_t seed = 0; seed < n; ++seed) {
    if (!(found[seed].gap <= w.margin)) continue;  // taken: marked below
    const Vector3 axis = found[seed].normal;
    const Matrix3 frame = rotation_with_z(axis);
    int size = 0, num_old = 0;
    for (std::size_t i = seed; i < n && size < most; ++i) {
      if (!(found[i].gap <= w.margin) || axis.dot(found[i].normal) < like_normal) continue;
      const Vector3 p = frame.transpose() * (found[i].position - found[seed].position);
      group[size] = {p[0], p[1], found[i].gap, found[i].feature}, member[size++] = i;
      const auto* end = memory.feature + memory.size;
      if (num_old < Manifold::max_points && std::find(memory.feature, end, found[i].feature) != end)
        old[num_old++] = found[i].feature;
    }
    int chosen[Manifold::max_points];
    const int num_chosen = choose_points({group, static_cast<std::size_t>(size)}, w.margin,
                                         {old, static_cast<std::size_t>(num_old)}, chosen);
    for (int i = 0; i < num_chosen; ++i) w.out.points.push_back(found[member[chosen[i]]]);
    for (int i = 0; i < size; ++i) found[member[i]].gap = std::numeric_limits<double>::infinity();
  }
  std::sort(w.out.points.begin(), w.out.points.end(),
            [](const TerrainPoint& p, const TerrainPoint& q) { return p.feature < q.feature; });
}

template <class Terrain>
double collide(Work& w, const Terrain& terrain, TerrainMemory& memory) {
  TerrainContacts& out = w.out;
  out.points.clear(), out.found.clear();
  const Bounds bounds = bounds_of(w.shape, w.X_WB.inverse() * w.X_WA);
  if (!bounds.center.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  // Wider than the margin, so that a shape in the air sleeps for some way.
  const double ahead = w.margin + 0.2 * w.shape.bound_radius;
  const Vector3 half = bounds.half.array() + ahead;
  list_triangles(terrain, bounds.center - half, bounds.center + half, out.triangles);
  if (out.triangles.empty()) {
    memory.size = 0;
    return ahead;
  }
  TerrainTriangle t;
  for (const int i : out.triangles) {
    get_triangle(terrain, i, t);
    if (touch_face(w, t) <= w.margin) touch_ridges(w, t);
  }
  merge_equal(out.found);
  reduce_groups(w, memory);
  memory.size = std::min(static_cast<int>(out.points.size()), TerrainMemory::max_features);
  double least = w.margin;
  for (std::size_t i = 0; i < out.points.size(); ++i) {
    if (i < TerrainMemory::max_features) memory.feature[i] = out.points[i].feature;
    least = std::min(least, out.points[i].gap);
  }
  return least;
}

}  // namespace

double collide_terrain(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                       TerrainMemory& memory, TerrainContacts& out) {
  Work w{.shape = a,
         .X_WA = X_WA,
         .X_WB = X_WB,
         .margin = margin,
         .is_solid_below = b.kind() == ShapeKind::height_field,
         .with_plane = find_pair_kernel(a.kind(), ShapeKind::plane),
         .out = out};
  if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&b.geometry))
    return collide(w, **mesh, memory);
  return collide(w, *std::get<std::shared_ptr<const HeightField>>(b.geometry), memory);
}

}  // namespace stiction
