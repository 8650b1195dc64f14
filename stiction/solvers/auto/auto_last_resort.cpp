#include "stiction/solvers/auto/auto_last_resort.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

// accumulator += block · x for three entries
void add_product(const Matrix3& block, const double* x, double* accumulator) {
  const double* b = block.data();
  for (int r = 0; r < 3; ++r) accumulator[r] += b[r] * x[0] + b[3 + r] * x[1] + b[6 + r] * x[2];
}

}  // namespace

void AutoLastResort::load(const ContactProblem& problem) {
  const int n = problem.num_constraints();
  problem_ = &problem;
  sweeps_.load(problem);
  lu_.analyse(problem.sparse());
  lambda_.resize(problem.num_rows());
  sigma_.resize(problem.num_rows());
  left_.resize(n);
  diagonal_.resize(n);
  fixed_.resize(n);
  right_.resize(3 * n);
  step_.resize(3 * n);
  correction_.resize(3 * n);
}

// Stick and slide of a contact whose exact local solution is `local`; w is its mean stiffness.
void AutoLastResort::linearise_contact(int i, const double* local, double w) {
  const Constraint& c = problem_->constraint(i);
  const double *l = lambda_.data() + c.first_row, *s = sigma_.data() + c.first_row;
  double* right = right_.data() + 3 * i;
  const double mu = c.friction, tangent = std::hypot(local[0], local[1]);
  if (tangent < mu * local[2] * (1.0 - 1e-12)) {
    left_[i].setIdentity();
    diagonal_[i] = proximal_ * w * Matrix3::Identity();
    for (int k = 0; k < 3; ++k) right[k] = -s[k];
    return;
  }
  // σ_T at the local solution: σ + W (x − λ), with R in W.
  double slip[3] = {s[0], s[1], s[2]};
  const double change[3] = {local[0] - l[0], local[1] - l[1], local[2] - l[2]};
  add_product(problem_->diagonal_block(i), change, slip);
  for (int k = 0; k < 2; ++k) slip[k] += problem_->compliance()[c.first_row + k] * change[k];
  const double t0 = tangent > 0.0 ? local[0] / tangent : 1.0, t1 = tangent > 0.0 ? local[1] / tangent : 0.0;
  const double alpha = tangent > 0.0 ? std::max(0.0, -(t0 * slip[0] + t1 * slip[1]) / tangent) : 1e6 * w;
  left_[i].setZero();
  diagonal_[i].setZero();
  left_[i](2, 2) = 1.0;
  diagonal_[i](2, 2) = proximal_ * w;
  right[2] = -s[2];
  diagonal_[i].row(0) << w * t0, w * t1, -w * mu;
  right[0] = -w * (t0 * l[0] + t1 * l[1] - mu * l[2]);
  left_[i].row(1) << -t1, t0, 0.0;
  diagonal_[i].row(1) << -(alpha + proximal_ * w) * t1, (alpha + proximal_ * w) * t0, 0.0;
  right[1] = t1 * (s[0] + alpha * l[0]) - t0 * (s[1] + alpha * l[1]);
}

// Rows of constraint i for the present λ, σ, or its known change where it is fixed.
void AutoLastResort::linearise(int i) {
  const Constraint& c = problem_->constraint(i);
  const double *l = lambda_.data() + c.first_row, *s = sigma_.data() + c.first_row;
  double local[3] = {0.0, 0.0, 0.0};
  sweeps_.solve_one(i, l, s, local);
  const double w = problem_->diagonal_block(i).trace() / c.rows;
  fixed_[i] = (c.kind == ConstraintKind::frictional && !(local[2] > 0.0)) ||
              (c.kind == ConstraintKind::unilateral && !(local[0] > 0.0)) ||
              (c.kind == ConstraintKind::dry_friction && std::abs(local[0]) >= c.bound) || !(w > 0.0);
  if (fixed_[i]) {
    for (int k = 0; k < 3; ++k) step_[3 * i + k] = k < c.rows ? local[k] - l[k] : 0.0;
    return;
  }
  if (c.kind == ConstraintKind::frictional) {
    linearise_contact(i, local, w);
  } else {
    left_[i].setIdentity();
    diagonal_[i].setIdentity();
    for (int k = 0; k < 3; ++k) {
      if (k < c.rows) diagonal_[i](k, k) = proximal_ * w;
      right_[3 * i + k] = k < c.rows ? -s[k] : 0.0;
    }
  }
  for (int k = 0; k < c.rows; ++k) diagonal_[i].col(k) += left_[i].col(k) * problem_->compliance()[c.first_row + k];
}

