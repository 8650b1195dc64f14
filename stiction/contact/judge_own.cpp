#include "stiction/contact/judge_own.h"

#include <utility>

namespace stiction::judge_detail {
namespace {

// Maximum dissipation on an ellipse: λ_T = −λ_N (μ_1² σ_1, μ_2² σ_2)/‖(μ_1 σ_1, μ_2 σ_2)‖.
double own_anisotropic_contact(const Constraint& c, const Triple& l, const Triple& s, const OwnSize& own) {
  const double lt = l.tangent(), st = s.tangent(), mu1 = c.friction, mu2 = c.friction_2;
  const double x1 = mu1 > 0.0 ? l.t1 / mu1 : 0.0, x2 = mu2 > 0.0 ? l.t2 / mu2 : 0.0, needed = length(x1, x2);
  double outside = std::max(0.0, -l.n);  // in the direction of λ_T where that is too long for λ_N
  if (needed > l.n) outside = std::max(outside, lt * std::min(1.0, (needed - l.n) / needed));
  if (mu1 == 0.0) outside = std::max(outside, std::abs(l.t1));
  if (mu2 == 0.0) outside = std::max(outside, std::abs(l.t2));
  double worst = std::max({outside / own.impulse, -s.n / own.speed, std::abs(l.n * s.n) / own.work()});
  if (st > 0.0) {
    const double w1 = mu1 * s.t1, w2 = mu2 * s.t2, power = length(w1, w2);
    const double d1 = power > 0.0 ? mu1 * w1 / power : 0.0, d2 = power > 0.0 ? mu2 * w2 / power : 0.0;
    const double steep = length(d1, d2);
    double reach = std::max(0.0, l.n);
    if (steep * reach > lt + own.impulse) reach = (lt + own.impulse) / steep;
    worst = std::max(worst, st * misdirected(l.t1, l.t2, d1, d2, reach) / own.work());
  }
  return worst;
}

double own_pyramid_contact(const Triple& l, const Triple& s, double mu, const OwnSize& own) {
  const Triple inside = project_on_pyramid(l, mu);
  double worst = std::max({length({l.t1 - inside.t1, l.t2 - inside.t2, l.n - inside.n}) / own.impulse, -s.n / own.speed,
                           std::abs(l.n * s.n) / own.work()});
  for (const auto& [lambda, sigma] : {std::pair{l.t1, s.t1}, std::pair{l.t2, s.t2}}) {
    const double reach = std::min(mu * std::max(0.0, l.n), std::abs(lambda) + own.impulse);
    const double astray = std::abs(lambda + std::copysign(reach, sigma));
    worst = std::max(worst, std::abs(sigma) * astray / own.work());
  }
  return worst;
}

// The convex model: σ itself lies in the dual cone and does no work.
double own_convex_contact(const Triple& l, const Triple& s, double mu, const OwnSize& own) {
  const double work = l.t1 * s.t1 + l.t2 * s.t2 + l.n * s.n;
  return std::max({distance_to_cone(l.tangent(), l.n, mu) / own.impulse, -s.n / own.speed,
                   distance_to_dual_cone(s.tangent(), s.n, mu) / own.speed, std::abs(work) / own.work()});
}

double own_raisim_contact(const Triple& l, const Triple& s, double mu, const Matrix3& w, const OwnSize& own) {
  const double lt = l.tangent(), st = s.tangent();
  double worst =
      std::max({distance_to_cone(lt, l.n, mu) / own.impulse, -s.n / own.speed, std::abs(l.n * s.n) / own.work()});
  if (l.n <= 0.0 || st == 0.0) return worst;
  const double bend = w(2, 2) > 0.0 ? mu * mu * l.n / w(2, 2) : 0.0;
  const double d1 = l.t1 + bend * w(2, 0), d2 = l.t2 + bend * w(2, 1), dt = length(d1, d2);
  double astray = std::max(0.0, std::min(mu * l.n, lt + own.impulse) - lt);  // too little friction for what moves
  if (dt > 0.0) astray = std::max(astray, lt * length(s.t1 / st + d1 / dt, s.t2 / st + d2 / dt));
  return std::max(worst, st * astray / own.work());
}

double own_row(const Constraint& c, double l, double s, double bound, bool admissible_only, const OwnSize& own) {
  if (c.kind == ConstraintKind::unilateral) {
    const double worst = std::max({0.0, -l / own.impulse, -s / own.speed});
    return admissible_only ? worst : std::max(worst, std::abs(l * s) / own.work());
  }
  const double size = size_of_bound(bound, own);
  const double worst = std::max(0.0, std::abs(l) - bound) / size;
  if (admissible_only) return worst;
  const double reach = std::min(bound, std::abs(l) + size);
  return std::max(worst, std::abs(s) * std::abs(l + std::copysign(reach, s)) / (size * own.speed));
}

}  // namespace

double own_measure(const ContactProblem& problem, int i, const double* l, const double* s, double velocity_scale,
                   ContactModel model) {
  const Constraint& c = problem.constraint(i);
  const ConstraintScale& scale = problem.scale(i);
  const double change = velocity_scale * largest_change(s, problem.free_velocity().data() + c.first_row, c.rows);
  if (c.kind == ConstraintKind::bilateral) {
    const OwnSize own(scale, scale.impulse * std::sqrt(square_of(l, c.rows)), change);
    return velocity_scale * std::sqrt(square_of(s, c.rows)) / own.speed;
  }
  const bool admissible_only = model == ContactModel::max_dissipation;
  if (is_coupled(c.kind)) return own_coupled(problem, i, l, s, 0.0, velocity_scale, model);  // without a partner
  if (c.rows == 1) {
    const double lambda = scale.impulse * l[0];
    return own_row(c, lambda, velocity_scale * s[0], scale.impulse * c.bound, admissible_only,
                   OwnSize(scale, std::abs(lambda), change));
  }
  const Triple lambda{scale.impulse * l[0], scale.impulse * l[1], scale.impulse * l[2]};
  const Triple sigma{velocity_scale * s[0], velocity_scale * s[1], velocity_scale * s[2]};
  const double lt = lambda.tangent(), st = sigma.tangent();
  const OwnSize own(scale, length(lambda), change);
  if (admissible_only || c.kind == ConstraintKind::viscous) {
    const double reach = length(c.friction * lambda.n, scale.impulse * c.bound);
    return std::max({0.0, -lambda.n / own.impulse, (lt - reach) / own.impulse, -sigma.n / own.speed});
  }
  if (model == ContactModel::frictionless) return own_exact_contact(lambda, sigma, lt, st, 0.0, own);
  if (c.kind == ConstraintKind::anisotropic) {
    if (model == ContactModel::ncp) return own_anisotropic_contact(c, lambda, sigma, own);
    const RoundContact round = make_round(c, lambda, sigma);
    const OwnSize round_own(scale, length(round.lambda), change);
    const double stray = round.stray / own.impulse;
    if (model == ContactModel::lcp)
      return std::max(stray, own_pyramid_contact(round.lambda, round.sigma, 1.0, round_own));
    if (model == ContactModel::ccp)
      return std::max(stray, own_convex_contact(round.lambda, round.sigma, 1.0, round_own));
    return std::max(stray, own_raisim_contact(round.lambda, round.sigma, 1.0, round_block(problem, i), round_own));
  }
  switch (model) {
    case ContactModel::lcp:
      return own_pyramid_contact(lambda, sigma, c.friction, own);
    case ContactModel::ccp:
      return own_convex_contact(lambda, sigma, c.friction, own);
    case ContactModel::raisim:
      return own_raisim_contact(lambda, sigma, c.friction, compliant_block(problem, i), own);
    default:
      return own_exact_contact(lambda, sigma, lt, st, c.friction, own);
  }
}

// What friction lacks of its most: along one axis, or in the plane.
double own_coupled(const ContactProblem& problem, int i, const double* l, const double* s, double bound,
                   double velocity_scale, ContactModel model) {
  const Constraint& c = problem.constraint(i);
  const ConstraintScale& scale = problem.scale(i);
  const bool rolls = c.kind == ConstraintKind::rolling;
  const int rows = rolls ? 2 : 1;
  const double l1 = scale.impulse * l[0], l2 = rolls ? scale.impulse * l[1] : 0.0;
  const double s1 = velocity_scale * s[0], s2 = rolls ? velocity_scale * s[1] : 0.0;
  const double change = velocity_scale * largest_change(s, problem.free_velocity().data() + c.first_row, rows);
  const double lt = length(l1, l2), st = length(s1, s2);
  const OwnSize own(scale, lt, change);
  const double limit = scale.impulse * bound, size = size_of_bound(limit, own);
  const bool square = rolls && model == ContactModel::lcp;
  double worst = std::max(0.0, (square ? std::max(std::abs(l1), std::abs(l2)) : lt) - limit) / size;
  if (rolls) worst = std::max(worst, scale.impulse * std::abs(l[2]) / size);  // nothing acts in the empty row
  if (model == ContactModel::max_dissipation || st == 0.0) return worst;
  if (square) {
    for (const auto& [lambda, sigma] : {std::pair{l1, s1}, std::pair{l2, s2}}) {
      const double astray = std::abs(lambda + std::copysign(std::min(limit, std::abs(lambda) + size), sigma));
      worst = std::max(worst, std::abs(sigma) * astray / (size * own.speed));
    }
    return worst;
  }
  const double astray = misdirected(l1, l2, s1 / st, s2 / st, std::min(limit, lt + size));
  return std::max(worst, st * astray / (size * own.speed));
}

}  // namespace stiction::judge_detail
