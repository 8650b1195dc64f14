// What every solver is: solve(problem, solution) → report.
//
// The solution is the guess on entry (an empty or all-zero impulse is a cold start) and the best iterate on exit.
// `tolerance` means the same everywhere: ε_nat (theory §1.7) of the model that the solver solves.
// An iteration limit is a status, not an error. Bad arguments throw std::invalid_argument.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stiction/contact/model.h"
#include "stiction/contact/problem.h"
#include "stiction/solvers/goal.h"

namespace stiction {

// From good to bad.
enum class SolveStatus {
  converged,        // the stopping test was met
  acceptable,       // it was not, but the residual is within acceptable_tolerance
  iteration_limit,  // the best iterate so far came back
  interrupted,      // the caller asked to stop; the best iterate so far came back
  stalled,          // no progress although iterations were left
  regularised,      // the method solved a problem beside the one given: with an R of its own, or the symmetric part
  rounding,         // the residual is no larger than what rounding λ and σ makes of it: further digits do not exist
  ray,              // a pivoting method ended on a ray: no solution, or none that it can reach
  no_solution,      // proved: no impulse within the constraints' sets makes the velocities admissible
  numerical_error,  // a factorisation failed or a value was not finite; the best finite iterate came back
};
std::string_view to_string(SolveStatus status);

// What a method carries beside λ from one solve of a sequence to the next. Only the method that wrote it can read it; a
// caller may keep it, copy it and forget it.
struct SolverMemory {
  VectorX rows;  // one entry per row in the unit of σ, and scaled as σ is; another size means unknown
  double number = std::numeric_limits<double>::quiet_NaN();  // without unit; NaN means unknown
};

struct ContactSolution {
  VectorX impulse;   // λ, N·s
  VectorX velocity;  // σ = (G + R) λ + g, m/s
  SolverMemory memory;
};

struct SolveReport {
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;
  int factorisations = 0;
  int rounds = 1;            // problems solved: more where bounds of torsional and rolling friction were looked for
  double residual = 0.0;     // the stopping value of what is returned; a benchmark quotes the judge instead
  bool symmetrised = false;  // G was not symmetric and the method used (G + Gᵀ)/2
  bool regularised = false;  // the method put its own R where the problem has none
  StageCounts stages;        // of methods that have several: problems, or islands, finished by each
};

// Settings that all solvers have. Those of a solver derive from it and keep it an aggregate.
struct SolverSettings {
  double tolerance = 1e-8;    // on ε_nat, no unit; 1e-6 … 1e-10 is reachable for well-scaled problems
  bool use_relative = false;  // the tolerance refers to ε_rel instead: collections such as FCLIB are compared by it
  int max_iterations = 0;     // 0: the solver's own default
  // A result within this but not within the tolerance has the status `acceptable`, and `auto` stops at it instead of
  // trying further methods once one of its interior points no longer gets on. 0: nothing but the tolerance will do.
  double acceptable_tolerance = 0.0;
  bool record_history = false;
  Interrupt* interrupt = nullptr;  // what may stop the solve from outside; must outlive it

  // Throws std::invalid_argument naming setting, value and range. A derived one validates what it adds as well.
  void validate() const;
};

// What one solve may take, beside what the settings allow.
struct SolveLimits {
  int max_iterations = 0;          // 0: those of the settings
  Interrupt* interrupt = nullptr;  // null: that of the settings
};

// A setting by name, for the command line, Python and listings.
struct SolverOption {
  std::string_view name;
  std::string_view description;
  std::variant<double*, int*, bool*> value;
};

// What a method can do; a property of the class, shown by `stiction list solvers`.
struct SolverTraits {
  std::string_view name;          // "ncp-admm"
  ContactModel model;             // the law its tolerance refers to
  std::string_view summary;       // one line
  bool needs_symmetry = false;    // solves (G + Gᵀ)/2 when G is not symmetric
  bool needs_compliance = false;  // R > 0 on every row; substitutes its own where R = 0 and says so
  bool warm_starts = true;
  bool takes_viscous = false;  // ConstraintKind::viscous
  // Where it fails there is hardly a solution: a caller may then change the problem instead of the method.
  bool is_decisive = false;
};

class ContactSolver {
 public:
  virtual ~ContactSolver() = default;
  ContactSolver(const ContactSolver&) = delete;
  ContactSolver& operator=(const ContactSolver&) = delete;

