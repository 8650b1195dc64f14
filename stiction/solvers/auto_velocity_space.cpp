#include "stiction/solvers/auto_velocity_space.h"

#include <algorithm>
#include <stdexcept>

namespace stiction {
namespace {

constexpr double first_eta = 3e-7;    // numerator of η, see NewtonVelocitySpace
constexpr double second_eta = 3e-8;   // for second attempts and path following
constexpr int long_double_size = 60;  // velocities; dense, so about 0.1 ms per factorisation

}  // namespace

bool AutoVelocitySpace::load(const ContactProblem& problem, const AutoGoal& goal, const VectorX& impulse) {
  if (problem.form() != DelassusForm::factored) {
    throw std::invalid_argument("auto in velocity space: the problem is not factored");
  }
  cones_.load(problem);
  system_.load(problem, cones_);
  system_.eta_numerator = first_eta;
  system_.refinements = 0;
  return task_.begin(cones_, system_, goal, impulse);
}

bool AutoVelocitySpace::probe() {
  task_.stage = AutoStage::velocity_probe;
  probed_ = task_.best.impulse;
  probe_.eta = 1e-9;
  probe_.rounds = 8;
  probe_failed_ = !probe_.run(task_, probed_);
  return task_.done();
}

bool AutoVelocitySpace::interior_point(Start start, double delta, double start_scale) {
  interior_point_.resize(cones_.size());
  ConeVector& at = interior_point_.point.at;
  if (start == Start::from_probe) {
    if (probe_failed_) return false;
    at.impulse = probed_;
    cones_.start_from_impulse(at);
  } else {
    cones_.start_cold(start_scale, at);
  }
  InteriorPointOptions options;
  options.delta = delta;
  options.step_rule = InteriorPointOptions::StepRule::by_predictor;
  return interior_point_.run(task_, options);
}

bool AutoVelocitySpace::all_interior_points() {
  task_.stage = AutoStage::velocity_interior_point;
  const auto enough = [this](bool solved) { return solved || task_.is_acceptable(); };
  // Where most of the probe's impulse lies outside the cones it is no good start.
  constexpr double much_violation = 0.55;
  const bool probe_is_bad = probe_failed_ || cones_.relative_violation(probed_) > much_violation;
  const Start first = probe_is_bad ? Start::cold : Start::from_probe;
  const Start second = probe_is_bad ? Start::from_probe : Start::cold;
  if (enough(interior_point(first)) || enough(interior_point(second))) return true;
  // Every δ has a central path of its own: where one folds, another often does not, and three more tries at some thirty
  // factorisations each are cheaper than following a fold. Near 1 the path is smooth but long.
  constexpr double other_delta[3] = {0.99, 0.2, 0.995}, other_scale[3] = {30.0, 1.0, 30.0};
  for (int k = 0; k < 3; ++k) {
    if (enough(interior_point(Start::cold, other_delta[k], other_scale[k]))) return true;
  }
  system_.eta_numerator = second_eta;
  system_.refinements = 1;
  return enough(interior_point(first)) || enough(interior_point(second));
}

bool AutoVelocitySpace::arclength() {
  constexpr double delta[3] = {0.6, 0.3, 0.8};
  constexpr int factorisations[3] = {600, 1500, 3000};
  constexpr double start_scale = 3.0;
  task_.stage = AutoStage::velocity_arclength;
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

AutoOutcome AutoVelocitySpace::solve(const ContactProblem& problem, const AutoGoal& goal, VectorX& impulse) {
  AutoOutcome outcome = solve_once(problem, goal, impulse);
  if (outcome.converged || !task_.done()) return outcome;
  // With a mass ratio of 10⁶ rounding λ to the units of the problem moves σ visibly: what passed inside does not
  // outside.
  AutoGoal stricter = goal;
  stricter.tolerance *= 0.5;
  stricter.max_factorisations = std::max(0, goal.max_factorisations - outcome.factorisations);
  const AutoOutcome again = solve_once(problem, stricter, impulse);
  outcome.iterations += again.iterations;
  outcome.factorisations += again.factorisations;
  outcome.residual = again.residual;
  outcome.converged = again.residual <= goal.tolerance;
  outcome.accepted = again.accepted;
  return outcome;
}

AutoOutcome AutoVelocitySpace::solve_once(const ContactProblem& problem, const AutoGoal& goal, VectorX& impulse) {
  if (!load(problem, goal, impulse) && !probe() && !all_interior_points() && !arclength()) long_double(problem);
  return task_.finish(problem, impulse);
}

AutoOutcome AutoVelocitySpace::solve_cold(const ContactProblem& problem, const AutoGoal& goal,
                                          const InteriorPointOptions& options, VectorX& impulse,
                                          std::vector<HistoryEntry>* history) {
  if (!load(problem, goal, impulse)) {
    task_.history = history;
    task_.stage = AutoStage::velocity_interior_point;
    interior_point_.resize(cones_.size());
    cones_.start_cold(1.0, interior_point_.point.at);
    interior_point_.run(task_, options);
    task_.history = nullptr;
  }
  return task_.finish(problem, impulse);
}

// The same two starts once more.
bool AutoVelocitySpace::long_double(const ContactProblem& problem) {
  if (problem.factored().num_velocities() > long_double_size) return false;
  const int factorisations = system_.factorisations;
  precise_.load(problem, cones_);
  precise_.factorisations = factorisations;
  task_.system = &precise_;
  task_.stage = AutoStage::last_resort;
  return interior_point(Start::from_probe) || interior_point(Start::cold);
}

}  // namespace stiction
