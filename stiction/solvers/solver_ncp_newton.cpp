#include "stiction/solvers/solver_ncp_newton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

constexpr int default_steps = 200;
constexpr std::array<double, 4> proximal_cycle{1e-5, 1e-7, 1e-4, 1e-6};

// λ_N ≥ 0 kept, λ_T shrunk to the disc μ λ_N; limits and boxes clamped.
void project_horizontally(const ContactProblem& problem, VectorX& impulse) {
  for (const Constraint& c : problem.constraints()) {
    double* l = impulse.data() + c.first_row;
    if (c.kind == ConstraintKind::unilateral) l[0] = std::max(0.0, l[0]);
    if (c.kind == ConstraintKind::dry_friction) l[0] = std::clamp(l[0], -c.bound, c.bound);
    if (c.kind != ConstraintKind::frictional) continue;
    l[2] = std::max(0.0, l[2]);
    const double reach = c.friction * l[2], tangent = std::sqrt(l[0] * l[0] + l[1] * l[1]);
    if (tangent <= reach) continue;
    l[0] *= reach / tangent;
    l[1] *= reach / tangent;
  }
}

}  // namespace

const SolverTraits& SolverNcpNewton::traits() const {
  static const SolverTraits traits{
      .name = "ncp-newton", .model = ContactModel::ncp, .summary = "semismooth Newton (Alart-Curnier active sets)"};
  return traits;
}

void SolverNcpNewton::start(const ContactProblem& problem, const VectorX& impulse) {
  problem_ = &problem;
  system_.start(problem);
  law_.prepare(problem);
  engine_.start(problem, impulse);
  inverse_rho_.resize(problem.num_constraints());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    double largest = 0.0;
    for (int r = 0; r < problem.constraint(i).rows; ++r) largest = std::max(largest, engine_.block(i)(r, r));
    inverse_rho_[i] = largest > 0.0 ? largest : problem.largest_diagonal();
  }
  impulse_ = impulse;
  velocity_.resize(problem.num_rows());
  base_.resize(problem.num_rows());
  direction_.resize(problem.num_rows());
  trial_.resize(problem.num_rows());
}

double SolverNcpNewton::residual() {
  problem_->velocity(impulse_, velocity_);
  return stopping_residual(*problem_, ContactModel::ncp, impulse_, velocity_).measure(settings_.use_relative);
}

// The unprojected iterate goes on; the projected one may be the better answer.
double SolverNcpNewton::test() {
  const double unprojected = residual();
  best_.offer(impulse_, unprojected);
  trial_ = impulse_;
  project_horizontally(*problem_, trial_);
  if (trial_ != impulse_) {
    problem_->velocity(trial_, base_);
    best_.offer(trial_, stopping_residual(*problem_, ContactModel::ncp, trial_, base_).measure(settings_.use_relative));
  }
  return unprojected;
}

void SolverNcpNewton::sweep(int count) {
  engine_.set_impulse(swept_);
  for (int k = 0; k < count; ++k) engine_.sweep(law_);
  impulse_ = swept_ = engine_.impulse();
}

// Every row is written for the change Δλ = λ⁺ − base, where base is λ with open contacts at zero.
void SolverNcpNewton::linearise(double proximal) {
  base_ = impulse_;
  bool moved = false;
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    const int normal = c.first_row + c.rows - 1;
    const bool can_open = c.kind == ConstraintKind::frictional || c.kind == ConstraintKind::unilateral;
    system_.skip[i] = can_open && impulse_[normal] * inverse_rho_[i] <= velocity_[normal];
    for (int r = 0; r < c.rows && system_.skip[i]; ++r) {
      moved |= base_[c.first_row + r] != 0.0;
      base_[c.first_row + r] = 0.0;
    }
  }
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    system_.left[i].setZero();
    system_.diagonal[i].setZero();
    if (system_.skip[i]) continue;
    problem_->constraint(i).kind == ConstraintKind::frictional ? linearise_contact(i) : linearise_row(i);
  }
  if (moved) problem_->velocity(base_, velocity_);
  // right = −(left σ + (diagonal without R and proximal term) λ) at the base, where `right` still holds the constant.
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    for (int r = 0; r < c.rows; ++r) {
      double value = system_.right[c.first_row + r];
      for (int k = 0; k < c.rows; ++k) {
        const int column = c.first_row + k;
        value -= system_.left[i](r, k) * velocity_[column] + system_.diagonal[i](r, k) * base_[column];
      }
      system_.right[c.first_row + r] = system_.skip[i] ? 0.0 : value;
    }
    if (system_.skip[i]) continue;
    for (int r = 0; r < c.rows; ++r) {
      for (int k = 0; k < c.rows; ++k) {
        system_.diagonal[i](r, k) += system_.left[i](r, k) * problem_->compliance()[c.first_row + k];
      }
      system_.diagonal[i](r, r) += proximal * inverse_rho_[i];
    }
  }
}

