#include "solid_truth.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::testing {
namespace {

using HullPointer = std::shared_ptr<const ConvexHull>;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

// By kind, for the kinds that have an answer; `other` for the rest.
template <class Result, class... F>
Result by_kind(const Geometry& g, Result other, F... f) {
  return std::visit(Overloaded{f..., [&](const auto&) { return other; }}, g);
}

Vector3 corner(const Box& b, int v) {
  return {v & 1 ? b.half_size[0] : -b.half_size[0], v & 2 ? b.half_size[1] : -b.half_size[1],
          v & 4 ? b.half_size[2] : -b.half_size[2]};
}

double height_of(const Geometry& g, const Vector3& n) {
  return by_kind<double>(
      g, 0.0, [&](const Sphere& s) { return s.radius; },
      [&](const Capsule& s) { return s.radius + s.half_length * std::abs(n.z()); },
      [&](const Cylinder& s) {
        return s.radius * std::sqrt(n.x() * n.x() + n.y() * n.y()) + s.half_length * std::abs(n.z());
      },
      [&](const Ellipsoid& s) { return s.radii.cwiseProduct(n).norm(); },
      [&](const Box& s) { return s.half_size.dot(n.cwiseAbs()); },
      [&](const HullPointer& s) {
        double h = -infinity;
        for (const Vector3& v : s->vertices()) h = std::max(h, n.dot(v));
        return h;
      });
}

double cross(const Vector2& a, const Vector2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

// Corners of the convex hull of points in the plane, counter-clockwise (monotone chain).
std::vector<Vector2> planar_hull(std::vector<Vector2> p, double tolerance) {
  std::sort(p.begin(), p.end(),
            [](const Vector2& a, const Vector2& b) { return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y()); });
  std::vector<Vector2> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const Vector2& q : p) {
      while (hull.size() >= start + 2) {
        const Vector2 d = q - hull[hull.size() - 2];
        if (cross(hull.back() - hull[hull.size() - 2], d) > tolerance * d.norm()) break;
        hull.pop_back();
      }
      hull.push_back(q);
    }
    hull.pop_back();
    std::reverse(p.begin(), p.end());
  }
  return hull;
}

// The part of a polygon or segment inside a convex polygon.
std::vector<Vector2> clipped(std::vector<Vector2> p, const std::vector<Vector2>& by, double tolerance) {
  for (std::size_t k = 0; k < by.size() && !p.empty(); ++k) {
    const Vector2 &from = by[k], d = (by[(k + 1) % by.size()] - from).normalized();
    std::vector<Vector2> kept;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Vector2 &q = p[i], &r = p[(i + 1) % p.size()];
      const double a = cross(d, q - from), b = cross(d, r - from);
      if (a >= -tolerance) kept.push_back(q);
      if ((a >= -tolerance) != (b >= -tolerance)) kept.push_back(q + std::clamp(a / (a - b), 0.0, 1.0) * (r - q));
    }
    p = std::move(kept);
  }
  return p;
}

}  // namespace

double Solid::height(const Vector3& n) const {
  if (is_plane()) return n.dot(X.rotation.col(2)) > 1.0 - 1e-9 ? n.dot(X.position) : infinity;
  return n.dot(X.position) + height_of(geometry, X.rotation.transpose() * n);
}

double Solid::size() const {
  double size = 0.0;
  for (int k = 0; k < 3; ++k)
    size = std::max({size, height_of(geometry, Vector3::Unit(k)), height_of(geometry, -Vector3::Unit(k))});
  return size;
}

double Solid::thickness() const {
  double least = infinity;
  for (int k = 0; k < 3; ++k)
    least = std::min(least, 0.5 * (height_of(geometry, Vector3::Unit(k)) + height_of(geometry, -Vector3::Unit(k))));
  return least;
}

double Solid::outside(const Vector3& world) const {
  const Vector3 p = X.to_local(world);
  return by_kind<double>(
      geometry, p.z(), [&](const Sphere& s) { return p.norm() - s.radius; },
      [&](const Capsule& s) {
        return (p - Vector3(0, 0, std::clamp(p.z(), -s.half_length, s.half_length))).norm() - s.radius;
      },
      [&](const Cylinder& s) {
        return std::max(std::sqrt(p.x() * p.x() + p.y() * p.y()) - s.radius, std::abs(p.z()) - s.half_length);
      },
      [&](const Ellipsoid& s) {
        // First order: (F − 1)/|∇F| with F = |p / r|.
        const Vector3 q = p.cwiseQuotient(s.radii);
        return (q.norm() - 1.0) * q.norm() / std::max(q.cwiseQuotient(s.radii).norm(), 1e-300);
      },
      [&](const Box& s) { return (p.cwiseAbs() - s.half_size).maxCoeff(); },
      [&](const HullPointer& s) {
        double worst = -infinity;
        for (const auto& f : s->faces()) worst = std::max(worst, f.normal.dot(p) - f.offset);
        return worst;
      });
}

