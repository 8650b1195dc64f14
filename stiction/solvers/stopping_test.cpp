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
Parts raisim_parts(double mu, const Vector3& l, const Vector3& s, const Matrix3& w) {
  const double lt = l.head<2>().norm(), st = s.head<2>().norm();
  Parts parts{std::max({0.0, -l[2], lt - mu * l[2]}), std::max(0.0, -s[2]), std::abs(l[2] * s[2])};
  if (l[2] <= 0.0 || !(w(2, 2) > 0.0)) return parts;
  const Vector2 bent = l.head<2>() + mu * mu * l[2] / w(2, 2) * w.row(2).head<2>().transpose();
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
  if (model == ContactModel::lcp) {
    const SetPyramid set{mu};
    const Vector3 z = s + set.de_saxce_shift(s);
    return {(l - set.project(l)).norm(), set.project(-z).norm(), std::abs(l.dot(z))};
  }
  const SetCoulombCone set{mu};
  const Vector3 z = model == ContactModel::ccp ? s : Vector3(s + set.de_saxce_shift(s));
  return {(l - set.project(l)).norm(), set.project(-z).norm(), std::abs(l.dot(z))};
}

}  // namespace

StoppingResidual stopping_residual(const ContactProblem& problem, ContactModel model, VectorView impulse,
                                   VectorView velocity) {
  const double velocity_scale = 1.0 / problem.largest_free_velocity();
  const double impulse_scale = problem.largest_diagonal() * velocity_scale;
  StoppingResidual out;
  double check = 0.0;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    const double* l = impulse.data() + c.first_row;
    const double* s = velocity.data() + c.first_row;
    Parts parts{};
    double size = std::abs(impulse_scale * l[0]);
    if (c.kind == ConstraintKind::bilateral) {
      const ConstVectorMap sigma(s, c.rows), lambda(l, c.rows);
      size = impulse_scale * lambda.norm();
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
      Constraint scaled = c;
      scaled.bound *= impulse_scale;
      const Vector3 lambda = impulse_scale * Eigen::Map<const Vector3>(l);
      const Vector3 sigma = velocity_scale * Eigen::Map<const Vector3>(s);
      size = lambda.norm();
      if (model == ContactModel::raisim && c.kind == ConstraintKind::frictional) {
        Matrix3 w = problem.diagonal_block(i);
        w(2, 2) += problem.compliance()[c.first_row + 2];
        parts = raisim_parts(c.friction, lambda, sigma, w);
      } else {
        parts = contact_parts(scaled, model, lambda, sigma);
      }
    }
    size = std::max(1.0, size);
    check += parts.primal + parts.dual + parts.work;
    out.relative = std::max({out.relative, parts.primal, parts.dual, parts.work});
    out.natural = std::max({out.natural, parts.primal / size, parts.dual, parts.work / size});
    out.primal = std::max(out.primal, parts.primal / size);
  }
  if (!std::isfinite(check)) out.natural = out.relative = out.primal = std::numeric_limits<double>::infinity();
  return out;
}

}  // namespace stiction
