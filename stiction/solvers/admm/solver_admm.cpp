#include "stiction/solvers/admm/solver_admm.h"

#include <algorithm>
#include <stdexcept>

#include "stiction/math/refuse.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

constexpr SolverTraits ncp_traits{"ncp-admm", ContactModel::ncp,
                                  "proximal ADMM with de Saxcé's correction, rigid or compliant"};
constexpr SolverTraits ccp_traits{"ccp-admm", ContactModel::ccp, "proximal ADMM on the convex cone problem"};

// The true residual costs a product with G: it is taken when the estimate promises convergence or a clear gain, and
// now and then so that the best iterate is not an old one.
constexpr int test_interval = 20;

}  // namespace

SolverAdmm::SolverAdmm(ContactModel model) : model_(model) {
  if (model != ContactModel::ncp && model != ContactModel::ccp) {
    refuse("SolverAdmm: the model is ", to_string(model), "; it must be ncp or ccp");
  }
}

const SolverTraits& SolverAdmm::traits() const {
  return model_ == ContactModel::ncp ? ncp_traits : ccp_traits;
}

void SolverAdmmSettings::validate() const {
  SolverSettings::validate();
  AdmmSettings::validate();
}

SolveReport SolverAdmm::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const int m = problem.num_rows();
  const SolveGoal goal = start_goal(default_max_iterations);
  SolveOutcome outcome;

  velocity_.resize(m);
  problem.velocity(solution.impulse, velocity_);
  best_.start(solution.impulse,
              stopping_residual(problem, model_, solution.impulse, velocity_).measure(settings_.use_relative));
  outcome.residual = best_.residual();
  outcome.converged = outcome.residual <= goal.tolerance;
  if (outcome.converged) return report_of(outcome);

  sets_.resize(problem.num_constraints());
  for (int i = 0; i < problem.num_constraints(); ++i) sets_[i] = admm_set(problem.constraint(i));
  VectorX& dual = solution.memory.rows;
  double& exponent = solution.memory.number;
  const bool has_dual = dual.size() == m && dual.allFinite();
  if (!has_dual) dual.resize(0);
  impulse_.resize(m);
  best_dual_.resize(m);
  best_has_dual_ = false;

  core_.set_up(problem, sets_, model_ == ContactModel::ncp, settings_);
  bool sound = core_.begin(problem.free_velocity(), solution.impulse, dual, exponent, sets_);
  while (sound && !outcome.converged && goal.spend_and_ask(1.0)) {
    ++outcome.iterations;
    sound = core_.step();
    if (!sound) break;
    outcome.converged = test(problem, outcome.iterations) && best_.residual() <= goal.tolerance;
    if (!outcome.converged) sound = core_.advance();
  }
  outcome.broken = !sound;
  outcome.factorisations = core_.factorisations();
  outcome.residual = best_.residual();
  solution.impulse = best_.impulse();
  if (best_has_dual_) dual = best_dual_;
  if (sound) exponent = core_.penalty_exponent();
  return report_of(outcome);
}

// True if the iterate of the last step is the best so far.
bool SolverAdmm::test(const ContactProblem& problem, int iteration) {
  core_.impulse(impulse_);
  core_.velocity_estimate(velocity_);
  const auto measure = [&] {
    return stopping_residual(problem, model_, impulse_, velocity_).measure(settings_.use_relative);
  };
  const bool promising = measure() <= std::max(settings_.tolerance, 0.5 * best_.residual());
  if (!promising && !settings_.record_history && iteration % test_interval != 0) return false;
  problem.velocity(impulse_, velocity_);
  const double residual = measure();
  if (settings_.record_history) {
    history_.push_back({iteration, residual, core_.penalty(), core_.factorisations()});
  }
  if (!best_.offer(impulse_, residual)) return false;
  core_.dual(best_dual_);
  best_has_dual_ = true;
  return true;
}

}  // namespace stiction
