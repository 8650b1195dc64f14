// bench_sequences: every solver on the contact problems of running simulations (scenes/robot-problems), cold and warm.
//
//   bench_sequences [FILE…] [--solver NAME]… [--tolerance E] [--form dense|factored|best] [--start cold|warm|both]
//                   [--budget SECONDS] [--repeat N] [--csv FILE]
//
// One line per sequence, start and solver: steps whose ε_nat (of the solver's own model, by the judge) reaches the
// tolerance, mean and largest time per solve, the largest ε_nat of the exact law, iterations. Times are CPU times of
// this thread; the mean is the least of the repeated passes over the whole sequence, without a clock between solves.
// A solver that has used its budget on a sequence is cut there, and the line says after how many steps.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "stiction/contact/judge.h"
#include "stiction/problem_files/sequence.h"
#include "stiction/solvers/solver.h"

namespace {

using namespace stiction;

constexpr char usage[] =
    "usage: bench_sequences [FILE...] [--solver NAME]... [--tolerance E] [--form dense|factored|best]\n"
    "                       [--start cold|warm|both] [--budget SECONDS] [--repeat N] [--csv FILE]\n\n"
    "Every solver on the contact problems of running simulations, cold and warm. Without FILE: "
    "scenes/robot-problems.\n";

struct Arguments {
  std::vector<std::string> files, solvers;
  double tolerance = 1e-9;
  std::string form = "best";  // dense up to 200 rows, factored beyond and for piles
  bool cold = true, warm = true;
  double budget = 2.0;  // s per sequence, start and solver
  int repeat = 20;
  std::string csv;
};

// Pivoting and dense interior points need minutes for one large problem, which no budget between solves can cut.
constexpr int dense_method_rows = 600;
bool is_dense_method(const std::string& name) {
  return name == "lcp-lemke" || name == "lcp-anitescu-potra" || name == "lcp-dantzig" || name == "max-dissipation";
}

struct Line {
  std::string sequence, solver, form, note;
  bool warm = false;
  int steps = 0, of_steps = 0, converged = 0;
  double mean = 0.0, largest = 0.0;  // s
  double worst_own = 0.0, worst_exact = 0.0;
  double iterations = 0.0, factorisations = 0.0;  // mean per solve
};

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::string next_value(int argc, char** argv, int& k) {
  if (k + 1 >= argc) throw std::invalid_argument(std::string(argv[k]) + " wants a value");
  return argv[++k];
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--solver") {
      arguments.solvers.push_back(next_value(argc, argv, k));
    } else if (word == "--tolerance") {
      arguments.tolerance = std::stod(next_value(argc, argv, k));
    } else if (word == "--form") {
      arguments.form = next_value(argc, argv, k);
    } else if (word == "--start") {
      const std::string start = next_value(argc, argv, k);
      arguments.cold = start != "warm";
      arguments.warm = start != "cold";
    } else if (word == "--budget") {
      arguments.budget = std::stod(next_value(argc, argv, k));
    } else if (word == "--repeat") {
      arguments.repeat = std::stoi(next_value(argc, argv, k));
    } else if (word == "--csv") {
      arguments.csv = next_value(argc, argv, k);
    } else if (word == "--help" || word == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else if (word.starts_with("--")) {
      throw std::invalid_argument("no option is called " + word + "; see --help");
    } else {
      arguments.files.push_back(word);
    }
  }
  if (arguments.files.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator(STICTION_SCENES "/robot-problems")) {
      if (entry.path().extension() == ".hdf5") arguments.files.push_back(entry.path().string());
    }
    std::sort(arguments.files.begin(), arguments.files.end());
  }
  if (arguments.solvers.empty()) {
    for (const std::string_view name : solver_names()) arguments.solvers.emplace_back(name);
  }
  return arguments;
}

std::vector<ContactProblem> problems_of(const Sequence& sequence, const std::string& form) {
  int rows = 0;
  bool pile = true;  // rows outnumber velocities in every step
  for (const SequenceStep& step : sequence.steps) {
    rows = std::max(rows, step.problem.num_rows());
    pile = pile && step.problem.num_rows() > step.problem.factored().num_velocities();
  }
  const bool dense = form == "dense" || (form == "best" && rows <= 200 && !pile);
  std::vector<ContactProblem> problems;
  for (const SequenceStep& step : sequence.steps) {
    problems.push_back(dense ? step.problem.in_form(DelassusForm::dense) : step.problem);
  }
  return problems;
}

// The least time of further passes over the steps that the first pass took, from the same guesses.
double repeated_mean(ContactSolver& solver, const std::vector<ContactProblem>& problems,
                     const std::vector<VectorX>& guesses, double first_mean, const Arguments& arguments) {
  const int steps = static_cast<int>(guesses.size());
  double best = first_mean, used = 0.0;
  std::vector<ContactSolution> solutions(steps);
  for (int pass = 0; pass < arguments.repeat && used + best * steps < arguments.budget; ++pass) {
    for (int k = 0; k < steps; ++k) {
      solutions[k] = {};
      solutions[k].impulse = guesses[k];
      solutions[k].velocity.resize(guesses[k].size());
    }
    const double begin = cpu_seconds();
    for (int k = 0; k < steps; ++k) solver.solve(problems[k], solutions[k]);
    const double seconds = cpu_seconds() - begin;
    used += seconds;
    best = std::min(best, seconds / steps);
  }
  return best;
}

