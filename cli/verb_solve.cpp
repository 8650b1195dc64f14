#include "cli/verb_solve.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/table.h"

namespace stiction::cli {
namespace {

bool asks_for_all(const SolveOptions& options) {
  return std::find(options.solvers.begin(), options.solvers.end(), "all") != options.solvers.end();
}

std::vector<std::string> chosen_solvers(const std::vector<std::string>& asked) {
  std::vector<std::string> names;
  for (const std::string& name : asked) {
    if (name == "all") {
      for (std::string_view known : solver_names()) names.emplace_back(known);
    } else {
      make_solver(name);  // throws with the list of those there are
      names.push_back(name);
    }
  }
  return names;
}

std::vector<std::pair<std::string, double>> parse_options(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, double>> options;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw std::invalid_argument("--set " + text + ": expected option=value");
    }
    const std::string value = text.substr(equals + 1);
    double number = 0.0;
    if (value == "true" || value == "false") {
      number = value == "true";
    } else {
      char* end = nullptr;
      number = std::strtod(value.c_str(), &end);
      if (value.empty() || *end != '\0')
        throw std::invalid_argument("--set " + text + ": '" + value + "' is no number");
    }
    options.emplace_back(text.substr(0, equals), number);
  }
  return options;
}

// With `all`, an option goes to the solvers that have it; it must exist in one of them.
std::map<std::string, RunSettings> settings_per_solver(const SolveOptions& options,
                                                       const std::vector<std::string>& solvers) {
  const auto wanted = parse_options(options.option_values);
  const bool all = asks_for_all(options);
  std::map<std::string, RunSettings> settings;
  std::set<std::string> used;
  for (const std::string& name : solvers) {
    RunSettings& own = settings[name] = options.run;
    own.record_history = !options.history_path.empty();
    const auto solver = make_solver(name);
    const auto known = solver->options();
    for (const auto& option : wanted) {
      const bool has = std::any_of(known.begin(), known.end(), [&](const auto& o) { return o.name == option.first; });
      if (has || !all) {
        solver->set_option(option.first, option.second);  // refuses a bad value before anything runs
        own.options.push_back(option);
        used.insert(option.first);
      }
    }
  }
  for (const auto& option : wanted) {
    if (!used.contains(option.first)) throw std::invalid_argument("no solver has the option '" + option.first + "'");
  }
  return settings;
}

void check_usage(const SolveOptions& options, const std::vector<std::string>& files,
                 const std::vector<std::string>& solvers) {
  if (!options.save_path.empty() && (files.size() != 1 || solvers.size() != 1)) {
    throw std::invalid_argument("--save takes the result of one solver on one file");
  }
  check_outputs({{"--save", options.save_path}, {"--history", options.history_path, false}}, {});
  check_outputs({{"--history", options.history_path, false}}, files);
}

