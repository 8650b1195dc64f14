// One solver on one file: time, status, and what the judge says of the result.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/problem_files.h"
#include "stiction/solvers/solver.h"

namespace stiction::cli {

struct RunSettings {
  double tolerance = 0.0;  // 0: the solver's own
  bool use_relative = false;
  int max_iterations = 0;  // 0: the solver's own
  bool record_history = false;
  int repeat = 1;                                       // the fastest of so many solves from the same start is timed
  stiction::Interrupt* interrupt = nullptr;             // what may stop a solve
  bool cold = false;                                    // sequences: start every step from zero
  std::vector<std::pair<std::string, double>> options;  // of --set; each must exist in the solver
};

// A row of the result. A sequence is one row: sums of iterations and seconds, the worst residuals of its steps.
struct RunRecord {
  std::string file = {}, solver = {}, model = {}, status = {};
  int iterations = 0, factorisations = 0;
  double seconds = 0.0;
  double eps_abs = 0.0, eps_rel = 0.0, eps_nat = 0.0;  // the judge's, under the solver's own model
  double ncp_eps_nat = 0.0;                            // the judge's, under the exact law
  int worst_constraint = -1;
  bool symmetrised = false;
  int steps = 1, steps_converged = 0;

  bool converged() const { return steps_converged == steps; }
  bool applicable() const { return status != "not_applicable"; }
};

struct RunResult {
  RunRecord record;
  ContactSolution solution;  // of the last step
  std::vector<HistoryEntry> history;
};

// Throws std::invalid_argument where the solver has no such option. A linear complementarity problem is no contact
// problem: lcp-lemke and lcp-dantzig solve it as it is (`auto` stands for lcp-lemke), others leave it alone with the
// status "not_applicable".
RunResult run_solver(const std::string& file, const ProblemFile& contents, const std::string& solver,
                     const RunSettings& settings);

}  // namespace stiction::cli
