#include "stiction/sim/contact_rates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/dynamics/point_motion.h"

namespace stiction {
namespace {

Pose pose_of(const DynamicsData& data, int body) {
  return body < 0 ? Pose() : body_pose(data, body);
}
Vector3 velocity_at(const DynamicsData& data, int body, const Vector3& point) {
  return body < 0 ? Vector3(Vector3::Zero()) : point_velocity(data, body, point);
}
Vector3 turning_of(const DynamicsData& data, int body) {
  return body < 0 ? Vector3(Vector3::Zero()) : angular_velocity(data, body);
}

// Where a body is that went on for a time t with its present velocity.
Pose moved(const DynamicsData& data, int body, double t) {
  if (body < 0) return {};
  const Pose now = body_pose(data, body);
  const Vector3 omega = turning_of(data, body);
  const double angle = t * omega.norm();
  Pose next(now.rotation, now.position + t * velocity_at(data, body, now.position));
  if (angle != 0.0) next.rotation = Eigen::AngleAxisd(angle, omega.normalized()).toRotationMatrix() * now.rotation;
  return next;
}

// A length of the pair, m: the smaller of both spheres.
double size_of(const Shape& a, const Shape& b) {
  const double size = std::min(a.bound_radius, b.bound_radius);
  return std::isfinite(size) && size > 0.0 ? size : 1.0;
}

}  // namespace

bool ContactRates::find(const ContactPoint& wanted, const Pose& X_WA, const Pose& X_WB, double margin,
                        ContactPoint& found) {
  const Shape &a = model_->shapes[wanted.id.shape_a], &b = model_->shapes[wanted.id.shape_b];
  gap_.look(a, X_WA * a.pose, b, X_WB * b.pose, margin);
  for (const ContactPoint& p : gap_.points()) {
    if (p.id.feature != wanted.id.feature) continue;
    found.position = p.position, found.normal = p.normal, found.gap = p.gap;
    return true;
  }
  return false;
}

void ContactRates::follow(const DynamicsData& data, std::vector<ContactPoint>& points) {
  for (ContactPoint& point : points) {
    const Shape &a = model_->shapes[point.id.shape_a], &b = model_->shapes[point.id.shape_b];
    const double margin = 0.01 * size_of(a, b);
    if (!find(point, pose_of(data, a.body), pose_of(data, b.body), margin, point)) {
      point.gap = std::numeric_limits<double>::infinity();
    }
  }
}

// (8 (f(ε) − f(−ε)) − (f(2ε) − f(−2ε)))/(12 ε) of what the kernel finds.
ContactRates::Rate ContactRates::rate(const DynamicsData& data, const ContactPoint& point, double step) {
  const Shape &a = model_->shapes[point.id.shape_a], &b = model_->shapes[point.id.shape_b];
  const double margin = 0.1 * size_of(a, b);
  constexpr double offset[] = {1.0, -1.0, 2.0, -2.0}, weight[] = {8.0, -8.0, -1.0, 1.0};
  Rate sum;
  for (int k = 0; k < 4; ++k) {
    ContactPoint there = point;
    if (!find(point, moved(data, a.body, offset[k] * step), moved(data, b.body, offset[k] * step), margin, there)) {
      // The feature ends here: a corner of the second body, say. Its point goes along with that body.
      return {turning_of(data, b.body).cross(point.normal), velocity_at(data, b.body, point.position)};
    }
    sum.normal += weight[k] * (there.normal - point.normal);
    sum.position += weight[k] * (there.position - point.position);
  }
  sum.normal /= 12.0 * step, sum.position /= 12.0 * step;
  return sum;
}

Vector3 ContactRates::bias(const DynamicsData& data, const ContactPoint& point, const Matrix3& frame) {
  const Shape &a = model_->shapes[point.id.shape_a], &b = model_->shapes[point.id.shape_b];
  const Vector3& p = point.position;
  const Vector3 v_a = velocity_at(data, a.body, p), v_b = velocity_at(data, b.body, p);
  const Vector3 omega_a = turning_of(data, a.body), omega_b = turning_of(data, b.body);
  const double size = size_of(a, b);
  const double speed = std::max((v_a - v_b).norm(), size * (omega_a - omega_b).norm());
  Vector3 change = Vector3::Zero();
  if (a.body >= 0) change += point_acceleration(*model_, data, zero_.data(), a.body, p).linear;
  if (b.body >= 0) change -= point_acceleration(*model_, data, zero_.data(), b.body, p).linear;
  Rate rate{omega_b.cross(point.normal), v_b};  // nothing moves against the other
  if (speed > 0.0) {
    const double all = std::max({speed, v_a.norm(), v_b.norm(), size * omega_a.norm(), size * omega_b.norm()});
    rate = this->rate(data, point, 1e-3 * size / all);
  }
  change += omega_a.cross(rate.position - v_a) - omega_b.cross(rate.position - v_b);
  Vector3 bias = frame.transpose() * change;
  bias[2] += rate.normal.dot(v_a - v_b);
  return bias;
}

}  // namespace stiction
