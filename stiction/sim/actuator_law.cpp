#include "stiction/sim/actuator_law.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

// 0 below 0, 1 above 1, twice differentiable between.
double smooth_step(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
}

// Rate of a muscle's activation. It rises more slowly, and falls more quickly, the more of it is active.
double muscle_rate(const std::array<double, 3>& time, double u, double activation) {
  const double wanted = std::clamp(u, 0.0, 1.0) - activation;
  const double scale = 0.5 + 1.5 * std::clamp(activation, 0.0, 1.0);
  const double rises = time[0] * scale, falls = time[1] / scale;
  const double share = time[2] > 0.0 ? smooth_step(wanted / time[2] + 0.5) : (wanted > 0.0 ? 1.0 : 0.0);
  return wanted / (falls + share * (rises - falls));
}

// Active force by length: two parabolas up from `lower` to 1, two down from 1 to `upper`.
double force_of_length(const Muscle& m, double length) {
  const double end = length <= 1.0 ? m.lower : m.upper, x = (length - end) / (1.0 - end);  // 0 at the end, 1 at 1
  if (!(x > 0.0)) return 0.0;
  return x <= 0.5 ? 2.0 * x * x : 1.0 - 2.0 * (1.0 - x) * (1.0 - x);
}

double force_of_velocity(const Muscle& m, double velocity) {
  const double over = m.stretched - 1.0;
  if (velocity <= -1.0) return 0.0;
  if (velocity <= 0.0) return (velocity + 1.0) * (velocity + 1.0);
  if (velocity <= over) return m.stretched - (over - velocity) * (over - velocity) / over;
  return m.stretched;
}

double passive_force(const Muscle& m, double length) {
  const double middle = 0.5 * (1.0 + m.upper);
  if (length <= 1.0) return 0.0;
  const double x = (length - 1.0) / (middle - 1.0);
  return m.passive * (x <= 1.0 ? 0.5 * x * x : x - 0.5);
}

}  // namespace

double next_activation(const Actuator& a, double u, double activation, double time_step) {
  double next = activation;
  switch (a.activation) {
    case ActivationKind::none:
      return u;
    case ActivationKind::integrator:
      next += time_step * u;
      break;
    case ActivationKind::filter:
      next += time_step * (u - activation) / a.time_constants[0];
      break;
    case ActivationKind::filter_exact:
      next -= (u - activation) * std::expm1(-time_step / a.time_constants[0]);
      break;
    case ActivationKind::muscle:
      next += time_step * muscle_rate(a.time_constants, u, activation);
      break;
  }
  return std::clamp(next, a.activation_lower, a.activation_upper);
}

double acting_input(const Actuator& a, double u, double activation, double time_step) {
  return a.acts_early ? next_activation(a, u, activation, time_step) : activation;
}

double muscle_force(const Muscle& m, double activation, double length, double velocity) {
  const double optimal = (m.length_upper - m.length_lower) / (m.range_upper - m.range_lower);
  const double l = m.range_lower + (length - m.length_lower) / optimal;
  const double v = velocity / (optimal * m.speed);
  return -m.force * (activation * force_of_length(m, l) * force_of_velocity(m, v) + passive_force(m, l));
}

ServoTangent actuator_line(const Actuator& a, double u, double length, double velocity, double ahead) {
  if (a.kind == ActuatorKind::torque) return {u, 0.0};
  if (a.kind == ActuatorKind::position) return {a.kp * (u - length), a.kd + ahead * a.kp};
  if (a.kind == ActuatorKind::velocity) return {a.kd * u, a.kd};
  if (a.kind == ActuatorKind::muscle) return {muscle_force(a.muscle, u, length, velocity), 0.0};
  const double stiffness = -(a.gain[1] * u + a.bias[1]), damping = -(a.gain[2] * u + a.bias[2]);
  const double force = a.gain[0] * u + a.bias[0] - stiffness * length - std::min(0.0, damping) * velocity;
  return {force, std::max(0.0, damping) + ahead * std::max(0.0, stiffness)};
}

}  // namespace stiction
