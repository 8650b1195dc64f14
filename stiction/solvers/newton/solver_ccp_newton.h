// Primal Newton on the regularised convex problem, ccp-newton (theory §2.8): MuJoCo's and Drake's way.
//
// With R > 0 the CCP is the unconstrained, strictly convex problem in the velocity change w = Lᵀ(v − v_f), M = L Lᵀ,
//
//     min_w ℓ(w) = ½ ‖w‖² + Σ_i ½ ‖λ_i(y_i)‖²_{R_i},    y = A w + g,    λ_i(y_i) = P^{R_i}_{C_i}(−R_i⁻¹ y_i)
//
// where P^{R} projects in the metric of R. Gradient w − Aᵀλ, Hessian I + Aᵀ D A with D_i = −∂λ_i/∂y_i ⪰ 0.
// The minimiser is w = Aᵀζ with ζ = λ, so the search stays in the range of Aᵀ and is kept as ζ: then y = Gζ + g, and
//
//     (I + D G) Δζ = λ(y) − ζ
//
// gives the same step Δw = AᵀΔζ. With A given it is taken in velocity space (NodeLu); with G given, dense or sparse, no
// factor of G is needed and the same iterates come out of contact space. Line search: the root of ℓ' along the step,
// which is monotone, found exactly.
//
// R is the problem's own where it is positive. Where R = 0 the method puts R = α diag(G) (tangents of a contact: their
// mean, so that the cone stays round in the metric) and says so: the method then stops where the problem with that R
// is solved to the tolerance, the status is `regularised`, and SolveReport::residual, like the judge, shows what that
// costs the problem given (of the order of α). It never claims rigid contact.
//
// Guarantees: converges from any start, quadratically near the end; one factorisation per iteration, 5–25 iterations.
// Needs a symmetric G.
//
// Differences from the papers: MuJoCo's R depends on depth through its impedance, Drake's on stiffness and dissipation
// (give it as the problem's compliance); here α is one number. The contact-space form is ours.
#pragma once

#include "stiction/solvers/linear_algebra/constraint_system.h"
#include "stiction/solvers/solver.h"
#include "stiction/solvers/sweeps/sweep_engine.h"

namespace stiction {

struct SolverCcpNewtonSettings : SolverSettings {
  double regularisation = 1e-2;  // α of R = α diag(G) where R = 0, no unit; MuJoCo-like 1e-4 … 1e-1

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class SolverCcpNewton : public ContactSolver {
 public:
  const SolverTraits& traits() const override;
  SolverCcpNewtonSettings& settings() override { return settings_; }

  // R of the last solve: the problem's own, completed.
  const VectorX& compliance() const { return compliance_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& list) override;

 private:
  bool complete_compliance(const ContactProblem& problem);  // true: some R was substituted
  void test(VectorX& candidate);                            // offers it to the best
  bool find_direction();                                    // Δζ and GΔζ
  double line_search() const;

  SolverCcpNewtonSettings settings_;
  const ContactProblem* problem_ = nullptr;
  ConstraintSystem system_;
  BestIterate best_;
  VectorX compliance_;
  VectorX zeta_, y_;                     // ζ, Gζ + g
  VectorX lambda_;                       // λ(y)
  VectorX delta_zeta_, delta_y_, work_;  // Δζ, GΔζ
};

}  // namespace stiction
