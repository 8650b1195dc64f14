#include "convex_oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace stiction::testing {
namespace {

using Polytope = OraclePolytope;

// Gap along n, or −∞ as soon as it falls below `enough`.
double separation(const Polytope& a, const Polytope& b, const Vector3& n, double enough) {
  double high = -std::numeric_limits<double>::infinity();
  for (const Vector3& v : a.vertices) high = std::max(high, n.dot(v));
  double gap = std::numeric_limits<double>::infinity();
  for (const Vector3& v : b.vertices) {
    gap = std::min(gap, n.dot(v) - high);
    if (gap < enough) return -std::numeric_limits<double>::infinity();
  }
  return gap;
}

Vector3 nearest_on_segment(const Vector3& p, const Vector3& a, const Vector3& b) {
  const double t = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return a + t * (b - a);
}

// Offers difference vectors (from A to B) between a point and a triangle's inside.
template <class Offer>
void point_to_triangle(const Vector3& p, const std::array<Vector3, 3>& t, double sign, Offer offer) {
  const Vector3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  for (int k = 0; k < 3; ++k) {
    if (n.cross(t[(k + 1) % 3] - t[k]).dot(p - t[k]) < 0.0) return;
  }
  offer(sign * (n.dot(p - t[0]) / n.squaredNorm()) * n);
}

template <class Offer>
void edge_to_edge(const std::array<Vector3, 2>& e, const std::array<Vector3, 2>& f, Offer offer) {
  const Vector3 d = e[1] - e[0], g = f[1] - f[0], n = d.cross(g), r = f[0] - e[0];
  const double nn = n.squaredNorm();
  if (nn <= 1e-20 * d.squaredNorm() * g.squaredNorm()) return;
  const double s = r.cross(g).dot(n) / nn, t = r.cross(d).dot(n) / nn;
  if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) offer((r.dot(n) / nn) * n);
}

}  // namespace

OraclePolytope oracle_polytope(const ConvexHull& hull, const Pose& X_WH) {
  OraclePolytope p;
  for (const Vector3& v : hull.vertices()) p.vertices.push_back(X_WH * v);
  for (const auto& t : hull.triangles()) {
    p.triangles.push_back({p.vertices[t[0]], p.vertices[t[1]], p.vertices[t[2]]});
    for (int k = 0; k < 3; ++k) {
      if (t[k] < t[(k + 1) % 3]) p.edges.push_back({p.vertices[t[k]], p.vertices[t[(k + 1) % 3]]});
    }
  }
  return p;
}

OracleGap oracle_gap(const ConvexHull& a, const Pose& X_WA, const ConvexHull& b, const Pose& X_WB) {
  return oracle_gap(oracle_polytope(a, X_WA), oracle_polytope(b, X_WB));
}

OracleGap oracle_gap(const OraclePolytope& a, const OraclePolytope& b) {
  OracleGap best;
  best.gap = -std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, Vector3>> rivals;
  auto try_direction = [&](Vector3 n) {
    if (n.norm() <= 1e-30) return;
    n.normalize();
    for (const Vector3& m : {n, Vector3(-n)}) {
      const double s = separation(a, b, m, best.gap - 1e-7);
      if (s > best.gap - 1e-7) rivals.emplace_back(s, m);
      if (s > best.gap) best.gap = s, best.normal = m;
    }
  };
  for (const Polytope* p : {&a, &b}) {
    for (const auto& t : p->triangles) try_direction((t[1] - t[0]).cross(t[2] - t[0]));
  }
  for (const auto& e : a.edges) {
    for (const auto& f : b.edges) {
      const Vector3 d = e[1] - e[0], g = f[1] - f[0];
      if (d.cross(g).norm() > 1e-10 * d.norm() * g.norm()) try_direction(d.cross(g));
    }
  }
  if (best.gap <= 0.0) {
    for (const auto& [s, m] : rivals) {
      if (s > best.gap - 1e-7 && m.dot(best.normal) < 1.0 - 1e-12) best.is_unique = false;
    }
    return best;
  }

  double distance = std::numeric_limits<double>::infinity();
  Vector3 apart;
  auto offer = [&](const Vector3& d) {
    if (d.norm() < distance) distance = d.norm(), apart = d;
  };
  for (const Vector3& v : a.vertices) {
    for (const Vector3& w : b.vertices) offer(w - v);
    for (const auto& e : b.edges) offer(nearest_on_segment(v, e[0], e[1]) - v);
    for (const auto& t : b.triangles) point_to_triangle(v, t, -1.0, offer);
  }
  for (const Vector3& w : b.vertices) {
    for (const auto& e : a.edges) offer(w - nearest_on_segment(w, e[0], e[1]));
    for (const auto& t : a.triangles) point_to_triangle(w, t, 1.0, offer);
  }
  for (const auto& e : a.edges) {
    for (const auto& f : b.edges) edge_to_edge(e, f, offer);
  }
  best.normal = apart / distance, best.is_unique = distance > 1e-6;
  best.gap = distance;
  return best;
}

double oracle_plane_gap(const ConvexHull& a, const Pose& X_WA, const Vector3& normal, double offset) {
  double gap = std::numeric_limits<double>::infinity();
  for (const Vector3& v : a.vertices()) gap = std::min(gap, normal.dot(X_WA * v) - offset);
  return gap;
}

Vector3 random_direction(std::mt19937& generator) {
  std::normal_distribution<double> normal;
  const Vector3 v(normal(generator), normal(generator), normal(generator));
  return v.normalized();
}

Pose random_pose(std::mt19937& generator, double distance) {
  std::normal_distribution<double> normal;
  Quaternion q(normal(generator), normal(generator), normal(generator), normal(generator));
  return {q.normalized(), distance * random_direction(generator)};
}

std::shared_ptr<const ConvexHull> random_hull(std::mt19937& generator, int num_points, double size) {
  std::vector<Vector3> points(num_points);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (Vector3& p : points) p = size * Vector3(uniform(generator), uniform(generator), 0.7 * uniform(generator));
  return ConvexHull::from_points(points);
}

std::shared_ptr<const ConvexHull> prism_hull(int num_sides, double radius, double half_length) {
  std::vector<Vector3> points;
  for (int k = 0; k < num_sides; ++k) {
    const double angle = 2 * M_PI * k / num_sides;
    for (double z : {-half_length, half_length}) {
      points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  }
  return ConvexHull::from_points(points);
}

std::shared_ptr<const ConvexHull> round_hull(int num_vertices, double radius) {
  std::vector<Vector3> points;
  for (int k = 0; k < num_vertices; ++k) {  // Fibonacci's spiral
    const double z = 1.0 - (2.0 * k + 1.0) / num_vertices, angle = 2.399963229728653 * k, r = std::sqrt(1.0 - z * z);
    points.push_back(radius * Vector3(r * std::cos(angle), r * std::sin(angle), z));
  }
  return ConvexHull::from_points(points);
}

}  // namespace stiction::testing
