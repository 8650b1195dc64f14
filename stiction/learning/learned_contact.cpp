#include "stiction/learning/learned_contact.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;

Vector6 packed(const Vector3& a, const Vector3& b) {
  Vector6 both;
  both << a, b;
  return both;
}

}  // namespace

LearnedContact::LearnedContact(ContactNetworks networks) : networks_(std::move(networks)) {
  networks_.validate();
  for (std::size_t d = 0; d < 3; ++d) {
    if (networks_.classifier[d].layers.empty() || networks_.regressor[d].layers.empty()) {
      refuse("networks: no classifier or no regressor for patches of dimension ", d, "; train all three");
    }
  }
  probabilities_.resize(num_patch_states);
  friction_.resize(3);
}

PatchState LearnedContact::classify(const ContactPatch& patch, const ContactFeatures& features) {
  if (forced_) return *forced_;
  networks_.classifier[static_cast<std::size_t>(patch.dimension)].evaluate(features.input, scratch_, probabilities_);
  int best = 0;
  for (int k = 1; k < num_patch_states; ++k) {
    if (probabilities_[k] > probabilities_[best]) best = k;
  }
  return static_cast<PatchState>(best);
}

void LearnedContact::regress(const ContactPatch& patch, const ContactFeatures& features, Vector3& friction,
                             double& torque) {
  const Perceptron& network = networks_.regressor[static_cast<std::size_t>(patch.dimension)];
  const int outputs = num_friction_outputs(patch.dimension);
  network.evaluate(features.input, scratch_, friction_.head(outputs));
  friction = features.frame.leftCols<2>() * friction_.head<2>() * features.impulse_unit;
  torque = outputs == 3 ? friction_[2] * features.torque_unit : 0.0;
}

LearnedOutcome LearnedContact::solve(const RigidBody& body, const BodyVelocity& v1,
                                     std::span<const PatchPoint> points) {
  LearnedOutcome outcome;
  outcome.end = v1;
  const ContactPatch patch = find_patch(points, v1, networks_.time_step, networks_.patch, chosen_);
  const Mobility mobility{1.0 / body.mass, body.world_inverse_inertia()};
  outcome.dimension = patch.dimension;
  if (patch.dimension < 0) return outcome;
  outcome.arm = patch.center;
  outcome.normal = patch.normal;
  find_features(networks_.features, body, v1, patch, points, chosen_, features_);
  outcome.said = classify(patch, features_);
  switch (outcome.said) {
    case PatchState::sticking:
      stick(mobility, v1, patch, points, outcome);
      break;
    case PatchState::sliding:
      slide(mobility, v1, patch, points, outcome);
      break;
    case PatchState::detaching:
      push(mobility, v1, points, outcome);
      outcome.pushed = outcome.impulse.linear.norm() > 1e-9 * body.mass;
      break;
  }
  return outcome;
}

// The tangential rows T are eliminated: W = M⁻¹ − M⁻¹ T (Tᵀ M⁻¹ T)⁻¹ Tᵀ M⁻¹ is what still moves along the normals.
void LearnedContact::stick(const Mobility& mobility, const BodyVelocity& v1, const ContactPatch& patch,
                           std::span<const PatchPoint> points, LearnedOutcome& outcome) {
  const int rows = num_friction_outputs(patch.dimension);
  const Matrix3 frame = rotation_with_z(patch.normal);
  Eigen::Matrix<double, 6, 3> tangents = Eigen::Matrix<double, 6, 3>::Zero(), moved = tangents;
  for (int k = 0; k < rows; ++k) {
    tangents.col(k) =
        k < 2 ? packed(frame.col(k), patch.center.cross(frame.col(k))) : packed(Vector3::Zero(), patch.normal);
    const BodyVelocity v = mobility.of(tangents.col(k).head<3>(), tangents.col(k).tail<3>());
    moved.col(k) = packed(v.linear, v.angular);
  }
  Matrix3 small = tangents.transpose() * moved;
  for (int k = rows; k < 3; ++k) small(k, k) = 1.0;
  const Eigen::LLT<Matrix3> factor(small);
  const Vector6 free = packed(v1.linear, v1.angular);
  const Vector6 held = free - moved * factor.solve(tangents.transpose() * free);

  const auto n = static_cast<Eigen::Index>(points.size());
  push_rows_.resize(6, n);
  pushed_velocity_.resize(6, n);
  problem_.matrix.resize(n, n);
  problem_.offset.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const PatchPoint& point = points[static_cast<std::size_t>(i)];
    const Vector6 row = packed(point.normal, point.offset.cross(point.normal));
    const BodyVelocity v = mobility.of(row.head<3>(), row.tail<3>());
    const Vector6 alone = packed(v.linear, v.angular);
    push_rows_.col(i) = row;
    pushed_velocity_.col(i) = alone - moved * factor.solve(tangents.transpose() * alone);
    problem_.offset[i] = row.dot(held) + point.promise;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      problem_.matrix(i, j) = problem_.matrix(j, i) = push_rows_.col(i).dot(pushed_velocity_.col(j));
    }
  }
  pivoting_.solve_dantzig(problem_, normals_);
  if (normals_.sum() <= 0.0) {  // nothing presses: nothing holds
    outcome.released = true;
    push(mobility, v1, points, outcome);
    return;
  }
  Vector6 normal_impulse = Vector6::Zero();
  for (Eigen::Index i = 0; i < n; ++i) normal_impulse += push_rows_.col(i) * normals_[i];
  const BodyVelocity by_normals = mobility.of(normal_impulse.head<3>(), normal_impulse.tail<3>());
  const Vector6 before = free + packed(by_normals.linear, by_normals.angular);
  const Vector3 friction = -factor.solve(tangents.transpose() * before);
  outcome.friction = frame.leftCols<2>() * friction.head<2>();
  outcome.torque = rows == 3 ? friction[2] : 0.0;
  const Vector6 p = normal_impulse + tangents * friction;
  outcome.impulse = {p.head<3>(), p.tail<3>()};
  const BodyVelocity change = mobility.of(p.head<3>(), p.tail<3>());
  outcome.end = {v1.linear + change.linear, v1.angular + change.angular};
  const double speed = std::max(1e-9, std::abs(features_.speed));
  for (const int i : chosen_) {
    const PatchPoint& point = points[static_cast<std::size_t>(i)];
    const double leaves = point.normal.dot(outcome.end.at(point.offset)) + point.promise;
    if (leaves > 1e-6 * speed) outcome.released = true;
  }
}

