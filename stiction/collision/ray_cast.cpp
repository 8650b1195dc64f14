#include "stiction/collision/ray_cast.h"

#include <algorithm>
#include <cmath>

#include "stiction/model/geometry/convex_hull.h"
#include "stiction/model/geometry/height_field.h"
#include "stiction/model/geometry/triangle_mesh.h"

namespace stiction {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// In the frame of the shape.
struct LocalHit {
  double distance = 0.0;
  Vector3 normal = Vector3::Zero();
};
using MaybeHit = std::optional<LocalHit>;

// The part of the ray that is inside of everything it was cut with, and the normal of what it enters last.
struct Interval {
  double enter = -infinite, leave = infinite;
  Vector3 normal = Vector3::Zero();

  // n·x ≤ offset
  void cut_half_space(const Vector3& n, double offset, const Vector3& o, const Vector3& d) {
    const double height = n.dot(o) - offset, rate = n.dot(d);
    if (rate == 0.0) {
      if (height > 0.0) leave = -infinite;
    } else if (rate < 0.0) {
      const double t = -height / rate;
      if (t > enter) enter = t, normal = n;
    } else {
      leave = std::min(leave, -height / rate);
    }
  }
  void cut(double from, double to, const Vector3& n) {
    if (from > enter) enter = from, normal = n;
    leave = std::min(leave, to);
  }
  MaybeHit hit(const Vector3& d) const {
    if (!(enter <= leave) || leave < 0.0) return {};
    if (enter <= 0.0) return LocalHit{0.0, -d};  // it starts inside
    return LocalHit{enter, normal};
  }
};

// Of |o + t d| ≤ r, d of any length: the roots, from the foot of the perpendicular, where no digits are lost.
struct Roots {
  bool exist = false;
  double first = 0.0, second = 0.0;
};
template <class Vector>
Roots roots_of(const Vector& o, const Vector& d, double r) {
  const double length = d.squaredNorm();
  if (length == 0.0) return {o.squaredNorm() <= r * r, -infinite, infinite};
  const double foot = -o.dot(d) / length;
  const double room = r * r - (o + foot * d).squaredNorm();
  if (room < 0.0) return {};
  const double half = std::sqrt(room / length);
  return {true, foot - half, foot + half};
}

struct Caster {
  Vector3 o, d;  // d of length one
  double max_distance;

  MaybeHit operator()(const Plane&) const {
    Interval part;
    part.cut_half_space(Vector3::UnitZ(), 0.0, o, d);
    return part.hit(d);
  }

  MaybeHit ball(const Vector3& center, double radius) const {
    const Vector3 from = o - center;
    const Roots t = roots_of(from, d, radius);
    if (!t.exist || t.second < 0.0) return {};
    if (t.first <= 0.0) return LocalHit{0.0, -d};
    return LocalHit{t.first, (from + t.first * d).normalized()};
  }
  MaybeHit operator()(const Sphere& s) const { return ball(Vector3::Zero(), s.radius); }

  MaybeHit operator()(const Ellipsoid& e) const {
    const Vector3 from = o.cwiseQuotient(e.radii), along = d.cwiseQuotient(e.radii);
    const Roots t = roots_of(from, along, 1.0);
    if (!t.exist || t.second < 0.0) return {};
    if (t.first <= 0.0) return LocalHit{0.0, -d};
    return LocalHit{t.first, (from + t.first * along).cwiseQuotient(e.radii).normalized()};
  }

  // Inside of an endless cylinder about z.
  bool cut_round(double radius, Interval& part) const {
    const Vector2 from = o.head<2>(), along = d.head<2>();
    const Roots t = roots_of(from, along, radius);
    if (!t.exist) return false;
    const Vector2 n =
        std::isfinite(t.first) ? Vector2((from + t.first * along).normalized()) : Vector2(Vector2::Zero());
    part.cut(t.first, t.second, Vector3(n.x(), n.y(), 0.0));
    return true;
  }
  MaybeHit operator()(const Cylinder& c) const {
    Interval part;
    if (!cut_round(c.radius, part)) return {};
    part.cut_half_space(Vector3::UnitZ(), c.half_length, o, d);
    part.cut_half_space(-Vector3::UnitZ(), c.half_length, o, d);
    return part.hit(d);
  }
  // The union of a cylinder and two balls: what is met first.
  MaybeHit operator()(const Capsule& c) const {
    MaybeHit first = (*this)(Cylinder{c.radius, c.half_length});
    for (const double z : {-c.half_length, c.half_length}) {
      const MaybeHit end = ball(Vector3(0.0, 0.0, z), c.radius);
      if (end && (!first || end->distance < first->distance)) first = end;
    }
    return first;
  }

