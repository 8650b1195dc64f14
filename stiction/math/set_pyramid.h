// The friction pyramid { ‖x_T‖_∞ ≤ μ x_N } of the LCP model.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/math/types.h"

namespace stiction {

struct SetPyramid {
  double mu;

  bool contains(const Vector3& x, double slack = 0.0) const {
    return std::max(std::abs(x[0]), std::abs(x[1])) <= mu * x[2] + slack;
  }

  Vector3 project(const Vector3& x) const {
    double a = std::abs(x[0]), b = std::abs(x[1]);
    if (a < b) std::swap(a, b);
    double h = x[2];
    if (a > mu * h) h = (x[2] + mu * a) / (1.0 + mu * mu);
    if (b > mu * h) h = (x[2] + mu * (a + b)) / (1.0 + 2.0 * mu * mu);
    h = std::max(0.0, h);
    const double limit = mu * h;
    return {std::clamp(x[0], -limit, limit), std::clamp(x[1], -limit, limit), h};
  }

  // Γ(σ) = (0, 0, μ ‖σ_T‖₁), the dual norm of the pyramid's
  Vector3 de_saxce_shift(const Vector3& sigma) const {
    return {0.0, 0.0, mu * (std::abs(sigma[0]) + std::abs(sigma[1]))};
  }
};

}  // namespace stiction
