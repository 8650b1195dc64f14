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
  InteriorPointOptions options;
  options.delta = settings_.delta;
  SolveGoal goal = start_goal(options.max_iterations);
  goal.acceptable = 0.0;                                     // it goes on as far as it gets
  options.max_iterations = std::numeric_limits<int>::max();  // the budget is the limit
  if (problem.form() == DelassusForm::factored) options.step_rule = InteriorPointOptions::StepRule::by_predictor;
  return report_of(
      interior_point_.solve(problem, goal, options, solution.impulse, settings_.record_history ? &history_ : nullptr));
}

}  // namespace stiction
