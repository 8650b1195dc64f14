#include "terrain_truth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "convex_oracle.h"
#include "solid_truth.h"

namespace stiction::testing {

std::shared_ptr<const TriangleMesh> block_mesh(const Vector3& half, int cells, bool flip) {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3, first = static_cast<int>(vertices.size());
      for (int j = 0; j <= cells; ++j)
        for (int i = 0; i <= cells; ++i) {
          Vector3 p;
          p[axis] = sign * half[axis];
          // Ends exactly at ±half, so that the corners of neighbouring faces are the same vertex.
          p[u] = half[u] * ((2.0 * i - cells) / cells), p[v] = half[v] * ((2.0 * j - cells) / cells);
          vertices.push_back(p);
        }
      const auto add = [&](int a, int b, int c) {
        if (sign > 0.0)
          triangles.push_back({a, b, c});
        else
          triangles.push_back({a, c, b});
      };
      for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i) {
          const int a = first + j * (cells + 1) + i, b = a + 1, d = a + cells + 1, c = d + 1;
          if (flip)
            add(a, b, d), add(b, c, d);
          else
            add(a, b, c), add(a, c, d);
        }
    }
  return TriangleMesh::make(vertices, triangles);
}

Vector3 support_point(const Geometry& shape, const Vector3& d) {
  const auto sign = [](double x, double h) { return x < 0.0 ? -h : h; };
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius * d.normalized();
  if (const auto* s = std::get_if<Capsule>(&shape))
    return s->radius * d.normalized() + Vector3(0, 0, sign(d.z(), s->half_length));
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    const double across = std::hypot(d.x(), d.y()), r = across > 0.0 ? s->radius / across : 0.0;
    return {r * d.x(), r * d.y(), sign(d.z(), s->half_length)};
  }
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) {
    const Vector3 scaled = s->radii.cwiseProduct(d);
    return s->radii.cwiseProduct(scaled) / scaled.norm();
  }
  if (const auto* s = std::get_if<Box>(&shape))
    return {sign(d.x(), s->half_size.x()), sign(d.y(), s->half_size.y()), sign(d.z(), s->half_size.z())};
  const ConvexHull& hull = *std::get<std::shared_ptr<const ConvexHull>>(shape);
  Vector3 best = hull.vertex(0);
  for (const Vector3& v : hull.vertices())
    if (v.dot(d) > best.dot(d)) best = v;
  return best;
}

double separation_from_block(const Geometry& shape, const Pose& X, const Vector3& half, const Vector3& n) {
  const Vector3 lowest = X * support_point(shape, X.rotation.transpose() * -n);
  return n.dot(lowest) - half.dot(n.cwiseAbs());
}