// right −= left · G · (known changes), and the same residual for the refinement is formed by newton_step().
void AutoLastResort::move_fixed_to_right() {
  const DelassusSparse& g = problem_->sparse();
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    if (fixed_[i]) continue;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) {
      if (fixed_[g.column[k]]) add_product(g.block[k], step_.data() + 3 * g.column[k], sum);
    }
    double moved[3] = {0.0, 0.0, 0.0};
    add_product(left_[i], sum, moved);
    for (int k = 0; k < 3; ++k) right_[3 * i + k] -= moved[k];
  }
}

// λ ← λ + Δ with one step of iterative refinement. False where the factorisation fails.
bool AutoLastResort::newton_step() {
  const DelassusSparse& g = problem_->sparse();
  const int n = problem_->num_constraints();
  for (int i = 0; i < n; ++i) linearise(i);
  move_fixed_to_right();
  if (!lu_.factor(g, diagonal_, left_, fixed_, interrupt_)) return false;
  const auto put = [&](const std::vector<double>& x, bool add) {
    for (int i = 0; i < n; ++i) {
      if (fixed_[i]) continue;
      for (int k = 3 * i; k < 3 * i + 3; ++k) step_[k] = add ? step_[k] + x[k] : x[k];
    }
  };
  lu_.solve(right_.data(), correction_.data());
  put(correction_, false);
  for (int i = 0; i < n; ++i) {
    if (fixed_[i]) continue;
    double sum[3] = {0.0, 0.0, 0.0}, product[3] = {0.0, 0.0, 0.0};
    for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) {
      if (!fixed_[g.column[k]]) add_product(g.block[k], step_.data() + 3 * g.column[k], sum);
    }
    add_product(left_[i], sum, product);
    add_product(diagonal_[i], step_.data() + 3 * i, product);
    for (int k = 0; k < 3; ++k) right_[3 * i + k] -= product[k];
  }
  lu_.solve(right_.data(), correction_.data());
  put(correction_, true);
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem_->constraint(i);
    for (int k = 0; k < c.rows; ++k) lambda_[c.first_row + k] += step_[3 * i + k];
  }
  return lambda_.allFinite();
}

SolveOutcome AutoLastResort::solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse) {
  load(problem);
  interrupt_ = goal.interrupt();
  SolveOutcome outcome;
  outcome.stage = AutoStage::last_resort;
  const auto residual = [&](const VectorX& lambda) {
    problem.velocity(lambda, sigma_);
    return stopping_residual(problem, ContactModel::ncp, lambda, sigma_).measure(goal.use_relative);
  };
  best_.start(impulse, residual(impulse));
  for (const double weight : settings.proximal) {
    proximal_ = weight;
    lambda_.setZero();
    if (!goal.spend_and_ask(settings.first_sweeps * AutoCost::sparse_sweep)) break;
    for (int k = 0; k < settings.first_sweeps; ++k) sweeps_.sweep(lambda_.data(), k % 2);
    best_.offer(lambda_, residual(lambda_));
    for (int step = 0; step < settings.max_steps && best_.residual() > goal.tolerance; ++step) {
      const double cost = AutoCost::factorisation + settings.sweeps_per_step * AutoCost::sparse_sweep;
      if (!goal.spend_and_ask(cost) || !newton_step()) break;
      ++outcome.iterations;
      ++outcome.factorisations;
      for (int k = 0; k < settings.sweeps_per_step; ++k) sweeps_.sweep(lambda_.data(), k % 2);
      best_.offer(lambda_, residual(lambda_));
    }
    if (best_.residual() <= goal.tolerance) break;
  }
  impulse = best_.impulse();
  outcome.residual = best_.residual();
  outcome.converged = outcome.residual <= goal.tolerance;
  return outcome;
}

}  // namespace stiction
