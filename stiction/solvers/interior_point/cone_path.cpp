#include "stiction/solvers/interior_point/cone_path.h"

#include <cmath>

namespace stiction {

bool BestImpulse::offer(const Rows3& candidate, const StoppingResidual& r, double measure, SolveStage from) {
  if (!(measure < value)) return false;
  impulse = candidate;
  residual = r;
  value = measure;
  stage = from;
  return true;
}

bool ConeTask::begin(const ConeProblem& problem, NewtonSystem& space, const SolveGoal& wanted, const VectorX& guess) {
  cones = &problem;
  system = &space;
  goal = wanted;
  space.interrupt = wanted.interrupt();
  stage = SolveStage::guess;
  iterations = 0;
  infeasible = false;
  impulse_.resize(problem.size(), 3);
  sigma_.resize(problem.size(), 3);
  problem.read_impulse(guess, impulse_);
  space.velocity(impulse_, sigma_);
  best.impulse = impulse_;
  best.residual = problem.residual(impulse_, sigma_);
  best.value = best.residual.measure(goal.use_relative);
  best.stage = stage;
  return done();
}

void ConeTask::continue_from(const VectorX& impulse) {
  iterations = 0;
  system->factorisations = 0;
  cones->read_impulse(impulse, impulse_);
  system->velocity(impulse_, sigma_);
  const StoppingResidual residual = cones->residual(impulse_, sigma_);
  // What is better than the guess is the new guess: finish() writes nothing unless something beats it.
  best.impulse = impulse_;
  best.residual = residual;
  best.value = residual.measure(goal.use_relative);
  best.stage = SolveStage::guess;
}

SolveOutcome ConeTask::finish(const ContactProblem& problem, VectorX& impulse) {
  if (best.stage != SolveStage::guess) cones->write_impulse(best.impulse, impulse);
  velocity_.resize(impulse.size());
  problem.velocity(impulse, velocity_);
  const double value = stopping_residual(problem, ContactModel::ncp, impulse, velocity_).measure(goal.use_relative);
  return {.converged = value <= goal.tolerance,
          .stage = best.stage,
          .iterations = iterations,
          .factorisations = system->factorisations,
          .residual = value,
          .infeasible = infeasible && value > goal.tolerance,
          .accepted = value <= goal.acceptable};
}

void PathPoint::resize(int n) {
  at.resize(n);
  sigma.resize(n, 3);
  rp.resize(n, 3);
}

bool PathPoint::evaluate(ConeTask& task, double delta) {
  task.system->velocity(at.impulse, sigma);
  residual = task.cones->residual(at.impulse, sigma);
  task.best.offer(at.impulse, residual, residual.measure(task.goal.use_relative), task.stage);
  rp_norm = task.cones->primal_residual(sigma, at.y, delta, rp);
  kappa = task.cones->mean_product(at);
  if (task.history != nullptr) {
    task.history->push_back(
        {task.iterations, residual.measure(task.goal.use_relative), kappa, task.system->factorisations});
  }
  return std::isfinite(residual.natural) && std::isfinite(kappa) && std::isfinite(rp_norm);
}

bool StickProbe::run(ConeTask& task, Rows3& impulse) {
  sigma.resize(impulse.rows(), 3);
  if (!task.factor_stick(eta)) return false;
  task.system->velocity(impulse, sigma);
  for (int round = 0; round < rounds; ++round) {
    task.system->stick_step(sigma, impulse);
    task.system->velocity(impulse, sigma);
    const StoppingResidual residual = task.cones->residual(impulse, sigma);
    task.best.offer(impulse, residual, residual.measure(task.goal.use_relative), task.stage);
    if (task.done()) return true;
    if (!(residual.primal <= std::max(1e-6, 10.0 * task.goal.tolerance))) break;
  }
  return std::isfinite(impulse.sum());
}

}  // namespace stiction
