#include "stiction/solvers/pivoting/solver_dantzig.h"

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

SolveReport SolverDantzig::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const auto measure = [&](const VectorX& impulse, const VectorX& velocity) {
    return stopping_residual(problem, ContactModel::frictionless, impulse, velocity).measure(settings_.use_relative);
  };
  SolveReport report;
  problem.velocity(solution.impulse, solution.velocity);
  report.residual = measure(solution.impulse, solution.velocity);
  if (report.residual <= settings_.tolerance) return report;

  condensed_.build(problem);
  normals_.build(problem, condensed_);
  LcpSettings pivoting;
  pivoting.max_pivots = settings_.max_iterations;
  pivoting.interrupt = settings_.interrupt;
  const LcpReport outcome =
      pivoting_.solve_dantzig(normals_.lcp(), normals_.lower(), normals_.upper(), unknown_, pivoting);
  report.iterations = outcome.pivots;
  report.factorisations = 1 + outcome.rebuilds;

  normals_.scatter(unknown_, scaled_);
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
                  : outcome.status == LcpStatus::interrupted     ? SolveStatus::interrupted
                  : outcome.status == LcpStatus::numerical_error ? SolveStatus::numerical_error
                                                                 : SolveStatus::rounding;
  return report;
}

}  // namespace stiction
