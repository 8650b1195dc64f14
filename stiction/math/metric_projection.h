// Projection in a diagonal metric D (theory §1.3, (1-11)): the y of the set that minimises (y − x)ᵀ D (y − x).
//
//     P^D_{K_μ}(x) = D^{−1/2} P_{K_μ̃}( D^{1/2} x ),   μ̃ = μ √(D_T / D_N)
//
// One weight for both tangents keeps the cone round; two weights make it anisotropic. Sets of one row do not notice a
// metric.
#pragma once

#include <cmath>

#include "stiction/math/set_anisotropic_cone.h"
#include "stiction/math/set_coulomb_cone.h"

namespace stiction {

// D = diag(tangent, tangent, normal), both positive.
struct RoundMetric {
  double tangent;
  double normal;
};

inline Vector3 project_in_metric(const SetCoulombCone& cone, const Vector3& x, const RoundMetric& d) {
  const double root_t = std::sqrt(d.tangent), root_n = std::sqrt(d.normal);
  const SetCoulombCone turned{cone.mu * (root_t / root_n)};
  const Vector3 y = turned.project({root_t * x[0], root_t * x[1], root_n * x[2]});
  return {y[0] / root_t, y[1] / root_t, y[2] / root_n};
}

// dP/dx: not symmetric, but D dP/dx is.
inline Matrix3 project_in_metric_derivative(const SetCoulombCone& cone, const Vector3& x, const RoundMetric& d) {
  const double root_t = std::sqrt(d.tangent), root_n = std::sqrt(d.normal);
  const SetCoulombCone turned{cone.mu * (root_t / root_n)};
  const Vector3 root(root_t, root_t, root_n);
  return root.cwiseInverse().asDiagonal() * turned.project_derivative(root.cwiseProduct(x)) * root.asDiagonal();
}

// D = diag(d), three positive weights.
inline Vector3 project_in_metric(const SetAnisotropicCone& cone, const Vector3& x, const Vector3& d) {
  const Vector3 root = d.cwiseSqrt();
  const SetAnisotropicCone turned{cone.mu_1 * (root[0] / root[2]), cone.mu_2 * (root[1] / root[2])};
  return turned.project(root.cwiseProduct(x)).cwiseQuotient(root);
}
inline Vector3 project_in_metric(const SetCoulombCone& cone, const Vector3& x, const Vector3& d) {
  return project_in_metric(SetAnisotropicCone{cone.mu, cone.mu}, x, d);
}

inline Matrix3 project_in_metric_derivative(const SetAnisotropicCone& cone, const Vector3& x, const Vector3& d) {
  const Vector3 root = d.cwiseSqrt();
  const SetAnisotropicCone turned{cone.mu_1 * (root[0] / root[2]), cone.mu_2 * (root[1] / root[2])};
  return root.cwiseInverse().asDiagonal() * turned.project_derivative(root.cwiseProduct(x)) * root.asDiagonal();
}

}  // namespace stiction
