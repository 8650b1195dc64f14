// The ADMM iteration (theory §2.6, (2-9)) that ncp-admm, ccp-admm and the inner problems of staggered
// projections share.
//
// It works on the equilibrated problem: with w_i = tr(G_ii + R_ii)/3 of constraint i (a scalar per contact leaves cones
// and the de Saxcé shift as they are; bilateral rows get one each) and s = w^(−1/2), and with the unit of velocity
// v = max |s g|,
//
//     λ̂ = λ/(s v),   σ̂ = s σ/v,   Ĝ = S (G + R) S,   ĝ = s g/v.
//
// Hats are dropped in the code. Letters: f impulse of the quadratic step, y its copy in the sets, z dual of f = y,
// η proximal weight, ρ penalty, and u = f − z/ρ, the point that is projected. y = P(u) and z = ρ (y − u) follow from u
// alone, so u is the state of the fixed-point iteration and what Anderson's acceleration extrapolates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stiction/contact/problem.h"
#include "stiction/solvers/admm/anderson.h"
#include "stiction/solvers/linear_algebra/damped_factorisation.h"
#include "stiction/solvers/solver.h"

namespace stiction {

// Everything that can be chosen about the iteration.
struct AdmmSettings {
  double eta = 1e-6;             // η, proximal weight, relative to the equilibrated G; 1e-10 … 1e-2
  bool penalty_linear = false;   // ρ by the linear rule instead of the spectral one
  double p = 0.2;                // exponent that a cold start begins with: ρ = √(m L) (L/m)^p, −0.5 … 1
  double p_step = 0.05;          // spectral rule: p ± p_step
  double tau = 4.0;              // linear rule: ρ τ or ρ/τ, > 1
  double alpha = 10.0;           // either rule acts when primal and dual residual differ by this factor, > 1
  int hold = 10;                 // iterations at least between two changes of ρ; 0 as in the paper
  double over_relaxation = 1.0;  // ω: ω f + (1 − ω) y stands for f in the projection, 0 < ω < 2
  int anderson = 10;             // memory of Anderson's acceleration, 0 (off) … 30
  bool equilibrate = true;       // w_i per constraint; otherwise w = max diag(G) for all
  int factorisation = 0;         // FactorisationSpace: 0 automatic, 1 dense, 2 sparse, 3 velocity

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};
// As options of a solver.
void add_options(AdmmSettings& settings, std::vector<SolverOption>& list);

// The set of one constraint in the iteration. Rows of a contact that a kind does not name take no part.
struct AdmmSet {
  enum class Kind : std::uint8_t {
    cone,     // ‖y_T‖ ≤ μ y_N
    ray,      // y ≥ 0, one row
    box,      // |y| ≤ bound, one row
    whole,    // free, all rows
    normal,   // y_N ≥ 0 of a contact, normal row only
    disc,     // ‖y_T‖ ≤ bound, tangent rows only
    square,   // |y_1|, |y_2| ≤ bound, tangent rows only
    nothing,  // no row takes part
  };
  Kind kind = Kind::nothing;
  double size = 0.0;  // μ (no unit) or bound (N·s)
};
// The set of a constraint as the problem states it: cone, ray, box, whole.
AdmmSet admm_set(const Constraint& constraint);

class AdmmCore {
 public:
  // Weights, choice of the factorisation, L by power iteration.
  // `de_saxce` adds Γ(z) to g for cones: the NCP instead of the CCP. The problem must live as long as the iteration.
  void set_up(const ContactProblem& problem, std::span<const AdmmSet> sets, bool de_saxce,
              const AdmmSettings& parameters);

  // Start from impulse and dual in the units of the problem with the linear term g (rows left out are ignored). An
  // empty dual is estimated from σ. An exponent that is NaN means parameters.p. Sets may have new sizes, not new kinds.
  // False if the factorisation failed.
  bool begin(VectorView linear, VectorView impulse, VectorView dual, double exponent, std::span<const AdmmSet> sets);

  // One iteration (2-9); false at a value that is not finite. Then look at the result and call advance().
  bool step();
  // Take the result over as the new state: change ρ where the rule asks for it, else extrapolate. False if a
  // factorisation failed.
  bool advance();

  // Of the last step, in the units of the problem; zero on rows left out.
  void impulse(VectorOut out) const;            // y
  void dual(VectorOut out) const;               // z
  void velocity_estimate(VectorOut out) const;  // (G + R) f + g, which the quadratic step yields for nothing

  bool is_active(int row) const { return active_[row] != 0; }
  // out ← answer on the rows that take part.
  void merge(VectorView answer, VectorOut out) const;

  double primal_residual() const { return primal_residual_; }  // ‖f − y‖_∞, equilibrated
  double dual_residual() const { return dual_residual_; }      // ‖η (f − f⁻) + ρ (y − y⁻)‖_∞, equilibrated
  double penalty() const { return rho_; }
  double penalty_exponent() const;  // p of the spectral formula, whichever rule set ρ
  int factorisations() const { return factorisation_.count(); }
  FactorisationSpace space() const { return factorisation_.space(); }
  double largest_eigenvalue() const { return largest_; }  // L, with η
  const Anderson& anderson() const { return anderson_; }

 private:
  void weigh();
  void estimate_spectrum();
  double penalty_at(double exponent) const;
  bool set_penalty(double rho);
  bool adapt_penalty(bool& changed);
  void project(const VectorX& point, VectorX& out) const;
  void add_shift(const VectorX& dual, VectorX& out) const;  // out += Γ(dual)

  const ContactProblem* problem_ = nullptr;
  AdmmSettings parameters_;
  bool de_saxce_ = false;
  std::vector<AdmmSet> sets_;  // sizes of boxes and discs equilibrated
  std::vector<char> active_;
  bool all_active_ = true;
  DampedFactorisation factorisation_;
  Anderson anderson_;

  VectorX scale_;                        // s
  double unit_ = 1.0;                    // v
  double largest_ = 1.0, smallest_ = 1;  // L, m
  double rho_ = 0.0, factored_rho_ = 0.0, exponent_ = 0.0;
  int since_change_ = 0;
  double primal_residual_ = 0.0, dual_residual_ = 0.0;
  VectorX eigenvector_, work_;
  VectorX g_, u_, f_, f_last_, y_, z_;       // state
  VectorX image_, y_next_, z_next_, right_;  // result of a step
};

}  // namespace stiction
