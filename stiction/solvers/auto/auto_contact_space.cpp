#include "stiction/solvers/auto/auto_contact_space.h"

#include <algorithm>
#include <stdexcept>

#include "stiction/math/refuse.h"

namespace stiction {
bool AutoContactSpace::load(const ContactProblem& problem, const SolveGoal& goal, const VectorX& impulse) {
  if (problem.form() == DelassusForm::factored) {
    refuse("auto in contact space: the problem is factored; it takes dense and sparse ones");
  }
  cones_.load(problem);
  system_.load(problem, cones_);
  newton_.settings = settings.newton;
  return task_.begin(cones_, system_, goal, impulse);
}

bool AutoContactSpace::probe() {
  task_.stage = AutoStage::stick_probe;
  impulse_.setZero(cones_.size(), 3);
  probe_failed_ = !probe_.run(task_, impulse_);
  return task_.done();
}

// From beside a guess that is near, as active-set Newton leaves it where it cannot decide between two sets.
bool AutoContactSpace::interior_point_near_guess() {
  const double residual = task_.best.value;
  if (!(residual < settings.near)) return false;
  task_.stage = AutoStage::interior_point;
  InteriorPointOptions options;
  options.patience = settings.near_patience;
  ConeVector& at = interior_point_.point.at;
  interior_point_.resize(cones_.size());
  at.impulse = task_.guess();
  cones_.start_near(task_.guess_velocity(), std::max(settings.least_start, settings.near_start * residual),
                    options.delta, at);
  return interior_point_.run(task_, options);
}

bool AutoContactSpace::interior_point(const InteriorPointOptions& options) {
  task_.stage = AutoStage::interior_point;
  interior_point_.resize(cones_.size());
  cones_.start_cold(1.0, interior_point_.point.at);
  return interior_point_.run(task_, options);
}

// Another start on another part of the same problem: from the impulse that the probe left.
bool AutoContactSpace::second_interior_point() {
  if (probe_failed_) return false;
  interior_point_.point.at.impulse = impulse_;
  cones_.start_from_impulse(interior_point_.point.at);
  InteriorPointOptions options;
  options.step_rule = InteriorPointOptions::StepRule::by_predictor;
  return interior_point_.run(task_, options);
}

// A path that ends near a solution may have been stopped by rounding alone: Newton has other rounding.
bool AutoContactSpace::arclength(const ContactProblem& problem, int first, int end) {
  arclength_.resize(cones_.size());
  for (int k = first; k < end; ++k) {
    ArclengthOptions options;
    options.delta = settings.delta[k];
    options.max_factorisations = settings.factorisations[k];
    cones_.start_cold(settings.path_start, arclength_.point.at);
    const double before = task_.best.value;
    task_.stage = AutoStage::arclength;
    if (arclength_.run(task_, options)) return true;
    const bool closer = task_.best.value < before && task_.best.value < newton_.settings.near;
    if (closer && newton_.run(problem, newton_.settings.turn, task_)) return true;
  }
  return false;
}

SolveOutcome AutoContactSpace::solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse) {
  if (!load(problem, goal, impulse) && !interior_point_near_guess() && !probe() && !interior_point({}) &&
      !second_interior_point() && !task_.is_acceptable() && !prove_infeasible(problem) && !newton(problem)) {
    arclength(problem, 0, 1);
  }
  return task_.finish(problem, impulse);
}

// Where not even six digits were found. True ends the search.
bool AutoContactSpace::prove_infeasible(const ContactProblem& problem) {
  task_.infeasible = task_.best.value > settings.nearly_found && proof_.find(problem, task_.goal);
  return task_.infeasible;
}

// From the best so far; where that is not near, also from nothing, as other starts lead elsewhere.
bool AutoContactSpace::newton(const ContactProblem& problem) {
  if (newton_.run(problem, newton_.settings.turn, task_)) return true;
  return task_.best.value > newton_.settings.cold_beyond &&
         newton_.run_cold(problem, newton_.settings.cold_turn, task_);
}

SolveOutcome AutoContactSpace::follow_long_paths(const ContactProblem& problem, VectorX& impulse) {
  task_.continue_from(impulse);
  arclength(problem, 1, 3);
  return task_.finish(problem, impulse);
}

}  // namespace stiction
