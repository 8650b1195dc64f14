#include "stiction/solvers/newton/semismooth_newton.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/solvers/put_in_sets.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

constexpr std::array<double, 4> proximal_cycle{1e-5, 1e-7, 1e-4, 1e-6};

}  // namespace

void SemismoothNewton::start(const ContactProblem& problem, const VectorX& guess, const SolveGoal& goal,
                             const SemismoothNewtonOptions& options) {
  goal_ = goal;
  options_ = options;
  problem_ = &problem;
  system_.start(problem, goal.interrupt());
  law_.prepare(problem);
  engine_.start(problem, guess);
  inverse_rho_.resize(problem.num_constraints());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    double largest = 0.0;
    for (int r = 0; r < problem.constraint(i).rows; ++r) largest = std::max(largest, engine_.block(i)(r, r));
    inverse_rho_[i] = largest > 0.0 ? largest : problem.largest_diagonal();
  }
  impulse_ = guess;
  velocity_.resize(problem.num_rows());
  base_.resize(problem.num_rows());
  direction_.resize(problem.num_rows());
  trial_.resize(problem.num_rows());
  current_ = measure();
  best_.start(impulse_, current_);
  swept_ = impulse_;  // also where the residual is so large that adding one to it changes nothing
  swept_best_ = current_ + 1.0;
  sweeps_ = sweeps_due_ = options.first_sweeps;
  restarts_ = steps_without_gain_ = 0;
}

double SemismoothNewton::measure() {
  problem_->velocity(impulse_, velocity_);
  return stopping_residual(*problem_, ContactModel::ncp, impulse_, velocity_).measure(goal_.use_relative);
}

// The unprojected iterate goes on; the projected one may be the better answer.
double SemismoothNewton::test() {
  const double unprojected = measure();
  best_.offer(impulse_, unprojected);
  trial_ = impulse_;
  if (put_in_sets(problem_->constraints(), trial_.data())) {
    problem_->velocity(trial_, base_);
    best_.offer(trial_, stopping_residual(*problem_, ContactModel::ncp, trial_, base_).measure(goal_.use_relative));
  }
  return unprojected;
}

void SemismoothNewton::sweep(int count) {
  engine_.set_impulse(swept_);
  for (int k = 0; k < count; ++k) engine_.sweep(law_);
  impulse_ = swept_ = engine_.impulse();
}

// Every row is written for the change Δλ = λ⁺ − base, where base is λ with open contacts at zero.
void SemismoothNewton::linearise(double proximal) {
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

void SemismoothNewton::linearise_contact(int i) {
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

void SemismoothNewton::linearise_row(int i) {
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

bool SemismoothNewton::solve(double proximal) {
  linearise(proximal);
  if (!system_.solve(direction_)) return false;
  impulse_ = base_ + direction_;
  return true;
}

// Where the last round found nothing better, sweeping goes on from where it ended instead of repeating itself.
void SemismoothNewton::do_sweeps() {
  if (best_.residual() < swept_best_) swept_ = best_.impulse();
  swept_best_ = best_.residual();
  sweep(sweeps_due_);
  sweeps_ = std::clamp(2 * sweeps_, 1, 256);
  sweeps_due_ = 0;
  steps_without_gain_ = 0;
  current_ = test();
}

void SemismoothNewton::step() {
  const double before = best_.residual();
  last_ = impulse_;
  bool solved = solve(proximal_cycle[restarts_ % proximal_cycle.size()]);
  if (solved) {
    double next = test();
    if (options_.use_line_search) {
      // Along the segment from the last iterate; the shortest try is an eighth of the step.
      for (int half = 0; half < 3 && next > 10.0 * current_; ++half) {
        impulse_ = 0.5 * (impulse_ + last_);
        next = test();
      }
    }
    current_ = next;
    solved = std::isfinite(current_);
  }
  steps_without_gain_ = best_.residual() < before ? 0 : steps_without_gain_ + 1;
  if (!solved || steps_without_gain_ >= options_.patience) {
    ++restarts_;
    sweeps_due_ = sweeps_;
  }
}

}  // namespace stiction
