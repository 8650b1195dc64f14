#include "stiction/sim/free_spin.h"

#include <Eigen/Dense>

namespace stiction {
namespace {

// Below this angle per step both rules agree to rounding.
constexpr double negligible_angle = 1e-8;
// Of the largest entry of the inertia: what is rounder than this has no gyroscopic moment.
constexpr double roundness = 1e-12;

bool is_round(const Matrix3& inertia) {
  const Matrix3 rest = inertia - inertia(0, 0) * Matrix3::Identity();
  return rest.cwiseAbs().maxCoeff() <= roundness * inertia(0, 0);
}

}  // namespace

// Newton on F(ω̄) = J ω̄ + Δt/2 ω̄ × J ω̄ − J ω = 0. A root exists, with ω̄ᵀ J ω̄ ≤ ωᵀ J ω, since F(ω̄)·ω̄ > 0 beyond; steps
// are halved until ‖F‖ falls. From ω, with less than a radian per step, three or four steps do.
Vector3 spin_after(const Matrix3& inertia, const Vector3& spin, double time_step) {
  constexpr int max_steps = 50, max_halvings = 30;
  const double half = 0.5 * time_step;
  const Vector3 momentum = inertia * spin;
  const auto defect = [&](const Vector3& mean) -> Vector3 {
    const Vector3 l = inertia * mean;
    return l + half * mean.cross(l) - momentum;
  };
  Vector3 mean = spin, error = defect(mean);
  for (int step_number = 0; step_number < max_steps && error.norm() > 1e-16 * momentum.norm(); ++step_number) {
    const Vector3 l = inertia * mean;
    Matrix3 slope;
    for (int k = 0; k < 3; ++k) {
      slope.col(k) = inertia.col(k) + half * (mean.cross(inertia.col(k)) + Vector3::Unit(k).cross(l));
    }
    const Vector3 step = slope.inverse() * error;
    double length = 1.0;
    Vector3 next = mean - step, next_error = defect(next);
    for (int n = 0; n < max_halvings && !(next_error.norm() < error.norm()); ++n) {
      length *= 0.5;
      next = mean - length * step;
      next_error = defect(next);
    }
    if (!(next_error.norm() < error.norm())) break;  // rounding
    mean = next;
    error = next_error;
  }
  // Far from a root nothing is better than to turn on as before.
  return error.norm() <= 1e-9 * momentum.norm() ? Vector3(2.0 * mean - spin) : spin;
}

FreeSpin::FreeSpin(const Model& model) {
  for (const Tree& tree : model.trees) {
    const Body& body = model.bodies[tree.first_body];
    if (tree.num_bodies != 1 || body.joint != JointType::free) continue;
    const bool round = is_round(body.inertia), has_offset = body.com != Vector3::Zero();
    if (round && !has_offset) continue;
    bool has_armature = false;
    for (int k = 0; k < 6; ++k) has_armature |= model.dofs[body.first_velocity + k].armature != 0.0;
    if (has_armature) continue;  // its inertia is not that of a body
    spinners_.push_back({.body = tree.first_body,
                         .first_position = body.first_position,
                         .first_velocity = body.first_velocity,
                         .is_round = round,
                         .has_offset = has_offset,
                         .mass = body.mass,
                         .com = body.com,
                         .inertia = body.inertia,
                         .inverse = body.inertia.inverse()});
  }
}

void FreeSpin::correct(const DynamicsData& data, const double* v, double time_step, double* free_velocity,
                       double* force) const {
  for (const Spinner& s : spinners_) {
    const Vector3 spin = Eigen::Map<const Vector3>(v + s.first_velocity + 3);
    const double angle_squared = time_step * time_step * spin.squaredNorm();
    if (!(angle_squared > negligible_angle * negligible_angle && angle_squared < 1e300)) continue;
    Eigen::Map<Vector3> moment(force + s.first_velocity + 3);
    Vector3 correction = Vector3::Zero();
    if (!s.is_round) {
      const Vector3 explicit_change = -time_step * (s.inverse * spin.cross(s.inertia * spin));
      correction = spin_after(s.inertia, spin, time_step) - spin - explicit_change;
      Eigen::Map<Vector3>(free_velocity + s.first_velocity + 3) += correction;
      moment += s.inertia * correction / time_step;
    }
    if (s.has_offset) {
      const Vector3 centripetal = spin.cross(spin.cross(s.com));
      const Matrix3 rotation = body_pose(data, s.body).rotation;
      Eigen::Map<Vector3>(free_velocity + s.first_velocity) +=
          rotation * (time_step * centripetal - correction.cross(s.com));
      Eigen::Map<Vector3>(force + s.first_velocity) += s.mass * (rotation * centripetal);
      moment += s.mass * s.com.cross(centripetal);
    }
  }
}

void FreeSpin::carry_centers(const double* q, const double* moved_by, double time_step, double* next_position,
                             double* end_velocity) const {
  for (const Spinner& s : spinners_) {
    if (!s.has_offset) continue;
    const auto rotation = [&](const double* position) {
      return Eigen::Map<const Quaternion>(position + s.first_position + 3).toRotationMatrix();
    };
    const auto vector = [](const double* from) { return Vector3(Eigen::Map<const Vector3>(from)); };
    const Matrix3 before = rotation(q), after = rotation(next_position);
    const double *u = moved_by + s.first_velocity, *v = end_velocity + s.first_velocity;
    const Vector3 center =
        vector(q + s.first_position) + before * s.com + time_step * (vector(u) + before * vector(u + 3).cross(s.com));
    Eigen::Map<Vector3>(next_position + s.first_position) = center - after * s.com;
    Eigen::Map<Vector3>(end_velocity + s.first_velocity) += (before - after) * vector(v + 3).cross(s.com);
  }
}

double FreeSpin::straight_flight_power(const DynamicsData& data, const double* v) const {
  double power = 0.0;
  for (const Spinner& s : spinners_) {
    if (!s.has_offset) continue;
    const Eigen::Map<const Vector3> flight(v + s.first_velocity), spin(v + s.first_velocity + 3);
    const Vector3 center = flight + body_pose(data, s.body).rotation * spin.cross(s.com);
    power -= s.mass * to_eigen(data.gravity).dot(center);
    for (int j = s.first_velocity; j < s.first_velocity + 6; ++j) power -= data.bias[j] * v[j];
  }
  return power;
}

}  // namespace stiction