void LearnedContact::slide(const Mobility& mobility, const BodyVelocity& v1, const ContactPatch& patch,
                           std::span<const PatchPoint> points, LearnedOutcome& outcome) {
  Vector3 friction;
  double torque = 0.0;
  regress(patch, features_, friction, torque);
  push(mobility, v1, points, outcome);
  if (!friction.allFinite() || !std::isfinite(torque)) {
    outcome.braked = true;
    return;
  }
  // The power of this friction at the end of the step; of Coulomb's, over a patch in one plane, never positive.
  const auto power = [&] {
    return friction.dot(outcome.end.at(patch.center)) + torque * patch.normal.dot(outcome.end.angular);
  };
  const auto act = [&](double share) {
    outcome.friction = share * friction;
    outcome.torque = share * torque;
    push(mobility, v1, points, outcome);
  };
  const double without = power();
  act(1.0);
  const double full = power();
  if (full <= 0.0) return;
  outcome.braked = true;
  double share = without < 0.0 ? without / (without - full) : 0.0;
  for (int k = 0; k < 8 && share > 0.0; ++k, share *= 0.5) {
    act(share);
    // Rounding: of a share that stops the slip exactly.
    if (power() <= 1e-12 * (std::abs(without) + full)) return;
  }
  act(0.0);
}

void LearnedContact::push(const Mobility& mobility, const BodyVelocity& v1, std::span<const PatchPoint> points,
                          LearnedOutcome& outcome) {
  PatchImpulse p{outcome.friction, outcome.normal * outcome.torque + outcome.arm.cross(outcome.friction)};
  const BodyVelocity by_friction = mobility.of(p.linear, p.angular);
  const BodyVelocity v2{v1.linear + by_friction.linear, v1.angular + by_friction.angular};
  const auto n = static_cast<Eigen::Index>(points.size());
  problem_.matrix.resize(n, n);
  problem_.offset.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const PatchPoint& a = points[static_cast<std::size_t>(i)];
    const BodyVelocity v = mobility.of(a.normal, a.offset.cross(a.normal));
    problem_.offset[i] = a.normal.dot(v2.at(a.offset)) + a.promise;
    for (Eigen::Index j = 0; j <= i; ++j) {
      const PatchPoint& b = points[static_cast<std::size_t>(j)];
      problem_.matrix(i, j) = problem_.matrix(j, i) = b.normal.dot(v.at(b.offset));
    }
  }
  pivoting_.solve_dantzig(problem_, normals_);
  for (Eigen::Index i = 0; i < n; ++i) {
    const PatchPoint& point = points[static_cast<std::size_t>(i)];
    p.linear += normals_[i] * point.normal;
    p.angular += normals_[i] * point.offset.cross(point.normal);
  }
  const BodyVelocity change = mobility.of(p.linear, p.angular);
  outcome.impulse = p;
  outcome.end = {v1.linear + change.linear, v1.angular + change.angular};
}

}  // namespace stiction
