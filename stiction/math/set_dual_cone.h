// The dual of the Coulomb cone, K_μ* = { μ ‖x_T‖ ≤ x_N }, theory §1.2: K_{1/μ} for μ > 0, the half-space x_N ≥ 0
// at μ = 0.
#pragma once

#include <limits>

#include "stiction/math/set_coulomb_cone.h"

namespace stiction {

struct SetDualCone {
  double mu;  // of the Coulomb cone

  bool contains(const Vector3& x, double slack = 0.0) const { return mu * tangent_norm(x[0], x[1]) <= x[2] + slack; }

  Vector3 project(const Vector3& x) const {
    const double t = tangent_norm(x[0], x[1]);
    if (mu * t <= x[2]) return x;
    if (t <= -mu * x[2]) return Vector3::Zero();
    const double s = (t + mu * x[2]) / (mu * mu + 1.0);
    const double shrink = s / t;
    return {shrink * x[0], shrink * x[1], mu * s};
  }

  Matrix3 project_derivative(const Vector3& x) const {
    const double t = tangent_norm(x[0], x[1]);
    if (mu * t <= x[2]) return Matrix3::Identity();
    if (t <= -mu * x[2]) return Matrix3::Zero();
    const double u1 = x[0] / t, u2 = x[1] / t, along = 1.0 / (mu * mu + 1.0);
    const double across = (t + mu * x[2]) * along / t;
    const double cross = (along - across) * u1 * u2, lean = mu * along;
    Matrix3 d;
    d << along * u1 * u1 + across * u2 * u2, cross, lean * u1,  //
        cross, along * u2 * u2 + across * u1 * u1, lean * u2,   //
        lean * u1, lean * u2, mu * lean;
    return d;
  }

  // That of K_{1/μ}; a half-space (μ = 0) bounds no tangential part, so its shift is infinite unless σ_T = 0.
  Vector3 de_saxce_shift(const Vector3& sigma) const {
    const double t = tangent_norm(sigma[0], sigma[1]);
    if (t == 0.0) return Vector3::Zero();
    return {0.0, 0.0, mu > 0.0 ? t / mu : std::numeric_limits<double>::infinity()};
  }

  SetCoulombCone dual() const { return {mu}; }
};

inline SetDualCone SetCoulombCone::dual() const {
  return {mu};
}

}  // namespace stiction