std::vector<Vector3> Solid::support_set(const Vector3& world, double tolerance) const {
  const Vector3 n = X.rotation.transpose() * world;
  std::vector<Vector3> set;
  const auto ends = [&](const Vector3& middle, double half_length) {
    if (2.0 * half_length * n.z() > -tolerance) set.push_back(middle + Vector3(0, 0, half_length));
    if (2.0 * half_length * n.z() < tolerance) set.push_back(middle - Vector3(0, 0, half_length));
  };
  const double across = std::sqrt(n.x() * n.x() + n.y() * n.y());
  const double top = height_of(geometry, n) - tolerance;
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) {
    set.push_back(sphere->radius * n);
  } else if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
    ends(capsule->radius * n, capsule->half_length);
  } else if (const auto* cylinder = std::get_if<Cylinder>(&geometry)) {
    const double r = cylinder->radius;
    if (2.0 * r * across < tolerance) {
      for (int k = 0; k < 64; ++k)
        ends((tolerance > 1e-9 ? 0.98 * r : r) * Vector3(std::cos(k * M_PI / 32), std::sin(k * M_PI / 32), 0),
             cylinder->half_length);
    } else {
      ends(r / across * Vector3(n.x(), n.y(), 0), cylinder->half_length);
    }
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&geometry)) {
    const Vector3 d = ellipsoid->radii.cwiseProduct(n);
    set.push_back(ellipsoid->radii.cwiseProduct(d) / d.norm());
  } else if (const auto* box = std::get_if<Box>(&geometry)) {
    for (int v = 0; v < 8; ++v)
      if (n.dot(corner(*box, v)) > top) set.push_back(corner(*box, v));
  } else if (const auto* hull = std::get_if<HullPointer>(&geometry)) {
    for (const Vector3& v : (*hull)->vertices())
      if (n.dot(v) > top) set.push_back(v);
  }
  for (Vector3& p : set) p = X * p;
  return set;
}

void Solid::add_directions(std::vector<Vector3>& normals, std::vector<Vector3>& edges) const {
  if (is_plane()) return normals.push_back(X.rotation.col(2));
  if (std::holds_alternative<Capsule>(geometry)) edges.push_back(X.rotation.col(2));
  if (std::holds_alternative<Cylinder>(geometry)) {
    normals.push_back(X.rotation.col(2));
    edges.push_back(X.rotation.col(2));
  }
  if (std::holds_alternative<Box>(geometry)) {
    for (int k = 0; k < 3; ++k) normals.push_back(X.rotation.col(k)), edges.push_back(X.rotation.col(k));
  }
  if (const auto* hull = std::get_if<HullPointer>(&geometry)) {
    for (const auto& f : (*hull)->faces()) normals.push_back(X.rotation * f.normal);
    for (int v = 0; v < (*hull)->num_vertices(); ++v)
      for (int w : (*hull)->neighbours(v))
        if (v < w) edges.push_back(X.rotation * ((*hull)->vertex(w) - (*hull)->vertex(v)).normalized());
  }
}

double separation(const Solid& a, const Solid& b, const Vector3& n) {
  return -b.height(-n) - a.height(n);
}

double best_separation(const Solid& a, const Solid& b, const Vector3& start, int num_around, std::mt19937& generator) {
  double best = separation(a, b, start);
  if (a.is_plane() || b.is_plane()) return best;
  Vector3 best_n = start;
  const auto offer = [&](const Vector3& n) {
    for (const double sign : {1.0, -1.0})
      if (const double s = separation(a, b, sign * n); s > best) best = s, best_n = sign * n;
  };
  std::vector<Vector3> normals, edges_a, edges_b;
  a.add_directions(normals, edges_a), b.add_directions(normals, edges_b);
  for (const Vector3& n : normals) offer(n);
  for (const Vector3& u : edges_a)
    for (const Vector3& v : edges_b)
      if (const Vector3 n = u.cross(v); n.squaredNorm() > 1e-16) offer(n.normalized());
  std::normal_distribution<double> normal;
  for (int k = 0; k < num_around; ++k) {
    const Vector3 around(normal(generator), normal(generator), normal(generator));
    offer((best_n + std::pow(10.0, -7.0 * k / num_around) * around).normalized());
  }
  return best;
}

