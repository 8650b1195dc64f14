#include "stiction/solvers/auto/auto_proximal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {

using dense_detail::copy_padded;

void AutoProximal::load(const DenseView& view, const double* lambda) {
  const std::size_t padded = view.stride, entries = padded * static_cast<std::size_t>(view.rows);
  if (centre_.size() < padded) {
    for (auto* v : {&centre_, &weight_, &plain_, &now_.lambda, &now_.sigma, &inside_.lambda, &inside_.sigma}) {
      v->resize(padded);
    }
    free_velocity_.resize(padded + 8);
  }
  if (matrix_.size() < entries) matrix_.resize(entries);
  for (std::size_t k = 0; k < entries; k += native_lanes) {
    store_native(matrix_.data() + k, load_native(view.delassus + k));
  }
  copy_padded(lambda, view.stride, centre_.data());
  std::fill_n(weight_.data(), padded, 0.0);
  compliant_ = view;
  compliant_.delassus = matrix_.data();
  compliant_.free_velocity = free_velocity_.data();
}

void AutoProximal::set_compliance(const DenseView& view, double epsilon) {
  for (const Constraint& c : view.constraints) {
    double largest = 0.0;
    for (int r = c.first_row; r < c.first_row + c.rows; ++r) largest = std::max(largest, std::abs(view.column(r)[r]));
    for (int r = c.first_row; r < c.first_row + c.rows; ++r) {
      weight_[r] = epsilon * largest;
      matrix_[static_cast<std::size_t>(view.stride) * r + r] = view.column(r)[r] + weight_[r];
    }
  }
  for (int k = 0; k < view.stride; k += native_lanes) {
    const NativePack held = load_native(&weight_[k]) * load_native(&centre_[k]);
    store_native(&free_velocity_[k], load_native(view.free_velocity + k) - held);
  }
}

// Residuals of an iterate; the best by the problem itself is kept.
void AutoProximal::test(const DenseView& view, const AutoResidualScale& scale, double limit, Iterate& iterate,
                        Outcome& outcome, BestDense& best) {
  constexpr double in_full = std::numeric_limits<double>::infinity();
  const double* l = iterate.lambda.data();
  dense_velocity(compliant_, l, iterate.sigma.data());
  for (int k = 0; k < view.stride; k += native_lanes) {
    const NativePack moved = load_native(l + k) - load_native(&centre_[k]);
    store_native(&plain_[k], load_native(&iterate.sigma[k]) - load_native(&weight_[k]) * moved);
  }
  iterate.compliant_residual = auto_residual(scale, view.constraints, l, iterate.sigma.data(), in_full);
  iterate.residual = auto_residual(scale, view.constraints, l, plain_.data(), in_full);
  if (iterate.residual <= limit) {  // what is accepted is accepted without the detour
    dense_velocity(view, l, plain_.data());
    iterate.residual = auto_residual(scale, view.constraints, l, plain_.data(), in_full);
  }
  keep(view, l, iterate.residual, limit, outcome, best);
}

// What is better than the best takes its place; plain_ is its σ.
void AutoProximal::keep(const DenseView& view, const double* l, double residual, double limit, Outcome& outcome,
                        BestDense& best) {
  if (best.offer(view.stride, l, plain_.data(), residual)) outcome.converged = residual <= limit;
}

// How much farther than `to`, as a multiple of the way from `from`, impulses may go until the first of those that are
// inside their set reaches its edge.
double AutoProximal::room_along(const DenseView& view, const double* from, const double* to) const {
  double room = std::numeric_limits<double>::infinity();
  for (const Constraint& c : view.constraints) {
    const int f = c.first_row;
    const double* x = to + f;
    if (c.kind == ConstraintKind::frictional) {
      const double d[3] = {x[0] - from[f], x[1] - from[f + 1], x[2] - from[f + 2]};
      if (x[2] > 0.0 && d[2] < 0.0) room = std::min(room, -x[2] / d[2]);
      const double mu2 = c.friction * c.friction, edge = x[0] * x[0] + x[1] * x[1] - mu2 * x[2] * x[2];
      if (!(edge < -1e-6 * mu2 * x[2] * x[2])) continue;  // it slides
      // The first positive root of |x_T + t d_T|² = μ² (x_N + t d_N)².
      const double a = d[0] * d[0] + d[1] * d[1] - mu2 * d[2] * d[2], b = x[0] * d[0] + x[1] * d[1] - mu2 * x[2] * d[2];
      const double discriminant = b * b - a * edge;
      if (a == 0.0 || discriminant < 0.0) continue;
      const double root = std::sqrt(discriminant);
      for (const double t : {(-b + root) / a, (-b - root) / a}) {
        if (t > 0.0) room = std::min(room, t);
      }
    } else if (c.kind == ConstraintKind::unilateral) {
      if (x[0] > 0.0 && x[0] < from[f]) room = std::min(room, x[0] / (from[f] - x[0]));
    } else if (c.kind == ConstraintKind::dry_friction) {
      const double d = x[0] - from[f];
      if (std::abs(x[0]) < c.bound * (1.0 - 1e-9) && d != 0.0) {
        room = std::min(room, (std::copysign(c.bound, d) - x[0]) / d);
      }
    }
  }
  return room;
}

