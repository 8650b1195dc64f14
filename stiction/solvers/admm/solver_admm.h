// ncp-admm and ccp-admm: proximal alternating direction method of multipliers, rigid and compliant (theory §2.6).
//
// Finds λ with σ = (G + R) λ + g and  C ∋ λ,  −(σ + Γ(σ)) ∈ N_C(λ)  for all constraint kinds mixed; ccp-admm drops Γ.
// Per iteration, with the de Saxcé shift frozen at the last dual:
//
//     s = Γ(z),   f = −(G + R + (η + ρ) I)⁻¹ (g + s − η f⁻ − ρ y − z),   y = P_C(f − z/ρ),   z ← z − ρ (f − y)
//
//   f impulse of the quadratic step    y its copy in the sets, the answer    z dual, tends to σ + Γ(σ)
//   η proximal weight                  ρ penalty; a change costs a factorisation
//
// Guarantees. CCP (convex): converges for every ρ > 0, for singular G too; the answer is unique in σ. NCP: a limit
// solves the exact law, but the problem is not convex and convergence is not guaranteed; an iteration limit is a
// status. The impulse returned lies in its sets exactly (y), and is never worse than the guess by the stopping test.
//
// Cost per iteration: two triangular solves, projections, and a product with G only when the residual estimated from f
// promises something. Factorisations: the first, and one per change of ρ.
//
// G need not be symmetric: it is used as it is, with LU instead of LLᵀ.
//
// Differences from the paper (Carpentier, Le Lidec, Montaut: From compliant to rigid contact simulation, 2024):
//  - the problem is equilibrated per contact (admm_core.h) and η, ρ refer to the equilibrated G; `equilibrate` = 0
//    leaves a common scale max diag(G) = 1;
//  - ρ changes at most every `hold` iterations (0: as in the paper): the residuals need a few iterations to answer;
//  - Anderson's acceleration with a safeguard (anderson.h), `anderson` = 0 turns it off;
//  - stops on ε_nat (or ε_rel) of (y, (G + R) y + g), not on the residuals of the splitting, which bound it loosely;
//  - a cold start takes z from g instead of zero.
#pragma once

#include "stiction/solvers/admm/admm_core.h"
#include "stiction/solvers/best_iterate.h"
#include "stiction/solvers/solver.h"

namespace stiction {

struct SolverAdmmSettings : SolverSettings, AdmmSettings {
  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class SolverAdmm final : public ContactSolver {
 public:
  static constexpr int default_max_iterations = 3000;

  // model: ncp or ccp, anything else throws std::invalid_argument.
  explicit SolverAdmm(ContactModel model = ContactModel::ncp);

  const SolverTraits& traits() const override;
  SolverAdmmSettings& settings() override { return settings_; }
  const AdmmCore& core() const { return core_; }  // of the last solve, for reports: space, L, acceleration

 private:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& list) override { stiction::add_options(settings_, list); }
  bool test(const ContactProblem& problem, int iteration);

  ContactModel model_;
  SolverAdmmSettings settings_;
  AdmmCore core_;
  std::vector<AdmmSet> sets_;
  BestIterate best_;
  bool best_has_dual_ = false;  // the guess comes without one
  VectorX impulse_, velocity_, best_dual_;
};

}  // namespace stiction
