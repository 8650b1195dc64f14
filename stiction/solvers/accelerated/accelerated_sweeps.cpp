#include "stiction/solvers/accelerated/accelerated_sweeps.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

// The measure here is taken of running sums; the caller's own must pass, too.
constexpr double safety = 0.99;

}  // namespace

SolveOutcome AcceleratedSweeps::solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse,
                                      std::vector<HistoryEntry>* history) {
  batches_.constraints_per_domain = settings.constraints_per_domain;
  return ConstraintBatches::takes(problem) ? run(batches_, problem, goal, impulse, history)
                                           : run(rows_, problem, goal, impulse, history);
}

template <class Map>
double AcceleratedSweeps::residual(Map& map, const ContactProblem& problem, const SolveGoal& goal,
                                   const AndersonWindow::Array& x) {
  const double natural = map.residual(x);
  if (!goal.use_relative) return natural;
  impulse_.resize(problem.num_rows());
  velocity_.resize(problem.num_rows());
  map.store(x, impulse_);
  problem.velocity(impulse_, velocity_);
  return stopping_residual(problem, ContactModel::ncp, impulse_, velocity_).relative;
}

template <class Map>
void AcceleratedSweeps::copy(const Map& map, const AndersonWindow::Array& from, AndersonWindow::Array& to) {
  to.resize(from.size());
  const auto& parts = map.parts();
  for_each_piece(team, static_cast<int>(parts.size()) - 1,
                 [&](int k) { std::copy(from.data() + parts[k], from.data() + parts[k + 1], to.data() + parts[k]); });
}

template <class Map>
SolveOutcome AcceleratedSweeps::run(Map& map, const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse,
                                    std::vector<HistoryEntry>* history) {
  const double limit = safety * goal.tolerance;
  SolveOutcome outcome;
  map.team = window_.team = team;
  map.load(problem, impulse, x_);
  map.place(x_);
  window_.start(map.parts(), settings.window);
  best_ = x_;
  outcome.residual = residual(map, problem, goal, x_);
  bool is_guess = true;
  int next_test = settings.test_every;
  double cost = 0.0;
  while (outcome.residual > limit && outcome.iterations < settings.most_sweeps) {
    copy(map, x_, image_);
    const int most = std::min(settings.sweeps_per_step, settings.most_sweeps - outcome.iterations);
    int swept = 0;
    cost = std::max(settings.cost, settings.cost_of_visit * map.num_visited() +
                                       settings.cost_of_constraint * problem.num_constraints());
    while (swept < most && goal.spend_and_ask(cost)) {
      map.sweep(image_);
      ++swept;
    }
    if (swept == 0) break;
    outcome.iterations += swept;
    // What ends here is measured. may_spend() and not left(): a budget that is used up has to say so.
    const bool is_last = swept < most || outcome.iterations >= settings.most_sweeps || !goal.may_spend(cost);
    if (outcome.iterations >= next_test || is_last) {
      next_test = outcome.iterations + settings.test_every;
      const double value = residual(map, problem, goal, image_);
      if (history) history->push_back({outcome.iterations, value, 0.0, 0});
      if (value < outcome.residual) {
        outcome.residual = value;
        copy(map, image_, best_);
        is_guess = false;
      }
      outcome.broken = !std::isfinite(value);
      if (outcome.broken || is_last || outcome.residual <= limit) break;
    }
    if (window_.advance(x_, image_) != AndersonWindow::Next::image) map.place(x_);
  }
  if (!is_guess) map.store(best_, impulse);
  outcome.converged = outcome.residual <= limit;
  return outcome;
}

}  // namespace stiction
