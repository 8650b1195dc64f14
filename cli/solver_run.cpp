#include "cli/solver_run.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "stiction/contact/judge.h"
#include "stiction/contact/lcp_judge.h"
#include "stiction/solvers/pivoting/linear_complementarity.h"

namespace stiction::cli {
namespace {

std::unique_ptr<ContactSolver> prepare(const std::string& name, const RunSettings& settings) {
  auto solver = make_solver(name);
  SolverSettings& common = solver->settings();
  if (settings.tolerance > 0.0) common.tolerance = settings.tolerance;
  common.use_relative = settings.use_relative;
  if (settings.max_iterations > 0) common.max_iterations = settings.max_iterations;
  common.record_history = settings.record_history;
  common.interrupt = settings.interrupt;
  for (const auto& [option, value] : settings.options) solver->set_option(option, value);
  return solver;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Solves from the guess in `solution`, several times where asked, and adds the outcome to the record.
void solve_once(ContactSolver& solver, const ContactProblem& problem, int repeat, ContactSolution& solution,
                RunRecord& record) {
  const ContactSolution guess = solution;
  double fastest = std::numeric_limits<double>::infinity();
  SolveReport report;
  for (int k = 0; k < repeat && report.status != SolveStatus::interrupted; ++k) {
    solution = guess;
    const auto start = std::chrono::steady_clock::now();
    report = solver.solve(problem, solution);
    fastest = std::min(fastest, seconds_since(start));
  }
  record.seconds += fastest;
  record.iterations += report.iterations;
  record.factorisations += report.factorisations;
  record.symmetrised |= report.symmetrised;
  if (report.status == SolveStatus::converged) {
    ++record.steps_converged;
  } else if (record.status == to_string(SolveStatus::converged)) {
    record.status = to_string(report.status);
  }
  const Residuals own = judge(problem, solution.impulse, {.model = solver.traits().model});
  if (own.eps_nat >= record.eps_nat) record.worst_constraint = own.worst_constraint;
  record.eps_abs = std::max(record.eps_abs, own.eps_abs);
  record.eps_rel = std::max(record.eps_rel, own.eps_rel);
  record.eps_nat = std::max(record.eps_nat, own.eps_nat);
  record.ncp_eps_nat = std::max(record.ncp_eps_nat, judge(problem, solution.impulse).eps_nat);
}

void run_sequence(ContactSolver& solver, const Sequence& sequence, const RunSettings& settings, RunResult& result) {
  result.record.steps = static_cast<int>(sequence.steps.size());
  const SequenceStep* before = nullptr;
  for (const SequenceStep& step : sequence.steps) {
    VectorX guess;
    if (before != nullptr && !settings.cold) {
      carry_over(before->id, before->problem, result.solution.impulse, step.id, step.problem, guess);
      result.solution.impulse = guess;
      result.solution.memory.rows.resize(0);  // its rows are those of the step before
    } else {
      result.solution = {};
    }
    solve_once(solver, step.problem, settings.repeat, result.solution, result.record);
    if (result.record.status == to_string(SolveStatus::interrupted)) break;
    if (settings.interrupt != nullptr && settings.interrupt->requested()) {
      result.record.status = to_string(SolveStatus::interrupted);
      break;
    }
    before = &step;
  }
}

// A pivoting method on the plain problem w = M z + q; the unknown z is handed back as the impulse.
void run_complementarity(const LinearComplementarityProblem& problem, const RunSettings& settings, RunResult& result) {
  RunRecord& record = result.record;
  const bool dantzig = record.solver == "lcp-dantzig";
  if (!dantzig && record.solver != "lcp-lemke" && record.solver != "auto") {
    record.status = "not_applicable";
    return;
  }
  LinearComplementarity method;
  LcpSettings pivoting;
  pivoting.max_pivots = settings.max_iterations;
  pivoting.interrupt = settings.interrupt;
  VectorX& unknown = result.solution.impulse;
  LcpReport report;
  record.seconds = std::numeric_limits<double>::infinity();
  for (int k = 0; k < settings.repeat && report.status != LcpStatus::interrupted; ++k) {
    const auto start = std::chrono::steady_clock::now();
    report =
        dantzig ? method.solve_dantzig(problem, unknown, pivoting) : method.solve_lemke(problem, unknown, pivoting);
    record.seconds = std::min(record.seconds, seconds_since(start));
  }
  const LcpResiduals residuals = judge_lcp(problem, unknown);
  record.model = to_string(ContactModel::lcp);
  record.iterations = report.pivots;
  record.steps_converged = report.status == LcpStatus::solved;
  if (report.status != LcpStatus::solved) record.status = to_string(report.status);
  record.eps_abs = residuals.eps_abs;
  record.eps_rel = residuals.eps_rel;
  record.eps_nat = record.ncp_eps_nat = residuals.eps_nat;
  record.worst_constraint = residuals.worst_row;
}

}  // namespace

RunResult run_solver(const std::string& file, const ProblemFile& contents, const std::string& name,
                     const RunSettings& settings) {
  RunResult result;
  const auto solver = prepare(name, settings);
  RunRecord& record = result.record;
  record.file = file;
  record.solver = name;
  record.model = to_string(solver->traits().model);
  record.status = to_string(SolveStatus::converged);
  if (const auto* problem = std::get_if<FclibProblem>(&contents)) {
    solve_once(*solver, problem->problem, settings.repeat, result.solution, record);
  } else if (const auto* complementarity = std::get_if<LcpFile>(&contents)) {
    run_complementarity(complementarity->problem, settings, result);
  } else {
    run_sequence(*solver, std::get<Sequence>(contents), settings, result);
  }
  result.history = solver->history();
  return result;
}

}  // namespace stiction::cli
