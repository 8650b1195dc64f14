// Semismooth Newton on the NCP, ncp-newton (theory §2.12, (2-19)).
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
//
// Guarantees: local quadratic convergence where the limit is not degenerate and G is regular on the closed rows (linear
// with a rate of about ε where it is not). No global guarantee: the problem is not convex. One factorisation per
// iteration; G need not be symmetric.
//
// Differences from the literature: the smaller of x_N and λ_N in r, the proximal term, and the watchdog instead of a
// monotone search, which stops at points that solve nothing.
#pragma once

#include "stiction/solvers/constraint_system.h"
#include "stiction/solvers/solver.h"
#include "stiction/solvers/solver_gauss_seidel.h"
#include "stiction/solvers/sweep_engine.h"

namespace stiction {

struct SolverNcpNewtonSettings : SolverSettings {
  int first_sweeps = 4;         // exact sweeps before the first step, at least 0; doubled at every restart up to 256
  int patience = 6;             // steps without a new best residual before a restart, at least 1
  bool use_line_search = true;  // halve steps that make the residual ten times worse
};

class SolverNcpNewton : public ContactSolver {
 public:
  const SolverTraits& traits() const override;
  SolverNcpNewtonSettings& settings() override { return settings_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void add_options(std::vector<SolverOption>& list) override;

 private:
  void start(const ContactProblem& problem, const VectorX& impulse);
  void sweep(int count);            // swept_ goes on, impulse_ follows
  void linearise(double proximal);  // active set and rows of the Newton system at impulse_
  void linearise_contact(int i);
  void linearise_row(int i);
  bool step(double proximal);  // impulse_ ← the solution of the linearisation
  double residual();           // of impulse_; σ is kept
  double test();               // offers impulse_ and its projection to the best

  SolverNcpNewtonSettings settings_;
  const ContactProblem* problem_ = nullptr;
  SweepEngine engine_;
  ExactContactLaw law_;
  ConstraintSystem system_;
  BestIterate best_;
  std::vector<double> inverse_rho_;  // 1/ρ_i = max diag(G + R)_ii
  VectorX impulse_, velocity_, base_, direction_, trial_, last_, swept_;
};

}  // namespace stiction
