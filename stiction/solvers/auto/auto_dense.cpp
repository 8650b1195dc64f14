#include "stiction/solvers/auto/auto_dense.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/sweeps/running_velocity.h"
#include "stiction/solvers/sweeps/visit.h"

namespace stiction {

using dense_detail::copy_and_pad;
using dense_detail::copy_padded;

// The view with everything padded.
DenseView AutoDense::load(const DenseView& given, const VectorX& impulse) {
  const std::size_t padded = given.stride;
  if (lambda_.size() < padded) {
    for (auto* v : {&lambda_, &sigma_, &trial_lambda_, &trial_sigma_}) v->resize(padded);
    best_.resize(padded);
    free_velocity_.resize(padded + 8);
  }
  if (block_.size() < given.constraints.size()) block_.resize(given.constraints.size());
  copy_and_pad(impulse.data(), given.rows, given.stride, lambda_.data());
  copy_and_pad(given.free_velocity, given.rows, given.stride, free_velocity_.data());
  // The guess may be anything, and the running σ holds its rounding for good.
  largest_impulse_ = impulse.lpNorm<Eigen::Infinity>();
  for (std::size_t i = 0; i < given.constraints.size(); ++i) block_[i].state = OneContact::State::unknown;
  DenseView view = given;
  view.free_velocity = free_velocity_.data();
  return view;
}

void AutoDense::sweep(const DenseView& view) {
  RunningDense running{.view = view, .sigma = sigma_.data(), .largest_impulse = largest_impulse_};
  const ExactLaw<false> law{block_.data()};
  const Constraint* const constraints = view.constraints.data();
  const int n = static_cast<int>(view.constraints.size());
  for (int i = 0; i < n; ++i) visit(running, law, i, constraints[i], lambda_.data());
  largest_impulse_ = running.largest_impulse;
}

// A sweep shrinks the error by about the square of the coupling between contacts that push. Feet on legs of their own
// are nearly independent; the corners of one sole are not, and Newton is the cheaper way there.
int AutoDense::choose_sweeps(const DenseView& view) const {
  int row[8], count = 0;
  for (const Constraint& c : view.constraints) {
    const int last = c.first_row + c.rows - 1;
    if (lambda_[last] == 0.0) continue;
    if (count == settings.few_contacts) return 0;
    row[count++] = last;
  }
  const double bound = settings.light_coupling * settings.light_coupling;
  for (int i = 1; i < count; ++i) {
    const double* column = view.column(row[i]);
    for (int j = 0; j < i; ++j) {
      const double g = column[row[j]];
      if (g * g > bound * column[row[i]] * view.column(row[j])[row[j]]) return 0;
    }
  }
  return count == 0 ? 1 : settings.sweeps;
}

// One Newton step and both tests: 1 where an iterate passes (it is then in λ, σ), 0 where there is a new best, −1 else.
int AutoDense::newton_step(const DenseView& view, const AutoResidualScale& scale, double limit) {
  dense_velocity(view, lambda_.data(), sigma_.data());
  double r = auto_residual(scale, view.constraints, lambda_.data(), sigma_.data(), best_.residual);
  if (r <= limit) {
    best_.residual = r;
    return 1;
  }
  bool better = best_.offer(view.stride, lambda_.data(), sigma_.data(), r);
  if (!put_in_sets(view, lambda_.data(), trial_lambda_.data())) return better ? 0 : -1;
  dense_velocity(view, trial_lambda_.data(), trial_sigma_.data());
  r = auto_residual(scale, view.constraints, trial_lambda_.data(), trial_sigma_.data(), best_.residual);
  if (r <= limit) {
    best_.residual = r;
    lambda_.swap(trial_lambda_);
    sigma_.swap(trial_sigma_);
    return 1;
  }
  better |= best_.offer(view.stride, trial_lambda_.data(), trial_sigma_.data(), r);
  return better ? 0 : -1;
}

// Newton steps until one passes the test (true), or the patience, the steps or the pivots end.
bool AutoDense::newton_run(const DenseView& view, const AutoResidualScale& scale, double limit, double proximal,
                           int& steps, SolveOutcome& outcome) {
  double milestone = best_.residual;
  for (int without_progress = 0; without_progress < settings.patience && steps < settings.newton_steps; ++steps) {
    double edge = 0.0;
    if (outcome.iterations == 0) edge = best_.residual > settings.in_motion ? settings.wide_edge : settings.edge;
    if (!goal_->spend_and_ask(AutoCost::dense_step)) break;
    if (!active_set_.step(view, proximal, lambda_.data(), sigma_.data(), edge)) break;
    ++outcome.iterations;
    ++outcome.factorisations;
    // Near the solution all that is missing is what the proximal term held back: a substitution, not a new matrix.
    const bool released = best_.residual < settings.release_below && scale.velocity * active_set_.held_back() > limit;
    if (released) active_set_.release(view, lambda_.data());
    const int progress = newton_step(view, scale, limit);
    if (progress > 0) return true;
    if (!released && progress == 0 && best_.residual < settings.refine_below) {
      active_set_.refine(view, lambda_.data(), sigma_.data());
      if (newton_step(view, scale, limit) > 0) return true;
    }
    // Creeping is no progress: the stages that follow are quicker.
    const bool gained = best_.residual < settings.worthwhile * milestone;
    if (gained) milestone = best_.residual;
    without_progress = gained ? 0 : without_progress + 1;
  }
  return false;
}

// Sweeps with the residual of what they leave; true where that passes.
bool AutoDense::sweep_and_test(const DenseView& view, const AutoResidualScale& scale, double limit, int sweeps,
                               SolveOutcome& outcome) {
  for (int k = 0; k < sweeps && goal_->spend_and_ask(AutoCost::sweep); ++k) {
    sweep(view);
    ++outcome.iterations;
  }
  // On the way λ may have been large (blocks that are nearly singular), and the running σ then holds its rounding.
  dense_velocity(view, lambda_.data(), sigma_.data());
  const double r = auto_residual(scale, view.constraints, lambda_.data(), sigma_.data(), best_.residual);
  best_.offer(view.stride, lambda_.data(), sigma_.data(), r);
  return r <= limit;
}

// A bad guess can hold all else in its corner; from zero the solution may be two steps away.
bool AutoDense::newton_from_zero(const DenseView& view, const AutoResidualScale& scale, double limit,
                                 SolveOutcome& outcome) {
  std::fill_n(lambda_.data(), view.rows, 0.0);
  dense_velocity(view, lambda_.data(), sigma_.data());
  int steps = 0;
  return sweep_and_test(view, scale, limit, 1, outcome) ||
         newton_run(view, scale, limit, settings.proximal[0], steps, outcome);
}

// AutoProximal from the best; true where its result passes.
bool AutoDense::follow_compliance(const DenseView& view, const AutoResidualScale& scale, double limit,
                                  SolveOutcome& outcome) {
  proximal_.settings = settings.compliant;
  const AutoProximal::Outcome run =
      proximal_.run(view, scale, limit, settings.compliant_steps, active_set_, best_, *goal_);
  outcome.iterations += run.steps;
  outcome.factorisations += run.steps;
  if (!run.converged) return false;
  lambda_ = best_.lambda;
  sigma_ = best_.sigma;
  return true;
}

// True where an iterate passes the test; otherwise the best is in best_.
bool AutoDense::newton(const DenseView& view, const AutoResidualScale& scale, double limit, bool cold,
                       SolveOutcome& outcome) {
  int sweeps = 4, steps = 0;
  for (int restart = 0;; ++restart) {
    if (newton_run(view, scale, limit, settings.proximal[restart % 4], steps, outcome)) return true;
    if (restart == 0 && follow_compliance(view, scale, limit, outcome)) return true;
    if (restart == 1 && !cold && newton_from_zero(view, scale, limit, outcome)) return true;
    const int restarts = best_.residual < settings.near ? settings.near_restarts : settings.restarts;
    if (restart >= restarts || steps >= settings.newton_steps) return false;
    lambda_ = best_.lambda;
    sigma_ = best_.sigma;
    if (sweep_and_test(view, scale, limit, sweeps, outcome)) return true;
    sweeps *= 2;
  }
}

// The best iterate, or the guess if that was better, into λ, σ.
void AutoDense::return_best(const DenseView& view, const AutoResidualScale& scale, const VectorX& guess) {
  std::copy_n(guess.data(), view.rows, lambda_.data());
  dense_velocity(view, lambda_.data(), sigma_.data());
  const double r = auto_residual(scale, view.constraints, lambda_.data(), sigma_.data(), best_.residual);
  if (r < best_.residual) {
    best_.residual = r;
    return;
  }
  lambda_ = best_.lambda;
  sigma_ = best_.sigma;
}

SolveOutcome AutoDense::solve(const DenseView& given, const AutoResidualScale& scale, const SolveGoal& goal,
                              VectorX& impulse) {
  const double limit = auto_safety * goal.tolerance;
  SolveOutcome outcome;
  goal_ = &goal;
  const DenseView view = load(given, impulse);
  dense_velocity(view, lambda_.data(), sigma_.data());
  constexpr double in_full = std::numeric_limits<double>::infinity();
  const auto residual = [&](double up_to) {
    return auto_residual(scale, view.constraints, lambda_.data(), sigma_.data(), up_to);
  };
  outcome.residual = residual(in_full);
  outcome.converged = outcome.residual <= limit;
  if (outcome.converged) return outcome;
  outcome.stage = AutoStage::sweep;
  const int sweeps = choose_sweeps(view);
  for (int k = 0; k < sweeps && !outcome.converged && goal.spend_and_ask(AutoCost::sweep); ++k) {
    const double before = outcome.residual;
    sweep(view);
    ++outcome.iterations;
    outcome.residual = residual(k == 0 ? in_full : limit);
    // The running σ holds the rounding of the largest impulse that was met on the way (at nearly singular blocks).
    const double rounding = std::numeric_limits<double>::epsilon() * scale.impulse * largest_impulse_;
    if (outcome.residual <= limit && rounding > settings.seen_rounding * ConstraintScale::floor * limit) {
      dense_velocity(view, lambda_.data(), sigma_.data());
      outcome.residual = residual(in_full);
    }
    outcome.converged = outcome.residual <= limit;
    // Near the solution Newton is quicker than sweeps that will not do; far from it sweeps are safer.
    const double rate = outcome.residual / before;
    const bool near = settings.use_newton && outcome.residual < settings.refine_below;
    if (k == 0 && near && !(rate * rate * rate * outcome.residual <= limit)) break;
  }
  if (!outcome.converged) {
    best_.start(view.stride, lambda_.data(), sigma_.data(), sweeps == 0 ? outcome.residual : residual(in_full));
    if (settings.use_newton) {
      outcome.stage = AutoStage::active_set;
      outcome.converged = newton(view, scale, limit, impulse.isZero(0.0), outcome);
    }
    if (!outcome.converged) return_best(view, scale, impulse);
    outcome.residual = best_.residual;
  }
  std::copy_n(lambda_.data(), view.rows, impulse.data());
  return outcome;
}

SolveOutcome AutoDense::solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse) {
  const DelassusDense& dense = problem.dense();
  DenseView view{dense.size,
                 dense.stride,
                 dense.data.data(),
                 problem.free_velocity().data(),
                 problem.constraints(),
                 1e-13 * problem.largest_diagonal()};
  if (!problem.is_rigid()) {
    compliant_.assign(dense.data.data(), dense.data.data() + dense.data.size());
    for (int k = 0; k < dense.size; ++k)
      compliant_[static_cast<std::size_t>(dense.stride) * k + k] += problem.compliance()[k];
    view.delassus = compliant_.data();
  }
  return solve(view, AutoResidualScale(problem, goal.use_relative), goal, impulse);
}

}  // namespace stiction
