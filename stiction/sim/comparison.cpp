#include "stiction/sim/comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "stiction/math/refuse.h"

namespace stiction {

void ComparisonSettings::validate() const {
  if (solvers.empty()) refuse("comparison: there are no solvers to compare");
  for (std::size_t k = 0; k < solvers.size(); ++k) {
    if (std::find(solvers.begin(), solvers.begin() + k, solvers[k]) != solvers.begin() + k) {
      refuse("comparison: the solver ", solvers[k], " is named twice");
    }
  }
  require(parting_distance > 0.0 && std::isfinite(parting_distance), "parting_distance", parting_distance,
          "finite and positive");
}

std::vector<std::string> solver_of_each_model() {
  constexpr int num_models = static_cast<int>(ContactModel::max_dissipation) + 1;
  std::vector<std::string> chosen;
  for (int model = 0; model < num_models; ++model) {
    std::string best;
    bool is_rigid = false;
    for (const std::string_view name : solver_names()) {
      const auto solver = make_solver(name);
      const SolverTraits& traits = solver->traits();
      if (traits.model != static_cast<ContactModel>(model) || is_rigid) continue;
      if (best.empty() || !traits.needs_compliance) best = name;
      is_rigid = !traits.needs_compliance;
    }
    if (!best.empty()) chosen.push_back(best);
  }
  return chosen;
}

Comparison::Comparison(std::shared_ptr<const Model> model, const ComparisonSettings& settings)
    : Comparison(model, settings, State::initial(*model)) {}

Comparison::Comparison(std::shared_ptr<const Model> model, const ComparisonSettings& settings, const State& start)
    : settings_(settings) {
  settings_.validate();
  if (!settings_.simulator.judge_model) settings_.simulator.judge_model = ContactModel::ncp;
  settings_.simulator.on_failure = FailurePolicy::report;
  for (const std::string& solver : settings_.solvers) {
    SimulatorSettings own = settings_.simulator;
    own.solver = solver;
    simulators_.emplace_back(model, own).set_state(start);
    ComparedRun& run = runs_.emplace_back();
    run.solver = solver;
    run.model = make_solver(solver)->traits().model;
  }
}

void Comparison::set_control(VectorView control) {
  for (Simulator& simulator : simulators_) simulator.set_control(control);
}

void Comparison::set_interrupt(Interrupt* interrupt) {
  for (Simulator& simulator : simulators_) simulator.set_interrupt(interrupt);
}

void Comparison::step_run(int k) {
  ComparedRun& run = runs_[k];
  const auto start = std::chrono::steady_clock::now();
  try {
    simulators_[k].step();
  } catch (const StepInterrupted&) {
    throw;
  } catch (const std::exception& error) {  // numbers that are no longer finite; problems that the solver does not take
    run.failure = error.what();
    return;
  }
  run.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const StepReport& report = simulators_[k].report();
  ++run.steps;
  run.converged_steps += report.converged() ? 1 : 0;
  run.certified_steps += report.law_certified ? 1 : 0;
  merge(report.residuals, run.residuals);
  run.energy_error += report.energy_error;
  run.energy_gain += std::max(report.constraint_work, 0.0);
  run.largest_penetration = std::max(run.largest_penetration, report.largest_penetration);
}

void Comparison::measure_distance(int k) {
  ComparedRun& run = runs_[k];
  run.distance = 0.0;
  for (int body = 0; body < simulators_[k].model().num_bodies(); ++body) {
    const Vector3 here = simulators_[k].body_pose(body).position, there = simulators_[0].body_pose(body).position;
    run.distance = std::max(run.distance, (here - there).norm());
  }
  run.largest_distance = std::max(run.largest_distance, run.distance);
  if (run.parting_step < 0 && run.distance > settings_.parting_distance) run.parting_step = run.steps - 1;
}

bool Comparison::step() {
  for (int k = 0; k < static_cast<int>(runs_.size()); ++k) {
    if (!runs_[k].failure.empty()) continue;
    step_run(k);
    if (!runs_[0].failure.empty()) return false;
    if (k > 0 && runs_[k].failure.empty()) measure_distance(k);
  }
  return true;
}

}  // namespace stiction
