#include "stiction/solvers/stopping_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/math/set_coulomb_cone.h"
#include "stiction/math/set_pyramid.h"

namespace stiction {
namespace {

struct Parts {
  double primal, dual, work;
};

// Signorini and Coulomb; a contact that moves does so against λ_T + (μ² λ_N/W_NN) W_NT, W the block of G + R.
Vector2 bent_direction(double mu, const Vector3& l, const Matrix3& w) {
  return l.head<2>() + mu * mu * l[2] / w(2, 2) * w.row(2).head<2>().transpose();
}

Parts raisim_parts(double mu, const Vector3& l, const Vector3& s, const Matrix3& w) {
  const double lt = l.head<2>().norm(), st = s.head<2>().norm();
  Parts parts{std::max({0.0, -l[2], lt - mu * l[2]}), std::max(0.0, -s[2]), std::abs(l[2] * s[2])};
  if (l[2] <= 0.0 || !(w(2, 2) > 0.0)) return parts;
  const Vector2 bent = bent_direction(mu, l, w);
  const double length = bent.norm();
  const double astray = length > 0.0 ? lt * (s.head<2>() + st / length * bent).norm() : 0.0;
  parts.work = std::max({parts.work, std::max(0.0, mu * l[2] - lt) * st, astray});
  return parts;
}

Parts contact_parts(const Constraint& c, ContactModel model, const Vector3& l, const Vector3& s) {
  if (model == ContactModel::max_dissipation || c.kind == ConstraintKind::viscous) {
    const double lt = l.head<2>().norm();
    const double reach = std::sqrt(c.friction * c.friction * l[2] * l[2] + c.bound * c.bound);
    return {std::max({0.0, -l[2], lt - reach}), std::max(0.0, -s[2]), 0.0};
  }
  const double mu = model == ContactModel::frictionless ? 0.0 : c.friction;
  const double penetration = mu > 1.0 ? -std::sqrt(0.5) * s[2] : 0.0;
  if (model == ContactModel::lcp) {
    const SetPyramid set{mu};
    const Vector3 z = s + set.de_saxce_shift(s);
    return {(l - set.project(l)).norm(), std::max(penetration, set.project(-z).norm()), std::abs(l.dot(z))};
  }
  const SetCoulombCone set{mu};
  const Vector3 z = model == ContactModel::ccp ? s : Vector3(s + set.de_saxce_shift(s));
  return {(l - set.project(l)).norm(), std::max(penetration, set.project(-z).norm()), std::abs(l.dot(z))};
}

// The three measures of ε_nat: impulses, speeds, and powers, each already divided by what is usual for the constraint.
struct OwnParts {
  double primal = 0.0, rest = 0.0;

  void raise(double value) { rest = std::max(rest, value); }
};

// v of judge.h.
double own_speed(const ConstraintScale& scale, double size) {
  return std::min(1.0, std::max(scale.speed, ConstraintScale::range * size));
}

// λ' and σ' of the contact; a and v of judge.h. change = min(1, |σ' − g'|).
OwnParts own_contact(const Constraint& c, ContactModel model, const Vector3& l, const Vector3& s, const Matrix3& w,
                     const ConstraintScale& scale, double change) {
  const Vector2 lambda = l.head<2>(), sigma = s.head<2>();
  const double lt = lambda.norm(), st = sigma.norm(), size = l.norm(), push = std::max(0.0, l[2]);
  const double a = std::max({scale.push, size, change}), v = own_speed(scale, size);
  OwnParts out;
  out.raise(-s[2] / v);
  if (model == ContactModel::max_dissipation || c.kind == ConstraintKind::viscous) {
    const double reach = std::hypot(c.friction * l[2], scale.impulse * c.bound);
    out.primal = std::max({0.0, -l[2], lt - reach}) / a;
    return out;
  }
  const double mu = model == ContactModel::frictionless ? 0.0 : c.friction;
  if (model == ContactModel::ccp) {
    const SetCoulombCone set{mu};
    out.primal = (l - set.project(l)).norm() / a;
    out.raise(set.project(-s).norm() / v);
    out.raise(std::abs(l.dot(s)) / (a * v));
    return out;
  }
  out.raise(std::abs(l[2] * s[2]) / (a * v));
  if (model == ContactModel::lcp) {
    out.primal = (l - SetPyramid{mu}.project(l)).norm() / a;
    for (int k = 0; k < 2; ++k) {
      const double reach = std::min(mu * push, std::abs(l[k]) + a);
      out.raise(std::abs(s[k]) * std::abs(l[k] + std::copysign(reach, s[k])) / (a * v));
    }
    return out;
  }
  out.primal = (l - SetCoulombCone{mu}.project(l)).norm() / a;
  if (st == 0.0) return out;
  const double reach = std::min(mu * push, lt + a);
  if (model == ContactModel::raisim && c.kind == ConstraintKind::frictional) {
    if (push == 0.0) return out;
    out.raise(st * std::max(0.0, reach - lt) / (a * v));
    const Vector2 bent = w(2, 2) > 0.0 ? bent_direction(mu, l, w) : lambda;
    if (bent.norm() > 0.0) out.raise(lt * (sigma + st / bent.norm() * bent).norm() / (a * v));
    return out;
  }
  out.raise((st * lambda + reach * sigma).norm() / (a * v));
  return out;
}

// The coordinates in which an anisotropic cone is the round one with μ = 1: λ_k/μ_k, μ_k σ_k. A direction without
// friction admits no impulse: what there is, is `stray`.
struct RoundContact {
  Vector3 lambda, sigma;
  Matrix3 block;
  double stray = 0.0;

