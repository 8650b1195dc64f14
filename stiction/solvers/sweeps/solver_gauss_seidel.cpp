#include "stiction/solvers/sweeps/solver_gauss_seidel.h"

#include <stdexcept>
#include <string>

#include "stiction/math/refuse.h"

namespace stiction {

void ExactContactLaw::prepare(const ContactProblem& problem) {
  problem_ = &problem;
  const int n = problem.num_constraints();
  block_.resize(n);
  alpha_.assign(n, 0.0);
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem.constraint(i);
    if (c.kind != ConstraintKind::frictional) continue;
    Matrix3 w = problem.diagonal_block(i);
    for (int r = 0; r < 3; ++r) w(r, r) += problem.compliance()[c.first_row + r];
    block_[i] = OneContactBlock(w);
  }
}

void ExactContactLaw::contact(int i, const Matrix3& w, const double* sigma, double* lambda) {
  const double mu = problem_->constraint(i).friction;
  Eigen::Map<Vector3> l(lambda);
  const Vector3 now = l, q = Eigen::Map<const Vector3>(sigma) - w * l;
  solve_one_contact(block_[i], q.data(), mu, lambda, alpha_[i]);
  if (omega_ != 1.0) relax_contact(mu, omega_, now.data(), lambda);
}

const SolverTraits& SolverGaussSeidel::traits() const {
  static const SolverTraits traits{
      .name = "ncp-gs", .model = ContactModel::ncp, .summary = "Gauss-Seidel, every contact solved exactly"};
  return traits;
}

void SolverGaussSeidelSettings::validate() const {
  SolverSettings::validate();
  require(over_relaxation > 0.0 && over_relaxation < 2.0, "over_relaxation", over_relaxation, "in (0, 2)");
}

SolveReport SolverGaussSeidel::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const double omega = settings_.over_relaxation;
  constexpr int default_sweeps = 5000;
  law_.prepare(problem);
  law_.set_relaxation(omega);
  return report_of(run_sweeps(problem, solution.impulse, engine_, best_, law_, start_goal(default_sweeps),
                              settings_.record_history ? &history_ : nullptr));
}

void SolverGaussSeidel::add_options(std::vector<SolverOption>& list) {
  list.push_back({"over_relaxation", "factor on every local step, in (0, 2)", &settings_.over_relaxation});
}

}  // namespace stiction
