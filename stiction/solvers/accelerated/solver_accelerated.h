// ncp-accelerated: accelerated sweeps for heaps (theory §2.13).
//
// Every step of the iteration visits all constraints twice, a normal step and then a tangential one on the friction
// disc of the new normal impulse, and Anderson's window of five extrapolates (anderson_window.h). Factored problems of
// free bodies are visited four constraints at a time (constraint_batches.h), all others one by one (row_sweeps.h).
//
// Guarantees: a fixed point solves the NCP; the best iterate comes back; all kinds of constraints, compliance,
// non-symmetric G; no allocation when a size is met again; the same bits for the same input. Convergence is not
// guaranteed: contacts with a compliance of a hundredth of their own inverse mass are solved to 1e-6 in some hundred
// sweeps, rigid heaps stall. No factorisation is made.
#pragma once

#include "stiction/solvers/accelerated/accelerated_sweeps.h"
#include "stiction/solvers/solver.h"
#include "stiction/solvers/team_solver.h"

namespace stiction {

// max_iterations counts sweeps; 0: default_sweeps.
struct SolverAcceleratedSettings : SolverSettings {
  int window = 5;           // differences that are extrapolated from, 0 … 16; 0: plain sweeps
  int sweeps_per_step = 2;  // 1 … 8
  double growth = 1.2;      // of the change of a step over its least, at which the window is emptied; > 1
  int pause = 10;           // plain steps after that; ≥ 0

  static constexpr int default_sweeps = 2000;

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class SolverAccelerated final : public ContactSolver, public TeamSolver {
 public:
  const SolverTraits& traits() const override;
  SolverAcceleratedSettings& settings() override { return settings_; }
  void set_team(WorkTeam* team) override { sweeps_.team = team; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& list) override;

 private:
  SolverAcceleratedSettings settings_;
  AcceleratedSweeps sweeps_;
};

}  // namespace stiction
