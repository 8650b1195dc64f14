// Algebra of one Lorentz cone L = { ‖x_T‖ ≤ x_N } for interior points (theory §4.2, §4.3, §4.7).
//
//   x   primal point, x = P λ with P = diag(1, 1, μ), so that λ ∈ K_μ is x ∈ L
//   y   dual point in L; the velocity is a smooth function of it (below)
//   ∘   Jordan product, x ∘ y = (x_N y_T + y_N x_T, x·y); Arw(x) y = x ∘ y
//
// Everything is a value and branch-free where it runs inside loops over contacts, so that these loops vectorise.
// T is double, or long double for the last stage.
#pragma once

#include <algorithm>
#include <cmath>

namespace stiction {

template <class T>
struct ConePoint {
  T t1, t2, n;
};

template <class T>
inline ConePoint<T> operator+(const ConePoint<T>& a, const ConePoint<T>& b) {
  return {a.t1 + b.t1, a.t2 + b.t2, a.n + b.n};
}
template <class T>
inline ConePoint<T> operator-(const ConePoint<T>& a, const ConePoint<T>& b) {
  return {a.t1 - b.t1, a.t2 - b.t2, a.n - b.n};
}
template <class T>
inline ConePoint<T> operator*(T a, const ConePoint<T>& b) {
  return {a * b.t1, a * b.t2, a * b.n};
}
template <class T>
inline T dot(const ConePoint<T>& a, const ConePoint<T>& b) {
  return a.n * b.n + a.t1 * b.t1 + a.t2 * b.t2;
}
template <class T>
inline T tangent_norm(const ConePoint<T>& a) {
  return std::sqrt(a.t1 * a.t1 + a.t2 * a.t2);
}

template <class T>
inline ConePoint<T> jordan_product(const ConePoint<T>& a, const ConePoint<T>& b) {
  return {a.n * b.t1 + b.n * a.t1, a.n * b.t2 + b.n * a.t2, dot(a, b)};
}

// x_N² − ‖x_T‖², positive inside the cone. As a product, so that it keeps its digits near the boundary.
template <class T>
inline T cone_determinant(const ConePoint<T>& x) {
  const T r = tangent_norm(x);
  return (x.n - r) * (x.n + r);
}

// Arw(x)⁻¹, symmetric.
template <class T>
struct ArrowInverse {
  T nn, n1, n2, s11, s12, s22;

  explicit ArrowInverse(const ConePoint<T>& x) {
    const T det = cone_determinant(x);
    const T inverse = T(1) / det;
    const T over_n = inverse / x.n;
    nn = x.n * inverse;
    n1 = -x.t1 * inverse;
    n2 = -x.t2 * inverse;
    s11 = (det + x.t1 * x.t1) * over_n;
    s12 = x.t1 * x.t2 * over_n;
    s22 = (det + x.t2 * x.t2) * over_n;
  }
  ConePoint<T> operator*(const ConePoint<T>& b) const {
    return {n1 * b.n + s11 * b.t1 + s12 * b.t2, n2 * b.n + s12 * b.t1 + s22 * b.t2, nn * b.n + n1 * b.t1 + n2 * b.t2};
  }
};

// The exact smooth de Saxcé term (4-3), for any δ ∈ [0, 1):
//     σ_T = y_T,   σ_N = μ (y_N − ν),   ν = √((1 − δ²) ‖y_T‖² + δ² y_N²).
// With x ∘ y = 0 this is the Coulomb law: y = 0 sticks; on the boundary ν = ‖y_T‖, so σ_N = 0 and the contact slides;
// inside σ_N > 0 and x = 0, open. No smoothing parameter has to vanish.
template <class T>
inline ConePoint<T> velocity_of_dual(const ConePoint<T>& y, T mu, T delta) {
  const T d2 = delta * delta;
  const T nu = std::sqrt((T(1) - d2) * (y.t1 * y.t1 + y.t2 * y.t2) + d2 * y.n * y.n);
  return {y.t1, y.t2, mu * (y.n - nu)};
}

// The y that has this velocity, for σ_N ≥ 0; a negative one counts as 0.
inline ConePoint<double> dual_of_velocity(const ConePoint<double>& sigma, double mu, double delta) {
  const double d2 = delta * delta, e2 = 1.0 - d2, s = std::max(0.0, sigma.n / mu), r = tangent_norm(sigma);
  return {sigma.t1, sigma.t2, (s + std::sqrt(d2 * s * s + e2 * e2 * r * r)) / e2};
}

// The x, y > 0 with x y = κ and x − y = z.
struct CentralPair {
  double x, y;