namespace {

OraclePolytope block_polytope(const Vector3& half, const Pose& X) {
  OraclePolytope out;
  for (int v = 0; v < 8; ++v)
    out.vertices.push_back(
        X * Vector3(v & 1 ? half.x() : -half.x(), v & 2 ? half.y() : -half.y(), v & 4 ? half.z() : -half.z()));
  for (int v = 0; v < 8; ++v)
    for (int k = 0; k < 3; ++k)
      if (!(v >> k & 1)) out.edges.push_back({out.vertices[v], out.vertices[v | 1 << k]});
  for (int k = 0; k < 3; ++k)
    for (const int base : {0, 1 << k}) {
      const int u = 1 << (k + 1) % 3, w = 1 << (k + 2) % 3;
      const int c[4] = {base, base | u, base | u | w, base | w};
      const auto add = [&](int i, int j, int l) {
        if (base)
          out.triangles.push_back({out.vertices[i], out.vertices[j], out.vertices[l]});
        else
          out.triangles.push_back({out.vertices[i], out.vertices[l], out.vertices[j]});
      };
      add(c[0], c[1], c[2]), add(c[0], c[2], c[3]);
    }
  return out;
}

// The best direction square to `axis`: along such great circles the separation has kinks, and a climb would creep. All
// local maxima of a net, each by golden section.
void search_circle(const Geometry& shape, const Pose& X, const Vector3& half, const Vector3& axis, BlockGap& best) {
  constexpr int num_samples = 64;
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  const Vector3 t = (std::abs(axis.x()) < 0.7 ? Vector3::UnitX() : Vector3::UnitY()).cross(axis).normalized();
  const Vector3 b = axis.cross(t);
  const auto value = [&](double angle) {
    const Vector3 n = std::cos(angle) * t + std::sin(angle) * b;
    const double s = separation_from_block(shape, X, half, n);
    if (s > best.gap) best = {s, n};
    return s;
  };
  const double width = 2.0 * M_PI / num_samples;
  std::array<double, num_samples> at{};
  for (int k = 0; k < num_samples; ++k) at[k] = value(k * width);
  for (int k = 0; k < num_samples; ++k) {
    if (at[k] < at[(k + 1) % num_samples] || at[k] < at[(k + num_samples - 1) % num_samples]) continue;
    double low = (k - 1) * width, high = (k + 1) * width;
    while (high - low > 1e-8) {
      const double left = high - golden * (high - low), right = low + golden * (high - low);
      if (value(left) > value(right))
        high = right;
      else
        low = left;
    }
  }
}

// Round shapes. The separation is smooth but on great circles: square to the edges of the block, and to the axis of a
// cylinder. On these, where two of them cross, and between them by climbs from the best of a net, with steps that
// halve.
BlockGap search(const Geometry& shape, const Pose& X, const Vector3& half) {
  BlockGap best{-std::numeric_limits<double>::infinity(), Vector3::UnitZ()};
  std::vector<Vector3> axes{Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
  if (std::holds_alternative<Cylinder>(shape)) axes.emplace_back(X.rotation.col(2));
  std::vector<BlockGap> starts;
  const auto start_at = [&](const Vector3& n) {
    starts.push_back({separation_from_block(shape, X, half, n), n});
    if (starts.back().gap > best.gap) best = starts.back();
  };
  for (std::size_t i = 0; i < axes.size(); ++i) {
    search_circle(shape, X, half, axes[i], best);
    for (std::size_t j = 0; j < i; ++j)
      if (const Vector3 n = axes[i].cross(axes[j]); n.squaredNorm() > 1e-16)
        start_at(n.normalized()), start_at(-n.normalized());
    start_at(axes[i]), start_at(-axes[i]);
  }
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        if (x != 0 || y != 0 || z != 0) start_at(Vector3(x, y, z).normalized());
  constexpr std::size_t num_climbs = 3;
  std::partial_sort(starts.begin(), starts.begin() + num_climbs, starts.end(),
                    [](const BlockGap& a, const BlockGap& b) { return a.gap > b.gap; });
  for (std::size_t k = 0; k < num_climbs; ++k) {
    Vector3 n = starts[k].normal;
    double s = starts[k].gap;
    for (double step = 0.3; step > 1e-6;) {
      const Vector3 t = (std::abs(n.x()) < 0.7 ? Vector3::UnitX() : Vector3::UnitY()).cross(n).normalized();
      const Vector3 b = n.cross(t);
      bool is_better = false;
      // Many directions: beside a kink few of them lead upwards.
      for (int i = 0; i < 36 && !is_better; ++i) {
        const double angle = i * 2.399963;
        const Vector3 m = (n + step * (std::cos(angle) * t + std::sin(angle) * b)).normalized();
        const double value = separation_from_block(shape, X, half, m);
        if (value > s) s = value, n = m, is_better = true;
      }
      step *= is_better ? 2.0 : 0.5;
    }
    if (s > best.gap) best = {s, n};
  }
  // Apart there is a proof.
  if (best.gap > 0.0) {
    const Bounds bounds = enclose_distance({Box{half}, Pose()}, {shape, X}, best.normal);
    best.gap = std::max(best.gap, bounds.lower);
  }
  return best;
}

}  // namespace

BlockGap block_gap(const Geometry& shape, const Pose& X, const Vector3& half) {
  OraclePolytope a;
  double radius = 0.0;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    a.vertices = {X.position}, radius = sphere->radius;
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const Vector3 up(0, 0, capsule->half_length);
    a.vertices = {X * Vector3(-up), X * up}, radius = capsule->radius;
    a.edges = {{a.vertices[0], a.vertices[1]}};
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    a = block_polytope(box->half_size, X);
  } else if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&shape)) {
    a = oracle_polytope(**hull, X);
  } else {
    return search(shape, X, half);
  }
  const OracleGap found = oracle_gap(block_polytope(half, Pose()), a);
  return {found.gap - radius, found.normal};
}

double signed_distance(const TriangleMesh& mesh, const Vector3& p) {
  double best = std::numeric_limits<double>::infinity();
  Vector3 at = Vector3::Zero();
  for (int t = 0; t < mesh.num_triangles(); ++t) {
    const Vector3 n = mesh.normal(t), foot = p - n.dot(p - mesh.corner(t, 0)) * n;
    bool is_inside = true;
    const auto take = [&](const Vector3& q) {
      if ((p - q).norm() < best) best = (p - q).norm(), at = q;
    };
    for (int k = 0; k < 3; ++k) {
      const Vector3 a = mesh.corner(t, k), e = mesh.corner(t, (k + 1) % 3) - a;
      is_inside &= n.cross(e).dot(foot - a) >= 0.0;
      take(a + std::clamp((p - a).dot(e) / e.squaredNorm(), 0.0, 1.0) * e);
    }
    if (is_inside) take(foot);
  }
  // The normal at that place: of all triangles that have it, by the angle that they take there.
  Vector3 outward = Vector3::Zero();
  for (int t = 0; t < mesh.num_triangles(); ++t) {
    const Vector3 n = mesh.normal(t);
    double angle = 0.0;
    bool is_here = std::abs(n.dot(at - mesh.corner(t, 0))) < 1e-9;
    int num_on = 0;
    for (int k = 0; k < 3; ++k) {
      const Vector3 a = mesh.corner(t, k), e = mesh.corner(t, (k + 1) % 3) - a;
      const double side = n.cross(e.normalized()).dot(at - a);
      is_here &= side > -1e-9;
      num_on += side < 1e-9;
    }
    if (!is_here) continue;
    angle = num_on == 0 ? 2.0 * M_PI : M_PI;
    for (int k = 0; k < 3; ++k)
      if ((at - mesh.corner(t, k)).norm() < 1e-9) {
        const Vector3 a = (mesh.corner(t, (k + 1) % 3) - at).normalized();
        const Vector3 b = (mesh.corner(t, (k + 2) % 3) - at).normalized();
        angle = std::acos(std::clamp(a.dot(b), -1.0, 1.0));
      }
    outward += angle * n;
  }
  return outward.dot(p - at) < 0.0 ? -best : best;
}

}  // namespace stiction::testing
