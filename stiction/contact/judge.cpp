#include "stiction/contact/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/contact/judge_own.h"
#include "stiction/math/refuse.h"

namespace stiction {

using namespace judge_detail;

namespace {

// ε_p, ε_d, ε_c of one constraint, all in the units of the λ and σ given.
struct Distances {
  double primal = 0.0;
  double dual = 0.0;
  double complementarity = 0.0;
};

// Cones with a large μ have a wide dual: penetration of any speed would be near it. Where μ ≤ 1 this changes nothing.
double at_least_penetration(double dual, double normal_velocity, double mu) {
  return mu > 1.0 ? std::max(dual, -normal_velocity * std::sqrt(0.5)) : dual;
}

// lt and st: lengths of the tangential parts.
Distances judge_round_cone(const Triple& l, const Triple& s, double lt, double st, double mu, bool de_saxce) {
  const double zn = s.n + (de_saxce ? mu * st : 0.0);
  return {distance_to_cone(lt, l.n, mu), at_least_penetration(distance_to_dual_cone(st, zn, mu), s.n, mu),
          std::abs(l.t1 * s.t1 + l.t2 * s.t2 + l.n * zn)};
}

Distances judge_pyramid(const Triple& l, const Triple& s, double mu) {
  const Triple inside = project_on_pyramid(l, mu);
  const double zn = s.n + mu * (std::abs(s.t1) + std::abs(s.t2));
  // Moreau: the distance of z to the dual cone is the length of the projection of −z on the cone.
  const Triple outside = project_on_pyramid({-s.t1, -s.t2, -zn}, mu);
  return {length({l.t1 - inside.t1, l.t2 - inside.t2, l.n - inside.n}), at_least_penetration(length(outside), s.n, mu),
          std::abs(l.t1 * s.t1 + l.t2 * s.t2 + l.n * zn)};
}

// Signorini and Coulomb hold; a sticking contact rests; a sliding one moves against λ_T + (μ² λ_N / W_NN) W_NT, where
// W is the diagonal block of G + R.
Distances judge_raisim(const Triple& l, const Triple& s, double mu, const Matrix3& w) {
  const double lt = l.tangent(), st = s.tangent();
  Distances d{distance_to_cone(lt, l.n, mu), std::max(0.0, -s.n), std::abs(l.n * s.n)};
  if (l.n <= 0.0 || st == 0.0) return d;
  const double bend = w(2, 2) > 0.0 ? mu * mu * l.n / w(2, 2) : 0.0;
  const double d1 = l.t1 + bend * w(2, 0), d2 = l.t2 + bend * w(2, 1);
  const double dt = std::sqrt(d1 * d1 + d2 * d2);
  // Power of λ_T on the part of σ_T that is not against d: across it, or all of it where friction would drive.
  double astray = 0.0;
  if (dt > 0.0) {
    const bool against = s.t1 * d1 + s.t2 * d2 < 0.0;
    astray = against ? std::abs(s.t1 * d2 - s.t2 * d1) * lt / dt : lt * st;
  }
  d.complementarity = std::max({d.complementarity, std::max(0.0, mu * l.n - lt) * st, astray});
  return d;
}

Distances judge_contact(const Constraint& c, const Triple& l, const Triple& s, ContactModel model, const Matrix3& w) {
  if (c.kind == ConstraintKind::viscous || model == ContactModel::max_dissipation) {
    // The optimum of a coupled convex program: per contact only its admissibility can be judged.
    const double reach = std::sqrt(c.friction * c.friction * l.n * l.n + c.bound * c.bound);
    const double lt = l.tangent();
    return {std::max({0.0, -l.n, lt - reach}), std::max(0.0, -s.n), 0.0};
  }
  const double mu = model == ContactModel::frictionless ? 0.0 : c.friction;
  switch (model) {
    case ContactModel::lcp:
      return judge_pyramid(l, s, mu);
    case ContactModel::raisim:
      return judge_raisim(l, s, mu, w);
    default:
      return judge_round_cone(l, s, l.tangent(), s.tangent(), mu, model != ContactModel::ccp);
  }
}

Distances judge_anisotropic(const Constraint& c, const Triple& l, const Triple& s, ContactModel model,
                            const Matrix3& w) {
  if (model == ContactModel::frictionless) return judge_contact(c, l, s, model, w);
  const RoundContact round = make_round(c, l, s);
  Distances d = judge_contact(Constraint::make_frictional(1.0), round.lambda, round.sigma, model, w);
  d.primal = std::max(d.primal, round.stray);
  return d;
}

Distances judge_row(const Constraint& c, double l, double s, ContactModel model) {
  if (model == ContactModel::max_dissipation) {  // as for contacts: admissible, nothing more
    if (c.kind == ConstraintKind::unilateral) return {std::max(0.0, -l), std::max(0.0, -s), 0.0};
    return {std::max(0.0, std::abs(l) - c.bound), 0.0, 0.0};
  }
  if (c.kind == ConstraintKind::unilateral) return {std::max(0.0, -l), std::max(0.0, -s), std::abs(l * s)};
  // dry friction: the natural residual, as a primal distance
  return {std::abs(l - std::clamp(l - s, -c.bound, c.bound)), 0.0, 0.0};
}

// λ_i scaled by `impulse_scale` and σ_i by `velocity_scale`.
Distances judge_constraint(const ContactProblem& problem, int i, const double* l, const double* s, double impulse_scale,
                           double velocity_scale, ContactModel model) {
  Constraint c = problem.constraint(i);
  c.bound *= impulse_scale;
  if (c.kind == ConstraintKind::bilateral) {
    double moving = 0.0, work = 0.0;
    for (int r = 0; r < c.rows; ++r) {
      moving += s[r] * s[r];
      work += l[r] * s[r];
    }
    return {0.0, velocity_scale * std::sqrt(moving), impulse_scale * velocity_scale * std::abs(work)};
  }
  if (c.rows == 1) return judge_row(c, impulse_scale * l[0], velocity_scale * s[0], model);
  const Triple lambda{impulse_scale * l[0], impulse_scale * l[1], impulse_scale * l[2]};
  const Triple sigma{velocity_scale * s[0], velocity_scale * s[1], velocity_scale * s[2]};
  const bool bent = model == ContactModel::raisim;
  if (c.kind == ConstraintKind::anisotropic) {
    return judge_anisotropic(c, lambda, sigma, model, bent ? round_block(problem, i) : Matrix3::Zero());
  }
  return judge_contact(c, lambda, sigma, model, bent ? compliant_block(problem, i) : Matrix3::Zero());
}

// Squares, since only their sum is wanted.
double squared_natural_map_of_contact(const Triple& l, const Triple& s, double st, double mu) {
  const double x1 = l.t1 - s.t1, x2 = l.t2 - s.t2, xn = l.n - s.n - mu * st, square = x1 * x1 + x2 * x2;
  double p1 = x1, p2 = x2, pn = xn;
  if (!(xn >= 0.0 && square <= mu * mu * xn * xn)) {
    const double xt = std::sqrt(square);
    pn = std::max(0.0, (mu * xt + xn) / (1.0 + mu * mu));
    const double shrink = xt > 0.0 ? mu * pn / xt : 0.0;
    p1 = shrink * x1;
    p2 = shrink * x2;
  }
  return square_of({l.t1 - p1, l.t2 - p2, l.n - pn});
}

// ‖λ_i − P_C(λ_i − z_i)‖² of the literature, for the exact law.
double squared_natural_map_of(const Constraint& c, const double* l, const double* s) {
  switch (c.kind) {
    case ConstraintKind::bilateral:
      return square_of(s, c.rows);
    case ConstraintKind::unilateral:
      return square_of(l[0] - std::max(0.0, l[0] - s[0]));
    case ConstraintKind::dry_friction:
      return square_of(l[0] - std::clamp(l[0] - s[0], -c.bound, c.bound));
    case ConstraintKind::frictional:
      return squared_natural_map_of_contact({l[0], l[1], l[2]}, {s[0], s[1], s[2]},
                                            std::sqrt(s[0] * s[0] + s[1] * s[1]), c.friction);
    case ConstraintKind::anisotropic: {
      const RoundContact round = make_round(c, {l[0], l[1], l[2]}, {s[0], s[1], s[2]});
      return std::max(square_of(round.stray),
                      squared_natural_map_of_contact(round.lambda, round.sigma, round.sigma.tangent(), 1.0));
    }
    case ConstraintKind::viscous:
    case ConstraintKind::torsional:  // Judgement::add_coupled
    case ConstraintKind::rolling:
      break;
  }
  return 0.0;
}

// ‖λ − P(λ − σ)‖ of torsional or rolling friction within a bound: an interval, a disc, in the pyramidal model a square.
// Where only admissibility is judged: the distance of λ.
double coupled_residual(const Triple& l, const Triple& s, double bound, ContactModel model) {
  const bool admissible_only = model == ContactModel::max_dissipation;
  double p1 = admissible_only ? l.t1 : l.t1 - s.t1, p2 = admissible_only ? l.t2 : l.t2 - s.t2;
  if (model == ContactModel::lcp) {
    p1 = std::clamp(p1, -bound, bound);
    p2 = std::clamp(p2, -bound, bound);
  } else if (const double size = length(p1, p2); size > bound) {
    p1 *= bound / size;
    p2 *= bound / size;
  }
  return length({l.t1 - p1, l.t2 - p2, l.n});
}

void record_laws(const Triple& l, const Triple& s, double lt, double st, double mu, double velocity_scale,
                 Residuals& out) {
  out.signorini_complementarity = std::max(out.signorini_complementarity, std::abs(l.n * s.n));
  out.signorini_penetration = std::max(out.signorini_penetration, -s.n);
  out.coulomb = std::max(out.coulomb, lt - mu * l.n);
  if (l.n > 0.0) out.normal_separation = std::max(out.normal_separation, s.n);
  // Sliding: clearly moving compared with the free velocities, and pushing.
  if (velocity_scale * st > 1e-6 && l.n > 0.0) {
    const double push = mu * l.n / st, d1 = l.t1 + push * s.t1, d2 = l.t2 + push * s.t2;
    out.dissipation = std::max(out.dissipation, std::sqrt(d1 * d1 + d2 * d2));
  }
}

// Distances to cones grow with what is measured, so those of other units follow; not so for boxes.
Distances unscaled(const Distances& d, double impulse_ratio, double velocity_ratio) {
  return {impulse_ratio * d.primal, velocity_ratio * d.dual, impulse_ratio * velocity_ratio * d.complementarity};
}

// max() drops NaN, so values that are not finite must be found before any residual is taken.
bool all_finite(const double* x, int rows) {
  double total = 0.0;
  for (int r = 0; r < rows; ++r) total += std::abs(x[r]);
  return std::isfinite(total);
}

Residuals not_finite(int constraint) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Residuals out;
  out.eps_abs = out.eps_rel = out.eps_nat = out.natural_map = infinity;
  out.signorini_complementarity = out.signorini_penetration = out.coulomb = out.dissipation = infinity;
  out.normal_separation = infinity;
  out.worst_constraint = constraint;
  return out;
}

// Takes the constraints one by one.
class Judgement {
 public:
  Judgement(const ContactProblem& problem, const JudgeSettings& settings)
      : problem_(problem),
        model_(settings.model),
        to_force_(1.0 / settings.time_step),
        impulse_scale_(problem.largest_diagonal() / problem.largest_free_velocity()),
        velocity_scale_(1.0 / problem.largest_free_velocity()) {
    const auto within = [](double scale) { return scale > 1e-100 && scale < 1e100; };
    moderate = within(impulse_scale_) && within(velocity_scale_) && within(to_force_);
    to_absolute_ = {to_force_ / impulse_scale_, 1.0 / velocity_scale_};
  }

