#include "stiction/solvers/newton/solver_ncp_newton.h"

#include <stdexcept>
#include <string>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

constexpr int default_steps = 200;

}  // namespace

const SolverTraits& SolverNcpNewton::traits() const {
  static const SolverTraits traits{
      .name = "ncp-newton", .model = ContactModel::ncp, .summary = "semismooth Newton (Alart-Curnier active sets)"};
  return traits;
}

void SolverNcpNewtonSettings::validate() const {
  SolverSettings::validate();
  require(first_sweeps >= 0, "first_sweeps", first_sweeps, "at least 0");
  require(patience >= 1, "patience", patience, "at least 1");
}

SolveReport SolverNcpNewton::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const SolveGoal goal = start_goal(default_steps);
  SolveOutcome outcome;
  newton_.start(problem, solution.impulse, goal,
                {.first_sweeps = settings_.first_sweeps,
                 .patience = settings_.patience,
                 .use_line_search = settings_.use_line_search});
  if (!newton_.done()) newton_.do_sweeps();
  while (!newton_.done() && goal.spend_and_ask(1.0)) {
    ++outcome.iterations;
    newton_.step();
    if (settings_.record_history) history_.push_back({outcome.iterations, newton_.residual(), 0.0, outcome.iterations});
    if (newton_.sweeps_due() > 0) newton_.do_sweeps();
  }
  solution.impulse = newton_.impulse();
  outcome.factorisations = outcome.iterations;
  outcome.residual = newton_.residual();
  outcome.converged = newton_.done();
  return report_of(outcome);
}

void SolverNcpNewton::add_options(std::vector<SolverOption>& list) {
  list.push_back({"first_sweeps", "exact sweeps before the first step", &settings_.first_sweeps});
  list.push_back({"patience", "steps without a new best residual before a restart", &settings_.patience});
  list.push_back({"use_line_search", "halve steps that make the residual ten times worse", &settings_.use_line_search});
}

}  // namespace stiction
