#include "stiction/solvers/auto_contact_space.h"

#include <algorithm>
#include <stdexcept>

namespace stiction {

bool AutoContactSpace::load(const ContactProblem& problem, const AutoGoal& goal, const VectorX& impulse) {
  if (problem.form() == DelassusForm::factored) {
    throw std::invalid_argument("auto in contact space: the problem is factored; it takes dense and sparse ones");
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

bool AutoContactSpace::arclength() {
  constexpr double delta[3] = {0.6, 0.3, 0.8};
  constexpr int factorisations[3] = {600, 1500, 3000};
  constexpr double start_scale = 3.0;
  task_.stage = AutoStage::arclength;
  arclength_.resize(cones_.size());
  for (int k = 0; k < 3; ++k) {
    ArclengthOptions options;
    options.delta = delta[k];
    options.max_factorisations = factorisations[k];
    cones_.start_cold(start_scale, arclength_.point.at);
    if (arclength_.run(task_, options)) return true;
  }
  return false;
}

AutoOutcome AutoContactSpace::solve(const ContactProblem& problem, const AutoGoal& goal, VectorX& impulse) {
  if (!load(problem, goal, impulse) && !interior_point_near_guess() && !probe() && !interior_point({}) &&
      !second_interior_point() && !task_.is_acceptable()) {
    arclength();
  }
  return task_.finish(problem, impulse);
}

AutoOutcome AutoContactSpace::solve_cold(const ContactProblem& problem, const AutoGoal& goal,
                                         const InteriorPointOptions& options, VectorX& impulse,
                                         std::vector<HistoryEntry>* history) {
  if (!load(problem, goal, impulse)) {
    task_.history = history;
    interior_point(options);
    task_.history = nullptr;
  }
  return task_.finish(problem, impulse);
}

}  // namespace stiction