  bool moderate = false;  // units can be changed without leaving the range of a double

  // False where a value is not finite.
  bool add(int i, const double* l, const double* s) {
    const Constraint& c = problem_.constraint(i);
    const Distances r = judge_constraint(problem_, i, l, s, impulse_scale_, velocity_scale_, model_);
    const Distances a = !moderate || c.kind == ConstraintKind::dry_friction || c.kind == ConstraintKind::viscous
                            ? judge_constraint(problem_, i, l, s, to_force_, 1.0, model_)
                            : unscaled(r, to_absolute_.impulse, to_absolute_.velocity);
    if (!all_finite(s, c.rows)) return false;
    if (c.kind == ConstraintKind::frictional) {
      const Triple lambda{l[0], l[1], l[2]}, sigma{s[0], s[1], s[2]};
      record_laws(lambda, sigma, lambda.tangent(), sigma.tangent(), c.friction, velocity_scale_, out_);
    }
    return record(i, r, a, own_measure(problem_, i, l, s, velocity_scale_, model_), squared_natural_map_of(c, l, s));
  }

  // The same for a contact with Coulomb's law, where every length is taken once.
  bool add_exact_contact(int i, const Triple& l, const Triple& s) {
    const double mu = problem_.constraint(i).friction, lt = l.tangent(), st = s.tangent();
    const Triple speed{velocity_scale_ * s.t1, velocity_scale_ * s.t2, velocity_scale_ * s.n};
    const double slip = velocity_scale_ * st;
    const Distances r = judge_round_cone({impulse_scale_ * l.t1, impulse_scale_ * l.t2, impulse_scale_ * l.n}, speed,
                                         impulse_scale_ * lt, slip, mu, true);
    const ConstraintScale& scale = problem_.scale(i);
    const double* g = problem_.free_velocity().data() + problem_.constraint(i).first_row;
    const double change =
        velocity_scale_ * std::max({std::abs(s.t1 - g[0]), std::abs(s.t2 - g[1]), std::abs(s.n - g[2])});
    const Triple own_lambda{scale.impulse * l.t1, scale.impulse * l.t2, scale.impulse * l.n};
    const double own = own_exact_contact(own_lambda, speed, scale.impulse * lt, slip, mu,
                                         OwnSize(scale, length(scale.impulse * lt, own_lambda.n), change));
    if (!std::isfinite(st + std::abs(s.n))) return false;
    record_laws(l, s, lt, st, mu, velocity_scale_, out_);
    return record(i, r, unscaled(r, to_absolute_.impulse, to_absolute_.velocity), own,
                  squared_natural_map_of_contact(l, s, st, mu));
  }

