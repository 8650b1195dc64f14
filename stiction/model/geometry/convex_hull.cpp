#include "stiction/model/geometry/convex_hull.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>

#include "stiction/math/refuse.h"
#include "stiction/model/geometry/hull_triangulation.h"

namespace stiction {
namespace {

// Points closer than this times the extent are one vertex: shorter edges have no direction in double precision.
constexpr double weld_tolerance = 1e-11;
// Largest concavity, relative to the extent, that may be left after the repair.
constexpr double convexity_tolerance = 1e-14;

double extent_of(std::span<const Vector3> points) {
  Vector3 lower = points[0], upper = points[0];
  for (const Vector3& p : points) lower = lower.cwiseMin(p), upper = upper.cwiseMax(p);
  return (upper - lower).norm();
}

template <class Measure>
double farthest(std::span<const Vector3> points, Vector3& found, Measure measure) {
  double best = -1.0;
  for (const Vector3& p : points) {
    const double distance = measure(p);
    if (distance > best) best = distance, found = p;
  }
  return best;
}

void check_points(std::span<const Vector3> points) {
  if (points.size() < 4) refuse("convex hull: ", points.size(), " points, at least 4 are needed");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) refuse("convex hull: point ", i, " is (", points[i].transpose(), "), not finite");
  }
  const Vector3 a = points[0];
  Vector3 b = a, c = a, d = a;
  const double length = farthest(points, b, [&](const Vector3& p) { return (p - a).norm(); });
  if (!(length > 0.0)) refuse("convex hull: all ", points.size(), " points are the same");
  if (!(length < 1e100 && length > 1e-100)) refuse("convex hull: extent ", length, " m is out of range");
  const Vector3 u = (b - a) / length;
  const double width = farthest(points, c, [&](const Vector3& p) { return (p - a).cross(u).norm(); });
  if (!(width > ConvexHull::flat_tolerance * length)) {
    refuse("convex hull: the ", points.size(), " points lie on one line (width ", width, " m over ", length, " m)");
  }
  const Vector3 n = u.cross(c - a).normalized();
  const double height = farthest(points, d, [&](const Vector3& p) { return std::abs((p - a).dot(n)); });
  if (!(height > ConvexHull::flat_tolerance * length)) {
    refuse("convex hull: the ", points.size(), " points lie in one plane (thickness ", height, " m over ", length,
           " m)");
  }
}

// Drops vertices that (nearly) repeat an earlier one. Returns whether there were any.
bool weld(std::vector<Vector3>& points, double tolerance) {
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int i, int j) { return std::pair(points[i].x(), i) < std::pair(points[j].x(), j); });
  std::vector<char> repeated(points.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size() && points[order[j]].x() - points[order[i]].x() <= tolerance; ++j) {
      if ((points[order[i]] - points[order[j]]).norm() <= tolerance) repeated[std::max(order[i], order[j])] = 1;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!repeated[i]) points[kept++] = points[i];
  }
  const bool any = kept < points.size();
  points.resize(kept);
  return any;
}

HullTriangulation convex_triangulation(std::span<const Vector3> points) {
  const double extent = extent_of(points);
  std::vector<Vector3> used(points.begin(), points.end());
  double concavity = 0.0;
  for (bool joggled : {false, true}) {
    HullTriangulation hull = triangulate_hull(used, joggled);
    while (weld(hull.vertices, weld_tolerance * extent)) {
      used = hull.vertices;
      hull = triangulate_hull(used, joggled);
    }
    concavity = make_convex(hull);
    if (concavity <= convexity_tolerance * extent) return hull;
  }
  refuse("convex hull of ", points.size(), " points: concave by ", concavity, " m after repair");
}

}  // namespace

std::shared_ptr<const ConvexHull> ConvexHull::from_points(std::span<const Vector3> points) {
  check_points(points);
  return finish(convex_triangulation(points));
}

std::shared_ptr<const ConvexHull> ConvexHull::from_surface(std::span<const Vector3> vertices,
                                                           std::span<const std::array<int, 3>> triangles) {
  check_points(vertices);
  const auto num_vertices = static_cast<int>(vertices.size());
  std::vector<char> used(vertices.size(), 0);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int v = triangles[t][k];
      if (v < 0 || v >= num_vertices || v == triangles[t][(k + 1) % 3]) {
        refuse("convex hull: triangle ", t, " has corner ", v, " among ", num_vertices, " vertices");
      }
      used[v] = 1;
    }
  }
  // A closed surface of one piece without handles has two triangles for each vertex, less four.
  const bool complete = std::find(used.begin(), used.end(), 0) == used.end();
  if (!complete || triangles.size() != 2 * vertices.size() - 4) {
    refuse("convex hull: ", triangles.size(), " triangles over ", num_vertices, " vertices are no closed surface");
  }
  HullTriangulation hull{{vertices.begin(), vertices.end()}, {triangles.begin(), triangles.end()}};
  const double concavity = make_convex(hull);  // finds nothing to do where the surface came from a hull
  if (!(concavity <= convexity_tolerance * extent_of(vertices))) {
    refuse("convex hull: the surface of ", triangles.size(), " triangles is open, or concave by ", concavity, " m");
  }
  return finish(std::move(hull));
}

