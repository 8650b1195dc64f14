#include "stiction/solvers/sweeps/sweep_engine.h"

#include <Eigen/LU>
#include <algorithm>

#include "stiction/solvers/linear_algebra/node_lu.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {

void SweepEngine::start(const ContactProblem& problem, VectorView impulse) {
  problem_ = &problem;
  const int n = problem.num_constraints();
  block_.resize(n);
  inverse_.resize(n);
  trace_.resize(n);
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem.constraint(i);
    block_[i] = problem.diagonal_block(i);
    for (int r = 0; r < c.rows; ++r) block_[i](r, r) += problem.compliance()[c.first_row + r];
    trace_[i] = block_[i].trace();
    if (c.kind == ConstraintKind::frictional) continue;
    inverse_[i].setZero();
    if (c.rows == 1) {
      if (block_[i](0, 0) > 0.0) inverse_[i](0, 0) = 1.0 / block_[i](0, 0);
    } else if (trace_[i] > 0.0) {
      // A redundant weld has a singular block: the proximal term of a few ulps leaves its consistent part exact.
      const Matrix3 lifted = block_[i] + 1e-14 * trace_[i] * Matrix3::Identity();
      inverse_[i] = lifted.partialPivLu().inverse();
    }
  }
  velocity_.resize(problem.num_rows());
  if (problem.form() == DelassusForm::dense) running_.setZero(problem.dense().stride);
  if (problem.form() == DelassusForm::factored) nodes_.resize(problem.factored().num_nodes());
  set_impulse(impulse);
}

void SweepEngine::set_impulse(VectorView impulse) {
  impulse_ = impulse;
  restart_running();
}

void SweepEngine::restart_running() {
  if (problem_->form() == DelassusForm::dense) {
    problem_->velocity(impulse_, velocity_);
    running_.head(problem_->num_rows()) = velocity_;
  } else if (problem_->form() == DelassusForm::factored) {
    multiply_transposed(problem_->factored(), problem_->constraints(), impulse_.data(), nodes_.data());
  }
}

const VectorX& SweepEngine::refresh_velocity() {
  restart_running();
  if (problem_->form() == DelassusForm::factored) {
    multiply(problem_->factored(), problem_->constraints(), nodes_.data(), velocity_.data());
    velocity_ += problem_->free_velocity();
    if (!problem_->is_rigid()) velocity_ += problem_->compliance().cwiseProduct(impulse_);
  } else if (problem_->form() == DelassusForm::sparse) {
    problem_->velocity(impulse_, velocity_);
  }
  return velocity_;
}

void SweepEngine::read(int i, double* sigma) const {
  const Constraint& c = problem_->constraint(i);
  if (problem_->form() == DelassusForm::dense) {
    for (int r = 0; r < c.rows; ++r) sigma[r] = running_[c.first_row + r];
    return;
  }
  if (problem_->form() == DelassusForm::sparse) {
    const DelassusSparse& g = problem_->sparse();
    Vector3 sum = Vector3::Zero();
    for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) {
      const Constraint& cj = problem_->constraint(g.column[k]);
      const double* l = impulse_.data() + cj.first_row;
      if (cj.rows == 3) {
        sum.noalias() += g.block[k] * Eigen::Map<const Vector3>(l);
      } else {
        sum += g.block[k].col(0) * l[0];
      }
    }
    for (int r = 0; r < c.rows; ++r) sigma[r] = sum[r];
  } else {
    const DelassusFactored& f = problem_->factored();
    Pack8 sums[3] = {};
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      for (int r = 0; r < c.rows; ++r) sums[r] += f.segment[s].row[r] * nodes_[f.segment_node[s]];
    }
    for (int r = 0; r < c.rows; ++r) sigma[r] = sum(sums[r]);
  }
  for (int r = 0; r < c.rows; ++r) {
    const int row = c.first_row + r;
    sigma[r] += problem_->free_velocity()[row] + problem_->compliance()[row] * impulse_[row];
  }
}

void SweepEngine::change(int i, const double* delta, const double* next) {
  const Constraint& c = problem_->constraint(i);
  for (int r = 0; r < c.rows; ++r) impulse_[c.first_row + r] = next[r];
  if (problem_->form() == DelassusForm::dense) {
    const DelassusDense& g = problem_->dense();
    double* __restrict running = running_.data();
    for (int r = 0; r < c.rows; ++r) {
      const double* __restrict column = g.column(c.first_row + r);
      for (int k = 0; k < g.stride; ++k) running[k] += delta[r] * column[k];
      running[c.first_row + r] += delta[r] * problem_->compliance()[c.first_row + r];
    }
  } else if (problem_->form() == DelassusForm::factored) {
    const DelassusFactored& f = problem_->factored();
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      Pack8& w = nodes_[f.segment_node[s]];
      for (int r = 0; r < c.rows; ++r) w += f.segment[s].row[r] * broadcast8(delta[r]);
    }
  }
}

void SweepEngine::step_simple(int i, double relaxation, const double* sigma, double* next) const {
  const Constraint& c = problem_->constraint(i);
  const Matrix3& inverse = inverse_[i];
  if (c.rows == 3) {
    const Vector3 step = inverse * Eigen::Map<const Vector3>(sigma);
    for (int r = 0; r < 3; ++r) next[r] -= relaxation * step[r];
    return;
  }
  next[0] -= relaxation * inverse(0, 0) * sigma[0];
  if (c.kind == ConstraintKind::unilateral) next[0] = std::max(0.0, next[0]);
  if (c.kind == ConstraintKind::dry_friction) next[0] = std::clamp(next[0], -c.bound, c.bound);
}

double sweep_residual(const ContactProblem& problem, SweepEngine& engine, const SolveGoal& goal) {
  const VectorX& velocity = engine.refresh_velocity();
  return stopping_residual(problem, goal.model, engine.impulse(), velocity).measure(goal.use_relative);
}

}  // namespace stiction
