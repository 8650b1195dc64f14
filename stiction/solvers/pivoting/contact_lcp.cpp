#include "stiction/solvers/pivoting/contact_lcp.h"

#include <cmath>

#include "stiction/math/refuse.h"

namespace stiction {

int ContactLcp::add_unknown(const Unknown& unknown, double offset) {
  unknowns_.push_back(unknown);
  constant_.push_back(offset);
  return static_cast<int>(unknowns_.size()) - 1;
}

void ContactLcp::lay_out(const ContactProblem& problem, const std::vector<FrictionDirections>& groups) {
  unknowns_.clear();
  couplings_.clear();
  constant_.clear();
  shift_.setZero(problem.num_rows());
  for (const Constraint& c : problem.constraints()) {
    const int row = c.first_row;
    if (c.kind == ConstraintKind::unilateral) {
      add_unknown({1, {row, 0}, {1.0, 0.0}}, 0.0);
    } else if (c.kind == ConstraintKind::dry_friction) {
      if (c.bound == 0.0) continue;
      const double bound = c.bound * condensed_.impulse_scale();
      shift_[row] = -bound;
      const int x = add_unknown({1, {row, 0}, {1.0, 0.0}}, 0.0);
      const int t = add_unknown({}, 2.0 * bound);
      couplings_.push_back({x, t, 1.0});
      couplings_.push_back({t, x, -1.0});
    } else if (c.kind == ConstraintKind::frictional) {
      const int normal = add_unknown({1, {row + 2, 0}, {1.0, 0.0}}, 0.0);
      if (c.friction == 0.0) continue;
      for (const FrictionDirections& directions : groups) {
        const int first = static_cast<int>(unknowns_.size());
        for (const Vector2& d : directions) add_unknown({2, {row, row + 1}, {d[0], d[1]}}, 0.0);
        const int slip = add_unknown({}, 0.0);
        couplings_.push_back({slip, normal, c.friction});
        for (int beta = first; beta < slip; ++beta) {
          couplings_.push_back({beta, slip, 1.0});
          couplings_.push_back({slip, beta, -1.0});
        }
      }
    }
  }
}

void ContactLcp::assemble() {
  const int n = static_cast<int>(unknowns_.size()), m = static_cast<int>(shift_.size());
  columns_.resize(m, n);
  lcp_.matrix.setZero(n, n);
  lcp_.offset.resize(n);
  for (int l = 0; l < n; ++l) {
    const Unknown& u = unknowns_[l];
    columns_.col(l).setZero();
    for (int k = 0; k < u.count; ++k) {
      for (int i = 0; i < m; ++i) columns_(i, l) += u.weight[k] * condensed_.matrix(i, u.row[k]);
    }
  }
  shifted_offset_.resize(m);
  for (int i = 0; i < m; ++i) shifted_offset_[i] = condensed_.offset(i);
  for (int j = 0; j < m; ++j) {
    if (shift_[j] == 0.0) continue;
    for (int i = 0; i < m; ++i) shifted_offset_[i] += condensed_.matrix(i, j) * shift_[j];
  }
  for (int k = 0; k < n; ++k) {
    const Unknown& u = unknowns_[k];
    lcp_.offset[k] = constant_[k];
    for (int r = 0; r < u.count; ++r) {
      lcp_.offset[k] += u.weight[r] * shifted_offset_[u.row[r]];
      lcp_.matrix.row(k) += u.weight[r] * columns_.row(u.row[r]);
    }
  }
  for (const Coupling& c : couplings_) lcp_.matrix(c.row, c.column) += c.value;
}

void ContactLcp::build(const ContactProblem& problem, const std::vector<FrictionDirections>& groups,
                       double regularisation, VectorView centre) {
  condensed_.build(problem, regularisation, centre);
  lay_out(problem, groups);
  assemble();
}

void ContactLcp::read_impulse(const VectorX& unknown, VectorX& impulse) {
  scaled_ = shift_;
  for (size_t l = 0; l < unknowns_.size(); ++l) {
    const Unknown& u = unknowns_[l];
    for (int k = 0; k < u.count; ++k) scaled_[u.row[k]] += u.weight[k] * unknown[static_cast<Eigen::Index>(l)];
  }
  condensed_.recover(scaled_, impulse);
}

LcpStatus SolverContactLcp::attempt(const ContactProblem& problem, const ContactLcpSettings& settings,
                                    SolveReport& report, ContactSolution& solution) {
  LcpSettings pivoting;
  if (settings.max_iterations > 0) {  // of all attempts together
    pivoting.max_pivots = settings.max_iterations - report.iterations;
    if (pivoting.max_pivots <= 0) return LcpStatus::iteration_limit;
  }
  pivoting.interrupt = settings.interrupt;
  const LcpReport outcome = pivoting_.solve_lemke(contact_lcp_.lcp(), unknown_, pivoting);
  report.iterations += outcome.pivots;
  report.factorisations += 1 + outcome.rebuilds;
  contact_lcp_.read_impulse(unknown_, impulse_);
  velocity_.resize(problem.num_rows());
  problem.velocity(impulse_, velocity_);
  const double residual = measure(problem, impulse_, velocity_);
  if (settings.record_history) history_.push_back({report.iterations, residual, 0.0, report.factorisations});
  if (residual < report.residual) {
    report.residual = residual;
    solution.impulse = impulse_;
  }
  return outcome.status;
}

void ContactLcpSettings::validate() const {
  SolverSettings::validate();
  require(regularisation >= 0.0 && std::isfinite(regularisation), "regularisation", regularisation,
          "at least 0 and finite");
}

SolveReport SolverContactLcp::solve_as_lcp(const ContactProblem& problem, const std::vector<FrictionDirections>& groups,
                                           const ContactLcpSettings& settings, ContactSolution& solution) {
  SolveReport report;
  problem.velocity(solution.impulse, solution.velocity);
  report.residual = measure(problem, solution.impulse, solution.velocity);
  if (report.residual <= settings.tolerance) return report;

  contact_lcp_.build(problem, groups);
  const LcpStatus status = attempt(problem, settings, report, solution);
  const bool is_stopped = status == LcpStatus::iteration_limit || status == LcpStatus::interrupted;
  const int proximal_steps = settings.regularisation > 0.0 && !is_stopped ? 6 : 0;
  impulse_ = solution.impulse;
  for (int step = 0; step < proximal_steps && report.residual > settings.tolerance; ++step) {
    contact_lcp_.build(problem, groups, settings.regularisation, impulse_);
    if (attempt(problem, settings, report, solution) != LcpStatus::solved) break;
  }
  if (report.residual <= settings.tolerance) return report;
  switch (status) {
    case LcpStatus::ray:
      report.status = SolveStatus::ray;
      break;
    case LcpStatus::iteration_limit:
      report.status = SolveStatus::iteration_limit;
      break;
    case LcpStatus::interrupted:
      report.status = SolveStatus::interrupted;
      break;
    case LcpStatus::numerical_error:
      report.status = SolveStatus::numerical_error;
      break;
    case LcpStatus::solved:  // a complementary basis, but too ill-conditioned for the tolerance asked
      report.status = SolveStatus::rounding;
      break;
  }
  return report;
}

}  // namespace stiction
