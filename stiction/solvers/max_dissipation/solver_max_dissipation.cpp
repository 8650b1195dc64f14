#include "stiction/solvers/max_dissipation/solver_max_dissipation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "stiction/math/refuse.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

constexpr int default_iterations = 100;
// Interior-point iterations without progress before phase II gives up.
constexpr int patience = 12;
// A phase-II point that misses its tolerance but not this is still better than the phase-I point.
constexpr double usable_residual = 1e-6;

bool is_contact(const Constraint& c) {
  return c.kind == ConstraintKind::frictional || c.kind == ConstraintKind::viscous;
}
double viscous_radius(const Constraint& c) {
  return c.kind == ConstraintKind::viscous ? c.bound : 0.0;
}
bool has_friction(const Constraint& c) {
  return is_contact(c) && (c.friction > 0.0 || viscous_radius(c) > 0.0);
}

}  // namespace

const SolverTraits& SolverMaxDissipation::traits() const {
  static const SolverTraits traits{.name = "max-dissipation",
                                   .model = ContactModel::max_dissipation,
                                   .summary = "two-phase convex program of Drumwright and Shell",
                                   .needs_symmetry = true,
                                   .warm_starts = false,
                                   .takes_viscous = true};
  return traits;
}

void SolverMaxDissipation::add_options(std::vector<SolverOption>& options) {
  options.push_back({"restitution", "Poisson's coefficient of phase III, 0 … 1", &settings_.restitution});
  options.push_back({"viscous_rounds", "linearisations of the viscous radius", &settings_.viscous_rounds});
}

// The frictionless problem in normals_ into `out`; returns ‖x − P(x − ∇)‖_∞/max(1, ‖x‖_∞).
double SolverMaxDissipation::frictionless_pass(VectorX& out) {
  const LinearComplementarityProblem& lcp = normals_.lcp();
  if (lcp.size() == 0) {
    normals_.scatter(unknown_, out);
    return 0.0;
  }
  LcpSettings pivoting;
  pivoting.interrupt = settings_.interrupt;
  const LcpReport pivots = pivoting_.solve_dantzig(lcp, normals_.lower(), normals_.upper(), unknown_, pivoting);
  // Pivoting that ended early left a point that may have gained energy: start again from rest.
  if (pivots.status != LcpStatus::solved) unknown_.setZero();
  const int iterations = pivots.status == LcpStatus::solved ? 0 : 5000;
  const double residual = gradient_projection_.solve(lcp.matrix, lcp.offset, normals_.lower(), normals_.upper(), 1e-14,
                                                     iterations, unknown_, settings_.interrupt);
  normals_.scatter(unknown_, out);
  return residual / std::max(1.0, unknown_.lpNorm<Eigen::Infinity>());
}

// Which rows phase II moves: all but bilateral ones (eliminated) and those whose set is the point zero.
void SolverMaxDissipation::lay_out(const ContactProblem& problem) {
  variable_row_.clear();
  cone_constraint_.clear();
  row_variable_.assign(problem.num_rows(), -1);
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    if (c.kind == ConstraintKind::bilateral || (c.kind == ConstraintKind::dry_friction && c.bound == 0.0)) continue;
    for (int r = is_contact(c) && !has_friction(c) ? 2 : 0; r < c.rows; ++r) {
      row_variable_[c.first_row + r] = static_cast<int>(variable_row_.size());
      variable_row_.push_back(c.first_row + r);
    }
    if (has_friction(c)) cone_constraint_.push_back(i);
  }
}

// Objective and linear constraints of theory (2-18); the cones' slopes and offsets are set by linearise_cones().
void SolverMaxDissipation::fill_program(const ContactProblem& problem) {
  const int n = static_cast<int>(variable_row_.size());
  program_.matrix.resize(n, n);
  program_.linear.resize(n);
  for (int j = 0; j < n; ++j) {
    program_.linear[j] = condensed_.offset(variable_row_[j]);
    for (int i = 0; i < n; ++i) {
      program_.matrix(i, j) = 0.5 * (condensed_.matrix(variable_row_[i], variable_row_[j]) +
                                     condensed_.matrix(variable_row_[j], variable_row_[i]));
    }
  }
  program_.bounds.clear();
  program_.cones.clear();
  int normals = 0;
  double kappa = 0.0;
  for (const Constraint& c : problem.constraints()) {
    const int variable = row_variable_[c.first_row + c.rows - 1];
    if (is_contact(c)) kappa += first_[c.first_row + 2];
    if (is_contact(c) || c.kind == ConstraintKind::unilateral) ++normals;
    // A cone without viscous radius already holds x_N ≥ 0.
    const bool in_cone = has_friction(c) && viscous_radius(c) == 0.0;
    if ((is_contact(c) && !in_cone) || c.kind == ConstraintKind::unilateral)
      program_.bounds.push_back({variable, 1.0, 0.0});
    if (c.kind == ConstraintKind::dry_friction && variable >= 0) {
      const double bound = c.bound * condensed_.impulse_scale();
      program_.bounds.push_back({variable, 1.0, bound});
      program_.bounds.push_back({variable, -1.0, bound});
    }
  }
  const double slack = std::clamp(0.01 * settings_.tolerance, 1e-13, 1e-8);
  program_.rows.resize(n, normals + 1);
  program_.row_offset.resize(normals + 1);
  program_.rows.col(normals).setZero();
  program_.row_offset[normals] = kappa + slack * std::max(1.0, kappa);
  int row = 0;
  for (const Constraint& c : problem.constraints()) {
    const int variable = row_variable_[c.first_row + c.rows - 1];
    if (is_contact(c)) program_.rows(variable, normals) = -1.0;
    if (!is_contact(c) && c.kind != ConstraintKind::unilateral) continue;
    program_.rows.col(row) = program_.matrix.col(variable);
    program_.row_offset[row] = program_.linear[variable] + slack;
    ++row;
  }
}

