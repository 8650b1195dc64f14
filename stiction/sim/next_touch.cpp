#include "stiction/sim/next_touch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/pair_kernels.h"

namespace stiction {
namespace {

constexpr int most_looks = 2000;  // of a pair on a path

}  // namespace

double turning_reach(const Shape& shape) {
  if (shape.body < 0) return 0.0;
  if (shape.kind() == ShapeKind::sphere) return shape.pose.position.norm();
  if (const auto* capsule = std::get_if<Capsule>(&shape.geometry)) {
    const Vector3 axis = capsule->half_length * shape.pose.rotation.col(2);
    return std::max((shape.pose.position + axis).norm(), (shape.pose.position - axis).norm());
  }
  return shape.bound_center.norm() + shape.bound_radius;
}

double fastest_point(const SmoothPath& path, const Shape& shape) {
  return shape.body < 0 ? 0.0 : path.speed(shape.body) + path.turning(shape.body) * turning_reach(shape);
}

double NextTouch::look(const SmoothPath& path, int shape_a, int shape_b, double s, double margin) {
  const Shape &a = model_->shapes[shape_a], &b = model_->shapes[shape_b];
  body_a_ = a.body, body_b_ = b.body;
  motion_a_ = path.motion(a.body, s), motion_b_ = path.motion(b.body, s);
  ++num_looks_;
  return gap_.look(a, motion_a_.pose * a.pose, b, motion_b_.pose * b.pose, margin);
}

const ContactPoint* NextTouch::approaching(double tolerance) const {
  const ContactPoint* found = nullptr;
  for (const ContactPoint& p : gap_.points()) {
    if (p.gap > tolerance || parting_speed(p) >= 0.0) continue;
    if (found == nullptr || p.gap < found->gap) found = &p;
  }
  return found;
}

// n·(Δp_a − Δp_b) as a cubic of δ, less what turning may take; without the gap.
Cubic NextTouch::bound(const SmoothPath& path, const ContactPoint& point, double s, double turning) const {
  Cubic sum{0.0, -turning, 0.0, 0.0};
  const auto add = [&](int body, double sign) {
    if (body < 0) return;
    const int first = model_->bodies[body].first_velocity;
    for (int k = 0; k < 3; ++k) {
      const Cubic c = path.coordinate(first + k, s);
      for (int e = 1; e < 4; ++e) sum[e] += sign * point.normal[k] * c[e];
    }
  };
  add(body_a_, 1.0);
  add(body_b_, -1.0);
  return sum;
}

// Whether the origins of both shapes fly along cubics, and a normal holds for the whole of both.
bool NextTouch::is_flat(const SmoothPath& path, const Shape& a, const Shape& b) const {
  return !is_terrain(a.kind()) && !is_terrain(b.kind()) && path.is_direct(a.body) && path.is_direct(b.body);
}

double NextTouch::safe_time(const SmoothPath& path, int shape_a, int shape_b, const ContactPoint* point, double s,
                            double limit, double way) const {
  const Shape &a = model_->shapes[shape_a], &b = model_->shapes[shape_b];
  const double fastest = fastest_point(path, a) + fastest_point(path, b);
  if (!(fastest > 0.0)) return std::numeric_limits<double>::infinity();
  double safe = way / fastest;
  if (point != nullptr && is_flat(path, a, b)) {
    const double turning = path.turning(a.body) * turning_reach(a) + path.turning(b.body) * turning_reach(b);
    Cubic c = bound(path, *point, s, turning);
    c[0] = way;
    safe = std::max(safe, first_root(c, limit));
  }
  return safe;
}

// From an instant at which a point within the tolerance approaches to where it touches, as well as numbers tell.
Touch NextTouch::refine(const SmoothPath& path, int shape_a, int shape_b, double s, double limit, double tolerance) {
  const auto touch_of = [&](const ContactPoint& p) { return Touch{s, p, -parting_speed(p), true}; };
  Touch best = touch_of(*approaching(tolerance));
  for (int k = 0; k < 3 && best.point.gap > 1e-3 * tolerance; ++k) {
    s = best.time + best.point.gap / best.speed;
    if (!(s <= limit)) break;
    look(path, shape_a, shape_b, s, tolerance);
    const ContactPoint* p = approaching(tolerance);
    if (p == nullptr || p->gap < -0.1 * tolerance) break;
    best = touch_of(*p);
  }
  return best;
}

Touch NextTouch::find(const SmoothPath& path, int shape_a, int shape_b, double limit, double tolerance) {
  const Shape &a = model_->shapes[shape_a], &b = model_->shapes[shape_b];
  const double fastest = fastest_point(path, a) + fastest_point(path, b);
  const double resolution = 0.25 * tolerance;
  Touch none;
  none.time = std::numeric_limits<double>::infinity();
  if (!(fastest > 0.0)) return none;
  double s = 0.0;
  for (int looks = 0; looks < most_looks; ++looks) {
    const double margin = (limit - s) * fastest + tolerance;
    const double gap = look(path, shape_a, shape_b, s, margin);
    if (gap > margin) return none;
    if (approaching(tolerance) != nullptr) return refine(path, shape_a, shape_b, s, limit, tolerance);
    const ContactPoint* nearest = gap_.deepest();
    double advance = std::max(gap, resolution) / fastest;
    if (nearest != nullptr) {
      const double way = std::max(nearest->gap, resolution);
      advance = std::max(advance, safe_time(path, shape_a, shape_b, nearest, s, limit - s, way));
    }
    s += advance;
    if (!(s <= limit)) return none;
  }
  none.time = s, none.is_sure = false;
  return none;
}

}  // namespace stiction