  // Common duties in one place: sizes, kinds, the empty problem, torsional and rolling friction (a fixed point over
  // problems whose bounds are held, solver_coupled.cpp), anisotropic friction (rescaled to μ = 1, which is
  // exact), the symmetric part where the method needs it, final σ, and the status: `converged` means that λ as returned
  // passes the stopping test on the problem given, with σ computed from it. The method itself is do_solve().
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution);
  // The same within limits that hold for this solve alone.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, const SolveLimits& limits);

  virtual const SolverTraits& traits() const = 0;
  virtual SolverSettings& settings() = 0;
  const SolverSettings& settings() const { return const_cast<ContactSolver*>(this)->settings(); }
  // All settings by name, the common ones first.
  std::vector<SolverOption> options();
  // Throws std::invalid_argument where there is no such option, naming those there are, and where the value is out of
  // range; the option then keeps its value.
  void set_option(std::string_view name, double value);

  const std::vector<HistoryEntry>& history() const { return history_; }

 protected:
  ContactSolver() = default;
  // Sees frictional, unilateral, bilateral and dry-friction constraints (viscous only with takes_viscous), at least one
  // row, an impulse of num_rows() finite entries, a velocity of that size. Leaves its best iterate in solution.impulse;
  // σ is recomputed and the result measured after it unless the method set velocity_is_current_.
  virtual SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) = 0;
  virtual void add_options(std::vector<SolverOption>&) {}
  // A solver with settings of its own validates those.
  virtual void validate_settings() const { settings().validate(); }
  // What the settings ask for, with a budget of max_iterations, or of so many where that is 0.
  SolveGoal start_goal(int default_iterations);
  // What became of the goal that was started, in words: why it was not reached where it was not.
  SolveReport report_of(const SolveOutcome& outcome) const;
  // To be asked once per factorisation or sweep by what has no goal; where it is true the method stops as at its limit,
  // with the status of that, and solve() says why.
  bool is_interrupted() {
    Interrupt* interrupt = settings().interrupt;
    return interrupt != nullptr && interrupt->check();
  }

  std::vector<HistoryEntry> history_;
  SolveBudget budget_;  // of start_goal()
  // do_solve left σ of its impulse in solution.velocity, and report.residual is the stopping value of these two.
  bool velocity_is_current_ = false;
  // The stopping value of a result; a solver whose law is no ContactModel has its own.
  virtual double result_residual(const ContactProblem& problem, VectorView impulse, VectorView velocity) const;

 private:
  SolveReport solve_reduced(const ContactProblem& problem, bool symmetrise, ContactSolution& solution);
  void measure_result(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  void grade(SolveReport& report);

  SolveReport solve_coupled(const ContactProblem& problem, ContactSolution& solution);
  struct Coupled;  // what that works with
  struct CoupledDeleter {
    void operator()(Coupled*) const;
  };
  std::unique_ptr<Coupled, CoupledDeleter> coupled_;

  struct Reduced;  // the problem that do_solve sees where it is not the caller's
  struct ReducedDeleter {
    void operator()(Reduced*) const;
  };
  std::unique_ptr<Reduced, ReducedDeleter> reduced_;
};

// The registry: every solver by name.
std::vector<std::string_view> solver_names();
std::unique_ptr<ContactSolver> make_solver(
    std::string_view name);  // throws std::invalid_argument naming the known ones

}  // namespace stiction
