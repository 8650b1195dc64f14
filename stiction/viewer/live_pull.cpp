#include "stiction/viewer/live_pull.h"

#include <algorithm>

#include "stiction/dynamics/dynamics_data.h"
#include "stiction/math/dense.h"

namespace stiction::viewer {
namespace {

constexpr double fastest = 20.0;              // ω, 1/s
constexpr double of_step = 0.5;               // ω Δt at most
constexpr double largest_acceleration = 200;  // m/s²

// The largest eigenvalue of J M⁻¹ Jᵀ, 1/kg.
double mobility(const Model& model, const DynamicsData& data, int body, const Vector3& at) {
  MatrixX force = MatrixX::Zero(model.num_velocities(), 3);
  for (int axis = 0; axis < 3; ++axis) {
    add_body_wrench(model, data, body, Vector3::Unit(axis), Vector3::Zero(), at, force.col(axis).data());
  }
  MatrixX moved = force;
  for (int axis = 0; axis < 3; ++axis) {
    solve_inertia_of_tree(model, data, model.bodies[body].tree, moved.col(axis).data());
  }
  const Matrix3 product = force.transpose() * moved;
  return principal_moments(product)[2];
}

}  // namespace

BodyWrench pull_wrench(const Model& model, const DynamicsData& data, int body, const Vector3& point,
                       const Vector3& target, double time_step) {
  const Vector3 at = body_pose(data, body) * point;
  const double frequency = std::min(fastest, of_step / time_step);
  Vector3 pulling = frequency * frequency * (target - at);
  const double length = pulling.norm();
  if (length > largest_acceleration) pulling *= largest_acceleration / length;
  const Vector3 acceleration = pulling - 2.0 * frequency * point_velocity(data, body, at);
  const double moved = mobility(model, data, body, at);
  if (!(moved > 0.0)) return {body, Vector3::Zero(), Vector3::Zero(), at};  // kinematic: no force moves it
  return {body, acceleration / moved, Vector3::Zero(), at};
}

}  // namespace stiction::viewer
