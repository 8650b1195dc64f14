#include "stiction/collision/terrain/terrain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/manifold/reduce.h"
#include "stiction/collision/pair_grid.h"

namespace stiction {

namespace {

constexpr double like_normal = 0.99984769515639124;  // cos 1°

struct Work {
  const Shape& shape;
  Pose X_WA, X_WB;
  double margin;
  TerrainContacts& out;
};

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

// Where the margin is wide, choose_points() may leave out a point that is much deeper than all others.
void include_deepest(const ContactCandidate* group, int size, int* chosen, int num_chosen) {
  const auto is_deeper = [&](int i, int j) { return group[i].gap < group[j].gap; };
  int deepest = 0, lowest = 0, nearest = 0;
  for (int i = 1; i < size; ++i)
    if (is_deeper(i, deepest)) deepest = i;
  const auto distance2 = [&](int i) {
    const double x = group[i].x - group[deepest].x, y = group[i].y - group[deepest].y;
    return x * x + y * y;
  };
  for (int i = 1; i < num_chosen; ++i) {
    if (is_deeper(chosen[i], chosen[lowest])) lowest = i;
    if (distance2(chosen[i]) < distance2(chosen[nearest])) nearest = i;
  }
  if (group[deepest].gap < group[chosen[lowest]].gap - gap_tolerance(1e-3)) chosen[nearest] = deepest;
}

// Groups of like normal, each reduced to four points.
void reduce_groups(Work& w, const TerrainMemory& memory) {
  constexpr int most = 128;
  std::vector<TerrainPoint>& found = w.out.scratch.found;
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
    include_deepest(group, size, chosen, num_chosen);
    for (int i = 0; i < num_chosen; ++i) w.out.points.push_back(found[member[chosen[i]]]);
    for (int i = 0; i < size; ++i) found[member[i]].gap = std::numeric_limits<double>::infinity();
  }
  std::sort(w.out.points.begin(), w.out.points.end(),
            [](const TerrainPoint& p, const TerrainPoint& q) { return p.feature < q.feature; });
}

// Leaves the points of true ways, in the world.
void take_true_points(const Work& w, TerrainScratch& s) {
  const std::size_t n = s.found.size();
  for (const TerrainWay& way : s.ways)
    for (int i = way.first; way.is_false && i < way.last; ++i) s.found[i].gap = std::numeric_limits<double>::infinity();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(s.found[i].gap <= w.margin)) continue;
    s.found[kept] = s.found[i];
    s.found[kept].position = w.X_WB * s.found[i].position;
    s.found[kept].normal = w.X_WB.rotation * s.found[i].normal;
    ++kept;
  }
  s.found.resize(kept, {});
}

template <class Terrain>
double collide(Work& w, const Terrain& terrain, TerrainMemory& memory) {
  TerrainContacts& out = w.out;
  TerrainScratch& s = out.scratch;
  out.points.clear();
  const Pose X_BA = w.X_WB.inverse() * w.X_WA;
  const Bounds bounds = bounds_of(w.shape, X_BA);
  if (!bounds.center.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  // Wider than the margin, so that a shape in the air sleeps for some way.
  const double ahead = w.margin + 0.2 * w.shape.bound_radius;
  const Vector3 half = bounds.half.array() + ahead;
  list_triangles(terrain, bounds.center - half, bounds.center + half, s.listed);
  if (s.listed.empty()) {
    memory.size = 0;
    return ahead;
  }
  const Vector3 center = X_BA * w.shape.pose.to_local(w.shape.bound_center);
  find_ways({w.shape, X_BA, center, w.shape.bound_radius, w.margin}, terrain, s);
  take_true_points(w, s);
  merge_equal(s.found);
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
  Work w{.shape = a, .X_WA = X_WA, .X_WB = X_WB, .margin = margin, .out = out};
  if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&b.geometry))
    return collide(w, **mesh, memory);
  return collide(w, *std::get<std::shared_ptr<const HeightField>>(b.geometry), memory);
}

}  // namespace stiction
