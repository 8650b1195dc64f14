#include "stiction/solvers/admm/solver_staggered.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "stiction/math/refuse.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

constexpr SolverTraits ncp_traits{"ncp-staggered", ContactModel::ncp,
                                  "normal and tangential impulses by turns, disc friction"};
constexpr SolverTraits lcp_traits{"lcp-staggered", ContactModel::lcp,
                                  "normal and tangential impulses by turns, pyramid friction"};

constexpr int patience = 100;  // rounds without a better one before it counts as stalled

using Kind = AdmmSet::Kind;

}  // namespace

SolverStaggered::SolverStaggered(ContactModel model) : model_(model) {
  if (model != ContactModel::ncp && model != ContactModel::lcp) {
    refuse("SolverStaggered: the model is ", to_string(model), "; it must be ncp or lcp");
  }
}

const SolverTraits& SolverStaggered::traits() const {
  return model_ == ContactModel::ncp ? ncp_traits : lcp_traits;
}

void SolverStaggered::add_options(std::vector<SolverOption>& list) {
  stiction::add_options(settings_, list);
  list.push_back({"inner_iterations", "ADMM iterations per half and round, at most", &settings_.inner_iterations});
  list.push_back(
      {"outer_anderson", "memory of Anderson's acceleration of the rounds, 0 is off", &settings_.outer_anderson});
}

void SolverStaggered::choose_sets(const ContactProblem& problem) {
  const int n = problem.num_constraints();
  normal_.sets.resize(n);
  tangential_.sets.resize(n);
  normal_.empty = tangential_.empty = true;
  for (int i = 0; i < n; ++i) {
    AdmmSet &normal = normal_.sets[i], &tangential = tangential_.sets[i];
    switch (problem.constraint(i).kind) {
      case ConstraintKind::unilateral:
        normal = {Kind::ray, 0.0};
        tangential = {Kind::nothing, 0.0};
        break;
      case ConstraintKind::bilateral:
        normal = tangential = {Kind::whole, 0.0};
        break;
      case ConstraintKind::dry_friction:
        normal = {Kind::nothing, 0.0};
        tangential = {Kind::box, problem.constraint(i).bound};
        break;
      default:
        normal = {Kind::normal, 0.0};
        tangential = {model_ == ContactModel::ncp ? Kind::disc : Kind::square, 0.0};
    }
    normal_.empty = normal_.empty && normal.kind == Kind::nothing;
    tangential_.empty = tangential_.empty && tangential.kind == Kind::nothing;
  }
}

double SolverStaggered::measure(const ContactProblem& problem) {
  problem.velocity(impulse_, velocity_);
  return stopping_residual(problem, model_, impulse_, velocity_).measure(settings_.use_relative);
}

// The tangential bounds μ λ_N of the round.
void SolverStaggered::bound_friction(const ContactProblem& problem) {
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    AdmmSet& set = tangential_.sets[i];
    if (set.kind == Kind::disc || set.kind == Kind::square) set.size = c.friction * impulse_[c.first_row + 2];
  }
}

// The quadratic program of one half from the current impulse; its answer in answer_, zero on the rows of the other.
bool SolverStaggered::solve_half(const ContactProblem& problem, Half& half, double tolerance) {
  held_ = impulse_;
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    for (int r = 0; r < c.rows; ++r) {
      if (half.core.is_active(c.first_row + r)) held_[c.first_row + r] = 0.0;
    }
  }
  problem.apply(held_, linear_);
  linear_ += problem.free_velocity();
  const VectorX unknown;
  if (!half.core.begin(linear_, impulse_, half.has_dual ? half.dual : unknown, half.exponent, half.sets)) return false;
  for (int k = 0; k < settings_.inner_iterations; ++k) {
    ++inner_iterations_;
    if (!half.core.step()) return false;
    if (std::max(half.core.primal_residual(), half.core.dual_residual()) <= tolerance) break;
    if (!half.core.advance()) return false;
  }
  half.core.impulse(answer_);
  half.core.dual(half.dual);
  half.has_dual = true;
  half.exponent = half.core.penalty_exponent();
  return true;
}

// Normal problem, then tangential problem with the new bounds.
bool SolverStaggered::solve_round(const ContactProblem& problem, double tolerance) {
  if (!normal_.empty) {
    if (!solve_half(problem, normal_, tolerance)) return false;
    normal_.core.merge(answer_, impulse_);
  }
  if (!tangential_.empty) {
    bound_friction(problem);
    if (!solve_half(problem, tangential_, tolerance)) return false;
    tangential_.core.merge(answer_, impulse_);
  }
  return true;
}

void SolverStaggered::begin(const ContactProblem& problem) {
  const int m = problem.num_rows();
  choose_sets(problem);
  for (Half* half : {&normal_, &tangential_}) {
    half->exponent = std::numeric_limits<double>::quiet_NaN();
    half->dual.resize(m);
    half->has_dual = false;
    if (!half->empty) half->core.set_up(problem, half->sets, false, settings_);
  }
  state_.setZero(m);
  image_.setZero(m);
  if (!tangential_.empty) tangential_.core.merge(impulse_, state_);
  anderson_.resize(m, settings_.outer_anderson);
}

// The tangential impulse that the next round starts from.
void SolverStaggered::extrapolate() {
  if (tangential_.empty) return;
  tangential_.core.merge(impulse_, image_);
  anderson_.advance(state_, image_);
  tangential_.core.merge(state_, impulse_);
}

int SolverStaggered::factorisations() const {
  return (normal_.empty ? 0 : normal_.core.factorisations()) +
         (tangential_.empty ? 0 : tangential_.core.factorisations());
}

void SolverStaggeredSettings::validate() const {
  SolverSettings::validate();
  AdmmSettings::validate();
  require(outer_anderson >= 0 && outer_anderson <= Anderson::max_memory, "outer_anderson", outer_anderson, "in 0 … 30");
  require(inner_iterations >= 1, "inner_iterations", inner_iterations, "at least 1");
}

SolveReport SolverStaggered::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const SolveGoal goal = start_goal(default_max_iterations);
  for (VectorX* v : {&velocity_, &held_, &linear_, &answer_}) v->resize(problem.num_rows());
  impulse_ = solution.impulse;
  inner_iterations_ = 0;
  SolveOutcome outcome;
  best_.start(impulse_, measure(problem));
  outcome.residual = best_.residual();
  outcome.converged = outcome.residual <= goal.tolerance;
  if (outcome.converged) return report_of(outcome);

  begin(problem);
  double last = outcome.residual;
  int best_round = 0;
  while (outcome.iterations - best_round < patience && goal.spend_and_ask(1.0)) {
    ++outcome.iterations;
    // Exact halves are wasted on a round that is far from the fixed point.
    const double inner = std::max(0.02 * settings_.tolerance, 0.05 * std::min(1.0, last));
    outcome.broken = !solve_round(problem, inner);
    if (outcome.broken) break;
    last = measure(problem);
    if (settings_.record_history) history_.push_back({outcome.iterations, last, 0.0, factorisations()});
    if (last < 0.99 * best_.residual()) best_round = outcome.iterations;
    best_.offer(impulse_, last);
    outcome.converged = last <= goal.tolerance;
    if (outcome.converged) break;
    extrapolate();
  }
  outcome.factorisations = factorisations();
  outcome.residual = best_.residual();
  solution.impulse = best_.impulse();
  return report_of(outcome);
}

}  // namespace stiction
