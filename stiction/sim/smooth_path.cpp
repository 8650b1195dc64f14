#include "stiction/sim/smooth_path.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

double value(const Cubic& c, double s) {
  return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
}

// Of an interval where the cubic falls through zero.
double bisect(const Cubic& c, double low, double high) {
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (value(c, middle) > 0.0 ? low : high) = middle;
  }
  return high;
}

// J_r⁻¹(ξ) ω: the rate of a rotation vector whose body turns at ω, body axes.
Vector3 rate_of_rotation_vector(const Vector3& r, const Vector3& omega) {
  const double square = r.squaredNorm(), angle = std::sqrt(square);
  const double c = angle < 1e-2 ? 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
                                : 1.0 / square - (1.0 + std::cos(angle)) / (2.0 * angle * std::sin(angle));
  return omega + 0.5 * r.cross(omega) + c * r.cross(r.cross(omega));
}

Vector3 exponential_part(const VectorX& x, int first) {
  return x.segment<3>(first);
}

}  // namespace

double first_root(const Cubic& c, double end) {
  const double a = 3.0 * c[3], b = 2.0 * c[2], d = c[1];  // derivative a s² + b s + d
  std::array<double, 3> turn{end, end, end};
  const double discriminant = b * b - 4.0 * a * d;
  if (a == 0.0) {
    if (b != 0.0) turn[0] = -d / b;
  } else if (discriminant > 0.0) {
    const double t = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
    turn[0] = t / a;
    if (t != 0.0) turn[1] = d / t;
  }
  std::sort(turn.begin(), turn.end());
  double low = 0.0;
  for (const double high : turn) {
    if (!(high > low) || high > end) continue;
    if (value(c, high) <= 0.0) return bisect(c, low, high);
    low = high;
  }
  return 2.0 * end + 1.0;
}

void rates_of_displacement(const Model& model, const VectorX& xi, const VectorX& v, VectorX& xi_rate) {
  xi_rate = v;
  for (const Body& body : model.bodies) {
    const int first = body.first_velocity + (body.joint == JointType::free ? 3 : 0);
    if (body.joint != JointType::free && body.joint != JointType::ball) continue;
    xi_rate.segment<3>(first) = rate_of_rotation_vector(exponential_part(xi, first), exponential_part(v, first));
  }
}

SmoothPath::SmoothPath(const Model& model)
    : model_(&model), speed_(model.bodies.size(), 0.0), turning_(model.bodies.size(), 0.0) {}

void SmoothPath::set(const VectorX& q, const VectorX& v, const VectorX& acceleration, double h, const VectorX& xi,
                     const VectorX& v_end, const VectorX& acceleration_end) {
  h_ = h;
  q_ = q;
  rate_ = v;
  rates_of_displacement(*model_, xi, v_end, rate_end_);
  xi_2_ = (3.0 * xi / h - 2.0 * rate_ - rate_end_) / h;
  xi_3_ = (rate_ + rate_end_ - 2.0 * xi / h) / (h * h);
  rate_middle_ = 3.0 * xi / h - rate_ - rate_end_;
  v_ = v, a_ = acceleration;
  v_2_ = (3.0 * (v_end - v) / h - 2.0 * acceleration - acceleration_end) / h;
  v_3_ = (acceleration + acceleration_end - 2.0 * (v_end - v) / h) / (h * h);
  find_bounds();
}

double SmoothPath::rate_bound(int first, int count) const {
  return std::max({rate_.segment(first, count).norm(), rate_middle_.segment(first, count).norm(),
                   rate_end_.segment(first, count).norm()});
}

