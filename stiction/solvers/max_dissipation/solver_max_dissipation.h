// max-dissipation: the two-phase convex contact model of Drumwright and Shell (theory §2.11).
//
// With A = G + R, b = g, N the normals of contacts and the unilateral rows, T the tangents:
//
//   Phase I    min ½ x_Nᵀ A_NN x_N + b_Nᵀ x_N,  x_N ≥ 0; then κ = Σ x_N over the contacts
//   Phase II   min ½ xᵀ A x + bᵀ x   s.t.  (A x + b)_N ≥ 0,  x_N ≥ 0,  Σ x_N ≤ κ,
//                                          ‖x_T,i‖² ≤ μ_i² x_N,i² + r_i²  for every contact i                  (2-18)
//   Phase III  with restitution e > 0: x_N grows by e x_N (Poisson), then a frictionless pass prevents penetration
//
// r is `bound` of ConstraintKind::viscous (μ_v Δt ‖b_T‖, an impulse) and zero for other contacts. Dry friction adds
// |x| ≤ bound to both phases. Bilateral rows demand (A x + b) = 0 and are eliminated from both, which in generalised
// coordinates is C = M⁻¹ − M⁻¹Jᵀ(JM⁻¹Jᵀ)⁻¹JM⁻¹: the same v⁺ as minimising ½ v⁺ᵀ M v⁺ with J v⁺ = 0.
//
// Guarantees: phase I never fails, adds no energy and is feasible for phase II; phase II adds none either. Where phase
// II misses its tolerance the status is not `converged`, and the phase-I point comes back unless phase II came within
// 1e-6. `tolerance` (reachable: 1e-9; velocities are then good to about its root) refers to the optimality of (2-18) in
// the scaling of ε_nat (max diag G = 1, max |g| = 1): the largest of the stationarity error, of constraint violations
// over ν and of slack times multiplier over ν, ν = max(1, ‖λ̂‖_∞). The judge's residual of this model checks
// admissibility only. A guess is not used. Cost: dense, (3 n_c)³/3 per iteration, 15 to 40 iterations.
//
// Differences from the paper:
// - Phase I is solved by principal pivoting, by gradient projection only where that fails: exact instead of close.
// - Σ x_N ≤ κ counts contacts only: κ is there to keep friction cones from growing, and joint limits carry none.
// - κ and the velocities (A x + b)_N are given a slack of a hundredth of the tolerance. Without it (2-18) often has no
//   interior (one contact: x_N ≤ κ and x_N ≥ κ), which the paper's claim of an interior-point method overlooks.
// - (2-18) is called convex, but with r > 0 the set ‖x_T‖² ≤ μ² x_N² + r² is not: its radius √(μ² x_N² + r²) is a
//   convex function of x_N. There phase II is solved repeatedly with the tangent of that radius at the last x_N. Each
//   such set lies inside the stated one, so every round is feasible and lowers the energy; the limit satisfies the
//   optimality conditions of (2-18), but it need not be the global minimum. With μ = 0 or r = 0 one round is exact.
// - Restitution is cut back where Poisson's hypothesis would add energy.
#pragma once

#include <vector>

#include "stiction/solvers/max_dissipation/conic_qp.h"
#include "stiction/solvers/max_dissipation/gradient_projection.h"
#include "stiction/solvers/pivoting/condensed_problem.h"
#include "stiction/solvers/pivoting/frictionless_problem.h"
#include "stiction/solvers/pivoting/linear_complementarity.h"
#include "stiction/solvers/solver.h"

namespace stiction {

struct MaxDissipationSettings : SolverSettings {
  double restitution = 0.0;  // e of phase III, 0 … 1; 0: no phase III
  int viscous_rounds = 20;   // linearisations of the viscous radius, 1 … 100

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class SolverMaxDissipation : public ContactSolver {
 public:
  const SolverTraits& traits() const override;
  SolverSettings& settings() override { return settings_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& options) override;
  double result_residual(const ContactProblem& problem, VectorView impulse, VectorView velocity) const override;

 private:
  double program_residual_ = 0.0;  // of the phases of the last solve
  // Everything below is in the scaled units of condensed_problem.h, by rows of the problem.
  double frictionless_pass(VectorX& out);
  void lay_out(const ContactProblem& problem);
  void fill_program(const ContactProblem& problem);
  double linearise_cones(const ContactProblem& problem, const VectorX& at);
  SolveStatus minimise(SolveReport& report);
  SolveStatus phase_two(const ContactProblem& problem, SolveReport& report);
  void put_in_sets(const ContactProblem& problem, VectorX& x) const;
  void restitute(const ContactProblem& problem, VectorX& x);
  double objective(const VectorX& x);

  MaxDissipationSettings settings_;
  CondensedProblem condensed_;
  FrictionlessProblem normals_;
  LinearComplementarity pivoting_;
  GradientProjection gradient_projection_;
  ConicQpProblem program_;
  ConicQp interior_point_;
  std::vector<int> variable_row_;     // row of the problem of each unknown of phase II
  std::vector<int> row_variable_;     // and back; −1: not an unknown
  std::vector<int> cone_constraint_;  // constraint of each cone
  VectorX unknown_, first_, second_, point_, best_, product_, kick_, pushed_;
};

}  // namespace stiction
