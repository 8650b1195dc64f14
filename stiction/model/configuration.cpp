// Steps on the configuration manifold, and their inverse.
#include <cmath>

#include "stiction/model/model.h"

namespace stiction {
namespace {

// exp of half a rotation vector: q (x, y, z, w) with the turn |r| about r.
Quaternion exponential(const Vector3& r) {
  const double angle = r.norm();
  // sin(a/2)/a; below 1e-4 the next term of the series, a⁴/3840, is under the rounding.
  const double s = angle < 1e-4 ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
  return {std::cos(0.5 * angle), s * r[0], s * r[1], s * r[2]};
}

// The rotation vector of at most π of a unit quaternion.
Vector3 logarithm(Quaternion q) {
  if (q.w() < 0.0) q.coeffs() *= -1.0;
  const double n = q.vec().norm();  // sin(a/2)
  if (n < 1e-300) return 2.0 * q.vec();
  return (2.0 * std::atan2(n, q.w()) / n) * q.vec();
}

Quaternion read_quaternion(const double* q) {
  return {q[3], q[0], q[1], q[2]};
}

// q_next = q ⊗ exp(r), normalised. Without turning the bits stay as they are.
void turn(const double* q, const Vector3& r, double* q_next) {
  if (r.isZero(0.0)) {
    std::copy(q, q + 4, q_next);
    return;
  }
  const Quaternion turned = (read_quaternion(q) * exponential(r)).normalized();
  q_next[0] = turned.x(), q_next[1] = turned.y(), q_next[2] = turned.z(), q_next[3] = turned.w();
}

// r with q ⊗ exp(r) = ± q_other.
Vector3 turn_between(const double* q, const double* q_other) {
  return logarithm((read_quaternion(q).conjugate() * read_quaternion(q_other)).normalized());
}

}  // namespace

void integrate(const Model& model, VectorView q, VectorView v, double time_step, VectorOut q_next) {
  const double *from = q.data(), *velocity = v.data();
  double* to = q_next.data();
  for (const Body& body : model.bodies) {
    const double* p = from + body.first_position;
    const double* u = velocity + body.first_velocity;
    double* out = to + body.first_position;
    switch (body.joint) {
      case JointType::free:
        for (int k = 0; k < 3; ++k) out[k] = p[k] + time_step * u[k];
        turn(p + 3, time_step * Vector3(u[3], u[4], u[5]), out + 3);
        break;
      case JointType::ball:
        turn(p, time_step * Vector3(u[0], u[1], u[2]), out);
        break;
      case JointType::revolute:
      case JointType::prismatic:
        out[0] = p[0] + time_step * u[0];
        break;
    }
  }
}

void difference(const Model& model, VectorView q, VectorView q_other, VectorOut v) {
  for (const Body& body : model.bodies) {
    const double* p = q.data() + body.first_position;
    const double* r = q_other.data() + body.first_position;
    double* out = v.data() + body.first_velocity;
    const auto write = [](double* to, const Vector3& a) { std::copy(a.data(), a.data() + 3, to); };
    switch (body.joint) {
      case JointType::free:
        for (int k = 0; k < 3; ++k) out[k] = r[k] - p[k];
        write(out + 3, turn_between(p + 3, r + 3));
        break;
      case JointType::ball:
        write(out, turn_between(p, r));
        break;
      case JointType::revolute:
      case JointType::prismatic:
        out[0] = r[0] - p[0];
        break;
    }
  }
}

}  // namespace stiction
