// Solves the islands of a step: problems and guesses from rows, solutions, and what the judge says of them.
//
// An island has a slot with a solver of its own: symbolic factorisations and scratch stay there from step to step.
//
// Limits. All tries of an island in a round of a step share SimulatorSettings::max_iterations (or the option of that
// name): what an earlier try spent, a later one has not. Rounds share them too, but the second may always spend a
// quarter of them, the third an eighth, and so on: it begins with the solution of the last one and rows that are new,
// and where the first spent everything it would otherwise leave what it was made for. One iteration is always left.
//
// Jams (constraints/corrections.h). An island that is not solved although it has corrections is solved without them;
// where that helps it is jammed, and the step says so. Where it does not, rows and guess are those of before, and the
// first solution stays, or, where that try was cut short, is sought for again. Solvers that also fail where there is a
// solution (SolverTraits::is_decisive) are left with the problem that they are compared on.
//
// Threads share out the islands; a large one they solve together, one after the other, where the solver can do that
// (solvers/team_solver.h). The result does not depend on their number.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stiction/constraints/islands.h"
#include "stiction/constraints/problem_builder.h"
#include "stiction/contact/judge.h"
#include "stiction/sim/simulator.h"
#include "stiction/sim/worker_pool.h"
#include "stiction/solvers/solver.h"
#include "stiction/solvers/team_solver.h"

namespace stiction {

class IslandSolver {
 public:
  // Settings with their time step.
  IslandSolver(std::shared_ptr<const Model> model, const SimulatorSettings& settings);

  ContactModel contact_model() const { return traits_.model; }  // which law is solved
  // A setting of the contact solvers by name, for all islands; throws std::invalid_argument where there is none.
  void set_option(std::string_view name, double value);
  std::span<const std::pair<std::string, double>> options() const { return options_; }  // as they were set

  // ---- The stages of a step, `rows` and `islands` being the same in all of them.
  void begin_step() { spent_iterations_ = rounds_ = 0; }
  // Problems, and the guesses of the rows.
  void build_problems(const RowSet& rows, const Islands& islands);
  // Rows of what is jammed lose their corrections. `interrupt` may be null.
  void solve(RowSet& rows, const Islands& islands, Interrupt* interrupt);
  void judge_all();
  // Of the limit, for one more solve of an island, at least 1; 0: there is none.
  int iterations_left() const;
  void spend(int iterations) { spent_iterations_ += iterations; }  // by others that share the limit

  // ---- By island, of the last build_problems().
  int size() const { return size_; }
  const ContactProblem& problem(int k) const { return slots_[k].builder.problem(); }
  const ContactSolution& solution(int k) const { return slots_[k].solution; }
  const SolveReport& report(int k) const { return slots_[k].report; }  // of all tries since build_problems()
  // Of all its tries, where the solvers' option record_history is set.
  std::span<const HistoryEntry> history(int k) const { return slots_[k].history; }
  bool is_jammed(int k) const { return slots_[k].is_jammed; }  // found by the last solve()
  const Residuals& residuals(int k) const { return slots_[k].residuals; }

  void forget();  // all slots, as in a new one; options stay

 private:
  struct Slot {
    ProblemBuilder builder;                 // build_problems
    std::unique_ptr<ContactSolver> solver;  // made with the slot
    ContactSolution solution;               // build_problems (guess), solve
    SolveReport report;                     // solve
    bool is_jammed = false;                 // solve
    Residuals residuals;                    // judge
    std::vector<HistoryEntry> history;      // solve, where it is recorded
    // Of before its corrections were dropped: solve, where it may be jammed.
    std::vector<StepConstraint> kept_constraints;
    ContactSolution kept_solution;
  };

  std::unique_ptr<ContactSolver> make_configured_solver() const;
  void make_slots(int count);
  ContactSolver& solver_of(int k);
  void build_problem(int k, const RowSet& rows, std::span<const int> members);
  void solve_island(int k, RowSet& rows, std::span<const int> members, Interrupt* interrupt);
  TeamSolver* team_solver_of(int k, const Islands& islands);
  void solve_together(int k, TeamSolver& solver, RowSet& rows, std::span<const int> members, Interrupt* interrupt);
  void try_island(int k, int most, Interrupt* interrupt);
  void try_once(int k, int most, Interrupt* interrupt);
  Residuals judge_island(int k, ContactModel model) const;
  bool may_be_jammed(const RowSet& rows, std::span<const int> members) const;

  std::shared_ptr<const Model> model_;
  SimulatorSettings settings_;
  std::vector<std::pair<std::string, double>> options_;
  SolverTraits traits_;  // of the contact solvers
  std::deque<Slot> slots_;
  int size_ = 0;              // slots in use
  int rounds_ = 0;            // of the step that are over
  int spent_iterations_ = 0;  // of the island that took most, in these
  WorkerPool pool_;
};

}  // namespace stiction
