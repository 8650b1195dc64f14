// The stopping test of `auto` in its hot path: the same value as stopping_residual() of the NCP, but computed only as
// far as it is needed. At robot scale a solve takes some hundred nanoseconds, and the test is a good part of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "stiction/contact/problem.h"

namespace stiction {

// λ̂ = impulse·λ and σ̂ = velocity·σ are the scaled quantities of ε_rel, own[i].impulse·λ_i and σ̂ those of ε_nat (theory
// §1.7).
struct AutoResidualScale {
  double impulse = 1.0;
  double velocity = 1.0;
  bool relative = false;                  // ε_rel instead of ε_nat
  const ConstraintScale* own = nullptr;   // of the problem, constraint by constraint
  const double* free_velocity = nullptr;  // g, by row

  AutoResidualScale() = default;
  AutoResidualScale(const ContactProblem& problem, bool use_relative)
      : impulse(problem.largest_diagonal() / problem.largest_free_velocity()),
        velocity(1.0 / problem.largest_free_velocity()),
        relative(use_relative),
        own(problem.scales().data()),
        free_velocity(problem.free_velocity().data()) {}
};

namespace auto_residual_detail {

// A NaN as value comes through; one in so_far would be lost, so who raises on after one has to look.
inline double raise(double so_far, double value) {
  return value <= so_far ? so_far : value;
}
// max(so_far, part/size) where the division is taken only if it matters.
inline double raise(double so_far, double part, double size) {
  return part <= so_far * size ? so_far : part / size;
}

inline double own_impulse(const ConstraintScale& own, double size, double change) {
  const double moved = change < 1.0 ? change : 1.0, a = own.push > size ? own.push : size;
  return moved > a ? moved : a;
}
inline double own_speed(const ConstraintScale& own, double size) {
  if (own.speed >= 1.0) return 1.0;
  return std::min(1.0, std::max(own.speed, ConstraintScale::range * size));
}

// ε_nat of one contact: a, v and the four parts of judge.h.
inline double own_frictional(double velocity, const ConstraintScale& own, double mu, const double* g, const double* l,
                             const double* s, double so_far) {
  const double a0 = own.impulse * l[0], a1 = own.impulse * l[1], a2 = own.impulse * l[2];
  const double b0 = velocity * s[0], b1 = velocity * s[1], b2 = velocity * s[2];
  const double tangent_squared = a0 * a0 + a1 * a1;
  const double size = std::sqrt(tangent_squared + a2 * a2), slip = std::sqrt(b0 * b0 + b1 * b1);
  const double changed = std::max({std::abs(s[0] - g[0]), std::abs(s[1] - g[1]), std::abs(s[2] - g[2])});
  const double a = own_impulse(own, size, velocity * changed), v = own_speed(own, size), work = a * v;
  double r = raise(so_far, -b2, v);
  r = raise(r, std::abs(a2 * b2), work);
  if (!(r == r)) return r;
  const double push = a2 > 0.0 ? a2 : 0.0, cone = mu * push, inside = cone + r * a;
  if (!(a2 >= 0.0) || tangent_squared > inside * inside) {
    const double tangent = std::sqrt(tangent_squared);
    r = raise(r, mu * tangent <= -a2 ? size : (tangent - mu * a2) / std::sqrt(1.0 + mu * mu), a);
  }
  if (slip == 0.0) return r;
  double reach = cone;
  if (cone > a) {  // only then can it exceed ‖λ_T‖ + a
    const double most = std::sqrt(tangent_squared) + a;
    if (reach > most) reach = most;
  }
  const double m0 = slip * a0 + reach * b0, m1 = slip * a1 + reach * b1;
  return raise(r, std::sqrt(m0 * m0 + m1 * m1), work);
}

inline double own_other_kind(double velocity, const ConstraintScale& own, const Constraint& c, const double* g,
                             const double* l, const double* s, double so_far) {
  if (c.kind == ConstraintKind::bilateral) {
    double speed = 0.0, size = 0.0;
    for (int k = 0; k < c.rows; ++k) {
      speed += velocity * s[k] * (velocity * s[k]);
      size += own.impulse * l[k] * (own.impulse * l[k]);
    }
    return raise(so_far, std::sqrt(speed), own_speed(own, std::sqrt(size)));
  }
  const double lambda = own.impulse * l[0], sigma = velocity * s[0];
  const double a = own_impulse(own, std::abs(lambda), velocity * std::abs(s[0] - g[0]));
  const double v = own_speed(own, std::abs(lambda));
  if (c.kind == ConstraintKind::unilateral) {
    double r = raise(so_far, -sigma, v);
    r = raise(r, -lambda, a);
    return raise(r, std::abs(lambda * sigma), a * v);
  }
  const double bound = own.impulse * c.bound, size = std::max(bound, ConstraintScale::floor * a);
  const double reach = std::min(bound, std::abs(lambda) + size);
  const double r = raise(so_far, std::abs(lambda) - bound, size);
  return raise(r, std::abs(sigma) * std::abs(lambda + std::copysign(reach, sigma)), size * v);
}

inline double relative_frictional(const AutoResidualScale& scale, double mu, const double* l, const double* s,
                                  double so_far) {
  const double a0 = scale.impulse * l[0], a1 = scale.impulse * l[1], a2 = scale.impulse * l[2];
  const double b0 = scale.velocity * s[0], b1 = scale.velocity * s[1], b2 = scale.velocity * s[2];
  const double tangent_squared = a0 * a0 + a1 * a1;
  const double slip = std::sqrt(b0 * b0 + b1 * b1);
  const double z2 = b2 + mu * slip;
  double r = so_far;
  if (!(-b2 <= r)) {  // z lies outside K* exactly when σ_N < 0, and at most −σ_N away from it
    const double hypotenuse = std::sqrt(1.0 + std::min(1.0, mu * mu));  // penetration counts where μ is large
    r = raise(r, slip <= -mu * z2 ? std::sqrt(slip * slip + z2 * z2) : 0.0);
    r = raise(r, -b2 / hypotenuse);
  }
  r = raise(r, std::abs(a0 * b0 + a1 * b1 + a2 * z2));
  if (!(r == r)) return r;
  const double reach = mu * a2 + r;  // an impulse within it is no farther from K than the residual so far
  if (!(a2 >= 0.0) || tangent_squared > reach * reach) {
    const double tangent = std::sqrt(tangent_squared);
    r = raise(
        r, mu * tangent <= -a2 ? std::sqrt(tangent_squared + a2 * a2) : (tangent - mu * a2) / std::sqrt(1.0 + mu * mu));
  }
  return r;
}

inline double relative_other_kind(const AutoResidualScale& scale, const Constraint& c, const double* l, const double* s,
                                  double so_far) {
  if (c.kind == ConstraintKind::unilateral) {
    const double a = scale.impulse * l[0], b = scale.velocity * s[0];
    return raise(raise(raise(so_far, -b), -a), std::abs(a * b));
  }
  if (c.kind == ConstraintKind::dry_friction) {
    const double a = scale.impulse * l[0], b = scale.velocity * s[0], bound = scale.impulse * c.bound;
    const double x = a - b;
    return raise(so_far, x > bound ? std::abs(a - bound) : x < -bound ? std::abs(a + bound) : std::abs(b + 0.0 * a));
  }
  double speed = 0.0, work = 0.0;
  for (int k = 0; k < c.rows; ++k) {
    const double a = scale.impulse * l[k], b = scale.velocity * s[k];
    speed += b * b;
    work += a * b;
  }
  return raise(raise(so_far, std::sqrt(speed)), std::abs(work));
}

}  // namespace auto_residual_detail

// The residual of constraint i, or so_far if that is larger. λ and σ point to its first row.
inline double auto_residual_of(const AutoResidualScale& scale, const Constraint& c, std::size_t i, const double* l,
                               const double* s, double so_far) {
  using namespace auto_residual_detail;
  const bool contact = c.kind == ConstraintKind::frictional;
  if (!scale.relative) {
    const double* g = scale.free_velocity + c.first_row;
    return contact ? own_frictional(scale.velocity, scale.own[i], c.friction, g, l, s, so_far)
                   : own_other_kind(scale.velocity, scale.own[i], c, g, l, s, so_far);
  }
  return contact ? relative_frictional(scale, c.friction, l, s, so_far) : relative_other_kind(scale, c, l, s, so_far);
}

// The residual if it is at most `limit`; otherwise some value above the limit (infinity where a value is not finite).
inline double auto_residual(const AutoResidualScale& scale, std::span<const Constraint> constraints,
                            const double* lambda, const double* sigma, double limit) {
  double r = 0.0;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Constraint& c = constraints[i];
    r = auto_residual_of(scale, c, i, lambda + c.first_row, sigma + c.first_row, r);
    if (!(r <= limit)) return r > limit ? r : std::numeric_limits<double>::infinity();
  }
  return r;
}

}  // namespace stiction
