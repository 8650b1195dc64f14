// The friction pyramid { ‖x_T‖_∞ ≤ μ x_N } of the LCP model. Verbs as in set_coulomb_cone.h.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/math/set_dual.h"
#include "stiction/math/types.h"

namespace stiction {

struct SetPyramid {
  double mu;

  bool contains(const Vector3& x, double slack = 0.0) const {
    return std::max(std::abs(x[0]), std::abs(x[1])) <= mu * x[2] + slack;
  }

  Vector3 project(const Vector3& x) const {
    const double h = std::max(0.0, height(x).value);
    const double limit = mu * h;
    return {std::clamp(x[0], -limit, limit), std::clamp(x[1], -limit, limit), h};
  }

  Matrix3 project_derivative(const Vector3& x) const {
    const Height h = height(x);
    if (h.sides > 0 && h.value <= 0.0) return Matrix3::Zero();
    // h = (x_N + μ Σ |x_k| over the sides k that clamp) / (1 + μ² sides), and those x_k become ±μ h.
    const double share = 1.0 / (1.0 + h.sides * mu * mu), limit = mu * h.value;
    Matrix3 d = Matrix3::Identity();
    Vector3 gradient(0.0, 0.0, share);
    for (int k = 0; k < 2; ++k) {
      if (h.sides > 0 && std::abs(x[k]) > limit) gradient[k] = std::copysign(mu * share, x[k]);
    }
    for (int k = 0; k < 2; ++k) {
      if (h.sides > 0 && std::abs(x[k]) > limit) d.row(k) = std::copysign(mu, x[k]) * gradient.transpose();
    }
    d.row(2) = gradient.transpose();
    return d;
  }

  // Γ(σ) = (0, 0, μ ‖σ_T‖₁), the dual norm of the pyramid's
  Vector3 de_saxce_shift(const Vector3& sigma) const {
    return {0.0, 0.0, mu * (std::abs(sigma[0]) + std::abs(sigma[1]))};
  }

  SetDual<SetPyramid> dual() const { return {*this}; }

 private:
  // The height h of the projected point before it is cut at zero minimises
  // (h − x_N)² + (|x_1| − μ h)₊² + (|x_2| − μ h)₊²; `sides` says how many of the last two are active.
  struct Height {
    double value;
    int sides;
  };
  Height height(const Vector3& x) const {
    const double a = std::max(std::abs(x[0]), std::abs(x[1])), b = std::min(std::abs(x[0]), std::abs(x[1]));
    if (a <= mu * x[2]) return {x[2], 0};
    const double one = (x[2] + mu * a) / (1.0 + mu * mu);
    if (b <= mu * one) return {one, 1};
    return {(x[2] + mu * (a + b)) / (1.0 + 2.0 * mu * mu), 2};
  }
};

}  // namespace stiction