// Moves the centre to what was reached about it, or farther where it creeps.
void AutoProximal::move_centre(const DenseView& view, const AutoResidualScale& scale, double limit, Iterate& reached,
                               Outcome& outcome, BestDense& best) {
  constexpr double far = 1e8;
  const double ratio = reached.residual / centre_residual_;
  double farther = 0.0;
  if (!outcome.converged && ratio > settings.creeping) {
    farther = room_along(view, centre_.data(), reached.lambda.data());
    if (ratio < 1.0) farther = std::min(farther, ratio / (1.0 - ratio));
  }
  centre_residual_ = reached.residual;
  if (!(farther > 0.0 && farther < far)) {
    copy_padded(reached.lambda.data(), view.stride, centre_.data());
    return;
  }
  for (int k = 0; k < view.stride; k += native_lanes) {
    const NativePack x = load_native(&reached.lambda[k]);
    store_native(&centre_[k], x + farther * (x - load_native(&centre_[k])));
  }
  dense_velocity(view, centre_.data(), plain_.data());
  centre_residual_ =
      auto_residual(scale, view.constraints, centre_.data(), plain_.data(), std::numeric_limits<double>::infinity());
  keep(view, centre_.data(), centre_residual_, limit, outcome, best);
}

// Newton steps about the centre, until the compliant problem is solved (true) or the patience ends. A solution is the
// new centre.
bool AutoProximal::settle(const DenseView& view, const AutoResidualScale& scale, double limit, int most_steps,
                          AutoActiveSet& active_set, Outcome& outcome, BestDense& best) {
  constexpr double hardly_any = 1e-10;  // the compliance is what regularises
  copy_padded(centre_.data(), view.stride, now_.lambda.data());
  dense_velocity(compliant_, now_.lambda.data(), now_.sigma.data());
  double least = std::numeric_limits<double>::infinity();
  for (int k = 1; k <= settings.patience && outcome.steps < most_steps; ++k) {
    if (!goal_->spend_and_ask(AutoCost::dense_step)) return false;
    if (!active_set.step(compliant_, hardly_any, now_.lambda.data(), now_.sigma.data(), 0.0)) return false;
    ++outcome.steps;
    test(view, scale, limit, now_, outcome, best);
    Iterate* better = &now_;
    if (!outcome.converged && put_in_sets(view, now_.lambda.data(), inside_.lambda.data())) {
      test(view, scale, limit, inside_, outcome, best);
      if (inside_.compliant_residual < now_.compliant_residual) better = &inside_;
    }
    if (outcome.converged || better->compliant_residual <= std::max(0.3 * limit, settings.settled * better->residual)) {
      move_centre(view, scale, limit, *better, outcome, best);
      return true;
    }
    least = std::min(least, better->compliant_residual);
    if (k >= settings.early && !(least < centre_residual_)) return false;
  }
  return false;
}

AutoProximal::Outcome AutoProximal::run(const DenseView& view, const AutoResidualScale& scale, double limit,
                                        int most_steps, AutoActiveSet& active_set, BestDense& best,
                                        const SolveGoal& goal) {
  Outcome outcome;
  goal_ = &goal;
  load(view, best.lambda.data());
  centre_residual_ = best.residual;
  double epsilon = settings.first;
  while (!outcome.converged && outcome.steps < most_steps && goal.may_spend(AutoCost::dense_step)) {
    set_compliance(view, epsilon);
    if (settle(view, scale, limit, most_steps, active_set, outcome, best)) {
      epsilon = std::max(settings.least, settings.fall * epsilon);
    } else if (epsilon < settings.most) {
      epsilon = std::min(settings.most, settings.rise * epsilon);
    } else {
      break;
    }
  }
  outcome.residual = best.residual;
  return outcome;
}

}  // namespace stiction