  MaybeHit operator()(const Box& b) const {
    Interval part;
    for (int k = 0; k < 3; ++k) {
      part.cut_half_space(Vector3::Unit(k), b.half_size[k], o, d);
      part.cut_half_space(-Vector3::Unit(k), b.half_size[k], o, d);
    }
    return part.hit(d);
  }

  MaybeHit operator()(const std::shared_ptr<const ConvexHull>& hull) const {
    Interval part;
    const double smallest = 1e-14 * hull->radius() * hull->radius();
    for (const auto& [i, j, k] : hull->triangles()) {
      const Vector3& a = hull->vertex(i);
      const Vector3 n = (hull->vertex(j) - a).cross(hull->vertex(k) - a);
      const double area = n.norm();
      if (!(area > smallest)) continue;  // has no direction to speak of; its neighbours bound the hull as well
      part.cut_half_space(n / area, n.dot(a) / area, o, d);
    }
    return part.hit(d);
  }

  MaybeHit operator()(const std::shared_ptr<const TriangleMesh>& mesh) const;
  MaybeHit operator()(const std::shared_ptr<const HeightField>& field) const;
};

// Both sides. Signed volumes against the edges decide, computed alike for both triangles of an edge, so that no ray
// slips through between them.
MaybeHit triangle_hit(const Vector3& o, const Vector3& d, const Vector3& p, const Vector3& q, const Vector3& r) {
  const Vector3 a = p - o, b = q - o, c = r - o;
  const double u = d.dot(c.cross(b)), v = d.dot(a.cross(c)), w = d.dot(b.cross(a));
  if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) return {};
  const double sum = u + v + w;
  if (sum == 0.0) return {};  // seen edge on
  const double t = d.dot((u * a + v * b + w * c) / sum);
  if (!(t >= 0.0)) return {};
  Vector3 n = (q - p).cross(r - p).normalized();
  if (n.dot(d) > 0.0) n = -n;
  return LocalHit{t, n};
}

// The ray is looked at in pieces, each with the triangles about it, until one of them is hit.
MaybeHit Caster::operator()(const std::shared_ptr<const TriangleMesh>& mesh) const {
  constexpr int pieces = 32;
  const Vector3 size = mesh->upper() - mesh->lower();
  const Vector3 slack = Vector3::Constant(1e-9 * size.norm());
  Interval part;
  for (int k = 0; k < 3; ++k) {
    part.cut_half_space(Vector3::Unit(k), mesh->upper()[k] + slack[k], o, d);
    part.cut_half_space(-Vector3::Unit(k), -mesh->lower()[k] + slack[k], o, d);
  }
  const double begin = std::max(0.0, part.enter), end = std::min(part.leave, max_distance);
  if (!(begin <= end)) return {};
  const double length = std::max((end - begin) / pieces, 1e-12 * (1.0 + end));
  MaybeHit first;
  for (double from = begin; from <= end && !(first && first->distance < from); from += length) {
    const Vector3 at = o + from * d, next = o + std::min(from + length, end) * d;
    mesh->for_each_in(at.cwiseMin(next) - slack, at.cwiseMax(next) + slack, [&](int t) {
      const MaybeHit hit = triangle_hit(o, d, mesh->corner(t, 0), mesh->corner(t, 1), mesh->corner(t, 2));
      if (hit && (!first || hit->distance < first->distance)) first = hit;
    });
  }
  return first;
}

// Over one triangle of a height field the surface is a plane: how high the ray is above it.
struct Ground {
  const HeightField& field;
  Vector3 o, d;