  CentralPair(double z, double kappa) {
    const double larger = 0.5 * (std::abs(z) + std::sqrt(z * z + 4.0 * kappa)), smaller = kappa / larger;
    x = z > 0.0 ? larger : smaller;
    y = z > 0.0 ? smaller : larger;
  }
};

// The x, y inside the cone with x ∘ y = κ e and x − y = z: the same for both eigenvalues N ∓ ‖T‖.
struct CentralConePair {
  ConePoint<double> x, y;

  CentralConePair(const ConePoint<double>& z, double kappa) {
    const double r = tangent_norm(z), e1 = r > 0.0 ? z.t1 / r : 0.0, e2 = r > 0.0 ? z.t2 / r : 0.0;
    const CentralPair low(z.n - r, kappa), high(z.n + r, kappa);
    const auto point = [&](double l, double h) {
      return ConePoint<double>{0.5 * (h - l) * e1, 0.5 * (h - l) * e2, 0.5 * (h + l)};
    };
    x = point(low.x, high.x);
    y = point(low.y, high.y);
  }
};

// D = ∂σ/∂y is the identity but for its last row (t1, t2, n).
template <class T>
struct DualDerivative {
  T t1, t2, n;

  DualDerivative(const ConePoint<T>& y, T mu, T delta) {
    const T d2 = delta * delta, e2 = T(1) - d2;
    const T nu = std::sqrt(e2 * (y.t1 * y.t1 + y.t2 * y.t2) + d2 * y.n * y.n);
    const T over_nu = T(1) / (nu > T(1e-300) ? nu : T(1e-300));  // the kink of δ = 0 at y_T = 0 counts as flat
    t1 = -mu * e2 * y.t1 * over_nu;
    t2 = -mu * e2 * y.t2 * over_nu;
    n = mu * (T(1) - d2 * y.n * over_nu);
  }
  ConePoint<T> operator*(const ConePoint<T>& v) const { return {v.t1, v.t2, t1 * v.t1 + t2 * v.t2 + n * v.n}; }
};

// 1/a for the largest a with x + a d in the cone, 0 if every a will do; x strictly inside.
template <class T>
inline T inverse_largest_step(const ConePoint<T>& x, const ConePoint<T>& d) {
  const T tiny = T(1e-300);
  const T det = cone_determinant(x);
  const T over_s = T(1) / std::sqrt(det > tiny ? det : tiny);
  const T k = (x.n * d.n - x.t1 * d.t1 - x.t2 * d.t2) * over_s;
  const T f = (k + d.n) / (x.n * over_s + T(1)) * over_s;
  const T u = d.t1 - f * x.t1, v = d.t2 - f * x.t2;
  const T inverse = (std::sqrt(u * u + v * v) - k) * over_s;
  return inverse > T(0) ? inverse : T(0);
}

// The polar update of path following: near the boundary, ‖T‖ > 0.7 N, move the eigenvalues N ∓ ‖T‖ linearly and rotate
// T by (t_⊥·ΔT)/‖T‖, at most 0.7 rad; elsewhere straight.
struct PolarStep {
  static constexpr double near_boundary = 0.7;
  static constexpr double largest_turn = 0.7;

  static double inverse_largest(const ConePoint<double>& x, const ConePoint<double>& d) {
    const double r = tangent_norm(x);
    if (r < near_boundary * x.n) return inverse_largest_step(x, d);
    const double e1 = x.t1 / r, e2 = x.t2 / r;
    const double radial = e1 * d.t1 + e2 * d.t2;
    const double turn = std::abs(e1 * d.t2 - e2 * d.t1) / r;
    return std::max({0.0, (radial - d.n) / (x.n - r), -(radial + d.n) / (x.n + r), turn / largest_turn});
  }
  static ConePoint<double> advance(const ConePoint<double>& x, const ConePoint<double>& d, double a) {
    const double r = tangent_norm(x);
    if (r < near_boundary * x.n) return x + a * d;
    const double e1 = x.t1 / r, e2 = x.t2 / r;
    const double radial = e1 * d.t1 + e2 * d.t2;
    const double angle = a * (e1 * d.t2 - e2 * d.t1) / r;
    const double low = x.n - r + a * (d.n - radial), high = x.n + r + a * (d.n + radial);
    const double c = std::cos(angle), s = std::sin(angle), radius = 0.5 * (high - low);
    return {radius * (c * e1 - s * e2), radius * (c * e2 + s * e1), 0.5 * (low + high)};
  }
};

}  // namespace stiction
