// ε_nat: how far one constraint is from its law, relative to its own impulses and velocities. judge.h has the formulas.
#pragma once

#include "stiction/contact/judge_distances.h"
#include "stiction/contact/model.h"

namespace stiction::judge_detail {

// What ε_nat measures against, for λ' and σ' of one constraint; judge.h has the formulas.
struct OwnSize {
  double impulse, speed;

  // size = ‖λ'‖; change = |σ' − g'|, what all impulses together did to the constraint.
  OwnSize(const ConstraintScale& scale, double size, double change)
      : impulse(std::max({scale.push, size, std::min(1.0, change)})),
        speed(std::min(1.0, std::max(scale.speed, ConstraintScale::range * size))) {}
  double work() const { return impulse * speed; }
};

// ‖λ_T + ρ d‖ where friction would be −ρ d at most, d the direction of slip: along d and across it.
inline double misdirected(double t1, double t2, double d1, double d2, double reach) {
  return length(t1 + reach * d1, t2 + reach * d2);
}

// A contact under Coulomb's law; lt and st are the lengths of the tangential parts of λ' and σ'.
inline double own_exact_contact(const Triple& l, const Triple& s, double lt, double st, double mu, const OwnSize& own) {
  double worst =
      std::max({distance_to_cone(lt, l.n, mu) / own.impulse, -s.n / own.speed, std::abs(l.n * s.n) / own.work()});
  if (st > 0.0) {
    const double reach = std::min(mu * std::max(0.0, l.n), lt + own.impulse);
    const double astray = misdirected(l.t1, l.t2, s.t1 / st, s.t2 / st, reach);
    worst = std::max(worst, st * astray / own.work());
  }
  return worst;
}

// Friction with a bound of its own is measured against that, but not against less than a small share of the speeds there.
inline double size_of_bound(double bound, const OwnSize& own) {
  return std::max(bound, ConstraintScale::floor * own.impulse);
}

// The largest of |σ − g| over the rows of a constraint.
inline double largest_change(const double* s, const double* g, int rows) {
  double change = 0.0;
  for (int r = 0; r < rows; ++r) change = std::max(change, std::abs(s[r] - g[r]));
  return change;
}

// Any constraint under any model; λ and σ point to its first row, unscaled, and velocity_scale is 1/V.
double own_measure(const ContactProblem& problem, int i, const double* l, const double* s, double velocity_scale,
                   ContactModel model);

// Torsional and rolling friction, given the bound r λ_N, unscaled too.
double own_coupled(const ContactProblem& problem, int i, const double* l, const double* s, double bound,
                   double velocity_scale, ContactModel model);

}  // namespace stiction::judge_detail
