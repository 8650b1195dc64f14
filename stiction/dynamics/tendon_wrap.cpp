// The problem is a plane one: of a sphere in the plane of the points and its centre, of a cylinder across its axis. The
// way along the axis of a cylinder is that of a straight line on the unrolled surface.
#include "stiction/dynamics/tendon_wrap.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction {
namespace {

using Vector2 = Eigen::Vector2d;

double cross(const Vector2& a, const Vector2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

// Whether two stretches cross.
bool intersect(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d) {
  const double base = cross(b - a, d - c);
  if (base == 0.0) return false;
  const double s = cross(c - a, d - c) / base, t = cross(c - a, b - a) / base;
  return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

// Tangent point of the circle from p, to the left or right of the way to the centre.
Vector2 tangent_point(const Vector2& p, double radius, double sign) {
  const double square = p.squaredNorm(), root = std::sqrt(std::max(0.0, square - radius * radius));
  return (radius / square) * Vector2(radius * p.x() - sign * root * p.y(), radius * p.y() + sign * root * p.x());
}

struct PlaneWay {
  double arc = -1.0;  // negative: it does not touch
  Vector2 touches[2];
};

// Round the circle one way.
PlaneWay tangents(const Vector2& a, const Vector2& b, double radius, double sign) {
  PlaneWay way;
  way.touches[0] = tangent_point(a, radius, sign);
  way.touches[1] = tangent_point(b, radius, -sign);
  double angle = std::atan2(sign * cross(way.touches[0], way.touches[1]), way.touches[0].dot(way.touches[1]));
  if (angle < 0.0) angle += 2.0 * std::numbers::pi;
  way.arc = radius * angle;
  return way;
}

PlaneWay round_circle(const Vector2& a, const Vector2& b, double radius, const Vector2* side) {
  if (a.squaredNorm() < radius * radius || b.squaredNorm() < radius * radius) return {};
  const Vector2 way = b - a;
  const double square = way.squaredNorm();
  if (!(square > 1e-30)) return {};
  const double nearest = std::clamp(-a.dot(way) / square, 0.0, 1.0);
  const Vector2 foot = a + nearest * way;
  // A straight line that passes the circle on the right side of it: it does not cross the ray from the centre away from
  // the side.
  const bool is_wrong = side && side->dot(foot) < 0.0 && cross(*side, a) * cross(*side, b) < 0.0;
  if (foot.squaredNorm() > radius * radius && !is_wrong) return {};
  // The side given, or the nearer touching points; ways whose straight parts cross are no ways.
  PlaneWay best;
  double best_value = -HUGE_VAL;
  for (const double sign : {-1.0, 1.0}) {
    const PlaneWay w = tangents(a, b, radius, sign);
    if (intersect(a, w.touches[0], b, w.touches[1])) continue;
    const Vector2 sum = w.touches[0] + w.touches[1];
    const double length = sum.norm();
    const double value =
        side ? (length > 0.0 ? sum.dot(*side) / length : 0.0) : -(w.touches[0] - w.touches[1]).squaredNorm();
    if (value > best_value) best = w, best_value = value;
  }
  return best;
}

// Inside the circle: the string is drawn to it from without and touches at one point, with equal angles on both sides.
// For z, the sine of that angle: asin(r z/l_a) + asin(r z/l_b) − 2 asin z + angle = 0, by Newton's method from 1 down.
PlaneWay inside_circle(const Vector2& a, const Vector2& b, double radius) {
  const double la = a.norm(), lb = b.norm();
  if (la <= radius || lb <= radius) return {};
  const Vector2 way = b - a;
  const double nearest = std::clamp(-a.dot(way) / std::max(way.squaredNorm(), 1e-300), 0.0, 1.0);
  if ((a + nearest * way).norm() <= radius) return {};  // the straight line passes through: nothing holds it
  const double cosine = (la * la + lb * lb - way.squaredNorm()) / (2.0 * la * lb);
  if (cosine < -1.0 + 1e-15) return {};
  PlaneWay result;
  result.arc = 0.0;
  // Half way, where there is no such point.
  result.touches[0] = result.touches[1] = radius * Vector2(0.5 * (a + b)).normalized();
  if (cosine > 1.0 - 1e-15) return result;
  const double ra = radius / la, rb = radius / lb, angle = std::acos(cosine);
  const auto value = [&](double x) { return std::asin(ra * x) + std::asin(rb * x) - 2.0 * std::asin(x) + angle; };
  const auto rate = [](double share, double x) {
    return share / std::sqrt(std::max(1e-15, 1.0 - share * share * x * x));
  };
  double z = 1.0 - 1e-7, f = value(z);
  if (f > 0.0) return result;
  for (int k = 0; k < 30 && std::abs(f) > 1e-14; ++k) {
    const double slope = rate(ra, z) + rate(rb, z) - 2.0 * rate(1.0, z), next = z - f / slope;
    if (!(slope < 0.0) || !(next <= z) || next < 0.0) break;
    z = next, f = value(z);
  }
  if (std::abs(f) > 1e-6) return result;
  const double at = std::asin(z) - std::asin(ra * z);  // from a to the point, seen from the centre
  const double c = std::cos(at), s = (cross(a, b) >= 0.0 ? 1.0 : -1.0) * std::sin(at);
  const Vector2 unit = a / la;
  result.touches[0] = result.touches[1] = radius * Vector2(c * unit.x() - s * unit.y(), s * unit.x() + c * unit.y());
  return result;
}

}  // namespace

double wrap_round(const Vector3& a, const Vector3& b, const Pose& solid, double radius, bool is_cylinder,
                  const Vector3* side, Vector3 touches[2]) {
  const Vector3 p = solid.to_local(a), q = solid.to_local(b);
  if (p.norm() < 1e-15 || q.norm() < 1e-15) return -1.0;
  Vector3 x = Vector3::UnitX(), y = Vector3::UnitY();
  if (!is_cylinder) {
    x = p.normalized();
    Vector3 normal = p.cross(q);
    if (normal.norm() < 1e-12 * p.norm() * q.norm()) {  // the points and the centre on one line: any plane through it
      const Vector3 other = std::abs(x.x()) < 0.9 ? Vector3::UnitX() : Vector3::UnitY();
      normal = x.cross(other);
    }
    y = normal.normalized().cross(x);
  }
  const auto flat = [&](const Vector3& v) { return Vector2(v.dot(x), v.dot(y)); };
  const Vector3 s = side ? solid.to_local(*side) : Vector3(Vector3::Zero());
  const Vector2 flat_side = flat(s);
  const bool is_inside = side && s.norm() < radius;
  const Vector2 towards = flat_side.norm() > 0.0 ? Vector2(flat_side.normalized()) : Vector2(Vector2::UnitX());
  const Vector2 pa = flat(p), pb = flat(q);
  const PlaneWay way =
      is_inside ? inside_circle(pa, pb, radius) : round_circle(pa, pb, radius, side ? &towards : nullptr);
  if (way.arc < 0.0) return -1.0;
  Vector3 local[2];
  for (int k = 0; k < 2; ++k) local[k] = way.touches[k].x() * x + way.touches[k].y() * y;
  double arc = way.arc;
  if (is_cylinder) {  // heights by the ways in the plane
    const double first = (pa - way.touches[0]).norm(), last = (pb - way.touches[1]).norm();
    const double total = first + way.arc + last, rise = q.z() - p.z();
    local[0].z() = p.z() + rise * first / total;
    local[1].z() = p.z() + rise * (first + way.arc) / total;
    arc = std::hypot(way.arc, rise * way.arc / total);
  }
  for (int k = 0; k < 2; ++k) touches[k] = solid * local[k];
  return arc;
}

}  // namespace stiction
