#include "stiction/solvers/newton/solver_ccp_newton.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "stiction/math/metric_projection.h"
#include "stiction/math/refuse.h"
#include "stiction/math/scalar_root.h"
#include "stiction/math/set_box.h"
#include "stiction/math/set_half_line.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

constexpr int default_steps = 200;

// λ_i(y_i) and, where wanted, D_i = −∂λ_i/∂y_i; `r` is R_i.
void regularised_impulse(const Constraint& c, const double* y, const double* r, double* lambda, Matrix3* d) {
  if (c.kind == ConstraintKind::frictional) {
    const Vector3 weight(r[0], r[1], r[2]);
    const Vector3 x(-y[0] / r[0], -y[1] / r[1], -y[2] / r[2]);
    const SetCoulombCone cone{c.friction};
    const bool round = r[0] == r[1];
    const RoundMetric metric{r[0], r[2]};
    const Vector3 l = round ? project_in_metric(cone, x, metric) : project_in_metric(cone, x, weight);
    for (int k = 0; k < 3; ++k) lambda[k] = l[k];
    if (!d) return;
    const SetAnisotropicCone stretched{c.friction, c.friction};
    *d = (round ? project_in_metric_derivative(cone, x, metric) : project_in_metric_derivative(stretched, x, weight)) *
         weight.cwiseInverse().asDiagonal();
    return;
  }
  if (d) d->setZero();
  for (int k = 0; k < c.rows; ++k) {
    const double x = -y[k] / r[k];
    double projected = x, slope = 1.0;
    if (c.kind == ConstraintKind::unilateral) {
      projected = SetHalfLine{}.project(x);
      slope = SetHalfLine{}.project_derivative(x);
    } else if (c.kind == ConstraintKind::dry_friction) {
      projected = SetBox{c.bound}.project(x);
      slope = SetBox{c.bound}.project_derivative(x);
    }
    lambda[k] = projected;
    if (d) (*d)(k, k) = slope / r[k];
  }
}

}  // namespace

const SolverTraits& SolverCcpNewton::traits() const {
  static const SolverTraits traits{.name = "ccp-newton",
                                   .model = ContactModel::ccp,
                                   .summary =
                                       "primal Newton on the compliant convex problem (MuJoCo, Drake); "
                                       "puts R = regularisation diag(G) where R = 0",
                                   .needs_symmetry = true,
                                   .needs_compliance = true};
  return traits;
}

bool SolverCcpNewton::complete_compliance(const ContactProblem& problem) {
  compliance_ = problem.compliance();
  bool substituted = false;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    const Matrix3& g = problem.diagonal_block(i);
    for (int r = 0; r < c.rows; ++r) {
      double& value = compliance_[c.first_row + r];
      if (value > 0.0) continue;
      const bool tangent = c.kind == ConstraintKind::frictional && r < 2;
      const double mean = tangent ? 0.5 * (g(0, 0) + g(1, 1)) : g(r, r);
      value = settings_.regularisation * (mean > 0.0 ? mean : problem.largest_diagonal());
      substituted = true;
    }
  }
  return substituted;
}

// With the completed R in σ.
void SolverCcpNewton::test(VectorX& candidate) {
  problem_->apply(candidate, work_);
  work_ += compliance_.cwiseProduct(candidate) + problem_->free_velocity();
  best_.offer(candidate,
              stopping_residual(*problem_, ContactModel::ccp, candidate, work_).measure(settings_.use_relative));
}

bool SolverCcpNewton::find_direction() {
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    regularised_impulse(c, y_.data() + c.first_row, compliance_.data() + c.first_row, lambda_.data() + c.first_row,
                        &system_.left[i]);
    system_.diagonal[i].setIdentity();
    system_.skip[i] = 0;
  }
  system_.right = lambda_ - zeta_;
  if (!system_.solve(delta_zeta_)) return false;
  problem_->apply(delta_zeta_, delta_y_);
  return true;
}

