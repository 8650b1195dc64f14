// The Coulomb cone K_μ = { ‖x_T‖ ≤ μ x_N } with x = (t1, t2, n), specification 1.2 and 1.3.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/math/types.h"

namespace stiction {

struct SetCoulombCone {
  double mu;

  bool contains(const Vector3& x, double slack = 0.0) const { return x.head<2>().norm() <= mu * x[2] + slack; }

  Vector3 project(const Vector3& x) const {
    const double t = x.head<2>().norm();
    if (t <= mu * x[2]) return x;
    if (mu * t <= -x[2]) return Vector3::Zero();
    const double s = (mu * t + x[2]) / (mu * mu + 1.0);
    const double shrink = mu * s / t;
    return {shrink * x[0], shrink * x[1], s};
  }

  // Γ(σ) = (0, 0, μ ‖σ_T‖)
  Vector3 de_saxce_shift(const Vector3& sigma) const { return {0.0, 0.0, mu * sigma.head<2>().norm()}; }
};

}  // namespace stiction
