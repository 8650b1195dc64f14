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
  const int max_steps = settings_.max_iterations > 0 ? settings_.max_iterations : default_steps;
  SolveReport report;
  newton_.start(problem, solution.impulse,
                {.tolerance = settings_.tolerance,
                 .use_relative = settings_.use_relative,
                 .first_sweeps = settings_.first_sweeps,
                 .patience = settings_.patience,
                 .use_line_search = settings_.use_line_search});
  if (!newton_.done()) newton_.do_sweeps();
  while (!newton_.done() && report.iterations < max_steps && !is_interrupted()) {
    ++report.iterations;
    ++report.factorisations;
    newton_.step();
    if (settings_.record_history) history_.push_back({report.iterations, newton_.residual(), 0.0, report.iterations});
    if (newton_.sweeps_due() > 0) newton_.do_sweeps();
  }
  solution.impulse = newton_.impulse();
  report.residual = newton_.residual();
  if (!newton_.done()) report.status = SolveStatus::iteration_limit;
  return report;
}

void SolverNcpNewton::add_options(std::vector<SolverOption>& list) {
  list.push_back({"first_sweeps", "exact sweeps before the first step", &settings_.first_sweeps});
  list.push_back({"patience", "steps without a new best residual before a restart", &settings_.patience});
  list.push_back({"use_line_search", "halve steps that make the residual ten times worse", &settings_.use_line_search});
}

}  // namespace stiction