  RoundContact(const Constraint& c, const Vector3& l, const Vector3& s, const Matrix3& w)
      : lambda(l), sigma(s), block(w) {
    const double mu[2] = {c.friction, c.friction_2};
    for (int k = 0; k < 2; ++k) {
      if (!(mu[k] > 0.0)) stray = std::max(stray, std::abs(l[k]));
      lambda[k] = mu[k] > 0.0 ? l[k] / mu[k] : 0.0;
      sigma[k] *= mu[k];
      block.row(k) *= mu[k];
      block.col(k) *= mu[k];
    }
  }
};

OwnParts own_anisotropic(const Constraint& c, const Vector3& l, const Vector3& s, const ConstraintScale& scale,
                         double change) {
  const Vector2 lambda = l.head<2>(), sigma = s.head<2>(), mu(c.friction, c.friction_2);
  const double lt = lambda.norm(), st = sigma.norm(), size = l.norm();
  const double a = std::max({scale.push, size, change}), v = own_speed(scale, size);
  double needed = 0.0, outside = std::max(0.0, -l[2]);
  for (int k = 0; k < 2; ++k) {
    if (mu[k] > 0.0) {
      needed = std::hypot(needed, l[k] / mu[k]);
    } else {
      outside = std::max(outside, std::abs(l[k]));
    }
  }
  if (needed > l[2]) outside = std::max(outside, lt * std::min(1.0, (needed - l[2]) / needed));
  OwnParts out;
  out.primal = outside / a;
  out.raise(-s[2] / v);
  out.raise(std::abs(l[2] * s[2]) / (a * v));
  const Vector2 weighted = mu.cwiseProduct(sigma);
  const double power = weighted.norm();
  const Vector2 direction = power > 0.0 ? Vector2(mu.cwiseProduct(weighted) / power) : Vector2::Zero();
  double reach = std::max(0.0, l[2]);
  if (direction.norm() * reach > lt + a) reach = (lt + a) / direction.norm();
  out.raise(st * (lambda + reach * direction).norm() / (a * v));
  return out;
}

OwnParts own_row(const Constraint& c, ContactModel model, double l, double s, const ConstraintScale& scale,
                 double change) {
  const double a = std::max({scale.push, std::abs(l), change}), v = own_speed(scale, std::abs(l));
  OwnParts out;
  const bool admissible_only = model == ContactModel::max_dissipation;
  if (c.kind == ConstraintKind::unilateral) {
    out.primal = std::max(0.0, -l) / a;
    out.raise(-s / v);
    if (!admissible_only) out.raise(std::abs(l * s) / (a * v));
    return out;
  }
  const double bound = scale.impulse * c.bound, size = std::max(bound, ConstraintScale::floor * a);
  out.primal = std::max(0.0, std::abs(l) - bound) / size;
  const double reach = std::min(bound, std::abs(l) + size);
  if (!admissible_only) out.raise(std::abs(s) * std::abs(l + std::copysign(reach, s)) / (size * v));
  return out;
}

// Friction torques within the bound r λ_N (lengths of rows: one, or two of three).
struct CoupledParts {
  double relative = 0.0, primal = 0.0, rest = 0.0;
};

CoupledParts coupled_parts(const ContactProblem& problem, int i, ContactModel model, VectorView impulse,
                           VectorView velocity) {
  const Constraint& c = problem.constraint(i);
  double bound = 0.0;
  if (c.partner >= 0 && model != ContactModel::frictionless) {
    const Constraint& contact = problem.constraint(c.partner);
    bound = c.friction * std::max(0.0, impulse[contact.first_row + contact.rows - 1]);
  }
  const int rows = c.kind == ConstraintKind::rolling ? 2 : 1;
  Vector2 l = Vector2::Zero(), s = Vector2::Zero(), g = Vector2::Zero();
  for (int r = 0; r < rows; ++r) {
    l[r] = impulse[c.first_row + r];
    s[r] = velocity[c.first_row + r];
    g[r] = problem.free_velocity()[c.first_row + r];
  }
  const bool admissible_only = model == ContactModel::max_dissipation, square = model == ContactModel::lcp;
  const auto nearest = [square](const Vector2& x, double limit) {
    if (square) return Vector2(x.cwiseMin(limit).cwiseMax(-limit));
    return x.norm() > limit ? Vector2(limit / x.norm() * x) : x;
  };
  const ConstraintScale& scale = problem.scale(i);
  const double to_speed = 1.0 / problem.largest_free_velocity(), to_impulse = problem.largest_diagonal() * to_speed;
  CoupledParts out;
  const Vector2 l_rel = to_impulse * l, wanted = admissible_only ? l_rel : Vector2(l_rel - to_speed * s);
  out.relative = (l_rel - nearest(wanted, to_impulse * bound)).norm();
  const Vector2 lambda = scale.impulse * l, sigma = to_speed * s;
  const double lt = lambda.norm(), st = sigma.norm(), limit = scale.impulse * bound;
  const double change = std::min(1.0, to_speed * (s - g).lpNorm<Eigen::Infinity>());
  const double size = std::max(limit, ConstraintScale::floor * std::max({scale.push, lt, change}));
  out.primal = (lambda - nearest(lambda, limit)).norm() / size;
  if (admissible_only) return out;
  const double power = size * own_speed(scale, lt);
  if (square) {
    for (int r = 0; r < 2; ++r) {
      const double reach = std::min(limit, std::abs(lambda[r]) + size);
      out.rest = std::max(out.rest, std::abs(sigma[r]) * std::abs(lambda[r] + std::copysign(reach, sigma[r])) / power);
    }
  } else {
    out.rest = (st * lambda + std::min(limit, lt + size) * sigma).norm() / power;
  }
  return out;
}

// The block of G + R, which only the bent friction of RaiSim looks at.
Matrix3 compliant_block(const ContactProblem& problem, int i, ContactModel model) {
  Matrix3 w = Matrix3::Zero();
  if (model == ContactModel::raisim) {
    w = problem.diagonal_block(i);
    w.diagonal() += problem.compliance().segment<3>(problem.constraint(i).first_row);
  }
  return w;
}

OwnParts own_parts(const ContactProblem& problem, int i, ContactModel model, const double* l, const double* s) {
  const Constraint& c = problem.constraint(i);
  const ConstraintScale& scale = problem.scale(i);
  const double velocity = 1.0 / problem.largest_free_velocity();
  if (c.kind == ConstraintKind::bilateral) {
    const double size = scale.impulse * ConstVectorMap(l, c.rows).norm();
    return {0.0, velocity * ConstVectorMap(s, c.rows).norm() / own_speed(scale, size)};
  }
  const ConstVectorMap free(problem.free_velocity().data() + c.first_row, c.rows);
  const double change = std::min(1.0, velocity * (ConstVectorMap(s, c.rows) - free).lpNorm<Eigen::Infinity>());
  if (c.rows == 1) return own_row(c, model, scale.impulse * l[0], velocity * s[0], scale, change);
  const Vector3 lambda = scale.impulse * Eigen::Map<const Vector3>(l), sigma = velocity * Eigen::Map<const Vector3>(s);
  if (c.kind == ConstraintKind::anisotropic && model == ContactModel::ncp) {
    return own_anisotropic(c, lambda, sigma, scale, change);
  }
  const Matrix3 w = compliant_block(problem, i, model);
  if (c.kind == ConstraintKind::anisotropic && model != ContactModel::frictionless &&
      model != ContactModel::max_dissipation) {
    const RoundContact round(c, lambda, sigma, w);
    OwnParts parts =
        own_contact(Constraint::make_frictional(1.0), model, round.lambda, round.sigma, round.block, scale, change);
    parts.primal = std::max(parts.primal, round.stray / std::max({scale.push, lambda.norm(), change}));
    return parts;
  }
  return own_contact(c, model, lambda, sigma, w, scale, change);
}

// ε_p, ε_d, ε_c of ε_rel for a contact of any kind.
Parts relative_parts(const ContactProblem& problem, int i, ContactModel model, const Vector3& l, const Vector3& s,
                     double impulse_scale) {
  const Constraint& c = problem.constraint(i);
  const Matrix3 w = compliant_block(problem, i, model);
  if (c.kind == ConstraintKind::anisotropic && model != ContactModel::frictionless &&
      model != ContactModel::max_dissipation) {
    const RoundContact round(c, l, s, w);
    const Constraint one = Constraint::make_frictional(1.0);
    Parts parts = model == ContactModel::raisim ? raisim_parts(1.0, round.lambda, round.sigma, round.block)
                                                : contact_parts(one, model, round.lambda, round.sigma);
    parts.primal = std::max(parts.primal, round.stray);
    return parts;
  }
  if (model == ContactModel::raisim && c.kind == ConstraintKind::frictional) return raisim_parts(c.friction, l, s, w);
  Constraint scaled = c;
  scaled.bound *= impulse_scale;
  return contact_parts(scaled, model, l, s);
}

}  // namespace

StoppingResidual stopping_residual(const ContactProblem& problem, ContactModel model, VectorView impulse,
                                   VectorView velocity, std::optional<ConstraintKind> left_out) {
  const double velocity_scale = 1.0 / problem.largest_free_velocity();
  const double impulse_scale = problem.largest_diagonal() * velocity_scale;
  StoppingResidual out;
  double check = 0.0;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    if (c.kind == left_out) continue;
    if (is_coupled(c.kind)) {
      const CoupledParts coupled = coupled_parts(problem, i, model, impulse, velocity);
      check += coupled.relative + coupled.primal + coupled.rest;
      out.relative = std::max(out.relative, coupled.relative);
      out.natural = std::max({out.natural, coupled.primal, coupled.rest});
      out.primal = std::max(out.primal, coupled.primal);
      continue;
    }
    const double* l = impulse.data() + c.first_row;
    const double* s = velocity.data() + c.first_row;
    Parts parts{};
    if (c.kind == ConstraintKind::bilateral) {
      const ConstVectorMap sigma(s, c.rows), lambda(l, c.rows);
      parts = {0.0, velocity_scale * sigma.norm(), impulse_scale * velocity_scale * std::abs(lambda.dot(sigma))};
    } else if (c.kind == ConstraintKind::unilateral) {
      const double a = impulse_scale * l[0], b = velocity_scale * s[0];
      // The program of maximum dissipation promises no complementarity of single rows, only admissibility.
      parts = {std::max(0.0, -a), std::max(0.0, -b), model == ContactModel::max_dissipation ? 0.0 : std::abs(a * b)};
    } else if (c.kind == ConstraintKind::dry_friction) {
      const double a = impulse_scale * l[0], b = velocity_scale * s[0], bound = impulse_scale * c.bound;
      const double wanted = model == ContactModel::max_dissipation ? a : a - b;
      parts = {std::abs(a - std::min(bound, std::max(-bound, wanted))), 0.0, 0.0};
    } else {
      parts = relative_parts(problem, i, model, impulse_scale * Eigen::Map<const Vector3>(l),
                             velocity_scale * Eigen::Map<const Vector3>(s), impulse_scale);
    }
    const OwnParts own = own_parts(problem, i, model, l, s);
    check += parts.primal + parts.dual + parts.work + own.primal + own.rest;
    out.relative = std::max({out.relative, parts.primal, parts.dual, parts.work});
    out.natural = std::max({out.natural, own.primal, own.rest});
    out.primal = std::max(out.primal, own.primal);
  }
  if (!std::isfinite(check)) out.natural = out.relative = out.primal = std::numeric_limits<double>::infinity();
  return out;
}

double natural_residual(const ContactProblem& problem, ContactModel model, int constraint, const double* impulse,
                        const double* velocity) {
  const OwnParts own = own_parts(problem, constraint, model, impulse, velocity);
  const double out = std::max(own.primal, own.rest);
  return std::isfinite(own.primal + own.rest) ? out : std::numeric_limits<double>::infinity();
}

}  // namespace stiction