// The tangent of ρ(x_N) = √(μ² x_N² + r²) at x_N: slope ρ' = μ² x_N/ρ and value r²/ρ at zero. Returns the largest
// change of reach against the tangents used before, at the same x_N.
double SolverMaxDissipation::linearise_cones(const ContactProblem& problem, const VectorX& at) {
  const bool again = program_.cones.size() == cone_constraint_.size();
  program_.cones.resize(cone_constraint_.size());
  double change = 0.0;
  for (size_t k = 0; k < cone_constraint_.size(); ++k) {
    const Constraint& c = problem.constraint(cone_constraint_[k]);
    const double r = viscous_radius(c) * condensed_.impulse_scale(), x_n = std::max(0.0, at[c.first_row + 2]);
    const double rho = std::sqrt(c.friction * c.friction * x_n * x_n + r * r);
    ConicQpCone& cone = program_.cones[k];
    if (again) change = std::max(change, std::abs(cone.slope * x_n + cone.offset - rho));
    cone.tangent_1 = row_variable_[c.first_row];
    cone.tangent_2 = row_variable_[c.first_row + 1];
    cone.normal = row_variable_[c.first_row + 2];
    cone.slope = r == 0.0 ? c.friction : c.friction * c.friction * x_n / rho;
    cone.offset = r == 0.0 ? 0.0 : r * r / rho;
  }
  return change;
}

// The interior point on program_ from point_; leaves the best iterate in best_ and its residual in the report.
SolveStatus SolverMaxDissipation::minimise(SolveReport& report) {
  const int limit = settings_.max_iterations > 0 ? settings_.max_iterations : default_iterations;
  interior_point_.start(program_, point_);
  double best = std::numeric_limits<double>::infinity();
  int since_best = 0;
  SolveStatus status = SolveStatus::iteration_limit;
  for (int iteration = 0; iteration <= limit && !is_interrupted(); ++iteration) {
    const ConicQpStep step = interior_point_.residual(program_);
    if (settings_.record_history) {
      history_.push_back({report.iterations, step.residual, step.gap, report.factorisations});
    }
    since_best = step.residual < 0.9 * best ? 0 : since_best + 1;
    if (step.residual < best) {
      best = step.residual;
      best_ = interior_point_.point();
    }
    // The objective is quadratic about its optimum: velocities are as good as the root of the gap, so what comes
    // nearly free after the tolerance is taken.
    if (best <= 1e-6 * settings_.tolerance || (best <= settings_.tolerance && since_best > 0)) break;
    if (since_best > patience) {
      status = SolveStatus::stalled;
      break;
    }
    if (iteration == limit) break;
    if (!interior_point_.iterate(program_)) {
      status = SolveStatus::numerical_error;
      break;
    }
    ++report.iterations;
    ++report.factorisations;
  }
  report.residual = best;
  return best <= settings_.tolerance ? SolveStatus::converged : status;
}

// (2-18) from the phase-I point, once per linearisation of the viscous radius. The answer is in second_.
SolveStatus SolverMaxDissipation::phase_two(const ContactProblem& problem, SolveReport& report) {
  lay_out(problem);
  fill_program(problem);
  second_ = first_;
  linearise_cones(problem, second_);
  const int rounds = problem.has_kind(ConstraintKind::viscous) ? settings_.viscous_rounds : 1;
  SolveStatus status = SolveStatus::converged;
  double unsettled = 0.0;
  for (int round = 0; round < rounds; ++round) {
    point_.resize(static_cast<Eigen::Index>(variable_row_.size()));
    for (Eigen::Index k = 0; k < point_.size(); ++k) point_[k] = second_[variable_row_[k]];
    status = minimise(report);
    if (status != SolveStatus::converged && report.residual > usable_residual) return status;
    for (Eigen::Index k = 0; k < point_.size(); ++k) second_[variable_row_[k]] = best_[k];
    unsettled = linearise_cones(problem, second_) / std::max(1.0, best_.lpNorm<Eigen::Infinity>());
    if (unsettled <= 0.1 * settings_.tolerance || status != SolveStatus::converged) break;
  }
  put_in_sets(problem, second_);
  if (status == SolveStatus::converged && unsettled > settings_.tolerance) status = SolveStatus::iteration_limit;
  report.residual = std::max(report.residual, unsettled);
  return status;
}

