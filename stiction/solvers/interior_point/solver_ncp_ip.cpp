#include "stiction/solvers/interior_point/solver_ncp_ip.h"

#include <limits>
#include <stdexcept>

#include "stiction/math/refuse.h"

namespace stiction {

const SolverTraits& SolverInteriorPoint::traits() const {
  static constexpr SolverTraits traits{.name = "ncp-ip",
                                       .model = ContactModel::ncp,
                                       .summary = "interior point with an exact smooth de Saxcé term, cold start",
                                       .warm_starts = false};
  return traits;
}

void SolverInteriorPoint::add_options(std::vector<SolverOption>& options) {
  options.push_back({"delta", "δ in [0, 1): which smooth form of the de Saxcé shift, all exact", &settings_.delta});
}

void InteriorPointSettings::validate() const {
  SolverSettings::validate();
  require(delta >= 0.0 && delta < 1.0, "delta", delta, "in [0, 1)");
}

SolveReport SolverInteriorPoint::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const bool factored = problem.form() == DelassusForm::factored;
  InteriorPointOptions options;
  options.delta = settings_.delta;
  if (settings_.max_iterations > 0) options.max_iterations = settings_.max_iterations;
  if (factored) options.step_rule = InteriorPointOptions::StepRule::by_predictor;
  AutoGoal goal;
  goal.tolerance = settings_.tolerance;
  goal.use_relative = settings_.use_relative;
  AutoBudget budget;  // for the sake of interruptions: max_iterations is a limit of its own here
  budget.start(std::numeric_limits<int>::max(), settings_.interrupt);
  goal.budget = &budget;
  std::vector<HistoryEntry>* history = settings_.record_history ? &history_ : nullptr;
  const AutoOutcome outcome = factored ? velocity_space_.solve_cold(problem, goal, options, solution.impulse, history)
                                       : contact_space_.solve_cold(problem, goal, options, solution.impulse, history);
  SolveReport report;
  report.iterations = outcome.iterations;
  report.factorisations = outcome.factorisations;
  report.residual = outcome.residual;
  if (outcome.converged) {
    report.status = SolveStatus::converged;
  } else if (outcome.iterations >= options.max_iterations) {
    report.status = SolveStatus::iteration_limit;
  } else {
    report.status = SolveStatus::stalled;
  }
  return report;
}

}  // namespace stiction
