#include "stiction/solvers/pivoting/solver_lemke.h"

#include "stiction/solvers/stopping_test.h"

namespace stiction {

SolverLemke::SolverLemke() : groups_{{{1.0, 0.0}, {-1.0, 0.0}}, {{0.0, 1.0}, {0.0, -1.0}}} {}

const SolverTraits& SolverLemke::traits() const {
  static const SolverTraits traits{.name = "lcp-lemke",
                                   .model = ContactModel::lcp,
                                   .summary = "Lemke's pivoting on the pyramid, exact normals",
                                   .warm_starts = false};
  return traits;
}

void SolverLemke::add_options(std::vector<SolverOption>& options) {
  options.push_back({"regularisation", "scaled diagonal term of the proximal steps that follow a failure; 0: none",
                     &settings_.regularisation});
}

double SolverLemke::measure(const ContactProblem& problem, VectorView impulse, VectorView velocity) const {
  return stopping_residual(problem, ContactModel::lcp, impulse, velocity).measure(settings_.use_relative);
}

SolveReport SolverLemke::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  return solve_as_lcp(problem, groups_, settings_, solution);
}

}  // namespace stiction
