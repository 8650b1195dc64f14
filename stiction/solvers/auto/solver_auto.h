// `auto`, the default solver: exact contact at the price of a few sweeps (theory §4).
//
// Find λ with σ = (G + R) λ + g and, for every constraint, λ_i ∈ C_i, −(σ_i + Γ_i(σ_i)) ∈ N_{C_i}(λ_i): the NCP, by the
// cheapest means that reaches the tolerance. The guess is tested first everywhere; then
//
//   dense, up to 200 rows     AutoDense → AutoContactSpace → AutoLastResort
//   sparse                    islands (connected components of the block graph), each: one exact sweep → as a dense
//                             problem where small → AutoContactSpace → AutoLastResort
//   factored, robot scale     G formed in a workspace → AutoDense → AutoVelocitySpace → AutoContactSpace → …
//   factored, soft heaps      AutoHeap → the two below; beyond 200 bodies a few factorisations
//   factored, many bodies     AutoManyBodies while lightly coupled → AutoVelocitySpace
//   factored, piles           (more rows than velocities, or extreme mass ratios) AutoVelocitySpace → AutoManyBodies
//
// Guarantees: the best iterate over all stages comes back, never worse than the guess by the stopping test, with a
// status that says whether it passes; all kinds of constraints, compliance, non-symmetric G; no allocation when a size
// is met again; the same bits for the same input.
//
// At robot scale contacts that are strongly coupled go to Newton without sweeps (auto_dense.h); small islands of sparse
// problems take the dense way first; a sweep of many bodies also skips, every other time, the contacts that hardly move
// (auto_many_bodies.h).
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "stiction/contact/problem_part.h"
#include "stiction/solvers/auto/auto_contact_space.h"
#include "stiction/solvers/auto/auto_dense.h"
#include "stiction/solvers/auto/auto_heap.h"
#include "stiction/solvers/auto/auto_last_resort.h"
#include "stiction/solvers/auto/auto_many_bodies.h"
#include "stiction/solvers/auto/auto_settings.h"
#include "stiction/solvers/auto/auto_velocity_space.h"
#include "stiction/solvers/auto/infeasibility.h"
#include "stiction/solvers/linear_algebra/symbolic_fill.h"
#include "stiction/solvers/solver.h"
#include "stiction/solvers/team_solver.h"

namespace stiction {

// max_iterations bounds everything that factors or sweeps, in all parts together, in units of one factorisation of the
// whole: sweeps and the Newton steps of the dense part count as fractions of it (auto_stage.h), what is done to a part
// of the problem by its share. The report's iterations never exceed it. 0: default_iterations.
struct SolverAutoSettings : SolverSettings {
  // Which parts may be used, for experiments; each on by default.
  bool use_dense = true;           // sweeps and active-set Newton on dense G
  bool use_heap = true;            // accelerated sweeps on heaps whose contacts give
  bool use_many_bodies = true;     // relaxed Gauss–Seidel on the factored form
  bool use_contact_space = true;   // probe, interior point and path following on G
  bool use_velocity_space = true;  // the same on the bodies' velocities
  bool use_last_resort = true;
  bool use_islands = true;
  int dense_rows = 200;           // rows; largest problem for the dense part, 0 … 2000
  int dense_island_rows = 60;     // rows; largest island of a sparse problem that is tried as a dense one
  int dense_pile_rows = 60;       // rows; the same for factored problems with more rows than velocities
  int insist_rows = 300;          // rows; a smaller problem is solved to the end where its guess is acceptable already
  int contact_space_rows = 2000;  // rows; a larger factored problem is not multiplied out for contact space
  double sparse_fill = 0.5;       // of all blocks; a larger dense problem with fewer is taken as a sparse one
  int island_constraints = 8;     // fewer constraints than this are not split into islands
  double stiff_mass_ratio = 1e3;  // between the bodies of a factored problem; beyond, velocity space comes first

  AutoTuning tuning;  // of the parts, for experiments; read when the solver is made

