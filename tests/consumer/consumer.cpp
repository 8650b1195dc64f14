// A project of others: contact problems alone, with Eigen and nothing else. Two balls on the ground, one pushed aside.
#include <cstdio>

#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

int main() {
  using namespace stiction;
  const VectorX velocity = (Eigen::VectorXd(6) << 0.0, 0.0, -1.0, 3.0, 0.0, -1.0).finished();
  const auto problem = ContactProblem::from_dense({Constraint::make_frictional(0.5), Constraint::make_frictional(0.5)},
                                                  MatrixX::Identity(6, 6), velocity);
  ContactSolution solution;
  make_solver("auto")->solve(problem, solution);
  std::printf("%.3f %.3f\n", solution.impulse[2], solution.impulse[3]);  // carried; as much friction as that allows
  return judge(problem, solution.impulse).eps_nat < 1e-8 && solution.impulse[3] < -0.49 ? 0 : 1;
}
