#include "stiction/solvers/solver_dantzig.h"

#include <cmath>
#include <limits>

#include "stiction/solvers/stopping_test.h"

namespace stiction {

const SolverTraits& SolverDantzig::traits() const {
  static const SolverTraits traits{.name = "lcp-dantzig",
                                   .model = ContactModel::frictionless,
                                   .summary = "Dantzig's principal pivoting on the frictionless problem",
                                   .needs_symmetry = true,
                                   .warm_starts = false};
  return traits;
}

void SolverDantzig::collect_rows(const ContactProblem& problem) {
  rows_.clear();
  bounds_.clear();
  for (const Constraint& c : problem.constraints()) {
    if (c.kind == ConstraintKind::bilateral) continue;
    rows_.push_back(c.first_row + c.rows - 1);  // the normal of a contact is its last row
    bounds_.push_back(c.kind == ConstraintKind::dry_friction ? c.bound * condensed_.impulse_scale()
                                                             : std::numeric_limits<double>::infinity());
  }
  const int n = static_cast<int>(rows_.size());
  lcp_.matrix.resize(n, n);
  lcp_.offset.resize(n);
  lower_.resize(n);
  upper_.resize(n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      // Elimination leaves a symmetric matrix up to rounding.
      lcp_.matrix(i, j) = 0.5 * (condensed_.matrix(rows_[i], rows_[j]) + condensed_.matrix(rows_[j], rows_[i]));
    }
    lcp_.offset[j] = condensed_.offset(rows_[j]);
    lower_[j] = std::isfinite(bounds_[j]) ? -bounds_[j] : 0.0;
    upper_[j] = bounds_[j];
  }
}

SolveReport SolverDantzig::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const auto measure = [&](const VectorX& impulse, const VectorX& velocity) {
    return stopping_residual(problem, ContactModel::frictionless, impulse, velocity).measure(settings_.use_relative);
  };
  SolveReport report;
  problem.velocity(solution.impulse, solution.velocity);
  report.residual = measure(solution.impulse, solution.velocity);
  if (report.residual <= settings_.tolerance) return report;

  condensed_.build(problem);
  collect_rows(problem);
  LcpSettings pivoting;
  pivoting.max_pivots = settings_.max_iterations;
  const LcpReport outcome = pivoting_.solve_dantzig(lcp_, lower_, upper_, unknown_, pivoting);
  report.iterations = outcome.pivots;
  report.factorisations = 1 + outcome.rebuilds;

  scaled_.setZero(problem.num_rows());
  for (size_t k = 0; k < rows_.size(); ++k) scaled_[rows_[k]] = unknown_[static_cast<Eigen::Index>(k)];
  impulse_.resize(problem.num_rows());
  condensed_.recover(scaled_, impulse_);
  velocity_.resize(problem.num_rows());
  problem.velocity(impulse_, velocity_);
  const double residual = measure(impulse_, velocity_);
  if (settings_.record_history) history_.push_back({report.iterations, residual, 0.0, report.factorisations});
  if (residual < report.residual) {
    report.residual = residual;
    solution.impulse = impulse_;
  }
  if (report.residual <= settings_.tolerance) return report;
  report.status = outcome.status == LcpStatus::ray               ? SolveStatus::ray
                  : outcome.status == LcpStatus::iteration_limit ? SolveStatus::iteration_limit
                  : outcome.status == LcpStatus::numerical_error ? SolveStatus::numerical_error
                                                                 : SolveStatus::stalled;
  return report;
}

}  // namespace stiction