  // Torsional and rolling friction; `normal` is λ_N of the partner.
  bool add_coupled(int i, const double* l, const double* s, double normal) {
    const Constraint& c = problem_.constraint(i);
    const bool rolls = c.kind == ConstraintKind::rolling;
    const Triple lambda{l[0], rolls ? l[1] : 0.0, rolls ? l[2] : 0.0}, sigma{s[0], rolls ? s[1] : 0.0, 0.0};
    const double bound = model_ == ContactModel::frictionless ? 0.0 : c.friction * std::max(0.0, normal);
    const auto distance = [&](double impulse, double velocity, ContactModel model) {
      return coupled_residual({impulse * lambda.t1, impulse * lambda.t2, impulse * lambda.n},
                              {velocity * sigma.t1, velocity * sigma.t2, 0.0}, impulse * bound, model);
    };
    if (!all_finite(s, c.rows)) return false;
    const double own = own_coupled(problem_, i, l, s, bound, velocity_scale_, model_);
    const double natural = distance(1.0, 1.0, ContactModel::ncp);
    return record(i, {distance(impulse_scale_, velocity_scale_, model_), 0.0, 0.0},
                  {distance(to_force_, 1.0, model_), 0.0, 0.0}, own, natural * natural);
  }

  Residuals finish() {
    out_.natural_map = std::sqrt(natural_map_) / std::max(1.0, problem_.free_velocity().norm());
    return out_;
  }

