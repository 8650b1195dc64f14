// Semismooth Newton on the NCP, one step at a time: what ncp-newton is, and what `auto` hands over to where its
// interior points do not get on (theory §2.12 and §4.5).
//
// The map of Alart and Curnier, with ρ_i = 1/max diag(G + R)_ii and x = λ − ρ σ, is zero exactly at the NCP. Its
// generalised Jacobian is applied as a change of the active set, contact by contact:
//
//   open   x_N ≤ 0             λ⁺ = 0; the contact leaves the system
//   stick  ‖x_T‖ ≤ r           σ⁺ = 0
//   slide  otherwise           σ_N⁺ = 0,  λ_d⁺ = μ λ_N⁺,  (r/‖x_T‖) σ_e⁺ + (1 − r/‖x_T‖) λ_e⁺/ρ = 0
//
// with r = μ min(x_N, λ_N) (μ x_N where λ_N ≤ 0), d = x_T/‖x_T‖ and e = d turned by a right angle. Limits are open or
// closed, boxes held or at a bound, bilateral rows always closed. A proximal term ε (λ⁺ − λ)/ρ in every closed row
// makes hyperstatic systems regular; its fixed points are those of the map.
//
// Globalised by a watchdog: a few exact sweeps (ncp-gs) first, then full steps as long as a new best residual appears
// within `patience` steps. Otherwise back to the best iterate, twice as many sweeps, the next ε. Where a full step
// makes the residual more than ten times worse, the best of the step's halves is taken instead (line search on the
// residual).
#pragma once

#include "stiction/solvers/linear_algebra/constraint_system.h"
#include "stiction/solvers/sweeps/solver_gauss_seidel.h"
#include "stiction/solvers/sweeps/sweep_engine.h"

namespace stiction {

struct SemismoothNewtonOptions {
  int first_sweeps = 4;         // exact sweeps before the first step; doubled at every restart up to 256
  int patience = 6;             // steps without a new best residual before a restart
  bool use_line_search = true;  // halve steps that make the residual ten times worse
};

class SemismoothNewton {
 public:
  // Measures the guess. The problem must outlive the steps. Who calls for steps and sweeps pays for them.
  void start(const ContactProblem& problem, const VectorX& guess, const SolveGoal& goal,
             const SemismoothNewtonOptions& options = {});
  bool done() const { return best_.residual() <= goal_.tolerance; }
  // Sweeps that are due before the next step; do_sweeps() makes them.
  int sweeps_due() const { return sweeps_due_; }
  void do_sweeps();
  // One step, with one factorisation.
  void step();

  const VectorX& impulse() const { return best_.impulse(); }  // the best so far
  double residual() const { return best_.residual(); }

 private:
  void sweep(int count);            // swept_ goes on, impulse_ follows
  void linearise(double proximal);  // active set and rows of the Newton system at impulse_
  void linearise_contact(int i);
  void linearise_row(int i);
  bool solve(double proximal);  // impulse_ ← the solution of the linearisation
  double measure();             // of impulse_; σ is kept
  double test();                // offers impulse_ and its projection to the best

  SolveGoal goal_;
  SemismoothNewtonOptions options_;
  const ContactProblem* problem_ = nullptr;
  SweepEngine engine_;
  ExactContactLaw law_;
  ConstraintSystem system_;
  BestIterate best_;
  std::vector<double> inverse_rho_;  // 1/ρ_i = max diag(G + R)_ii
  VectorX impulse_, velocity_, base_, direction_, trial_, last_, swept_;
  int sweeps_ = 0, sweeps_due_ = 0, restarts_ = 0, steps_without_gain_ = 0;
  double current_ = 0.0, swept_best_ = 0.0;
};

}  // namespace stiction
