#include "stiction/collision/swept_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/pair_kernels.h"

namespace stiction {
namespace {

constexpr int most_looks = 500;

// How fast points of a shape about its pivot move by turning, per time of the whole motion.
double turning_speed(const Shape& shape, const SweptBody& motion) {
  const double rate = motion.turn.norm();
  if (rate == 0.0) return 0.0;
  const Vector3 center = motion.start * shape.bound_center;
  return rate * ((center - motion.pivot).norm() + shape.bound_radius);
}

}  // namespace

SweptBody SweptBody::between(const Pose& from, const Pose& to, const Vector3& pivot_in_body, const Vector3& spin) {
  SweptBody motion;
  motion.start = from;
  motion.pivot = from * pivot_in_body;
  motion.displacement = to * pivot_in_body - motion.pivot;
  const Eigen::AngleAxisd least(Matrix3(to.rotation * from.rotation.transpose()));
  // The same end is reached by every angle + 2πk: the one nearest to the spin is taken.
  const double turns = std::round((spin.dot(least.axis()) - least.angle()) / (2.0 * M_PI));
  motion.turn = (least.angle() + 2.0 * M_PI * turns) * least.axis();
  return motion;
}

Pose SweptBody::at(double time) const {
  const double angle = time * turn.norm();
  const Vector3 moved = pivot + time * displacement;
  if (angle == 0.0) return Pose(start.rotation, start.position - pivot + moved);
  const Matrix3 rotation = Eigen::AngleAxisd(angle, turn.normalized()).toRotationMatrix();
  return Pose(Matrix3(rotation * start.rotation), moved + rotation * (start.position - pivot));
}

double PairSweep::gap_at(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                         ContactPoint& point) {
  const double gap = pair_gap_.look(a, X_WA, b, X_WB, margin);
  const ContactPoint* deepest = pair_gap_.deepest();
  if (deepest == nullptr) return gap;
  point.position = deepest->position, point.normal = deepest->normal;
  point.gap = deepest->gap, point.id.feature = deepest->id.feature;
  return point.gap;
}

FirstTouch PairSweep::find(const Shape& a, const SweptBody& motion_a, const Shape& b, const SweptBody& motion_b,
                           double level) {
  FirstTouch touch;
  const double turning = turning_speed(a, motion_a) + turning_speed(b, motion_b);
  const Vector3 approach = motion_b.displacement - motion_a.displacement;  // of b towards a
  const double fastest = approach.norm() + turning;
  const bool has_terrain = is_terrain(a.kind()) || is_terrain(b.kind());
  const double resolution = 0.25 * std::abs(level);
  double time = 0.0;
  for (int look = 0; look < most_looks; ++look) {
    touch.pose_a = motion_a.at(time), touch.pose_b = motion_b.at(time);
    ContactPoint& point = touch.point;
    point.gap = std::numeric_limits<double>::infinity();
    const double margin = (1.0 - time) * fastest + std::max(0.0, level) + resolution;
    const double gap = gap_at(a, touch.pose_a * a.pose, b, touch.pose_b * b.pose, margin, point);
    if (!(gap <= margin)) return {};
    const bool has_point = point.gap <= margin;
    if (has_point && point.gap <= level + resolution) {
      touch.time = time;
      return touch;
    }
    // Normals point from b to a.
    const bool separates = has_point && !has_terrain && point.gap > 0.0;
    const double rate = separates ? point.normal.dot(approach) + turning : fastest;
    if (!(rate > 0.0)) return {};
    time += std::max(gap - level, resolution) / rate;
    if (time > 1.0) return {};
  }
  // Grazing: it came nearer than can be told apart from the level. The last look counts.
  touch.time = time;
  return touch;
}

}  // namespace stiction
