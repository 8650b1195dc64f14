#include "stiction/solvers/interior_point/interior_point.h"

#include <algorithm>

namespace stiction {

void InteriorPoint::resize(int n) {
  point.resize(n);
  affine_.resize(n);
  direction_.resize(n);
  rc_.resize(n, 3);
  bent_.resize(n, 3);
  num_milestones_ = 0;
}

bool InteriorPoint::go_back(double factor) {
  while (num_milestones_ > 0 && milestones_[num_milestones_ - 1].kappa < factor * point.kappa) --num_milestones_;
  if (num_milestones_ == 0) return false;
  point.at = milestones_[num_milestones_ - 1].at;
  return true;
}

bool InteriorPoint::centre(ConeTask& task, double delta, int steps) {
  const double target = task.cones->mean_product(point.at);
  for (int k = 0; k < steps; ++k) {
    if (!point.evaluate(task, delta) || !task.factor(point.at, delta)) return false;
    ++task.iterations;
    advance(task, std::min(1.0, 0.9 * correct(task, target, 0.0)));
  }
  return true;
}

void InteriorPoint::advance(const ConeTask& task, double step) {
  point.at.impulse += step * direction_.impulse;
  point.at.y += step * direction_.y;
  task.cones->to_cone(point.at);
}

// Before a step of the length given.
void InteriorPoint::watch(const ConeTask& task, double step) {
  constexpr double short_step = 0.3;
  if (step < short_step) blocking.push_back(task.cones->tightest(point.at, direction_));
  if (num_milestones_ > 0 && point.kappa > 0.1 * milestones_[num_milestones_ - 1].kappa) return;
  if (milestones_.size() == num_milestones_) milestones_.emplace_back();
  milestones_[num_milestones_].at = point.at;
  milestones_[num_milestones_++].kappa = point.kappa;
}

// Towards κ = 0; returns the largest step.
double InteriorPoint::predict(ConeTask& task) {
  task.cones->complementarity_residual(point.at, 0.0, 0.0, nullptr, rc_);
  task.system->solve_roughly(point.at, point.rp, rc_, affine_);
  return task.cones->largest_step(point.at, affine_);
}

// Towards x ∘ y = target e with the second-order term of the predictor; returns the largest step.
double InteriorPoint::correct(ConeTask& task, double target, double second_order) {
  task.cones->complementarity_residual(point.at, target, second_order, &affine_, rc_);
  task.system->solve(point.at, point.rp, rc_, direction_);
  return task.cones->largest_step(point.at, direction_);
}

// The same with the second order of x ∘ y and of σ(y) as it is where the predictor ends.
double InteriorPoint::correct_bent(ConeTask& task, double target, double affine_step, double delta) {
  task.cones->complementarity_residual(point.at, target, affine_step, &affine_, rc_);
  task.cones->bent_primal_residual(point.rp, point.at, affine_, affine_step, delta, bent_);
  task.system->solve(point.at, bent_, rc_, direction_);
  return task.cones->largest_step(point.at, direction_);
}

bool InteriorPoint::run(ConeTask& task, const InteriorPointOptions& options) {
  constexpr double short_step = 0.1, long_step = 0.6;
  double best_progress = std::numeric_limits<double>::infinity(), last_rp = best_progress, last_step = 0.0;
  int stalled = 0, tiny = 0;
  blocking.clear();
  for (int iteration = 0;; ++iteration) {
    const bool finite = point.evaluate(task, options.delta);
    if (task.done()) return true;
    if (!finite || iteration >= options.max_iterations || !task.may_factor()) return false;

    const double progress = std::max(point.kappa, point.rp_norm);
    if (progress < 0.8 * best_progress) {
      best_progress = progress;
      stalled = 0;
      blocking.clear();
    } else if (++stalled >= (task.is_acceptable() ? options.patience_when_acceptable : options.patience)) {
      return false;
    }
    // Only where the usual weight no longer gets on: from the start it would cost a tower at rest twice the iterations.
    // A long step that leaves r_p as large as it was says so long before κ stalls.
    const bool rounding = last_step > long_step && point.rp_norm > 0.5 * last_rp;
    if ((rounding || stalled > 1) && task.is_acceptable()) task.system->sharpen();
    last_rp = point.rp_norm;
    if (!task.factor(point.at, options.delta)) return false;
    ++task.iterations;

    const double affine_step = std::min(1.0, predict(task));
    const double ratio = std::max(0.0, task.cones->mean_product(point.at, affine_, affine_step) / point.kappa);
    const double centring = std::clamp(ratio * ratio, 1e-6, 1.0);
    const bool bent = options.second_order == InteriorPointOptions::SecondOrder::at_predictor;
    double largest = 0.0;
    if (bent && affine_step > short_step) {
      largest = correct_bent(task, centring * point.kappa, affine_step, options.delta);
    } else {
      largest = correct(task, centring * point.kappa, affine_step > short_step ? 1.0 : 0.0);
    }
    if (largest < short_step) largest = correct(task, centring * point.kappa, 0.0);
    if (largest < short_step) largest = correct(task, point.kappa, 0.0);

    const double part = options.step_rule == InteriorPointOptions::StepRule::by_kappa
                            ? std::max(0.9, 1.0 - point.kappa)
                            : std::clamp(affine_step, 0.9, options.largest_part);
    const double step = std::min(1.0, part * largest);
    if (options.watch) watch(task, step);
    advance(task, step);
    last_step = step;
    tiny = step < 1e-3 ? tiny + 1 : 0;
    if (tiny >= options.max_tiny_steps) {
      point.evaluate(task, options.delta);
      return task.done();
    }
  }
}

}  // namespace stiction
