// `auto` against every other solver of the exact law, on families of problems on which some of them fail.
//
// usage: bench_portfolio [--seeds N] [--limit SECONDS] [--family NAME] [--tolerance T] [--each] [SOLVER...]
//
// A cell: problems solved by the judge, and the mean CPU time of those in ms. A solver that once took longer than the
// limit on a family is not run on the rest of it ('*'). The last column: time of the first solver over that of the
// quickest other one that solves a problem, median and largest; below the table the rows where that is above 2, or
// where the first one fails and another does not.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../tests/support/hard_problems.h"
#include "stiction/contact/judge.h"
#include "stiction/solvers/solver.h"

namespace {

using namespace stiction;

struct Family {
  std::string name;
  std::function<ContactProblem(unsigned)> make;
};

struct Options {
  unsigned seeds = 10;
  double limit = 5.0;
  double tolerance = 1e-8;
  std::string family;
  bool each = false;
  std::vector<std::string> solvers;
};

struct Cell {
  int tried = 0, solved = 0;
  double time = 0.0, longest = 0.0;  // of those solved; of any
  bool given_up = false;
  std::vector<double> times;  // by seed; infinite where it was not solved
};

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<Family> families() {
  using namespace testing;
  std::vector<Family> list;
  constexpr DelassusForm forms[] = {DelassusForm::factored, DelassusForm::sparse, DelassusForm::dense};
  const char* form_name[] = {"dense", "sparse", "factored"};
  const auto add = [&](const std::string& name, const std::function<Mechanics(unsigned)>& make) {
    for (const DelassusForm form : forms) {
      list.push_back({name + " " + form_name[static_cast<int>(form)], [make, form](unsigned seed) {
                        ContactProblem problem = make(seed).problem();
                        return form == DelassusForm::factored ? problem : problem.in_form(form);
                      }});
    }
  };
  for (const double mu : {0.5, 1.0, 2.0}) {
    const std::string end = " mu " + std::to_string(mu).substr(0, 3);
    add("heap-2x3" + end, [mu](unsigned seed) { return three_point_heap({.seed = seed, .friction = mu}); });
    add("heap-3x3" + end,
        [mu](unsigned seed) { return three_point_heap({.seed = seed, .partners = 3, .friction = mu}); });
  }
  for (const double mu : {0.3, 0.9, 1.5}) {
    const std::string end = " mu " + std::to_string(mu).substr(0, 3);
    add("spheres" + end, [mu](unsigned seed) { return spheres_in_box({.seed = seed, .count = 6, .friction = mu}); });
  }
  for (const double mu : {0.5, 3.0}) {
    const std::string end = " mu " + std::to_string(mu).substr(0, 3);
    add("wedge-1" + end, [mu](unsigned seed) { return wedges({.seed = seed, .friction = mu}); });
    add("wedge-20" + end, [mu](unsigned seed) { return wedges({.seed = seed, .bodies = 20, .friction = mu}); });
  }
  add("columns", [](unsigned seed) { return box_columns({.seed = seed}); });
  return list;
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto next = [&] { return k + 1 < argc ? std::string(argv[++k]) : std::string(); };
    if (word == "--seeds") {
      options.seeds = static_cast<unsigned>(std::stoul(next()));
    } else if (word == "--limit") {
      options.limit = std::stod(next());
    } else if (word == "--tolerance") {
      options.tolerance = std::stod(next());
    } else if (word == "--family") {
      options.family = next();
    } else if (word == "--each") {
      options.each = true;
    } else {
      options.solvers.push_back(word);
    }
  }
  if (options.solvers.empty()) {
    for (const std::string_view name : solver_names()) {
      if (make_solver(name)->traits().model == ContactModel::ncp) options.solvers.emplace_back(name);
    }
  }
  return options;
}

void run(const Options& options, const Family& family, const std::string& name, Cell& cell) {
  for (unsigned seed = 0; seed < options.seeds && !cell.given_up; ++seed) {
    const ContactProblem problem = family.make(seed);
    const auto solver = make_solver(name);
    solver->settings().tolerance = options.tolerance;
    ContactSolution solution;
    const double start = cpu_seconds();
    const SolveReport report = solver->solve(problem, solution);
    const double time = cpu_seconds() - start;
    const double residual = judge(problem, solution.impulse).eps_nat;
    ++cell.tried;
    cell.longest = std::max(cell.longest, time);
    cell.times.push_back(std::numeric_limits<double>::infinity());
    if (residual <= options.tolerance) {
      ++cell.solved;
      cell.time += time;
      cell.times.back() = time;
    }
    if (options.each) {
      std::printf("  %-28s %-14s %3u  %-16s %6d %6d %9.1e %9.2f ms", family.name.c_str(), name.c_str(), seed,
                  std::string(to_string(report.status)).c_str(), report.iterations, report.factorisations, residual,
                  1e3 * time);
      for (const std::string_view stage : report.stages.names) {
        const int finished = report.stages.of(stage);
        if (finished > 0) std::printf(" %s:%d", std::string(stage).c_str(), finished);
      }
      std::printf("\n");
    }
    cell.given_up = time > options.limit && seed + 1 < options.seeds;
  }
}

}  // namespace

namespace {

// Time of the first solver over that of the quickest other one, where any succeeded, ascending.
std::vector<double> ratios(const std::vector<Cell>& cells) {
  std::vector<double> list;
  for (std::size_t seed = 0; seed < cells[0].times.size(); ++seed) {
    double quickest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k < cells.size(); ++k) {
      if (seed < cells[k].times.size()) quickest = std::min(quickest, cells[k].times[seed]);
    }
    if (quickest < std::numeric_limits<double>::infinity()) list.push_back(cells[0].times[seed] / quickest);
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::string as_text(const std::vector<double>& list) {
  if (list.empty()) return " – |";
  char text[64];
  std::snprintf(text, sizeof text, " %.2g, %.2g |", list[list.size() / 2], list.back());
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = read_options(argc, argv);
    std::printf("| family |");
    for (const std::string& name : options.solvers) std::printf(" %s |", name.c_str());
    std::printf(" %s / quickest other |\n| --- | --- |", options.solvers[0].c_str());
    for (std::size_t k = 0; k < options.solvers.size(); ++k) std::printf(" --- |");
    std::printf("\n");
    std::vector<std::string> slow;
    for (const Family& family : families()) {
      if (family.name.find(options.family) == std::string::npos) continue;
      std::string line = "| " + family.name + " |";
      std::vector<Cell> cells;
      for (const std::string& name : options.solvers) {
        Cell& cell = cells.emplace_back();
        run(options, family, name, cell);
        char text[80];
        std::snprintf(text, sizeof text, " %d/%d%s %.3g, max %.3g |", cell.solved, cell.tried, cell.given_up ? "*" : "",
                      1e3 * cell.time / std::max(1, cell.solved), 1e3 * cell.longest);
        line += text;
      }
      const std::vector<double> times = ratios(cells);
      line += as_text(times);
      if (!times.empty() && times.back() > 2.0) {
        const auto above = std::count_if(times.begin(), times.end(), [](double x) { return x > 2.0; });
        slow.push_back(family.name + ", " + std::to_string(above) + " of " + std::to_string(times.size()));
      }
      std::printf("%s\n", line.c_str());
      std::fflush(stdout);
    }
    std::printf("\nProblems on which %s takes more than twice the time of another, or fails alone: %s\n",
                options.solvers[0].c_str(), slow.empty() ? "none" : "");
    for (const std::string& row : slow) std::printf("  %s\n", row.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_portfolio: %s\n", error.what());
    return 2;
  }
}
