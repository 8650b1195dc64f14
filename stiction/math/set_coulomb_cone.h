// The Coulomb cone K_μ = { ‖x_T‖ ≤ μ x_N } with x = (t1, t2, n), theory §1.2 and §1.3.
//
// Every set of this room has the same verbs:
//   contains(x, slack)      x ∈ C, or outside by no more than the slack (of the order of a distance, in units of x)
//   project(x)              the nearest point of C
//   project_derivative(x)   one element of the generalised Jacobian of the projection (its derivative off the kinks)
//   de_saxce_shift(σ)       Γ(σ) of the contact law; zero where the law has none
//   dual()                  { z : −z ∈ N_C(λ) for some λ ∈ C }, the velocities that the set answers to: for a cone its
//                           dual cone (z·λ ≥ 0 for all λ ∈ C), for a bounded set the whole space
#pragma once

#include "stiction/math/tangent_norm.h"
#include "stiction/math/types.h"

namespace stiction {

struct SetDualCone;

struct SetCoulombCone {
  double mu;

  // Without friction ‖x_T‖ ≤ μ x_N alone says nothing of x_N.
  bool contains(const Vector3& x, double slack = 0.0) const {
    return x[2] >= -slack && tangent_norm(x[0], x[1]) <= mu * x[2] + slack;
  }

  Vector3 project(const Vector3& x) const {
    const double t = tangent_norm(x[0], x[1]);
    if (x[2] >= 0.0 && t <= mu * x[2]) return x;
    if (mu * t <= -x[2]) return Vector3::Zero();
    const double s = (mu * t + x[2]) / (mu * mu + 1.0);
    const double shrink = mu * s / t;
    return {shrink * x[0], shrink * x[1], s};
  }

  Matrix3 project_derivative(const Vector3& x) const {
    const double t = tangent_norm(x[0], x[1]);
    if (x[2] >= 0.0 && t <= mu * x[2]) return Matrix3::Identity();
    if (mu * t <= -x[2]) return Matrix3::Zero();
    const double u1 = x[0] / t, u2 = x[1] / t, share = 1.0 / (mu * mu + 1.0);
    const double along = mu * mu * share;                    // d‖P_T‖/dt
    const double across = mu * (mu * t + x[2]) * share / t;  // ‖P_T‖/t
    const double cross = (along - across) * u1 * u2, lean = mu * share;
    Matrix3 d;
    d << along * u1 * u1 + across * u2 * u2, cross, lean * u1,  //
        cross, along * u2 * u2 + across * u1 * u1, lean * u2,   //
        lean * u1, lean * u2, share;
    return d;
  }

  // Γ(σ) = (0, 0, μ ‖σ_T‖)
  Vector3 de_saxce_shift(const Vector3& sigma) const { return {0.0, 0.0, mu * tangent_norm(sigma[0], sigma[1])}; }

  SetDualCone dual() const;  // include set_dual_cone.h
};

}  // namespace stiction
