#include "stiction/solvers/sweeps/sweep_engine.h"

#include "stiction/solvers/linear_algebra/node_lu.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {

void SweepEngine::start(const ContactProblem& problem, VectorView impulse) {
  problem_ = &problem;
  const int n = problem.num_constraints();
  block_.resize(n);
  inverse_.resize(n);
  stiffness_.resize(n);
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem.constraint(i);
    block_[i] = problem.diagonal_block(i);
    for (int r = 0; r < c.rows; ++r) block_[i](r, r) += problem.compliance()[c.first_row + r];
    stiffness_[i] = block_[i].diagonal().head(c.rows).maxCoeff();
    if (c.kind == ConstraintKind::frictional || c.rows == 1) continue;
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> by_rows = block_[i];
    invert_block(by_rows.data(), inverse_[i].data());
  }
  velocity_.resize(problem.num_rows());
  prepare_running(problem);
  set_impulse(impulse);
}

void SweepEngine::prepare_running(const ContactProblem& problem) {
  switch (problem.form()) {
    case DelassusForm::dense: {
      const DelassusDense& g = problem.dense();
      running_.setZero(g.stride);
      dense_.view = {g.size, g.stride, g.data.data(), nullptr, problem.constraints(), 0.0};
      dense_.sigma = running_.data();
      dense_.compliance = problem.is_rigid() ? nullptr : problem.compliance().data();
      break;
    }
    case DelassusForm::sparse:
      sparse_.problem = &problem;
      break;
    case DelassusForm::factored:
      nodes_.resize(problem.factored().num_nodes());
      factored_ = RunningNodes(problem, nodes_.data(), stiffness_.data());
      break;
  }
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

double sweep_residual(const ContactProblem& problem, SweepEngine& engine, const SolveGoal& goal) {
  const VectorX& velocity = engine.refresh_velocity();
  return stopping_residual(problem, goal.model, engine.impulse(), velocity).measure(goal.use_relative);
}

}  // namespace stiction