std::string short_name(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

void print_records(const std::vector<RunRecord>& records) {
  const bool several = std::any_of(records.begin(), records.end(), [](const auto& r) { return r.steps != 1; });
  std::vector<Table::Column> columns{
      {"file"},       {"solver"},        {"model"},         {"status"},        {"iterations", true},
      {"time", true}, {"eps_abs", true}, {"eps_rel", true}, {"eps_nat", true}, {"exact law", true}};
  if (several) columns.push_back({"steps", true});
  Table table(std::move(columns));
  for (const RunRecord& r : records) {
    std::vector<std::string> cells{short_name(r.file),
                                   r.solver,
                                   r.model,
                                   r.status,
                                   std::to_string(r.iterations),
                                   in_seconds(r.seconds),
                                   in_scientific(r.eps_abs),
                                   in_scientific(r.eps_rel),
                                   in_scientific(r.eps_nat),
                                   in_scientific(r.ncp_eps_nat)};
    if (several) cells.push_back(std::to_string(r.steps_converged) + "/" + std::to_string(r.steps));
    table.add(std::move(cells));
  }
  table.print(std::cout);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n == 0 ? 0.0 : 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

// exp(mean log(t + s)) − s with s = 1 ms: no single file, and no file of microseconds, decides alone.
double shifted_geometric_mean(const std::vector<double>& seconds) {
  constexpr double shift = 1e-3;
  double sum = 0.0;
  for (double t : seconds) sum += std::log(t + shift);
  return seconds.empty() ? 0.0 : std::exp(sum / static_cast<double>(seconds.size())) - shift;
}

void print_summary(const std::vector<RunRecord>& records, const std::vector<std::string>& solvers) {
  std::map<std::string, double> best;  // fastest converged solver of each file
  for (const RunRecord& r : records) {
    if (!r.converged()) continue;
    const auto [place, fresh] = best.emplace(r.file, r.seconds);
    if (!fresh) place->second = std::min(place->second, r.seconds);
  }
  Table table({{"solver"},
               {"solved", true},
               {"fastest", true},
               {"total", true},
               {"median", true},
               {"mean", true},
               {"worst eps_rel", true}});
  for (const std::string& solver : solvers) {
    std::vector<double> seconds;
    int solved = 0, fastest = 0;
    double total = 0.0, worst = 0.0;
    for (const RunRecord& r : records) {
      if (r.solver != solver) continue;
      seconds.push_back(r.seconds);
      total += r.seconds;
      solved += r.converged();
      fastest += r.converged() && r.seconds <= best[r.file];
      worst = std::max(worst, r.eps_rel);
    }
    table.add({solver, std::to_string(solved) + "/" + std::to_string(seconds.size()), std::to_string(fastest),
               in_seconds(total), in_seconds(median(seconds)), in_seconds(shifted_geometric_mean(seconds)),
               in_scientific(worst)});
  }
  std::cout << "\nSummary (times over all files, solved or not; mean: geometric, shifted by 1 ms)\n\n";
  table.print(std::cout);
}

// What a reader of the table should know about the matrices.
void print_notes(const std::vector<RunRecord>& records, const std::map<std::string, double>& asymmetries) {
  for (const auto& [file, asymmetry] : asymmetries) {
    std::cout << "note: G of " << short_name(file) << " is not symmetric (by " << in_scientific(asymmetry)
              << " of its largest entry)";
    std::string symmetrised;
    for (const RunRecord& r : records) {
      if (r.file == file && r.symmetrised) symmetrised += (symmetrised.empty() ? "" : ", ") + r.solver;
    }
    if (!symmetrised.empty()) std::cout << "; its symmetric part was used by " << symmetrised;
    std::cout << ".\n";
  }
}

void write_history(std::ofstream& out, const RunResult& result) {
  for (const HistoryEntry& entry : result.history) {
    out << result.record.file << ',' << result.record.solver << ',' << entry.iteration << ',' << entry.residual << ','
        << entry.penalty << ',' << entry.factorisations << '\n';
  }
}

void save_result(const std::string& path, const ProblemFile& contents, const RunResult& result) {
  const auto* problem = std::get_if<FclibProblem>(&contents);
  if (problem == nullptr) throw std::invalid_argument("--save: only the result of an FCLIB problem can be saved");
  FclibProblem saved = *problem;
  saved.solution = FclibSolution{result.solution.impulse, result.solution.velocity};
  write_fclib(path, saved);
}

double asymmetry_of(const ProblemFile& contents) {
  const auto* problem = std::get_if<FclibProblem>(&contents);
  return problem == nullptr || problem->problem.is_symmetric() ? 0.0 : problem->problem.asymmetry();
}

struct Outcome {
  std::vector<RunRecord> records;
  std::map<std::string, double> asymmetries;  // of the files whose G is not symmetric
  bool bad_input = false, bad_output = false;
};

void complain(Progress& progress, const std::exception& error) {
  progress.clear();
  std::cerr << "stiction: " << error.what() << '\n';
}

// One solver on one file. A solver may refuse a problem (an asymmetric matrix, a kind of constraint): asked for by name
// that is a failure, under `all` the solver is left out.
void run_one(const SolveOptions& options, const std::string& file, const ProblemFile& contents,
             const std::string& solver, const RunSettings& settings, std::ofstream& history, Progress& progress,
             Outcome& outcome) {
  RunResult result;
  try {
    result = run_solver(file, contents, solver, settings);
  } catch (const std::invalid_argument& error) {
    complain(progress, error);
    result.record = {.file = file, .solver = solver, .model = "", .status = "refused"};
    result.record.eps_abs = result.record.eps_rel = result.record.eps_nat = result.record.ncp_eps_nat = NAN;
  }
  const bool left_out = !result.record.applicable() || result.record.status == "refused";
  if (left_out && asks_for_all(options)) return;
  outcome.records.push_back(result.record);
  if (history.is_open()) write_history(history, result);
  if (!options.save_path.empty() && !left_out) save_result(options.save_path, contents, result);
}

std::ofstream open_history(const std::string& path) {
  std::ofstream history;
  if (path.empty()) return history;
  history.open(path);
  if (!history) throw std::invalid_argument(path + ": cannot be written");
  history.precision(17);
  history << "file,solver,iteration,residual,penalty,factorisations" << std::endl;
  if (!history) throw std::runtime_error(path + ": cannot be written");
  return history;
}

}  // namespace

int solve_files(SolveOptions options) {
  const auto files = expand_paths(options.paths);
  const auto solvers = chosen_solvers(options.solvers);
  check_usage(options, files, solvers);
  Interrupt interrupt;
  options.run.interrupt = &interrupt.for_solvers();
  const auto settings = settings_per_solver(options, solvers);
  std::ofstream history = open_history(options.history_path);

  Progress progress;
  Outcome outcome;
  for (size_t k = 0; k < files.size() && interrupt.signal() == 0; ++k) {
    const std::string& file = files[k];
    try {
      const ProblemFile contents = read_problem_file(file, options.form);
      if (const double asymmetry = asymmetry_of(contents); asymmetry > 0.0) outcome.asymmetries[file] = asymmetry;
      for (const std::string& name : solvers) {
        if (interrupt.signal() != 0) break;
        progress.show(std::to_string(k + 1) + "/" + std::to_string(files.size()) + " " + short_name(file) + ": " +
                      name);
        run_one(options, file, contents, name, settings.at(name), history, progress, outcome);
      }
    } catch (const std::exception& error) {
      complain(progress, error);
      outcome.bad_input = true;
    }
  }
  progress.clear();
  if (history.is_open()) {
    history.close();
    if (!history) {
      std::cerr << "stiction: " << options.history_path << ": not everything could be written\n";
      outcome.bad_output = true;
    }
  }

  const auto& records = outcome.records;
  if (options.json) {
    std::cout << records_to_json(records) << '\n';
  } else if (!records.empty()) {
    print_records(records);
    print_notes(records, outcome.asymmetries);
    if (files.size() > 1) print_summary(records, solvers);
  }
  if (interrupt.signal() != 0) {
    std::cerr << "stiction: interrupted; what was solved until then is above\n";
    return 128 + interrupt.signal();
  }
  if (outcome.bad_input || outcome.bad_output) return exit_misuse;
  const bool all_converged = !records.empty() && std::all_of(records.begin(), records.end(), [](const auto& r) {
    return r.applicable() && r.converged();
  });
  return all_converged ? exit_success : exit_failed;
}

}  // namespace stiction::cli