 private:
  bool record(int i, const Distances& r, const Distances& a, double nat, double natural_squared) {
    // Sums catch what overflowed on the way, too.
    if (!std::isfinite(a.primal + a.dual + a.complementarity + r.primal + r.dual + r.complementarity + nat))
      return false;
    out_.eps_abs = std::max({out_.eps_abs, a.primal, a.dual, a.complementarity});
    out_.eps_rel = std::max({out_.eps_rel, r.primal, r.dual, r.complementarity});
    if (out_.worst_constraint < 0 || nat > out_.eps_nat) out_.worst_constraint = i;
    out_.eps_nat = std::max(out_.eps_nat, nat);
    natural_map_ += natural_squared;
    return true;
  }

  struct Ratios {
    double impulse = 1.0, velocity = 1.0;
  };

  const ContactProblem& problem_;
  ContactModel model_;
  double to_force_, impulse_scale_, velocity_scale_;
  Ratios to_absolute_;
  double natural_map_ = 0.0;  // squared
  Residuals out_;
};

}  // namespace

void JudgeSettings::validate() const {
  require(time_step > 0.0 && std::isfinite(time_step), "time_step", time_step, "finite and positive");
}

void merge(const Residuals& part, Residuals& whole) {
  if (part.eps_nat >= whole.eps_nat) whole.worst_constraint = part.worst_constraint;
  const auto take = [&](double Residuals::* field) { whole.*field = std::max(whole.*field, part.*field); };
  take(&Residuals::eps_abs);
  take(&Residuals::eps_rel);
  take(&Residuals::eps_nat);
  take(&Residuals::natural_map);
  take(&Residuals::signorini_complementarity);
  take(&Residuals::signorini_penetration);
  take(&Residuals::coulomb);
  take(&Residuals::dissipation);
  take(&Residuals::normal_separation);
}

