// The `stiction` command: reads the command line, calls the verb, turns exceptions into messages and exit codes.
#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>

#include "cli/exit_code.h"
#include "cli/verb_list.h"
#include "cli/verb_solve.h"

namespace stiction::cli {
namespace {

constexpr const char* exit_codes =
    "Exit code: 0 everything asked for converged, 1 a solver did not converge, 2 bad usage or unreadable file.";

void add_solve(CLI::App& app, SolveOptions& options) {
  CLI::App* verb = app.add_subcommand("solve", "Solve contact problems and let the judge measure the results");
  verb->add_option("FILE", options.paths, "FCLIB problems, sequences, or folders of them (HDF5)")->required();
  options.solvers = {"auto"};
  verb->add_option("-s,--solver", options.solvers, "Solver, several separated by commas, or all; see: list solvers")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  verb->add_option("-t,--tolerance", options.run.tolerance, "Stop at this eps_nat of the solver's model")
      ->check(
          [](const std::string& text) {
            double value = 0.0;
            const bool good = CLI::detail::lexical_cast(text, value) && value > 0.0 && std::isfinite(value);
            return good ? std::string() : text + " is not a positive number";
          },
          "POSITIVE");
  verb->add_flag("--relative", options.run.use_relative,
                 "The tolerance refers to eps_rel, as collections are compared");
  verb->add_option("--max-iterations", options.run.max_iterations, "Largest number of iterations of every solver")
      ->check(CLI::Range(1, 1000000000));
  verb->add_option("--set", options.option_values, "Set an option of the solver, option=value; see: list options NAME")
      ->allow_extra_args(false);
  const std::map<std::string, FormChoice> forms{{"dense", FormChoice::dense}, {"sparse", FormChoice::sparse}};
  verb->add_option("--form", options.form, "Form of G handed to the solver: dense or sparse; default: as stored")
      ->transform(CLI::CheckedTransformer(forms, CLI::ignore_case).description(""));
  verb->add_option("--repeat", options.run.repeat, "Solve so many times and report the fastest")
      ->check(CLI::Range(1, 1000000));
  verb->add_flag("--cold", options.run.cold, "Sequences: start every step from zero instead of the step before");
  verb->add_flag("--json", options.json, "Print one JSON array of objects instead of tables");
  verb->add_option("--save", options.save_path, "Store problem and result as an FCLIB file (one file, one solver)");
  verb->add_option("--history", options.history_path, "Write the residual of every iteration as CSV");
  verb->footer(
      "\nColumns: model is the law the solver answers to; eps_abs, eps_rel, eps_nat are the judge's residuals under\n"
      "that law (absolute; of the scaled problem; the same with impulses above 1 divided out); 'exact law' is eps_nat\n"
      "under Signorini's and Coulomb's law, whatever the solver's own.\n\n"
      "Examples:\n"
      "  stiction solve scenes/fclib/Capsules-i101-404.hdf5\n"
      "  stiction solve scenes/fclib --solver auto,ncp-admm --tolerance 1e-6 --relative\n"
      "  stiction solve scenes/fclib/Rover1039.hdf5 --solver all --json\n"
      "  stiction solve scenes/fclib/KaplasTower-i1061-4.hdf5 --save answer.hdf5 --history history.csv\n\n" +
      std::string(exit_codes));
}

struct ListOptions {
  bool json = false;
  std::string solver;
};

void add_list(CLI::App& app, ListOptions& options) {
  CLI::App* verb = app.add_subcommand("list", "List the solvers, or the options of one");
  verb->require_subcommand(1);
  verb->footer("\nExamples:\n  stiction list solvers\n  stiction list options ncp-admm --json");
  CLI::App* solvers = verb->add_subcommand("solvers", "Every solver: name, model, what it needs, one line");
  solvers->add_flag("--json", options.json, "Print a JSON array of objects");
  solvers->footer("\nExample:\n  stiction list solvers --json");
  CLI::App* settings = verb->add_subcommand("options", "The options of one solver with their defaults");
  settings->add_option("NAME", options.solver, "Name of the solver")->required();
  settings->add_flag("--json", options.json, "Print a JSON array of objects");
  settings->footer("\nExample:\n  stiction list options auto");
}

int run(int argc, char** argv) {
  CLI::App app("Stiction: frictional contact solved exactly, and judged", "stiction");
  app.set_version_flag("--version", "stiction " STICTION_VERSION);
  app.require_subcommand(1);
  app.footer("\nTry 'stiction solve --help'.\n" + std::string(exit_codes));
  SolveOptions solve;
  ListOptions list;
  add_solve(app, solve);
  add_list(app, list);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_success : exit_misuse;
  }
  if (app.got_subcommand("solve")) return solve_files(std::move(solve));
  if (!list.solver.empty()) return list_options(list.solver, list.json);
  return list_solvers(list.json);
}

}  // namespace
}  // namespace stiction::cli

int main(int argc, char** argv) {
  try {
    return stiction::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "stiction: " << error.what() << '\n';
    return stiction::cli::exit_misuse;
  }
}
