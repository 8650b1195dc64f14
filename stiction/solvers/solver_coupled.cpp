// Torsional and rolling friction for any method: solves with the bounds held, in turns with finding them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/contact/held_bounds.h"
#include "stiction/solvers/coupled_bounds.h"
#include "stiction/solvers/solver.h"

namespace stiction {

struct ContactSolver::Coupled {
  HeldBounds held;
  CoupledBounds search;
  ContactSolution solution;
  VectorX bounds, reached;

  bool rolls(const ContactProblem& from, int k) const {
    return from.constraint(held.constraint(k)).kind == ConstraintKind::rolling;
  }

  // r λ_N
  double bound_of(const ContactProblem& from, int k, const VectorX& impulse, ContactModel model) const {
    const Constraint& c = from.constraint(held.constraint(k));
    if (c.partner < 0 || model == ContactModel::frictionless) return 0.0;
    const Constraint& contact = from.constraint(c.partner);
    return c.friction * std::max(0.0, impulse[contact.first_row + contact.rows - 1]);
  }

  void start(const ContactProblem& from, const ContactSolution& guess, ContactModel model) {
    // A cone lets λ_3 rise where that eases the rows of the disc, the less the stiffer it is; under the exact law it
    // does not.
    held.make(from, model == ContactModel::ccp || model == ContactModel::max_dissipation ? 10.0 : 1.0);
    bounds.resize(held.size());
    reached.resize(held.size());
    search.start(held.size());
    for (int k = 0; k < held.size(); ++k) bounds[k] = bound_of(from, k, guess.impulse, model);
    solution.velocity.resize(from.num_rows());
    solution.memory = guess.memory;
  }

  // The guess within the bounds; what was at its bound stays there.
  void write_guess(const ContactProblem& from, const VectorX& impulse) {
    solution.impulse = impulse;
    for (int k = 0; k < held.size(); ++k) {
      const double before = held.bound(k), now = bounds[k];
      held.set_bound(k, now);
      double* l = solution.impulse.data() + from.constraint(held.constraint(k)).first_row;
      const bool disc = rolls(from, k);
      const double size = disc ? std::hypot(l[0], l[1]) : std::abs(l[0]), most = std::max(0.0, now);
      constexpr double nearly = 1.0 - 1e-6;
      if (size > most || (before > 0.0 && size >= nearly * before)) {
        const double share = size > 0.0 ? most / size : 0.0;
        l[0] *= share;
        if (disc) l[1] *= share;
      }
      if (disc) l[2] = most;
    }
  }

  // λ of the coupled problem, and the bounds that it should have had. In models that lift λ_3 above b, b is moved by
  // what λ_3 is off.
  void read_result(const ContactProblem& from, ContactModel model, ContactSolution& to) {
    to.impulse = solution.impulse;
    for (int k = 0; k < held.size(); ++k) {
      reached[k] = bound_of(from, k, to.impulse, model);
      if (!rolls(from, k)) continue;
      double& load = to.impulse[from.constraint(held.constraint(k)).first_row + 2];
      reached[k] += bounds[k] - load;
      load = 0.0;
    }
    to.memory = solution.memory;
  }
};
void ContactSolver::CoupledDeleter::operator()(Coupled* coupled) const {
  delete coupled;
}

SolveReport ContactSolver::solve_coupled(const ContactProblem& problem, ContactSolution& solution) {
  constexpr int most_rounds = 60;
  constexpr int patient = 20;  // rounds, before a residual that is acceptable will do
  constexpr double near = 1e4;
  if (!coupled_) coupled_.reset(new Coupled);
  Coupled& c = *coupled_;
  if (!traits().warm_starts) solution.impulse.setZero();  // bounds would be a guess
  SolverSettings& wanted = settings();
  const ContactModel model = traits().model;
  struct Restore {  // whatever happens on the way
    SolverSettings& settings;
    const double tolerance = settings.tolerance;
    const int max_iterations = settings.max_iterations;
    ~Restore() { settings.tolerance = tolerance, settings.max_iterations = max_iterations; }
  } restore{wanted};
  c.start(problem, solution, model);
  SolveReport total;
  double last = std::numeric_limits<double>::infinity(), share = 1.0;  // residual; of the tolerance
  for (int round = 1;; ++round) {
    c.write_guess(problem, solution.impulse);
    SolveReport report = solve(c.held.problem(), c.solution);
    const bool solved_there = report.status <= SolveStatus::acceptable;
    c.read_result(problem, model, solution);
    report.iterations += total.iterations;
    report.factorisations += total.factorisations;
    report.rounds = round;
    if (solved_there) report.status = SolveStatus::converged;  // of that problem; what this one deserves follows
    wanted.tolerance = restore.tolerance;
    measure_result(problem, solution, report);
    total = report;
    const bool limit = restore.max_iterations > 0 && total.iterations >= restore.max_iterations;
    // What was asked to be solved better than it can be is asked for less.
    const bool failed = !solved_there && share == 1.0;
    const bool will_do = round >= patient && report.residual <= wanted.acceptable_tolerance;
    if (report.status == SolveStatus::converged || failed || limit || will_do || round == most_rounds) break;
    if (restore.max_iterations > 0) wanted.max_iterations = restore.max_iterations - total.iterations;
    // The problem with its bounds held is measured in other units: torques against all that moves there, here against
    // their bounds. Where rounds do not help, each is to be solved better.
    if (!solved_there) {
      share = std::min(1.0, 10.0 * share);
    } else if (report.residual > 0.5 * last && report.residual <= near * restore.tolerance) {
      share = std::max(1e-4, 0.1 * share);
    }
    last = report.residual;
    wanted.tolerance = share * restore.tolerance;
    c.search.improve(c.reached, c.bounds);
    for (int k = 0; k < c.held.size(); ++k) {
      if (!c.rolls(problem, k) || model == ContactModel::ncp) c.bounds[k] = std::max(0.0, c.bounds[k]);
    }
  }
  return total;
}

}  // namespace stiction
