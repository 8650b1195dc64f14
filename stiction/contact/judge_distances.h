// Lengths, distances and projections of the judge, written out apart from those in the math room that solvers use.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/contact/constraint.h"
#include "stiction/contact/problem.h"

namespace stiction::judge_detail {

// A contact is seen through (t, n): t the length of the tangential part, n the normal part.

// √(t² + n²). hypot() takes a call and several divisions; it is needed only where the squares leave the range.
inline double length(double t, double n) {
  const double square = t * t + n * n;
  return square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::hypot(t, n);
}

inline double distance_to_cone(double t, double n, double mu) {
  if (n >= 0.0 && t <= mu * n) return 0.0;  // without friction 0 ≤ μ n says nothing of n
  if (mu * t <= -n) return length(t, n);
  return (t - mu * n) / std::sqrt(1.0 + mu * mu);
}

inline double distance_to_dual_cone(double t, double n, double mu) {
  if (mu * t <= n) return 0.0;
  if (t <= -mu * n) return length(t, n);
  return (mu * t - n) / std::sqrt(1.0 + mu * mu);
}

// Projection on the pyramid |t1|, |t2| ≤ μ n, given a ≥ b ≥ 0 the sorted |t|: the height of the projected point
// minimises (h − n)² + (a − μ h)₊² + (b − μ h)₊² over h ≥ 0.
inline double pyramid_height(double a, double b, double n, double mu) {
  double h = n;  // no side active
  if (a > mu * h) {
    h = (n + mu * a) / (1.0 + mu * mu);
    if (b > mu * h) h = (n + mu * (a + b)) / (1.0 + 2.0 * mu * mu);
  }
  return std::max(0.0, h);
}

struct Triple {
  double t1, t2, n;

  double tangent() const { return std::sqrt(t1 * t1 + t2 * t2); }
};

inline Triple project_on_pyramid(const Triple& x, double mu) {
  const double a = std::abs(x.t1), b = std::abs(x.t2);
  const double h = pyramid_height(std::max(a, b), std::min(a, b), x.n, mu);
  const double limit = mu * h;
  return {std::clamp(x.t1, -limit, limit), std::clamp(x.t2, -limit, limit), h};
}

inline double square_of(double x) {
  return x * x;
}
inline double square_of(const Triple& x) {
  return x.t1 * x.t1 + x.t2 * x.t2 + x.n * x.n;
}
inline double square_of(const double* x, int rows) {
  double square = 0.0;
  for (int r = 0; r < rows; ++r) square += x[r] * x[r];
  return square;
}
inline double length(const Triple& x) {
  return std::sqrt(square_of(x));
}

// The coordinates in which an anisotropic cone is the round one with μ = 1 (λ_k/μ_k, μ_k σ_k; an exact equivalence).
// A direction without friction admits no impulse at all: what there is comes back as `stray`.
struct RoundContact {
  Triple lambda, sigma;
  double stray = 0.0;
};

inline RoundContact make_round(const Constraint& c, Triple l, Triple s) {
  double stray = 0.0;
  const auto turn = [&](double mu, double& lambda, double& sigma) {
    if (mu > 0.0) {
      lambda /= mu;
    } else {
      stray = std::max(stray, std::abs(lambda));
      lambda = 0.0;
    }
    sigma *= mu;
  };
  turn(c.friction, l.t1, s.t1);
  turn(c.friction_2, l.t2, s.t2);
  return {l, s, stray};
}

// The diagonal block of G + R; only the bent direction of RaiSim looks at it.
inline Matrix3 compliant_block(const ContactProblem& problem, int i) {
  Matrix3 w = problem.diagonal_block(i);
  for (int r = 0; r < 3; ++r) w(r, r) += problem.compliance()[problem.constraint(i).first_row + r];
  return w;
}

inline Matrix3 round_block(const ContactProblem& problem, int i) {
  Matrix3 w = compliant_block(problem, i);
  const Constraint& c = problem.constraint(i);
  w.row(0) *= c.friction;
  w.row(1) *= c.friction_2;
  w.col(0) *= c.friction;
  w.col(1) *= c.friction_2;
  return w;
}

}  // namespace stiction::judge_detail
