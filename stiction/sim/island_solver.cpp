#include "stiction/sim/island_solver.h"

#include <algorithm>

#include "stiction/constraints/corrections.h"

namespace stiction {
namespace {

constexpr std::size_t large_island = 1200;  // constraints from which on several threads are quicker than one

// Where islands may be jammed.
constexpr std::size_t most_constraints = 500;  // in larger ones folds of the path are what fails
constexpr std::size_t few_constraints = 100;   // these have few folds: what has a solution is found soon
constexpr int first_try = 100;                 // factorisations, for few constraints

}  // namespace

IslandSolver::IslandSolver(std::shared_ptr<const Model> model, const SimulatorSettings& settings)
    : model_(std::move(model)),
      settings_(settings),
      traits_(make_configured_solver()->traits()),
      pool_(settings.threads) {}

std::unique_ptr<ContactSolver> IslandSolver::make_configured_solver() const {
  auto solver = make_solver(settings_.solver);
  // The judge computes σ in another order than the solver; half the tolerance leaves room for the rounding of both.
  solver->settings().tolerance = 0.5 * settings_.tolerance;
  solver->settings().acceptable_tolerance = 0.5 * settings_.acceptable_tolerance;
  solver->settings().max_iterations = settings_.max_iterations;
  for (const auto& [name, value] : options_) solver->set_option(name, value);
  return solver;
}

void IslandSolver::set_option(std::string_view name, double value) {
  make_configured_solver()->set_option(name, value);  // throws where there is no such option
  options_.emplace_back(name, value);
  for (Slot& slot : slots_) slot.solver->set_option(name, value);
}

void IslandSolver::make_slots(int count) {
  while (static_cast<int>(slots_.size()) < count) {
    auto solver = make_configured_solver();  // a slot without one is never seen, also where memory ends
    slots_.emplace_back().solver = std::move(solver);
    // Links of a robot in free fall do not move against each other: what is left of g then is rounding. A residual
    // relative to it would mean nothing; relative to what gravity does in a step it does.
    slots_.back().builder.set_velocity_floor(model_->gravity.norm() * settings_.time_step);
  }
}

void IslandSolver::forget() {
  slots_.clear();
  size_ = 0;
}

// Small islands need nothing that a solver keeps: one thread solves them all with the same memory, which stays hot.
ContactSolver& IslandSolver::solver_of(int k) {
  const bool dense = problem(k).form() == DelassusForm::dense;
  return *(settings_.threads > 1 || !dense ? slots_[k] : slots_.front()).solver;
}

void IslandSolver::build_problems(const RowSet& rows, const Islands& islands) {
  make_slots(islands.size());
  size_ = islands.size();
  for (int k = 0; k < size_; ++k) build_problem(k, rows, islands.constraints(k));
}

void IslandSolver::build_problem(int k, const RowSet& rows, std::span<const int> members) {
  Slot& island = slots_[k];
  const ContactProblem& problem = island.builder.build(*model_, rows, members);
  island.solution.impulse.resize(problem.num_rows());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Constraint& c = problem.constraint(static_cast<int>(i));
    for (int r = 0; r < c.rows; ++r) island.solution.impulse[c.first_row + r] = rows[members[i]].guess[r];
  }
}

void IslandSolver::solve(RowSet& rows, const Islands& islands, Interrupt* interrupt) {
  for (int k = 0; k < size_; ++k) {
    if (TeamSolver* solver = team_solver_of(k, islands)) {
      solve_together(k, *solver, rows, islands.constraints(k), interrupt);
    }
  }
  pool_.for_each(size_, [&](int k) {
    if (team_solver_of(k, islands) == nullptr) solve_island(k, rows, islands.constraints(k), interrupt);
  });
  int most = 0;
  for (int k = 0; k < size_; ++k) most = std::max(most, report(k).iterations);
  spent_iterations_ += most;
  ++rounds_;
}

int IslandSolver::iterations_left() const {
  const int limit = slots_.empty() ? settings_.max_iterations : slots_.front().solver->settings().max_iterations;
  return limit == 0 ? 0 : std::max(1, limit - spent_iterations_);
}

// Null where the threads have more to do elsewhere, or the solver works alone.
TeamSolver* IslandSolver::team_solver_of(int k, const Islands& islands) {
  if (settings_.threads <= 1 || islands.constraints(k).size() < large_island) return nullptr;
  return dynamic_cast<TeamSolver*>(&solver_of(k));
}

// The caller's thread is the first to take a piece, and leads; the others serve it until it is done.
void IslandSolver::solve_together(int k, TeamSolver& solver, RowSet& rows, std::span<const int> members,
                                  Interrupt* interrupt) {
  WorkTeam team;
  pool_.for_each(settings_.threads, [&](int piece) {
    if (piece > 0) return team.serve();
    struct Lent {
      TeamSolver& solver;
      WorkTeam& team;
      ~Lent() { solver.set_team(nullptr), team.dismiss(); }
    } const lent{solver, team};
    solver.set_team(&team);
    solve_island(k, rows, members, interrupt);
  });
}

bool IslandSolver::may_be_jammed(const RowSet& rows, std::span<const int> members) const {
  return members.size() <= most_constraints && traits_.is_decisive &&
         has_corrections(rows, members, settings_.time_step, settings_.constraints);
}