// Root of ℓ'(t) = ⟨ζ + tΔζ, GΔζ⟩ − Σ λ_i(y_i + tΔy_i)·Δy_i, which rises with t.
double SolverCcpNewton::line_search() const {
  const double linear = zeta_.dot(delta_y_), quadratic = delta_zeta_.dot(delta_y_);
  const auto slope = [&](double t) {
    ValueAndSlope out{linear + t * quadratic, quadratic};
    for (int i = 0; i < problem_->num_constraints(); ++i) {
      const Constraint& c = problem_->constraint(i);
      const double* dy = delta_y_.data() + c.first_row;
      double y[3] = {}, lambda[3] = {};
      for (int r = 0; r < c.rows; ++r) y[r] = y_[c.first_row + r] + t * dy[r];
      Matrix3 d;
      regularised_impulse(c, y, compliance_.data() + c.first_row, lambda, &d);
      for (int r = 0; r < c.rows; ++r) {
        out.value -= lambda[r] * dy[r];
        for (int k = 0; k < c.rows; ++k) out.slope += dy[r] * d(r, k) * dy[k];
      }
    }
    return out;
  };
  const double at_zero = slope(0.0).value, at_one = slope(1.0).value;
  // Rounding at the end of the iteration, or a full step that is as good as exact.
  if (!(at_zero < 0.0) || std::abs(at_one) <= 1e-10 * std::abs(at_zero)) return 1.0;
  double high = 1.0;
  for (int k = 0; k < 20 && slope(high).value < 0.0; ++k) high *= 2.0;
  return find_root(slope, 0.0, high, 60).x;
}

void SolverCcpNewtonSettings::validate() const {
  SolverSettings::validate();
  require(regularisation > 0.0 && std::isfinite(regularisation), "regularisation", regularisation,
          "positive and finite");
}

SolveReport SolverCcpNewton::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const int m = problem.num_rows();
  problem_ = &problem;
  system_.start(problem, settings_.interrupt);
  for (VectorX* v : {&y_, &lambda_, &delta_zeta_, &delta_y_, &work_}) v->resize(m);
  const SolveGoal goal = start_goal(default_steps);
  SolveOutcome outcome;
  const bool substituted = complete_compliance(problem);
  zeta_ = solution.impulse;
  problem.apply(zeta_, y_);
  y_ += problem.free_velocity();
  work_ = y_ + compliance_.cwiseProduct(zeta_);
  best_.start(zeta_, stopping_residual(problem, ContactModel::ccp, zeta_, work_).measure(settings_.use_relative));

  while (best_.residual() > goal.tolerance && goal.spend_and_ask(1.0)) {
    ++outcome.iterations;
    outcome.broken = !find_direction();
    if (outcome.broken) break;
    zeta_ += line_search() * delta_zeta_;
    problem.apply(zeta_, y_);
    y_ += problem.free_velocity();
    for (const Constraint& c : problem.constraints()) {
      regularised_impulse(c, y_.data() + c.first_row, compliance_.data() + c.first_row, lambda_.data() + c.first_row,
                          nullptr);
    }
    // λ(y) lies in its sets; where R is so small that −y/R has lost its digits, ζ itself has them.
    test(lambda_);
    test(zeta_);
    if (settings_.record_history) {
      history_.push_back({outcome.iterations, best_.residual(), 0.0, outcome.iterations});
    }
  }
  solution.impulse = best_.impulse();
  outcome.factorisations = outcome.iterations;
  outcome.residual = best_.residual();
  outcome.converged = outcome.residual <= goal.tolerance;
  SolveReport report = report_of(outcome);
  report.regularised = substituted;
  return report;
}

void SolverCcpNewton::add_options(std::vector<SolverOption>& list) {
  list.push_back({"regularisation", "R = this times diag(G) where the problem has R = 0", &settings_.regularisation});
}

}  // namespace stiction
