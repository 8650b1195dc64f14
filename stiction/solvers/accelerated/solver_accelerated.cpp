#include "stiction/solvers/accelerated/solver_accelerated.h"

#include <cmath>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr SolverTraits accelerated_traits{
    .name = "ncp-accelerated",
    .model = ContactModel::ncp,
    .summary = "sweeps of four contacts at a time with Anderson acceleration, for heaps that give a little"};

}  // namespace

const SolverTraits& SolverAccelerated::traits() const {
  return accelerated_traits;
}

void SolverAcceleratedSettings::validate() const {
  SolverSettings::validate();
  require(window >= 0 && window <= AndersonWindow::most_columns, "window", window, "0 … 16");
  require(sweeps_per_step >= 1 && sweeps_per_step <= 8, "sweeps_per_step", sweeps_per_step, "1 … 8");
  require(growth > 1.0 && std::isfinite(growth), "growth", growth, "more than 1 and finite");
  require(pause >= 0, "pause", pause, "at least 0");
}

SolveReport SolverAccelerated::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  sweeps_.settings.window.columns = settings_.window;
  sweeps_.settings.window.growth = settings_.growth;
  sweeps_.settings.window.pause = settings_.pause;
  sweeps_.settings.sweeps_per_step = settings_.sweeps_per_step;
  const SolveGoal goal = start_goal(SolverAcceleratedSettings::default_sweeps);
  return report_of(sweeps_.solve(problem, goal, solution.impulse, settings_.record_history ? &history_ : nullptr));
}

void SolverAccelerated::add_options(std::vector<SolverOption>& list) {
  list.push_back({"window", "differences extrapolated from, 0 … 16; 0 sweeps plainly", &settings_.window});
  list.push_back({"sweeps_per_step", "sweeps between two extrapolations, 1 … 8", &settings_.sweeps_per_step});
  list.push_back({"growth", "of a step's change over its least that empties the window, > 1", &settings_.growth});
  list.push_back({"pause", "plain steps after the window was emptied", &settings_.pause});
}

}  // namespace stiction