std::shared_ptr<const ConvexHull> ConvexHull::finish(HullTriangulation&& hull) {
  if (hull.vertices.size() > static_cast<std::size_t>(max_vertices)) {
    refuse("convex hull: ", hull.vertices.size(), " vertices, at most ", max_vertices, " are supported");
  }
  std::shared_ptr<ConvexHull> made(new ConvexHull);
  made->vertices_ = std::move(hull.vertices);
  made->triangles_ = std::move(hull.triangles);
  made->make_adjacency();
  made->make_bounds();
  made->make_faces();
  made->make_mass_properties();
  return made;
}

std::shared_ptr<const ConvexHull> ConvexHull::box(const Vector3& half_size) {
  if (!(half_size.allFinite() && half_size.minCoeff() > 0.0)) {
    refuse("convex hull of a box: half size (", half_size.transpose(), ") must be positive");
  }
  std::array<Vector3, 8> corners;
  for (int i = 0; i < 8; ++i) {
    corners[i] = half_size.cwiseProduct(Vector3(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0));
  }
  return from_points(corners);
}

void ConvexHull::make_adjacency() {
  [[maybe_unused]] const bool closed = find_across(triangles_, across_);
  assert(closed);
  const int n = num_vertices();
  std::vector<std::vector<int>> adjacent(n);
  for (const auto& triangle : triangles_) {
    for (int k = 0; k < 3; ++k) adjacent[triangle[k]].push_back(triangle[(k + 1) % 3]);
  }
  neighbours_begin_ = blocks_begin_ = {0};
  for (std::vector<int>& list : adjacent) {
    std::sort(list.begin(), list.end());
    neighbours_.insert(neighbours_.end(), list.begin(), list.end());
    neighbours_begin_.push_back(static_cast<int>(neighbours_.size()));
    for (std::size_t k = 0; k < list.size(); k += 4) {
      NeighbourBlock block;
      for (int lane = 0; lane < 4; ++lane) {
        const int v = list[std::min(k + lane, list.size() - 1)];
        block.x[lane] = vertices_[v].x(), block.y[lane] = vertices_[v].y(), block.z[lane] = vertices_[v].z();
        block.vertex[lane] = v;
      }
      blocks_.push_back(block);
    }
    blocks_begin_.push_back(static_cast<int>(blocks_.size()));
  }
}

void ConvexHull::make_bounds() {
  lower_ = upper_ = vertices_[0];
  for (const Vector3& v : vertices_) lower_ = lower_.cwiseMin(v), upper_ = upper_.cwiseMax(v);
  // Badoiu and Clarkson: move towards the farthest vertex by ever shorter steps; the best centre met is kept.
  Vector3 c = center_ = 0.5 * (lower_ + upper_);
  radius_ = std::numeric_limits<double>::infinity();
  const int num_steps = 1000;
  for (int step = 1; step <= num_steps; ++step) {
    int far = 0;
    double worst = -1.0;
    for (int i = 0; i < num_vertices(); ++i) {
      const double distance = (vertices_[i] - c).squaredNorm();
      if (distance > worst) worst = distance, far = i;
    }
    if (std::sqrt(worst) < radius_) radius_ = std::sqrt(worst), center_ = c;
    c += (vertices_[far] - c) / (step + 1);
  }
  radius_ *= 1.0 + 1e-15;
}

