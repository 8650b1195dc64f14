#include "stiction/solvers/auto/auto_contact_space.h"

#include <algorithm>
#include <stdexcept>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr double newton_turn = 100.0;  // factorisations; more than most need that succeed at all
constexpr double cold_newton_turn = 400.0;

}  // namespace

bool AutoContactSpace::load(const ContactProblem& problem, const SolveGoal& goal, const VectorX& impulse) {
  if (problem.form() == DelassusForm::factored) {
    refuse("auto in contact space: the problem is factored; it takes dense and sparse ones");
  }
  cones_.load(problem);
  system_.load(problem, cones_);
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
  constexpr double near = 1e-2;  // residual of the guess
  // κ of that residual, but no less than this: what Newton leaves has the wrong contacts open or sliding, however small
  // its residual is, and they need room to change.
  constexpr double near_start = 0.1, least_start = 1e-4;
  const double residual = task_.best.value;
  if (!(residual < near)) return false;
  task_.stage = AutoStage::interior_point;
  InteriorPointOptions options;
  options.patience = 4;
  ConeVector& at = interior_point_.point.at;
  interior_point_.resize(cones_.size());
  at.impulse = task_.guess();
  cones_.start_near(task_.guess_velocity(), std::max(least_start, near_start * residual), options.delta, at);
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
  constexpr double delta[3] = {0.6, 0.3, 0.8};
  constexpr int factorisations[3] = {600, 1500, 3000};
  constexpr double start_scale = 3.0;
  constexpr double near = 1e-3;
  arclength_.resize(cones_.size());
  for (int k = first; k < end; ++k) {
    ArclengthOptions options;
    options.delta = delta[k];
    options.max_factorisations = factorisations[k];
    cones_.start_cold(start_scale, arclength_.point.at);
    const double before = task_.best.value;
    task_.stage = AutoStage::arclength;
    if (arclength_.run(task_, options)) return true;
    const bool closer = task_.best.value < before && task_.best.value < near;
    if (closer && newton_.run(problem, newton_turn, task_)) return true;
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
  constexpr double nearly_found = 1e-6;
  task_.infeasible = task_.best.value > nearly_found && proof_.find(problem, task_.goal);
  return task_.infeasible;
}

// From the best so far; where that is not near, also from nothing, as other starts lead elsewhere.
bool AutoContactSpace::newton(const ContactProblem& problem) {
  constexpr double near = 2e-4;
  if (newton_.run(problem, newton_turn, task_)) return true;
  return task_.best.value > near && newton_.run_cold(problem, cold_newton_turn, task_);
}

SolveOutcome AutoContactSpace::follow_long_paths(const ContactProblem& problem, VectorX& impulse) {
  task_.continue_from(impulse);
  arclength(problem, 1, 3);
  return task_.finish(problem, impulse);
}

}  // namespace stiction