// With an absolute tolerance: tries that become ten times as exact, each from where the last one ended, until the judge
// finds ε_abs within it, or a try brings nothing any more.
void IslandSolver::try_island(int k, int most, Interrupt* interrupt) {
  if (settings_.absolute_tolerance == 0.0) return try_once(k, most, interrupt);
  constexpr double first = 0.1, sharper = 0.1, last = 1e-15;
  SolverSettings& wanted = solver_of(k).settings();
  struct Restore {
    SolverSettings& settings;
    const double tolerance = settings.tolerance, acceptable = settings.acceptable_tolerance;
    ~Restore() { settings.tolerance = tolerance, settings.acceptable_tolerance = acceptable; }
  } restore{wanted};
  wanted.acceptable_tolerance = 0.0;
  for (double tolerance = first; tolerance >= last; tolerance *= sharper) {
    wanted.tolerance = tolerance;
    const int spent = slots_[k].report.iterations;
    try_once(k, most, interrupt);
    SolveReport& report = slots_[k].report;
    const bool enough = judge_island(k, traits_.model).eps_abs <= settings_.absolute_tolerance;
    if (enough) report.status = SolveStatus::converged;
    if (enough || report.status != SolveStatus::converged) break;
    if (report.iterations == spent && tolerance < 1e-12) break;
  }
}

// Solves with what is left of the limit, and with no more than `most` iterations (0: no matter).
void IslandSolver::try_once(int k, int most, Interrupt* interrupt) {
  Slot& island = slots_[k];
  ContactSolver& solver = solver_of(k);
  const int iterations = island.report.iterations, factorisations = island.report.factorisations;  // of earlier tries
  const int usual = solver.settings().max_iterations;  // 0: the solver's own
  // A step that is solved again may have spent all: each round more has a quarter of the limit, an eighth, and so on.
  const int reserved = rounds_ == 0 ? 0 : usual >> std::min(rounds_ + 1, 30);
  const int left = std::max(1, std::max(usual - spent_iterations_, reserved) - iterations);
  const int limit = usual == 0 ? most : most == 0 ? left : std::min(left, most);
  island.report = solver.solve(problem(k), island.solution, {.max_iterations = limit, .interrupt = interrupt});
  island.report.iterations += iterations;
  island.report.factorisations += factorisations;
  if (solver.settings().record_history) {
    island.history.insert(island.history.end(), solver.history().begin(), solver.history().end());
  }
}

void IslandSolver::solve_island(int k, RowSet& rows, std::span<const int> members, Interrupt* interrupt) {
  Slot& island = slots_[k];
  island.report = {};
  island.history.clear();
  island.is_jammed = false;
  const auto is_solved = [&] { return island.report.status <= SolveStatus::acceptable; };
  const bool in_haste = members.size() <= few_constraints && may_be_jammed(rows, members);
  try_island(k, in_haste ? first_try : 0, interrupt);
  if (island.report.status != SolveStatus::converged && traits_.is_decisive &&
      problem(k).form() == DelassusForm::dense && !ProblemBuilder::is_one_tree(rows, members)) {
    // Where G itself led nowhere velocity space may, from zero. What is no better is not taken.
    const SolveReport with_matrix = island.report;
    island.kept_solution = island.solution;
    island.builder.build_factored(*model_, rows, members);
    island.solution.impulse.setZero();
    try_island(k, in_haste ? first_try : 0, interrupt);
    if (with_matrix.residual < island.report.residual) {
      const int iterations = island.report.iterations, factorisations = island.report.factorisations;
      island.solution = island.kept_solution;
      island.report = with_matrix;
      island.report.iterations = iterations;
      island.report.factorisations = factorisations;
    }
  }
  // What is at rest and acceptable was to be solved to the end, and ran out of what haste allows.
  if (in_haste && island.report.status == SolveStatus::acceptable && island.report.iterations >= first_try) {
    try_island(k, 0, interrupt);
  }
  if (is_solved() || !may_be_jammed(rows, members)) return;

  const SolveReport first = island.report;
  island.kept_solution = island.solution;
  island.kept_constraints.clear();
  for (const int i : members) island.kept_constraints.push_back(rows[i]);
  drop_corrections(rows, members, settings_.time_step, settings_.constraints);
  build_problem(k, rows, members);
  try_island(k, 0, interrupt);
  island.is_jammed = is_solved();
  if (island.is_jammed) return;

  // It was no jam: everything is as it was, and nothing is left untried.
  for (std::size_t i = 0; i < members.size(); ++i) rows[members[i]] = island.kept_constraints[i];
  build_problem(k, rows, members);
  island.solution = island.kept_solution;
  if (in_haste) return try_island(k, 0, interrupt);
  const int iterations = island.report.iterations, factorisations = island.report.factorisations;
  island.report = first;
  island.report.iterations = iterations;
  island.report.factorisations = factorisations;
}

Residuals IslandSolver::judge_island(int k, ContactModel model) const {
  return judge(problem(k), solution(k).impulse, {.model = model, .time_step = settings_.time_step});
}

void IslandSolver::judge_all() {
  const ContactModel model = settings_.judge_model.value_or(traits_.model);
  for (int k = 0; k < size_; ++k) slots_[k].residuals = judge_island(k, model);
}

}  // namespace stiction