  static constexpr int default_iterations = 5000;

  void validate() const;          // throws std::invalid_argument naming setting, value and range
  void validate_options() const;  // all but the tuning
};

class SolverAuto final : public ContactSolver, public TeamSolver {
 public:
  explicit SolverAuto(const SolverAutoSettings& settings = {});

  const SolverTraits& traits() const override;
  SolverAutoSettings& settings() override { return settings_; }
  void set_team(WorkTeam* team) override { heap_.set_team(team); }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void add_options(std::vector<SolverOption>& list) override;
  void validate_settings() const override { settings_.validate_options(); }  // in every solve

 private:
  // One island with what its stages keep between solves: symbolic factorisations above all.
  struct Island {
    std::vector<int> constraints;
    ProblemPart part, other_form;
    VectorX impulse, velocity, swept;
    bool velocity_is_current = false;  // velocity is σ of the impulse that the island ended with
    SparseSweep sweep;
    AutoDense dense;
    AutoContactSpace contact_space;
    AutoLastResort last_resort;
  };
  enum class Effort { usual, all };  // without or with the last resort and long paths
  SolveOutcome solve_in_its_form(const ContactProblem& problem, ContactSolution& solution);
  SolveOutcome solve_dense(const ContactProblem& problem, ContactSolution& solution);
  SolveOutcome solve_sparse(const ContactProblem& problem, Effort effort, ContactSolution& solution);
  void sweep_what_is_left(const ContactProblem& problem, SolveOutcome& so_far, VectorX& impulse);
  void finish_large_heap(const ContactProblem& problem, SolveOutcome& so_far, VectorX& impulse);
  SolveOutcome solve_factored(const ContactProblem& problem, ContactSolution& solution);
  SolveOutcome solve_island(Island& island, const ContactProblem& sparse, double share, Effort effort,
                            VectorX& impulse);
  SolveOutcome finish_in_contact_space(Island& island, const ContactProblem& problem, SolveOutcome so_far, double share,
                                       Effort effort, VectorX& impulse);
  bool sweep_once(Island& island, const ContactProblem& sparse, const SolveGoal& wanted, SolveOutcome& outcome,
                  VectorX& impulse);
  bool is_solved(const ContactProblem& problem, ContactSolution& solution, SolveOutcome& outcome);
  void find_islands(const ContactProblem& problem);
  bool has_small_islands_only(const ContactProblem& problem);
  bool can_pay_in_contact_space(const ContactProblem& sparse);
  std::span<const int> all_constraints(const ContactProblem& problem);
  bool is_stiff(const ContactProblem& problem) const;
  SolveStatus kind_of_failure(const ContactProblem& problem, const VectorX& impulse, const SolveOutcome& outcome) const;
  Island& island(std::size_t k);
  SolveGoal goal(double share = 1.0) const;
  bool is_acceptable(const ContactProblem& problem, const VectorX& impulse);
  bool may_go_on(const SolveOutcome& so_far);  // not converged, something left to spend
  void combine(SolveOutcome& so_far, const SolveOutcome& next);

  SolverAutoSettings settings_;
  std::deque<Island> islands_;  // the first also serves whole problems; addresses stay
  std::size_t num_islands_ = 0;
  std::vector<int> island_of_, everything_, stack_;
  ProblemPart as_sparse_;  // the whole of a dense or factored problem that is taken as a sparse one
  SymbolicFill fill_;      // of one that was factored
  double size_ = 1.0;      // a factorisation in contact space counts for so many; 1 unless the problem is factored
  AutoHeap heap_;
  SolveBudget heap_budget_;  // of finish_large_heap()
  AutoManyBodies many_bodies_;
  AutoVelocitySpace velocity_space_;
  InfeasibilityProof proof_;
  VectorX guess_, guess_velocity_;  // of small problems that may be accepted
  SolveGoal goal_;
  SolveReport report_;
};

}  // namespace stiction