Residuals judge(const ContactProblem& problem, VectorView impulse, const JudgeSettings& settings) {
  const int m = problem.num_rows();
  if (impulse.size() != m) {
    refuse("judge: the impulse has ", impulse.size(), " entries but the problem has ", m, " rows");
  }
  settings.validate();
  if (m == 0) return {};
  // Named first, before a product spreads it over every velocity.
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    if (!all_finite(impulse.data() + c.first_row, c.rows)) return not_finite(i);
  }
  static thread_local VectorX velocity;
  velocity.resize(m);
  problem.velocity(impulse, velocity);

  Judgement judgement(problem, settings);
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    const double *l = impulse.data() + c.first_row, *s = velocity.data() + c.first_row;
    const bool exact = settings.model == ContactModel::ncp && judgement.moderate;
    if (is_coupled(c.kind)) {
      const Constraint* contact = c.partner < 0 ? nullptr : &problem.constraint(c.partner);
      const double normal = contact == nullptr ? 0.0 : impulse[contact->first_row + contact->rows - 1];
      if (!judgement.add_coupled(i, l, s, normal)) return not_finite(i);
      continue;
    }
    const bool finite = exact && c.kind == ConstraintKind::frictional
                            ? judgement.add_exact_contact(i, {l[0], l[1], l[2]}, {s[0], s[1], s[2]})
                            : judgement.add(i, l, s);
    if (!finite) return not_finite(i);
  }
  return judgement.finish();
}

ContactRegime contact_regime(const ContactProblem& problem, int constraint, VectorView impulse, VectorView velocity,
                             double threshold) {
  const Constraint& c = problem.constraint(constraint);
  const double least = threshold * problem.largest_free_velocity();
  const double* lambda = impulse.data() + c.first_row;
  if (!(problem.largest_diagonal() * lambda[c.rows - 1] > least)) return ContactRegime::open;
  if (c.rows < 3) return ContactRegime::sticking;
  const double* sigma = velocity.data() + c.first_row;
  const double slip_squared = sigma[0] * sigma[0] + sigma[1] * sigma[1];
  return slip_squared > least * least ? ContactRegime::sliding : ContactRegime::sticking;
}

}  // namespace stiction
