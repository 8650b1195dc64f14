// The anisotropic friction cone { ‖(x_1/μ_1, x_2/μ_2)‖ ≤ x_N }, theory §1.2. A direction with μ_k = 0 admits no
// impulse. Verbs as in set_coulomb_cone.h.
//
// A point x outside both the cone and its polar lands on the boundary, where y + τ Q y = x with
// Q = diag(1/μ_1², 1/μ_2², −1) and τ > 0. Put r(τ) = ‖(μ_k x_k / (μ_k² + τ))_k‖: then
//
//     y_k = μ_k² x_k / (μ_k² + τ),   y_N = r(τ),   (1 − τ) r(τ) = x_N,
//
// whose left side falls strictly from ‖x_T/μ‖ > x_N at τ = 0 to −‖μ x_T‖ < x_N at τ = ∞: one root. For x_N < 0 the
// unknown is 1/τ, so that it always lies in [0, 1] and keeps its digits.
#pragma once

#include "stiction/math/set_dual.h"
#include "stiction/math/types.h"

namespace stiction {

struct SetAnisotropicCone {
  double mu_1;
  double mu_2;

  bool contains(const Vector3& x, double slack = 0.0) const;
  Vector3 project(const Vector3& x) const;
  Matrix3 project_derivative(const Vector3& x) const;
  // Γ(σ) = (0, 0, ‖(μ_1 σ_1, μ_2 σ_2)‖)
  Vector3 de_saxce_shift(const Vector3& sigma) const;
  SetDual<SetAnisotropicCone> dual() const { return {*this}; }

 private:
  enum class Zone { inside, apex, boundary };
  // Zone of a point whose frictionless directions have been set to zero.
  Zone zone(const Vector3& x) const;
};

}  // namespace stiction