namespace {

using Long3 = Eigen::Matrix<long double, 3, 1>;

// The shortest vector of the convex hull of at most four points; drops those it does not need.
Long3 shortest(std::vector<Long3>& w) {
  const int n = static_cast<int>(w.size());
  Long3 best = w[0];
  int best_set = 1;
  for (int set = 1; set < 1 << n; ++set) {
    std::vector<Long3> p;
    for (int k = 0; k < n; ++k)
      if (set >> k & 1) p.push_back(w[k]);
    const int m = static_cast<int>(p.size()) - 1;
    Eigen::Matrix<long double, 3, Eigen::Dynamic> edges(3, m);
    for (int k = 0; k < m; ++k) edges.col(k) = p[k + 1] - p[0];
    const Eigen::Matrix<long double, Eigen::Dynamic, 1> x =
        m > 0 ? edges.colPivHouseholderQr().solve(-p[0]) : Eigen::Matrix<long double, Eigen::Dynamic, 1>(0);
    if (m > 0 && (x.minCoeff() < 0 || x.sum() > 1)) continue;
    const Long3 v = m > 0 ? Long3(p[0] + edges * x) : p[0];
    if (v.norm() < best.norm()) best = v, best_set = set;
  }
  std::vector<Long3> kept;
  for (int k = 0; k < n; ++k)
    if (best_set >> k & 1) kept.push_back(w[k]);
  w = std::move(kept);
  return best;
}

}  // namespace

Bounds enclose_distance(const Solid& a, const Solid& b, const Vector3& start) {
  Bounds bounds;
  Vector3 n = start;
  std::vector<Long3> w;
  for (int round = 0; round < 300; ++round) {
    // Support points may be off by this: rim and edges in any order.
    const Vector3 d = b.support_set(-n, 1e-13).front() - a.support_set(n, 1e-13).front();
    bounds.lower = std::max(bounds.lower, separation(a, b, n));
    if (bounds.upper - bounds.lower < 1e-12 || w.size() == 4) break;
    w.push_back(d.cast<long double>());
    const Long3 v = shortest(w);
    bounds.upper = std::min(bounds.upper, static_cast<double>(v.norm()));
    if (!(bounds.upper > 1e-15)) break;
    n = v.cast<double>().normalized();
  }
  return bounds;
}

std::vector<Vector2> common_patch(const std::vector<Vector3>& a, const std::vector<Vector3>& b, const Vector3& t1,
                                  const Vector3& t2, double tolerance, double inset) {
  std::vector<Vector2> p[2];
  for (int k = 0; k < 2; ++k) {
    for (const Vector3& x : k == 0 ? a : b) p[k].emplace_back(t1.dot(x), t2.dot(x));
    if (p[k].size() > 2) p[k] = planar_hull(p[k], tolerance);
  }
  if (p[0].size() < p[1].size()) std::swap(p[0], p[1]);
  if (p[1].size() < 2) return {};
  if (p[0].size() > 2) {
    const bool is_line = p[1].size() == 2;
    std::vector<Vector2> patch = clipped(p[1], p[0], -inset);
    // A line comes back there and back.
    std::sort(patch.begin(), patch.end(),
              [](const Vector2& q, const Vector2& r) { return q.x() < r.x() || (q.x() == r.x() && q.y() < r.y()); });
    if (is_line && patch.size() > 2) patch = {patch.front(), patch.back()};
    if (is_line || patch.size() < 3) return is_line && patch.size() == 2 ? patch : std::vector<Vector2>{};
    return planar_hull(patch, 0.0);
  }
  // Two segments: one line, or they only cross.
  const double length = (p[0][1] - p[0][0]).norm();
  const Vector2 d = (p[0][1] - p[0][0]) / length;
  double low = infinity, high = -infinity;
  for (const Vector2& q : p[1]) {
    if (std::abs(cross(d, q - p[0][0])) > tolerance) return {};
    low = std::min(low, d.dot(q - p[0][0])), high = std::max(high, d.dot(q - p[0][0]));
  }
  low = std::max(low, 0.0), high = std::min(high, length);
  if (high <= low) return {};
  return {p[0][0] + low * d, p[0][0] + high * d};
}

double coverage(const std::vector<Vector2>& patch, const std::vector<Vector2>& points) {
  if (points.empty()) return 0.0;
  // The middle of its extents: corners crowd on round sides.
  Vector2 low = patch[0], high = patch[0];
  for (const Vector2& p : patch) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const Vector2 middle = 0.5 * (low + high);
  double least = infinity;
  constexpr int num_directions = 32;
  double width = 0.0;
  for (const Vector2& p : patch) width = std::max(width, (p - middle).norm());
  if (patch.size() == 2) {
    const Vector2 t = (patch[1] - patch[0]).normalized();
    double reached_low = infinity, reached_high = -infinity;
    for (const Vector2& p : points)
      reached_low = std::min(reached_low, t.dot(p - middle)), reached_high = std::max(reached_high, t.dot(p - middle));
    return std::min(-reached_low, reached_high) / width;
  }
  for (int k = 0; k < num_directions; ++k) {
    const Vector2 t(std::cos(2 * M_PI * k / num_directions), std::sin(2 * M_PI * k / num_directions));
    double whole = -infinity, reached = -infinity;
    for (const Vector2& p : patch) whole = std::max(whole, t.dot(p - middle));
    for (const Vector2& p : points) reached = std::max(reached, t.dot(p - middle));
    if (whole > 0.1 * width) least = std::min(least, reached / whole);
  }
  return least;
}

}  // namespace stiction::testing
