// bench_fclib: `auto`, or another solver, on the stored FCLIB problems, from zero.
//
//   bench_fclib [--solver NAME] [--tolerance E] [--repeat N] [FILE…]
//
// One line per problem: CPU time of this thread in µs, the least of the repeats (as many as fit into a tenth of a
// second, at least N), ε_rel by the judge, status. Without FILE: scenes/fclib. For two builds in turns; beside peers:
// fclib.py.
#include "stiction/problem_files/fclib.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

namespace {

using namespace stiction;

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void run(const std::string& file, const std::string& name, double tolerance, int repeat) {
  const FclibProblem contents = read_fclib(file);
  const auto solver = make_solver(name);
  solver->settings().tolerance = tolerance;
  solver->settings().use_relative = true;
  double best = std::numeric_limits<double>::infinity(), used = 0.0;
  ContactSolution solution;
  SolveReport report;
  for (int k = 0; k < repeat || (used < 0.1 && k < 10000); ++k) {
    solution.impulse.setZero(contents.problem.num_rows());
    const double begin = cpu_seconds();
    report = solver->solve(contents.problem, solution);
    const double seconds = cpu_seconds() - begin;
    best = std::min(best, seconds);
    used += seconds;
  }
  const Residuals judged = judge(contents.problem, solution.impulse, {.model = solver->traits().model});
  std::printf("%-44s %12.3f us  eps_rel %8.1e  %s\n", std::filesystem::path(file).stem().c_str(), 1e6 * best,
              judged.eps_rel, std::string(to_string(report.status)).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string solver = "auto";
    double tolerance = 1e-8;
    int repeat = 5;
    std::vector<std::string> files;
    for (int k = 1; k < argc; ++k) {
      const std::string word = argv[k];
      const auto next = [&] {
        if (k + 1 >= argc) throw std::invalid_argument(word + " wants a value");
        return std::string(argv[++k]);
      };
      if (word == "--solver") {
        solver = next();
      } else if (word == "--tolerance") {
        tolerance = std::stod(next());
      } else if (word == "--repeat") {
        repeat = std::stoi(next());
      } else if (word.starts_with("--")) {
        throw std::invalid_argument("no option is called " + word);
      } else {
        files.push_back(word);
      }
    }
    if (files.empty()) {
      for (const auto& entry : std::filesystem::directory_iterator(STICTION_SCENES "/fclib")) {
        if (entry.path().extension() == ".hdf5") files.push_back(entry.path().string());
      }
      std::sort(files.begin(), files.end());
    }
    for (const std::string& file : files) run(file, solver, tolerance, repeat);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_fclib: %s\n", error.what());
    return 2;
  }
}
