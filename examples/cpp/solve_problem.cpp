// Solves a stored contact problem and lets the judge, which shares no code with any solver, say how well.
//
//     solve_problem scenes/fclib/Rover1039.hdf5
#include <cstdio>
#include <exception>

#include "stiction/contact/judge.h"
#include "stiction/problem_files/fclib.h"
#include "stiction/solvers/solver.h"

int main(int argc, char** argv) try {
  using namespace stiction;
  if (argc != 2) {
    std::fprintf(stderr, "usage: solve_problem FILE.hdf5\n");
    return 2;
  }
  const FclibProblem file = read_fclib(argv[1]);
  ContactSolution solution;  // empty: a cold start
  const SolveReport report = make_solver("auto")->solve(file.problem, solution);
  const Residuals residuals = judge(file.problem, solution.impulse);
  std::printf("%d constraints, %d iterations, residual %.1e\n", file.problem.num_constraints(), report.iterations,
              residuals.eps_nat);
  return report.status == SolveStatus::converged ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