Line run(const Sequence& sequence, const std::vector<ContactProblem>& problems, const std::string& name, bool warm,
         const Arguments& arguments) {
  Line line;
  line.sequence = sequence.name;
  line.solver = name;
  line.warm = warm;
  line.form = problems.front().form() == DelassusForm::dense ? "dense" : "factored";
  line.of_steps = static_cast<int>(problems.size());
  const auto solver = make_solver(name);
  solver->settings().tolerance = arguments.tolerance;
  JudgeSettings own;
  own.model = solver->traits().model;
  std::vector<VectorX> guesses;
  ContactSolution solution;
  double total = 0.0;
  for (int k = 0; k < line.of_steps && total < arguments.budget; ++k) {
    VectorX guess = VectorX::Zero(problems[k].num_rows());
    if (warm && k > 0) {
      carry_over(sequence.steps[k - 1].id, problems[k - 1], solution.impulse, sequence.steps[k].id, problems[k], guess);
    }
    guesses.push_back(guess);
    solution.impulse = guess;
    if (!warm) solution = ContactSolution{guess, {}, {}};
    const double begin = cpu_seconds();
    const SolveReport report = solver->solve(problems[k], solution);
    const double seconds = cpu_seconds() - begin;
    const double eps = judge(problems[k], solution.impulse, own).eps_nat;
    ++line.steps;
    line.converged += eps <= arguments.tolerance;
    line.worst_own = std::max(line.worst_own, eps);
    line.worst_exact = std::max(line.worst_exact, judge(problems[k], solution.impulse).eps_nat);
    line.largest = std::max(line.largest, seconds);
    line.iterations += report.iterations;
    line.factorisations += report.factorisations;
    total += seconds;
  }
  line.iterations /= line.steps;
  line.factorisations /= line.steps;
  line.mean = repeated_mean(*solver, problems, guesses, total / line.steps, arguments);
  if (line.steps < line.of_steps) {
    line.note = "cut after " + std::to_string(line.steps) + " of " + std::to_string(line.of_steps) + " steps";
  }
  return line;
}

void print(const Line& l) {
  std::printf("%-16s %-5s %-20s %-9s %4d/%-4d %12.2f %12.1f %10.1e %10.1e %9.1f %7.1f  %s\n", l.sequence.c_str(),
              l.warm ? "warm" : "cold", l.solver.c_str(), l.form.c_str(), l.converged, l.steps, 1e6 * l.mean,
              1e6 * l.largest, l.worst_own, l.worst_exact, l.iterations, l.factorisations, l.note.c_str());
  std::fflush(stdout);
}

void write_csv(const std::string& path, const std::vector<Line>& lines, double tolerance) {
  std::ofstream out(path);
  if (!out) throw std::invalid_argument("cannot write " + path);
  out << "sequence,start,solver,form,tolerance,converged,steps,of_steps,mean_us,max_us,max_eps_nat_own_model,"
         "max_eps_nat_ncp,iterations,factorisations\n";
  out.precision(6);
  for (const Line& l : lines) {
    out << l.sequence << ',' << (l.warm ? "warm" : "cold") << ',' << l.solver << ',' << l.form << ',' << tolerance
        << ',' << l.converged << ',' << l.steps << ',' << l.of_steps << ',' << 1e6 * l.mean << ',' << 1e6 * l.largest
        << ',' << l.worst_own << ',' << l.worst_exact << ',' << l.iterations << ',' << l.factorisations << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments = parse(argc, argv);
  std::printf("tolerance %.0e on eps_nat of the solver's own model, as the judge finds it; CPU time of one thread\n",
              arguments.tolerance);
  std::printf("%-16s %-5s %-20s %-9s %9s %12s %12s %10s %10s %9s %7s\n", "sequence", "start", "solver", "form",
              "converged", "mean us", "max us", "eps own", "eps ncp", "iter", "factor");
  std::vector<Line> lines;
  for (const std::string& file : arguments.files) {
    const Sequence sequence = read_sequence(file);
    const std::vector<ContactProblem> problems = problems_of(sequence, arguments.form);
    for (const bool warm : {false, true}) {
      if (warm ? !arguments.warm : !arguments.cold) continue;
      for (const std::string& name : arguments.solvers) {
        if (is_dense_method(name) && problems.front().num_rows() > dense_method_rows) {
          std::printf("%-16s %-5s %-20s not run: a dense method, %d rows\n", sequence.name.c_str(),
                      warm ? "warm" : "cold", name.c_str(), problems.front().num_rows());
          continue;
        }
        try {
          lines.push_back(run(sequence, problems, name, warm, arguments));
          print(lines.back());
        } catch (const std::invalid_argument& refusal) {
          std::printf("%-16s %-5s %-20s does not apply: %s\n", sequence.name.c_str(), warm ? "warm" : "cold",
                      name.c_str(), refusal.what());
        }
      }
    }
  }
  if (!arguments.csv.empty()) write_csv(arguments.csv, lines, arguments.tolerance);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_sequences: %s\n", error.what());
  return 1;
}
