#include "stiction/solvers/sweeps/sparse_sweep.h"

#include "stiction/solvers/sweeps/running_velocity.h"
#include "stiction/solvers/sweeps/visit.h"

namespace stiction {

void SparseSweep::load(const ContactProblem& problem) {
  problem_ = &problem;
  block_.resize(problem.num_constraints());
  for (OneContact& block : block_) block.state = OneContact::State::unknown;
}

void SparseSweep::solve_one(int i, const double* lambda, const double* sigma, double* impulse) {
  const ExactLaw<false> law{block_.data()};
  solve_alone(RunningSparse{problem_}, law, i, problem_->constraint(i), lambda, sigma, impulse);
}

void SparseSweep::sweep(double* lambda, bool reverse) {
  RunningSparse running{problem_};
  const ExactLaw<false> law{block_.data()};
  const int n = problem_->num_constraints();
  for (int k = 0; k < n; ++k) {
    const int i = reverse ? n - 1 - k : k;
    visit(running, law, i, problem_->constraint(i), lambda);
  }
}

}  // namespace stiction