void SmoothPath::find_bounds() {
  for (int b = 0; b < model_->num_bodies(); ++b) {
    const Body& body = model_->bodies[b];
    const double before = body.parent < 0 ? 0.0 : speed_[body.parent];
    const double turning = body.parent < 0 ? 0.0 : turning_[body.parent];
    double arm = body.placement.position.norm();
    speed_[b] = before, turning_[b] = turning;
    switch (body.joint) {
      case JointType::free:
        speed_[b] = rate_bound(body.first_velocity, 3);
        turning_[b] = rate_bound(body.first_velocity + 3, 3);
        continue;
      case JointType::ball:
        turning_[b] += rate_bound(body.first_velocity, 3);
        break;
      case JointType::revolute:
        turning_[b] += rate_bound(body.first_velocity, 1);
        break;
      case JointType::prismatic: {
        const double rate = rate_bound(body.first_velocity, 1);
        arm += std::abs(q_[body.first_position]) + h_ * rate;
        speed_[b] += rate;
        break;
      }
    }
    speed_[b] += turning * arm;
  }
}

void SmoothPath::position(double s, VectorX& q) const {
  q.resize(q_.size());
  integrate(*model_, q_, VectorX(s * (rate_ + s * (xi_2_ + s * xi_3_))), 1.0, q);
}

void SmoothPath::velocity(double s, VectorX& v) const {
  v = v_ + s * (a_ + s * (v_2_ + s * v_3_));
}

Cubic SmoothPath::coordinate(int j, double s) const {
  return {s * (rate_[j] + s * (xi_2_[j] + s * xi_3_[j])), rate_[j] + s * (2.0 * xi_2_[j] + 3.0 * s * xi_3_[j]),
          xi_2_[j] + 3.0 * s * xi_3_[j], xi_3_[j]};
}

BodyMotion SmoothPath::motion(int b, double s) const {
  if (b < 0) return {};
  const Body& body = model_->bodies[b];
  const auto xi = [&](int j) { return s * (rate_[j] + s * (xi_2_[j] + s * xi_3_[j])); };
  const auto rate = [&](int j) { return v_[j] + s * (a_[j] + s * (v_2_[j] + s * v_3_[j])); };
  const int p = body.first_position, j = body.first_velocity;
  const auto turned = [&](const double* from, int first) {
    const Vector3 r(xi(first), xi(first + 1), xi(first + 2));
    const double angle = r.norm();
    const double k = angle < 1e-4 ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
    const Quaternion turn(std::cos(0.5 * angle), k * r[0], k * r[1], k * r[2]);
    return (Quaternion(from[3], from[0], from[1], from[2]) * turn).normalized();
  };
  BodyMotion motion;
  if (body.joint == JointType::free) {
    motion.pose =
        Pose(turned(q_.data() + p + 3, j + 3), Vector3(q_[p] + xi(j), q_[p + 1] + xi(j + 1), q_[p + 2] + xi(j + 2)));
    motion.linear = Vector3(rate(j), rate(j + 1), rate(j + 2));
    motion.angular = motion.pose.rotation * Vector3(rate(j + 3), rate(j + 4), rate(j + 5));
    return motion;
  }
  const BodyMotion parent = this->motion(body.parent, s);
  const Pose joint = parent.pose * body.placement;
  motion.pose = joint;
  motion.angular = parent.angular;
  if (body.joint == JointType::ball) {
    motion.pose = joint * Pose(turned(q_.data() + p, j), Vector3::Zero());
    motion.angular += motion.pose.rotation * Vector3(rate(j), rate(j + 1), rate(j + 2));
  } else if (body.joint == JointType::revolute) {
    const Matrix3 turn = Eigen::AngleAxisd(q_[p] + xi(j), Vector3::UnitZ()).toRotationMatrix();
    motion.pose.rotation = joint.rotation * turn;
    motion.angular += rate(j) * joint.rotation.col(2);
  } else {
    motion.pose.position += (q_[p] + xi(j)) * joint.rotation.col(2);
  }
  motion.linear = parent.velocity_of(motion.pose.position);
  if (body.joint == JointType::prismatic) motion.linear += rate(j) * joint.rotation.col(2);
  return motion;
}

}  // namespace stiction
