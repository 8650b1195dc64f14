#include "stiction/solvers/auto/auto_many_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/solvers/linear_algebra/node_lu.h"
#include "stiction/solvers/sweeps/visit.h"

namespace stiction {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

void AutoManyBodies::load(const ContactProblem& problem, const VectorX& impulse) {
  const int n = problem.num_constraints();
  lambda_ = impulse;
  sigma_.resize(impulse.size());
  node_.resize(problem.factored().num_nodes());
  block_.resize(n);
  stiffness_.resize(n);
  change_.resize(n);
  loaded_.reserve(n);
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem.constraint(i);
    const Matrix3& g = problem.diagonal_block(i);
    block_[i].state = OneContact::State::unknown;
    stiffness_[i] = 0.0;
    for (int r = 0; r < c.rows; ++r) {
      stiffness_[i] = std::max(stiffness_[i], g(r, r) + problem.compliance()[c.first_row + r]);
    }
  }
  running_ = RunningNodes(problem, node_.data(), stiffness_.data());
}

// Returns the largest change. A full sweep also makes the list of those that the next ones visit.
double AutoManyBodies::sweep(std::span<const Constraint> constraints, Sweep which, double relaxation) {
  double largest = 0.0;
  RunningNodes running = running_;
  const ExactLaw<true> law{block_.data(), relaxation};
  const auto visit_and_note = [&](int i) {
    change_[i] = visit(running, law, i, constraints[i], lambda_.data());
    if (!(change_[i] <= largest)) largest = change_[i];
  };
  if (which == Sweep::all) {
    loaded_.clear();
    for (int i = 0; i < static_cast<int>(constraints.size()); ++i) {
      visit_and_note(i);
      const Constraint& c = constraints[i];
      if (lambda_[c.first_row + c.rows - 1] != 0.0 || c.kind == ConstraintKind::bilateral) loaded_.push_back(i);
    }
  } else {
    const double threshold = which == Sweep::moving ? settings.quiet * largest_change_ : 0.0;
    for (const int i : loaded_) {
      if (change_[i] >= threshold) visit_and_note(i);
    }
  }
  largest_change_ = largest;
  return largest;
}

// w and σ afresh from λ, then the stopping test.
double AutoManyBodies::residual(const ContactProblem& problem, const AutoResidualScale& scale) {
  multiply_transposed(problem.factored(), problem.constraints(), lambda_.data(), node_.data());
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    double s[3];
    if (c.rows == 3) {
      running_.read<3>(i, c, lambda_.data(), s);
    } else {
      running_.read<1>(i, c, lambda_.data(), s);
    }
    for (int k = 0; k < c.rows; ++k) sigma_[c.first_row + k] = s[k];
  }
  return auto_residual(scale, problem.constraints(), lambda_.data(), sigma_.data(), infinity);
}

SolveOutcome AutoManyBodies::solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse) {
  const AutoResidualScale scale(problem, goal.use_relative);
  const double limit = auto_safety * goal.tolerance;
  SolveOutcome outcome;
  load(problem, impulse);
  best_.start(impulse, infinity);  // stays where no residual is a number
  const auto test = [&] {
    const double value = residual(problem, scale);  // makes σ
    best_.offer(lambda_, sigma_, value);
  };
  test();
  if (best_.residual() > limit) outcome.stage = AutoStage::many_bodies;
  double relaxation = 1.0, last_change = infinity, watched_change = infinity;
  double test_below = settings.worth_testing * limit;
  int since_full = settings.full_sweep_every, slow_looks = 0;
  while (best_.residual() > limit && outcome.iterations < settings.max_sweeps) {
    const bool all = since_full >= settings.full_sweep_every;
    if (!goal.spend_and_ask(AutoCost::sweep_of(all ? block_.size() : loaded_.size()))) break;
    since_full = all ? 1 : since_full + 1;
    const Sweep which = all ? Sweep::all : since_full % 2 ? Sweep::moving : Sweep::loaded;
    const double change = scale.velocity * sweep(problem.constraints(), which, relaxation);
    ++outcome.iterations;
    if (!std::isfinite(change)) break;
    relaxation = change < settings.tolerated_rise * last_change
                     ? std::min(settings.relaxation, relaxation + settings.growth)
                     : 1.0;
    last_change = change;
    if (change <= test_below) {
      test();
      test_below = 0.25 * std::min(test_below, change);
      since_full = settings.full_sweep_every;
    }
    if (outcome.iterations % settings.watch == 0) {
      const double speed = std::log(change / watched_change) / settings.watch;  // per sweep
      const double needed = std::log(limit / change) / speed;
      const bool hopeless = !(speed < 0.0) || outcome.iterations + needed > settings.max_sweeps;
      slow_looks = watched_change < infinity && change > limit && hopeless ? slow_looks + 1 : 0;
      if (slow_looks == settings.patience) break;
      watched_change = change;
    }
  }
  if (best_.residual() > limit) test();
  outcome.converged = best_.residual() <= limit;
  outcome.residual = best_.residual();
  impulse = best_.impulse();
  return outcome;
}

}  // namespace stiction
