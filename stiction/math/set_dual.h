// The dual of a friction cone that has no closed form of its own, by Moreau: P_{K*}(x) = x + P_K(−x).
#pragma once

#include "stiction/math/types.h"

namespace stiction {

// Cone must be { (x_T, x_N) : x_T ∈ x_N S } with a section S whose support function is its de Saxcé shift.
template <class Cone>
struct SetDual {
  Cone cone;

  // z·λ ≥ 0 for all λ of the cone ⟺ z_N ≥ max_{s ∈ S} ⟨−z_T, s⟩, which is Γ(z) as S = −S.
  bool contains(const Vector3& x, double slack = 0.0) const {
    if (cone.de_saxce_shift(x)[2] <= x[2]) return true;
    return slack > 0.0 && cone.project(-x).norm() <= slack;  // the distance to the dual cone
  }

  Vector3 project(const Vector3& x) const {
    if (contains(x)) return x;
    return x + cone.project(-x);
  }

  Matrix3 project_derivative(const Vector3& x) const {
    if (contains(x)) return Matrix3::Identity();
    return Matrix3::Identity() - cone.project_derivative(-x);
  }

  // A dual cone holds velocities; no law has it as its set of impulses.
  Vector3 de_saxce_shift(const Vector3&) const { return Vector3::Zero(); }

  Cone dual() const { return cone; }
};

}  // namespace stiction