  int cell_of(double x, int count) const { return std::clamp(static_cast<int>(std::floor(x)), 0, count - 2); }
  // Plane of the triangle above the point where the ray is at `t`.
  LocalHit plane_at(double t, double& height) const {
    const Vector3 p = o + t * d;
    const double x = (p.x() - field.left()) / field.spacing_x(), y = (p.y() - field.front()) / field.spacing_y();
    const int i = cell_of(x, field.num_x()), j = cell_of(y, field.num_y());
    const bool upper = y - j > x - i;
    const Vector3 a = field.sample(i, j), c = field.sample(i + 1, j + 1);
    const Vector3 b = upper ? field.sample(i, j + 1) : field.sample(i + 1, j);
    Vector3 n = (b - a).cross(c - a).normalized();
    if (n.z() < 0.0) n = -n;
    height = n.dot(p - a) / n.z();
    return {t, n};
  }
};

// Where the ray crosses lines of the grid and diagonals, in their order; between two the surface under it is a plane.
MaybeHit Caster::operator()(const std::shared_ptr<const HeightField>& field) const {
  const Vector3 low = field->lower(), high = field->upper();
  Interval part;
  for (int k = 0; k < 2; ++k) {
    part.cut_half_space(Vector3::Unit(k), high[k], o, d);
    part.cut_half_space(-Vector3::Unit(k), -low[k], o, d);
  }
  const double begin = std::max(0.0, part.enter);
  double end = std::min(part.leave, max_distance);
  if (!(begin <= end)) return {};
  const Ground ground{*field, o, d};
  double above = 0.0;
  ground.plane_at(begin, above);
  if (above <= 0.0) return begin > 0.0 ? LocalHit{begin, part.normal} : LocalHit{0.0, -d};  // a side, or inside
  // Above everything it goes on for ever.
  if (d.z() >= 0.0 && !std::isfinite(end)) end = begin + std::max(0.0, (high.z() - o.z()) / std::max(d.z(), 1e-300));
  if (d.z() < 0.0) end = std::min(end, std::max(begin, (low.z() - o.z()) / d.z() + 1.0));
  if (!std::isfinite(end)) return {};
  const double dx = d.x() / field->spacing_x(), dy = d.y() / field->spacing_y();
  const double x = (o.x() - field->left()) / field->spacing_x(), y = (o.y() - field->front()) / field->spacing_y();
  const auto next_line = [](double at, double rate, double t) {  // of at + rate t, beyond t
    if (rate == 0.0) return infinite;
    const double now = at + rate * t;
    double line = rate > 0.0 ? std::floor(now) + 1.0 : std::ceil(now) - 1.0;
    double next = (line - at) / rate;
    while (!(next > t)) line += rate > 0.0 ? 1.0 : -1.0, next = (line - at) / rate;
    return next;
  };
  for (double t = begin; t < end;) {
    const double next = std::min({next_line(x, dx, t), next_line(y, dy, t), next_line(y - x, dy - dx, t), end});
    const double middle = 0.5 * (t + next);
    double height = 0.0;
    LocalHit plane = ground.plane_at(middle, height);
    const double rate = plane.normal.dot(d) / plane.normal.z();
    const double at_end = height + (next - middle) * rate;
    if (at_end <= 0.0) {
      const double at_begin = height - (middle - t) * rate;
      plane.distance = at_begin <= 0.0 ? t : t + (next - t) * at_begin / (at_begin - at_end);
      return plane;
    }
    t = next;
  }
  return {};
}

}  // namespace

std::optional<RayHit> cast_ray(const Geometry& geometry, const Pose& X_WS, const Vector3& origin,
                               const Vector3& direction, double max_distance) {
  const Vector3 o = X_WS.to_local(origin), d = X_WS.rotation.transpose() * direction;
  if (!o.allFinite() || !d.allFinite()) return {};
  const MaybeHit hit = std::visit(Caster{o, d, max_distance}, geometry);
  if (!hit || !(hit->distance <= max_distance)) return {};
  return RayHit{hit->distance, origin + hit->distance * direction, X_WS.rotation * hit->normal};
}

}  // namespace stiction
