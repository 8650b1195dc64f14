// The stopping test of `auto` in its hot path: the same value as stopping_residual() of the NCP, but computed only as
// far as it is needed. At robot scale a solve takes some hundred nanoseconds, and the test is a good part of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "stiction/contact/problem.h"

namespace stiction {

// λ̂ = impulse·λ and σ̂ = velocity·σ are the scaled quantities of ε_rel and ε_nat (theory §1.7).
struct AutoResidualScale {
  double impulse = 1.0;
  double velocity = 1.0;
  bool relative = false;  // ε_rel instead of ε_nat

  AutoResidualScale() = default;
  AutoResidualScale(const ContactProblem& problem, bool use_relative)
      : impulse(problem.largest_diagonal() / problem.largest_free_velocity()),
        velocity(1.0 / problem.largest_free_velocity()),
        relative(use_relative) {}
};

namespace auto_residual_detail {

// max(so_far, part / max(1, √size²)) where root and division are taken only if they can matter. Comparisons are written
// so that a NaN is not lost.
inline double raise(double so_far, double part, double size_squared, bool relative) {
  if (part <= so_far) return so_far;
  if (!relative && size_squared > 1.0) part /= std::sqrt(size_squared);
  return part <= so_far ? so_far : part;
}

inline double frictional(const AutoResidualScale& scale, double mu, const double* l, const double* s, double so_far) {
  const double a0 = scale.impulse * l[0], a1 = scale.impulse * l[1], a2 = scale.impulse * l[2];
  const double b0 = scale.velocity * s[0], b1 = scale.velocity * s[1], b2 = scale.velocity * s[2];
  const double tangent_squared = a0 * a0 + a1 * a1;
  const double slip = std::sqrt(b0 * b0 + b1 * b1);
  const double z2 = b2 + mu * slip;
  double r = so_far;
  if (!(-b2 <= r)) {  // z lies outside K* exactly when σ_N < 0, and at most −σ_N away from it
    const double dual = slip <= -mu * z2 ? std::sqrt(slip * slip + z2 * z2) : -b2 / std::sqrt(1.0 + mu * mu);
    if (!(dual <= r)) r = dual;
  }
  const double work = std::abs(a0 * b0 + a1 * b1 + a2 * z2);
  double part = work;
  const double reach = mu * a2 + r;  // an impulse within it is no farther from K than the residual so far
  if (!(a2 >= 0.0) || tangent_squared > reach * reach) {
    const double tangent = std::sqrt(tangent_squared);
    const double primal =
        mu * tangent <= -a2 ? std::sqrt(tangent_squared + a2 * a2) : (tangent - mu * a2) / std::sqrt(1.0 + mu * mu);
    if (primal > part) part = primal;  // a NaN in λ or σ is already in `work`
  }
  return raise(r, part, tangent_squared + a2 * a2, scale.relative);
}

inline double other_kind(const AutoResidualScale& scale, const Constraint& c, const double* l, const double* s,
                         double so_far) {
  if (c.kind == ConstraintKind::unilateral) {
    const double a = scale.impulse * l[0], b = scale.velocity * s[0];
    const double r = -b <= so_far ? so_far : -b;
    const double work = std::abs(a * b);
    return raise(r, -a > work ? -a : work, a * a, scale.relative);
  }
  if (c.kind == ConstraintKind::dry_friction) {
    const double a = scale.impulse * l[0], b = scale.velocity * s[0], bound = scale.impulse * c.bound;
    const double x = a - b;
    const double part = x > bound ? std::abs(a - bound) : x < -bound ? std::abs(a + bound) : std::abs(b + 0.0 * a);
    return raise(so_far, part, a * a, scale.relative);
  }
  double speed = 0.0, work = 0.0, size = 0.0;
  for (int k = 0; k < c.rows; ++k) {
    const double a = scale.impulse * l[k], b = scale.velocity * s[k];
    speed += b * b;
    work += a * b;
    size += a * a;
  }
  speed = std::sqrt(speed);
  return raise(speed <= so_far ? so_far : speed, std::abs(work), size, scale.relative);
}

}  // namespace auto_residual_detail

// The residual of one constraint, or so_far if that is larger. λ and σ point to its first row.
inline double auto_residual_of(const AutoResidualScale& scale, const Constraint& c, const double* l, const double* s,
                               double so_far) {
  if (c.kind == ConstraintKind::frictional) {
    return auto_residual_detail::frictional(scale, c.friction, l, s, so_far);
  }
  return auto_residual_detail::other_kind(scale, c, l, s, so_far);
}

// The residual if it is at most `limit`; otherwise some value above the limit (infinity where a value is not finite).
inline double auto_residual(const AutoResidualScale& scale, std::span<const Constraint> constraints,
                            const double* lambda, const double* sigma, double limit) {
  double r = 0.0;
  for (const Constraint& c : constraints) {
    r = auto_residual_of(scale, c, lambda + c.first_row, sigma + c.first_row, r);
    if (!(r <= limit)) return r > limit ? r : std::numeric_limits<double>::infinity();
  }
  return r;
}

}  // namespace stiction