// What the interior point left outside by less than the tolerance: exactly admissible afterwards.
void SolverMaxDissipation::put_in_sets(const ContactProblem& problem, VectorX& x) const {
  for (const Constraint& c : problem.constraints()) {
    double* l = x.data() + c.first_row;
    if (c.kind == ConstraintKind::unilateral) l[0] = std::max(0.0, l[0]);
    if (c.kind == ConstraintKind::dry_friction) {
      const double bound = c.bound * condensed_.impulse_scale();
      l[0] = std::clamp(l[0], -bound, bound);
    }
    if (!is_contact(c)) continue;
    l[2] = std::max(0.0, l[2]);
    const double reach = std::hypot(c.friction * l[2], viscous_radius(c) * condensed_.impulse_scale());
    const double length = std::hypot(l[0], l[1]);
    if (length > reach) {
      l[0] *= reach / length;
      l[1] *= reach / length;
    }
  }
}

// ½ xᵀ A x + bᵀ x over the rows that are not bilateral; product_ holds A x + b there.
double SolverMaxDissipation::objective(const VectorX& x) {
  const Eigen::Index m = x.size();
  product_.resize(m);
  for (Eigen::Index i = 0; i < m; ++i) product_[i] = condensed_.offset(static_cast<int>(i));
  double value = 0.0;
  for (Eigen::Index j = 0; j < m; ++j) {
    if (x[j] == 0.0) continue;
    value += 0.5 * x[j] * condensed_.offset(static_cast<int>(j));
    for (Eigen::Index i = 0; i < m; ++i)
      product_[i] += condensed_.matrix(static_cast<int>(i), static_cast<int>(j)) * x[j];
  }
  return value + 0.5 * x.dot(product_);
}

// Phase III: x_N += e x_N, as far as energy allows, then a frictionless pass from there.
void SolverMaxDissipation::restitute(const ContactProblem& problem, VectorX& x) {
  kick_.setZero(x.size());
  for (const Constraint& c : problem.constraints()) {
    if (is_contact(c)) kick_[c.first_row + 2] = settings_.restitution * x[c.first_row + 2];
  }
  const double value = objective(x), slope = kick_.dot(product_);
  pushed_ = x + kick_;
  const double curvature = 2.0 * (objective(pushed_) - value - slope);
  // value + t slope + t² curvature/2 ≤ 0 for t up to its larger root
  double fraction = 1.0;
  if (value + slope + 0.5 * curvature > 0.0 && curvature > 0.0) {
    const double root = (-slope + std::sqrt(std::max(0.0, slope * slope - 2.0 * curvature * value))) / curvature;
    fraction = std::clamp(root, 0.0, 1.0);
  }
  x += fraction * kick_;
  normals_.build(problem, condensed_, x);
  frictionless_pass(kick_);
  x += kick_;
}

void MaxDissipationSettings::validate() const {
  SolverSettings::validate();
  require(restitution >= 0.0 && restitution <= 1.0, "restitution", restitution, "0 … 1");
  require(viscous_rounds >= 1 && viscous_rounds <= 100, "viscous_rounds", viscous_rounds, "1 … 100");
}

SolveReport SolverMaxDissipation::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  condensed_.build(problem);
  normals_.build(problem, condensed_);
  const double phase_one_residual = frictionless_pass(first_);

  bool any_friction = false;
  for (const Constraint& c : problem.constraints()) any_friction = any_friction || has_friction(c);
  VectorX* answer = &first_;
  if (any_friction) {
    report.status = phase_two(problem, report);
    const bool usable = report.residual <= std::max(settings_.tolerance, usable_residual);
    // Phase I is feasible for phase II, so an optimum cannot lie above it.
    const double gained = usable ? objective(second_) - objective(first_) : 0.0;
    if (usable && gained <= settings_.tolerance * std::max(1.0, second_.lpNorm<Eigen::Infinity>())) answer = &second_;
  }
  program_residual_ = std::max(report.residual, phase_one_residual);
  if (settings_.restitution > 0.0) restitute(problem, *answer);
  condensed_.recover(*answer, solution.impulse);
  if (!solution.impulse.allFinite()) {  // numbers near the largest double
    solution.impulse.setZero();
    report.status = SolveStatus::numerical_error;
  }
  return report;
}

// An optimum cannot be told from its impulses alone: what the program left counts beside what is admissible.
double SolverMaxDissipation::result_residual(const ContactProblem& problem, VectorView impulse,
                                             VectorView velocity) const {
  const double admissible =
      stopping_residual(problem, traits().model, impulse, velocity).measure(settings_.use_relative);
  return std::max(program_residual_, admissible);
}

}  // namespace stiction
