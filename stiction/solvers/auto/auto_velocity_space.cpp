#include "stiction/solvers/auto/auto_velocity_space.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "stiction/math/refuse.h"

namespace stiction {
// Whether what is left pays for enough factorisations. Asked before anything is prepared: to find the order of a large
// heap takes as long as many sweeps, and its fill far longer, so the latter ends where it would be too much.
bool AutoVelocitySpace::can_pay(const ContactProblem& problem, const SolveGoal& goal) {
  if (problem.form() != DelassusForm::factored) {
    refuse("auto in velocity space: the problem is not factored");
  }
  const int nodes = problem.factored().num_nodes();
  if (nodes > settings.most_nodes) return false;
  const double ordering = nodes <= settings.large_nodes ? 0.0 : nodes / settings.nodes_ordered;
  const double left = goal.left() - ordering;
  system_.most_products = settings.usual_products * std::max(1.0, left / settings.least_factorisations);
  system_.most_products = std::min(system_.most_products, settings.most_products);
  if (ordering > 0.0 && (left < settings.least_factorisations || !goal.spend_and_ask(ordering))) return false;
  return system_.analyse(problem.factored());
}

bool AutoVelocitySpace::load(const ContactProblem& problem, const SolveGoal& goal, const VectorX& impulse) {
  cones_.load(problem);
  system_.load(problem, cones_);
  system_.unsharpen();
  newton_.settings = settings.newton;
  const bool is_solved = task_.begin(cones_, system_, goal, impulse);
  task_.goal.share *= std::max(1.0, system_.num_products() / settings.usual_products);
  return is_solved;
}

// Contacts and limits are open where λ_N ≤ σ_N. False where none is.
bool AutoVelocitySpace::mark_open(const Rows3& impulse, const Rows3& sigma) {
  const auto is_open = [&](int i, int row) { return !(impulse(i, row) > sigma(i, row)); };
  is_open_.resize(cones_.size());
  for (int i = 0; i < cones_.size(); ++i) is_open_[i] = is_open(i, 2);
  for (const ScalarConstraint& s : cones_.scalars()) {
    is_open_[s.index] = s.kind == ConstraintKind::unilateral && is_open(s.index, s.row);
  }
  return std::find(is_open_.begin(), is_open_.end(), true) != is_open_.end();
}

// All that is not marked as open sticks, with as little change of λ as that takes.
bool AutoVelocitySpace::probe_loaded(const Rows3& impulse) {
  loaded_ = impulse;
  for (int i = 0; i < cones_.size(); ++i) {
    if (is_open_[i]) loaded_.row(i).setZero();
  }
  system_.open = is_open_;
  const bool solved = probe_.run(task_, loaded_) && task_.done();
  system_.open.clear();
  return solved;
}

// As where nothing has moved since the last step: its contacts are probably those of the solution.
bool AutoVelocitySpace::guess_is_near() const {
  return guess_residual_ < settings.near;
}

bool AutoVelocitySpace::probe() {
  task_.stage = AutoStage::velocity_probe;
  probe_.rounds = settings.probe_rounds;
  probed_ = task_.best.impulse;
  guess_residual_ = task_.best.value;
  probe_.eta =
      guess_is_near() && system_.num_nodes() > settings.many_nodes ? settings.probe_eta_of_piles : settings.probe_eta;
  if (guess_is_near() && mark_open(probed_, task_.guess_velocity()) && probe_loaded(probed_)) return true;
  probe_failed_ = !probe_.run(task_, probed_);
  return task_.done();
}

bool AutoVelocitySpace::interior_point(Start start, const InteriorPointAttempt& attempt) {
  interior_point_.resize(cones_.size());
  ConeVector& at = interior_point_.point.at;
  switch (start) {
    case Start::near_guess:
      if (!guess_is_near()) return false;
      at.impulse = task_.guess();
      cones_.start_near(task_.guess_velocity(), settings.near_start * guess_residual_, attempt.delta, at);
      break;
    case Start::from_probe:
      if (probe_failed_) return false;
      at.impulse = probed_;
      cones_.start_from_impulse(at);
      break;
    case Start::cold:
      cones_.start_cold(attempt.start_scale, at, attempt.start_floor);
      break;
  }
  return run_interior_point(attempt);
}

bool AutoVelocitySpace::run_interior_point(const InteriorPointAttempt& attempt) {
  InteriorPointOptions options;
  options.delta = attempt.delta;
  options.step_rule = attempt.step_rule;
  options.patience = attempt.patience;
  options.second_order = attempt.second_order;
  options.watch = attempt.patience < InteriorPointAttempt{}.patience;
  return interior_point_.run(task_, options);
}

// A large pile has several folds at a time, and what is found beyond one of them may show the next. Few bodies around a
// fold are quick to solve and mostly enough; where κ hardly falls from one round to the next they were too few.
bool AutoVelocitySpace::cross_folds(const ContactProblem& problem) {
  int bodies = LocalPath::few_bodies;
  double last_kappa = std::numeric_limits<double>::infinity();
  for (int round = 0;
       round < settings.fold_rounds && !interior_point_.blocking.empty() && task_.goal.left() > settings.fold_reserve;
       ++round) {
    PathPoint& point = interior_point_.point;
    bodies = point.kappa > settings.hardly * last_kappa ? bodies + bodies / 2 : LocalPath::few_bodies;
    last_kappa = point.kappa;
    const bool crossed = local_path_.cross(problem, cones_, interior_point_.blocking, point.kappa, bodies, point.at,
                                           task_.goal, settings.fold_reserve);
    const int cost = static_cast<int>(std::ceil(local_path_.factorisations()));
    system_.factorisations += cost;
    task_.iterations += cost;
    if (crossed) {
      const bool solved = run_interior_point({.patience = settings.short_patience});
      if (solved || task_.is_acceptable()) return true;
    } else if (bodies >= system_.num_nodes()) {
      return false;
    }
  }
  return false;
}

// Nothing that pushes moves.
bool AutoVelocitySpace::is_at_rest() {
  const PathPoint& point = interior_point_.point;
  mark_open(point.at.impulse, point.sigma);
  for (int i = 0; i < cones_.size(); ++i) {
    if (!is_open_[i] && !(point.sigma.row(i).abs().maxCoeff() <= settings.at_rest)) return false;
  }
  return true;
}

// What is at rest has many solutions, and an interior point ends at one close to the edge of some cones: the probe of
// the next step, which changes λ as little as it can, leaves them, and an interior point is needed again, and so on.
// From a point in the middle of the cones the probe of this step and of those that follow succeeds.
void AutoVelocitySpace::prepare_next_step() {
  if (!guess_is_near() || !task_.done() || !is_at_rest() || !task_.may_factor() ||
      !interior_point_.go_back(settings.well_before))
    return;
  solution_ = task_.best;
  PathPoint& central = interior_point_.point;
  if (interior_point_.centre(task_, InteriorPointAttempt{}.delta, settings.centring_steps)) {
    system_.velocity(central.at.impulse, central.sigma);
    mark_open(central.at.impulse, central.sigma);
    task_.best.value = std::numeric_limits<double>::infinity();
    if (probe_loaded(central.at.impulse)) return;
  }
  task_.best = solution_;
}

bool AutoVelocitySpace::all_interior_points(const ContactProblem& problem) {
  task_.stage = AutoStage::velocity_interior_point;
  const auto enough = [this](bool solved) { return solved || task_.is_acceptable(); };
  const bool probe_is_bad = probe_failed_ || cones_.relative_violation(probed_) > settings.much_violation;
  const Start first = probe_is_bad ? Start::cold : Start::from_probe;
  const Start second = probe_is_bad ? Start::from_probe : Start::cold;
  const bool pile = system_.num_nodes() > settings.many_nodes;
  if (system_.num_nodes() > settings.few_nodes &&
      interior_point(Start::near_guess, {.patience = settings.short_patience}))
    return true;
  InteriorPointAttempt attempt;
  if (pile) attempt.patience = settings.short_patience;
  if (probe_is_bad && system_.num_nodes() > settings.bent_nodes) {
    // Takes more of the piles to an acceptable residual; with those that it leaves the other gets on better.
    attempt.second_order = InteriorPointOptions::SecondOrder::at_predictor;
    attempt.start_floor = settings.high_floor;
  }
  if (enough(interior_point(first, attempt))) {
    if (pile) prepare_next_step();
    return true;
  }
  if (pile && cross_folds(problem)) return true;
  // What keeps a pile from an acceptable residual is a fold, not rounding.
  const bool only_folds = pile && task_.goal.acceptable > task_.goal.tolerance;
  if (only_folds && system_.num_nodes() > settings.large_nodes) return false;
  if (prove_infeasible(problem) || enough(newton_.run(problem, newton_.settings.turn, task_))) return true;
  if (enough(interior_point(second))) return true;
  // A few more tries at some thirty factorisations each are cheaper than following a fold. With δ near 1 the path is
  // smooth but long; steps that go nearly to the boundary jump over some folds.
  using enum InteriorPointOptions::StepRule;
  constexpr InteriorPointAttempt others[] = {{0.99, 30.0, by_predictor}, {0.2, 1.0, by_kappa}, {0.5, 1.0, by_kappa}};
  for (const InteriorPointAttempt& other : others) {
    if (enough(interior_point(Start::cold, other))) return true;
  }
  if (only_folds) return false;
  system_.sharpen();
  return enough(interior_point(first)) || enough(interior_point(second));
}

// Where not even six digits were found. True ends the search.
bool AutoVelocitySpace::prove_infeasible(const ContactProblem& problem) {
  task_.infeasible = task_.best.value > settings.nearly_found && proof_.find(problem, task_.goal);
  return task_.infeasible;
}

// Follows folds of the whole, unless it is large and somebody settles for less. Where a residual is acceptable the path
// is left there, and an interior point takes it from there as far as it goes.
bool AutoVelocitySpace::arclength(const ContactProblem& problem) {
  const bool may_settle = task_.goal.acceptable > task_.goal.tolerance;
  if (may_settle && system_.num_nodes() > settings.large_nodes) return false;
  arclength_.resize(cones_.size());
  system_.follow_path();
  for (std::size_t k = 0; k < std::size(settings.delta); ++k) {
    if (task_.goal.left() < settings.least_path) return false;
    const double before = task_.best.value;
    task_.stage = AutoStage::velocity_arclength;
    ArclengthOptions options;
    options.delta = settings.delta[k];
    options.max_factorisations = settings.factorisations[k];
    cones_.start_cold(settings.path_start, arclength_.point.at);
    if (!arclength_.run(task_, options)) {
      const bool closer = task_.best.value < before && task_.best.value < newton_.settings.near;
      if (closer && newton_.run(problem, newton_.settings.turn, task_)) return true;
      continue;
    }
    if (task_.done()) return true;
    task_.stage = AutoStage::velocity_interior_point;
    interior_point_.point.at = arclength_.point.at;
    run_interior_point({.delta = settings.delta[k]});
    return true;
  }
  return false;
}

SolveOutcome AutoVelocitySpace::solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse) {
  SolveOutcome outcome = solve_once(problem, goal, impulse);
  // With a mass ratio of 10⁶ rounding λ to the units of the problem moves σ visibly: what passed inside does not
  // outside, by chance, and another solution probably does.
  SolveGoal stricter = goal;
  const bool was_loaded = outcome.residual < std::numeric_limits<double>::infinity();
  for (int k = 0; k < settings.retries && was_loaded && !outcome.converged && task_.done(); ++k) {
    stricter.tolerance *= settings.stricter;
    retried_ = impulse;
    const SolveOutcome again = solve_once(problem, stricter, retried_);
    outcome.iterations += again.iterations;
    outcome.factorisations += again.factorisations;
    if (!(again.residual < outcome.residual)) continue;
    impulse = retried_;
    outcome.residual = again.residual;
    outcome.converged = again.residual <= goal.tolerance;
    outcome.accepted = again.accepted;
  }
  return outcome;
}

SolveOutcome AutoVelocitySpace::solve_once(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse) {
  if (!can_pay(problem, goal)) {
    SolveOutcome untouched;
    untouched.residual = std::numeric_limits<double>::infinity();
    return untouched;
  }
  if (!load(problem, goal, impulse) && !probe() && !all_interior_points(problem) && !arclength(problem)) {
    long_double(problem);
  }
  return task_.finish(problem, impulse);
}

// The same two starts once more.
bool AutoVelocitySpace::long_double(const ContactProblem& problem) {
  if (problem.factored().num_velocities() > settings.long_double_size) return false;
  const int factorisations = system_.factorisations;
  precise_.load(problem, cones_);
  precise_.factorisations = factorisations;
  task_.system = &precise_;
  task_.stage = AutoStage::last_resort;
  return interior_point(Start::from_probe) || interior_point(Start::cold);
}

}  // namespace stiction