void ConvexHull::make_faces() {
  const int num_triangles = static_cast<int>(triangles_.size());
  std::vector<Vector3> normal(num_triangles);
  std::vector<double> area(num_triangles), width(num_triangles);
  for (int t = 0; t < num_triangles; ++t) {
    const auto [a, b, c] = triangles_[t];
    normal[t] = (vertices_[b] - vertices_[a]).cross(vertices_[c] - vertices_[a]);
    area[t] = normal[t].norm();
    const double longest = std::max({(vertices_[b] - vertices_[a]).norm(), (vertices_[c] - vertices_[b]).norm(),
                                     (vertices_[a] - vertices_[c]).norm()});
    width[t] = area[t] / longest;
    normal[t] /= std::max(area[t], 1e-300);
  }
  std::vector<int> order(num_triangles);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int s, int t) { return area[s] != area[t] ? area[s] > area[t] : s < t; });

  // Grow every face from its largest triangle over neighbours whose vertices stay near its plane; slivers, whose
  // normals mean nothing, go along.
  const double tolerance = merge_tolerance * radius_;
  std::vector<int> owner(num_triangles, -1);
  for (int seed : order) {
    if (owner[seed] >= 0) continue;
    const int face = num_faces();
    const Vector3& n = normal[seed];
    const double offset = n.dot(vertices_[triangles_[seed][0]]);
    std::vector<int> members{seed};
    owner[seed] = face;
    for (std::size_t next = 0; next < members.size(); ++next) {
      for (int t : across_[members[next]]) {
        if (owner[t] >= 0 || (normal[t].dot(n) < 0.99 && width[t] > tolerance)) continue;
        const bool is_near = std::all_of(triangles_[t].begin(), triangles_[t].end(),
                                         [&](int v) { return std::abs(n.dot(vertices_[v]) - offset) <= tolerance; });
        if (is_near) owner[t] = face, members.push_back(t);
      }
    }
    faces_.push_back({});
    faces_.back().normal = n, faces_.back().offset = offset;
    add_face(members, face, owner);
  }

  // By triangles, not by loops: a vertex in the middle of a merged face belongs to it too.
  std::vector<std::vector<int>> of_vertex(num_vertices());
  for (int t = 0; t < num_triangles; ++t) {
    for (int v : triangles_[t]) of_vertex[v].push_back(owner[t]);
  }
  for (std::vector<int>& list : of_vertex) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  faces_of_begin_ = {0};
  for (const std::vector<int>& list : of_vertex) {
    faces_of_.insert(faces_of_.end(), list.begin(), list.end());
    faces_of_begin_.push_back(static_cast<int>(faces_of_.size()));
  }
}

// Fills the last face: the boundary of `triangles` as a loop. Where that is not one simple loop, the seed triangle
// alone is the face and the others are given back.
void ConvexHull::add_face(const std::vector<int>& triangles, int face, std::vector<int>& owner) {
  std::map<int, int> successor;
  std::size_t num_edges = 0;
  for (int t : triangles) {
    for (int k = 0; k < 3; ++k) {
      if (owner[across_[t][k]] == face) continue;
      successor[triangles_[t][k]] = triangles_[t][(k + 1) % 3];
      ++num_edges;
    }
  }
  std::vector<int> loop;
  int v = successor.begin()->first;
  do {
    loop.push_back(v);
    const auto next = successor.find(v);
    if (next == successor.end()) break;
    v = next->second;
  } while (v != loop.front() && loop.size() <= num_edges);
  if (v != loop.front() || loop.size() != num_edges) {
    for (int t : triangles) owner[t] = t == triangles.front() ? face : -1;
    loop.assign(triangles_[triangles.front()].begin(), triangles_[triangles.front()].end());
  }

  const int stride = (static_cast<int>(loop.size()) + max_face_vertices - 1) / max_face_vertices;
  Face& f = faces_.back();
  f.origin = vertices_[loop.front()];
  f.tangent_1 = (std::abs(f.normal.x()) < 0.7 ? Vector3::UnitX() : Vector3::UnitY()).cross(f.normal).normalized();
  f.tangent_2 = f.normal.cross(f.tangent_1);
  f.first = static_cast<int>(face_vertices_.size());
  Vector3 low = f.origin, high = f.origin;
  for (std::size_t k = 0; k < loop.size(); k += stride) {
    const Vector3& x = vertices_[loop[k]];
    low = low.cwiseMin(x), high = high.cwiseMax(x);
    face_vertices_.push_back(loop[k]);
    face_points_.emplace_back((x - f.origin).dot(f.tangent_1), (x - f.origin).dot(f.tangent_2));
  }
  f.size = static_cast<int>(face_vertices_.size()) - f.first;
  f.radius = 0.5 * (high - low).norm();
  f.flatness = 0.0;
  for (int t : triangles) {
    if (owner[t] != face) continue;
    for (int u : triangles_[t]) f.flatness = std::max(f.flatness, std::abs(f.normal.dot(vertices_[u]) - f.offset));
  }
}

void ConvexHull::make_mass_properties() {
  // Tetrahedra from the centre of the bounding sphere over every triangle.
  const Vector3 o = center_;
  Vector3 first_moment = Vector3::Zero();
  Matrix3 second_moment = Matrix3::Zero();
  volume_ = 0.0;
  for (const auto& [i, j, k] : triangles_) {
    const Vector3 a = vertices_[i] - o, b = vertices_[j] - o, c = vertices_[k] - o;
    const double volume = a.dot(b.cross(c)) / 6.0;
    const Vector3 sum = a + b + c;
    volume_ += volume;
    first_moment += (volume / 4.0) * sum;
    second_moment +=
        (volume / 20.0) * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  const Vector3 center = first_moment / volume_;
  com_ = o + center;
  second_moment -= volume_ * center * center.transpose();
  unit_inertia_ = second_moment.trace() * Matrix3::Identity() - second_moment;
}

}  // namespace stiction
