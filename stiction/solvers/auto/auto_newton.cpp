#include "stiction/solvers/auto/auto_newton.h"

#include <algorithm>

namespace stiction {

SolveOutcome AutoNewton::solve(const ContactProblem& problem, const SolveGoal& goal, double allowance,
                               VectorX& impulse) {
  SolveGoal wanted = goal;
  wanted.tolerance = auto_safety * goal.tolerance;
  newton_.start(problem, impulse, wanted);
  SolveOutcome outcome;
  outcome.stage = AutoStage::active_set;
  double spent = 0.0, milestone = newton_.residual();
  int next_look = settings.look_every;
  bool did = false;  // newton_.residual() was acceptable
  while (!newton_.done()) {
    const double cost = AutoCost::factorisation + newton_.sweeps_due() * AutoCost::sparse_sweep;
    if (spent + cost > allowance || !goal.spend_and_ask(cost)) break;
    spent += cost;
    if (newton_.sweeps_due() > 0) newton_.do_sweeps();
    if (newton_.done()) break;
    newton_.step();
    ++outcome.iterations;
    ++outcome.factorisations;
    // What will do is not worth as many steps as what will not.
    const bool will_do = newton_.residual() <= goal.acceptable;
    if (will_do && !did) next_look = outcome.iterations;
    did = will_do;
    if (outcome.iterations < next_look) continue;
    if (newton_.residual() > settings.worthwhile * milestone) break;
    milestone = newton_.residual();
    next_look += will_do ? settings.settled_every : std::max(settings.look_every, outcome.iterations / 2);
  }
  impulse = newton_.impulse();
  outcome.residual = newton_.residual();
  outcome.converged = outcome.residual <= goal.tolerance;
  return outcome;
}

bool AutoNewton::run(const ContactProblem& problem, double allowance, ConeTask& task) {
  impulse_.resize(problem.num_rows());
  task.cones->write_impulse(task.best.impulse, impulse_);
  return run_from_impulse(problem, allowance, task);
}

bool AutoNewton::run_cold(const ContactProblem& problem, double allowance, ConeTask& task) {
  impulse_.setZero(problem.num_rows());
  return run_from_impulse(problem, allowance, task);
}

bool AutoNewton::run_from_impulse(const ContactProblem& problem, double allowance, ConeTask& task) {
  const SolveStage before = task.stage;
  task.stage = AutoStage::active_set;
  const SolveOutcome outcome = solve(problem, task.goal, allowance, impulse_);
  task.iterations += outcome.iterations;
  task.system->factorisations += outcome.factorisations;
  rows_.resize(task.cones->size(), 3);
  sigma_.resize(task.cones->size(), 3);
  task.cones->read_impulse(impulse_, rows_);
  task.system->velocity(rows_, sigma_);
  const StoppingResidual residual = task.cones->residual(rows_, sigma_);
  task.best.offer(rows_, residual, residual.measure(task.goal.use_relative), task.stage);
  task.stage = before;
  return task.done();
}

}  // namespace stiction