void SolverNcpNewton::linearise_contact(int i) {
  const Constraint& c = problem_->constraint(i);
  const double rho = 1.0 / inverse_rho_[i];
  const double* l = impulse_.data() + c.first_row;
  const double* s = velocity_.data() + c.first_row;
  const double x1 = l[0] - rho * s[0], x2 = l[1] - rho * s[1], xn = l[2] - rho * s[2];
  const double t = std::sqrt(x1 * x1 + x2 * x2), r = c.friction * (l[2] > 0.0 ? std::min(xn, l[2]) : xn);
  Matrix3 &left = system_.left[i], &diagonal = system_.diagonal[i];
  for (int k = 0; k < 3; ++k) system_.right[c.first_row + k] = 0.0;
  if (t <= r) {
    left.setIdentity();
    return;
  }
  const double d1 = x1 / t, d2 = x2 / t, share = r / t;
  const Vector2 d(d1, d2), e(-d2, d1);
  left.topLeftCorner<2, 2>() = share * e * e.transpose();
  left(2, 2) = 1.0;
  diagonal.topLeftCorner<2, 2>() = inverse_rho_[i] * ((1.0 - share) * e * e.transpose() + d * d.transpose());
  diagonal.topRightCorner<2, 1>() = -inverse_rho_[i] * c.friction * d;
}

void SolverNcpNewton::linearise_row(int i) {
  const Constraint& c = problem_->constraint(i);
  for (int k = 0; k < c.rows; ++k) {
    system_.left[i](k, k) = 1.0;
    system_.right[c.first_row + k] = 0.0;
  }
  if (c.kind != ConstraintKind::dry_friction) return;
  const double x = impulse_[c.first_row] - velocity_[c.first_row] / inverse_rho_[i];
  if (std::abs(x) <= c.bound) return;
  system_.left[i](0, 0) = 0.0;
  system_.diagonal[i](0, 0) = inverse_rho_[i];
  system_.right[c.first_row] = inverse_rho_[i] * std::copysign(c.bound, x);
}

bool SolverNcpNewton::step(double proximal) {
  linearise(proximal);
  if (!system_.solve(direction_)) return false;
  impulse_ = base_ + direction_;
  return true;
}

SolveReport SolverNcpNewton::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  if (settings_.first_sweeps < 0 || settings_.patience < 1) {
    throw std::invalid_argument("solve: first_sweeps is " + std::to_string(settings_.first_sweeps) + ", patience is " +
                                std::to_string(settings_.patience) + "; they must be at least 0 and 1");
  }
  const int max_steps = settings_.max_iterations > 0 ? settings_.max_iterations : default_steps;
  SolveReport report;
  start(problem, solution.impulse);
  best_.start(impulse_, residual());
  swept_ = impulse_;  // also where the residual is so large that adding one to it changes nothing
  int sweeps = settings_.first_sweeps, restarts = 0, last_gain = 0;
  double current = best_.residual();
  double swept_best = best_.residual() + 1.0;
  const auto restart = [&] {
    // Where the last round found nothing better, sweeping goes on from where it ended instead of repeating itself.
    if (best_.residual() < swept_best) swept_ = best_.impulse();
    swept_best = best_.residual();
    sweep(sweeps);
    sweeps = std::clamp(2 * sweeps, 1, 256);
    current = test();
    last_gain = report.iterations;
  };
  if (best_.residual() > settings_.tolerance) restart();
  while (best_.residual() > settings_.tolerance && report.iterations < max_steps) {
    const double before = best_.residual();
    ++report.iterations;
    ++report.factorisations;
    last_ = impulse_;
    bool solved = step(proximal_cycle[restarts % proximal_cycle.size()]);
    if (solved) {
      double next = test();
      if (settings_.use_line_search) {
        // Along the segment from the last iterate; the shortest try is an eighth of the step.
        for (int half = 0; half < 3 && next > 10.0 * current; ++half) {
          impulse_ = 0.5 * (impulse_ + last_);
          next = test();
        }
      }
      current = next;
      solved = std::isfinite(current);
    }
    if (settings_.record_history) history_.push_back({report.iterations, best_.residual(), 0.0, report.iterations});
    if (best_.residual() < before) last_gain = report.iterations;
    if (!solved || report.iterations - last_gain >= settings_.patience) {
      ++restarts;
      restart();
    }
  }
  solution.impulse = best_.impulse();
  report.residual = best_.residual();
  if (best_.residual() > settings_.tolerance) report.status = SolveStatus::iteration_limit;
  return report;
}

void SolverNcpNewton::add_options(std::vector<SolverOption>& list) {
  list.push_back({"first_sweeps", "exact sweeps before the first step", &settings_.first_sweeps});
  list.push_back({"patience", "steps without a new best residual before a restart", &settings_.patience});
  list.push_back({"use_line_search", "halve steps that make the residual ten times worse", &settings_.use_line_search});
}

}  // namespace stiction
