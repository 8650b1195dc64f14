#include "stiction/math/set_anisotropic_cone.h"

#include <array>
#include <cmath>

#include "stiction/math/scalar_root.h"
#include "stiction/math/tangent_norm.h"

namespace stiction {
namespace {

// One projection onto the boundary, for x scaled to unit size. With s = τ (x_N ≥ 0) or s = 1/τ (x_N < 0):
// 1/(μ_k² + τ) = e w_k, where w_k = 1/(c_k + d_k s), e = 1 or s.
struct BoundaryPoint {
  double s, e;
  double signed_gap;           // e (1 − τ)
  std::array<double, 2> w{};   // zero where a direction has no friction
  std::array<double, 2> mu{};  // copies, for the formulas below
  Vector3 direction;           // y / e, which is not zero even where the cone's apex is reached in the limit
};

BoundaryPoint boundary_point(const SetAnisotropicCone& cone, const Vector3& x) {
  const bool upward = x[2] >= 0.0;
  BoundaryPoint p;
  p.mu = {cone.mu_1, cone.mu_2};
  std::array<double, 2> c{}, d{}, load{};
  for (int k = 0; k < 2; ++k) {
    const double square = p.mu[k] * p.mu[k];
    load[k] = p.mu[k] * x[k];
    c[k] = upward ? square : 1.0;
    d[k] = upward ? 1.0 : square;
  }
  const auto part = [&](int k, double s) { return load[k] != 0.0 ? load[k] / (c[k] + d[k] * s) : 0.0; };
  const double target = std::abs(x[2]);
  const auto equation = [&](double s) {
    const double a = part(0, s), b = part(1, s), r = tangent_norm(a, b);
    double fall = 0.0;  // −r r'
    for (int k = 0; k < 2; ++k) {
      const double v = k == 0 ? a : b;
      if (v != 0.0) fall += v * v * d[k] / (c[k] + d[k] * s);
    }
    return ValueAndSlope{(1.0 - s) * r - target, -r - (1.0 - s) * (r > 0.0 ? fall / r : 0.0)};
  };
  p.s = find_root(equation, 0.0, 1.0).x;
  p.e = upward ? 1.0 : p.s;
  p.signed_gap = upward ? 1.0 - p.s : p.s - 1.0;
  for (int k = 0; k < 2; ++k) {
    if (p.mu[k] > 0.0) p.w[k] = 1.0 / (c[k] + d[k] * p.s);
    p.direction[k] = p.mu[k] * part(k, p.s);
  }
  p.direction[2] = tangent_norm(part(0, p.s), part(1, p.s));
  return p;
}

}  // namespace

SetAnisotropicCone::Zone SetAnisotropicCone::zone(const Vector3& x) const {
  const double a = mu_1 > 0.0 ? x[0] / mu_1 : 0.0, b = mu_2 > 0.0 ? x[1] / mu_2 : 0.0;
  if (tangent_norm(a, b) <= x[2]) return Zone::inside;
  if (tangent_norm(mu_1 * x[0], mu_2 * x[1]) <= -x[2]) return Zone::apex;
  return Zone::boundary;
}

bool SetAnisotropicCone::contains(const Vector3& x, double slack) const {
  const bool stray = (mu_1 == 0.0 && x[0] != 0.0) || (mu_2 == 0.0 && x[1] != 0.0);
  if (!stray && zone(x) == Zone::inside) return true;
  return slack > 0.0 && (x - project(x)).norm() <= slack;
}

Vector3 SetAnisotropicCone::project(const Vector3& x) const {
  const Vector3 reduced(mu_1 > 0.0 ? x[0] : 0.0, mu_2 > 0.0 ? x[1] : 0.0, x[2]);
  const Zone where = zone(reduced);
  if (where == Zone::inside) return reduced;
  if (where == Zone::apex) return Vector3::Zero();
  const double size = reduced.cwiseAbs().maxCoeff();
  const BoundaryPoint p = boundary_point(*this, reduced / size);
  return size * p.e * p.direction;
}

Matrix3 SetAnisotropicCone::project_derivative(const Vector3& x) const {
  const Vector3 reduced(mu_1 > 0.0 ? x[0] : 0.0, mu_2 > 0.0 ? x[1] : 0.0, x[2]);
  const Zone where = zone(reduced);
  Matrix3 derivative = Matrix3::Zero();
  if (where == Zone::apex) return derivative;
  if (where == Zone::inside) {
    derivative.diagonal() << (mu_1 > 0.0 ? 1.0 : 0.0), (mu_2 > 0.0 ? 1.0 : 0.0), 1.0;
    return derivative;
  }
  // Differentiate y + τ Q y = x and yᵀ Q y = 0; eliminating dy_k leaves two equations in (dy_N, dτ). The derivative
  // does not depend on the size of y, so u = y / y_N takes the place of y.
  const BoundaryPoint p = boundary_point(*this, reduced / reduced.cwiseAbs().maxCoeff());
  std::array<double, 2> lean{};  // u_k w_k
  double bulge = 0.0, determinant = 0.0;
  for (int k = 0; k < 2; ++k) {
    if (p.w[k] == 0.0) continue;
    const double u = p.direction[k] / p.direction[2], v = u / p.mu[k];
    lean[k] = u * p.w[k];
    bulge += v * v * p.w[k];
    determinant += v * v * (1.0 + p.mu[k] * p.mu[k]) * p.w[k];
  }
  derivative(2, 2) = bulge / determinant;
  for (int k = 0; k < 2; ++k) {
    derivative(2, k) = derivative(k, 2) = lean[k] / determinant;
    for (int l = 0; l < 2; ++l) derivative(k, l) = -p.signed_gap * lean[k] * lean[l] / determinant;
    derivative(k, k) += p.e * p.w[k] * p.mu[k] * p.mu[k];
  }
  return derivative;
}

Vector3 SetAnisotropicCone::de_saxce_shift(const Vector3& sigma) const {
  return {0.0, 0.0, tangent_norm(mu_1 * sigma[0], mu_2 * sigma[1])};
}

}  // namespace stiction
