// Three cubes on each other, the heaviest on top, by mass ratio: which solvers of the exact law hold it, and at what
// cost.
//
// usage: bench_mass_ratio [SOLVER...]
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "../tests/support/random_problems.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

namespace {

using namespace stiction;

constexpr double tolerance = 1e-8;
constexpr int repeats = 5;

double cpu_microseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

void print_line(std::string_view name, double ratio) {
  const ContactProblem problem = testing::mass_ratio_stack(ratio).problem();
  const auto solver = make_solver(name);
  solver->settings().tolerance = tolerance;
  double fastest = std::numeric_limits<double>::infinity();
  SolveReport report;
  ContactSolution solution;
  for (int k = 0; k < repeats; ++k) {
    solution = {};
    const double start = cpu_microseconds();
    report = solver->solve(problem, solution);
    fastest = std::min(fastest, cpu_microseconds() - start);
  }
  const double residual = judge(problem, solution.impulse, {.model = solver->traits().model}).eps_nat;
  std::printf("%-20s %8.0e  %-16s %6d %9.1e %10.1f\n", std::string(name).c_str(), ratio,
              std::string(to_string(report.status)).c_str(), report.iterations, residual, fastest);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> names(argv + 1, argv + argc);
  if (names.empty()) names = {"auto", "ncp-admm", "ncp-newton", "ncp-ip", "ncp-gs", "ncp-pgs"};
  try {
    std::printf("%-20s %8s  %-16s %6s %9s %10s\n", "solver", "ratio", "status", "iter", "eps_nat", "us");
    for (std::string_view name : names) {
      for (double ratio : {1.0, 1e2, 1e4, 1e6}) print_line(name, ratio);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_mass_ratio: %s\n", error.what());
    return 2;
  }
}
