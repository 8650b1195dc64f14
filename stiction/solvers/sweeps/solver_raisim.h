// Per-contact bisection: raisim (theory §2.4) and its de Saxcé-corrected variant raisim-ds (§2.5).
//
// A visit sees W = (G + R)_ii and q = σ_i − W λ_i. q_N > 0: λ* = 0. −W⁻¹q inside the cone: λ* = −W⁻¹q. Otherwise
// minimise ½ λᵀWλ + (q + s)ᵀλ over the section of the cone's boundary with the plane W_N λ + q_N = 0, in polar form
//
//     λ_T = r(θ) (cos θ, sin θ),  λ_N = r(θ)/μ,  r(θ) = −q_N / (W_NN/μ + W_Nt1 cos θ + W_Nt2 sin θ)
//
// by marching downhill from the angle of −W⁻¹(q + s) until the derivative changes sign, then shrinking the bracket.
// raisim has s = 0; raisim-ds has s = (0, 0, μ max(0, −σ_Tᵀλ_T/‖λ_T‖)) with the newest σ_i = W λ_i + q, and μ ‖σ_T‖
// where λ_T = 0. Then λ_i ← λ_i + a (λ* − λ_i), with a falling from 1 to a_min once per sweep:
// a ← γ a + (1 − γ) a_min.
//
// Guarantees: none of convergence, not even on one contact: of random sliding contacts with strong coupling raisim-ds
// leaves 2 in 1000 unsolved, all of them with μ ‖W_NT‖ near or above W_NN. A fixed point of raisim obeys Signorini and
// Coulomb, but slides along σ_T ∝ −λ_T − (μ² λ_N/W_NN) W_NT instead of −λ_T; a fixed point of raisim-ds solves the NCP.
//
// Differences from the papers: the plane keeps the unshifted q_N in raisim-ds as well (with the shifted one no fixed
// point would satisfy Signorini). The papers correct by μ ‖σ_T‖ throughout: the same fixed points, but a start above a
// second, repelling one runs away, which the smaller speed makes four times rarer. The bracket is shrunk by bisection
// and secants to `angle_tolerance`, 1e-12, so that the tolerances of this library can be met; 1e-6 is the papers'.
// Where the section is no ellipse (μ ‖W_NT‖ ≥ W_NN) only angles with r > 0 are searched, from the widest point if need
// be. All methods here stop on the residual of their model, not on the change of λ.
#pragma once

#include "stiction/solvers/solver.h"
#include "stiction/solvers/sweeps/one_contact.h"
#include "stiction/solvers/sweeps/sweep_engine.h"

namespace stiction {

struct SolverRaisimSettings : SolverSettings {
  double decay = 0.99;             // γ, no unit, in (0, 1]
  double smallest_step = 0.1;      // a_min, no unit, in (0, 1]
  double angle_tolerance = 1e-12;  // width of the final bracket, rad

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

// minimise over θ as above; exposed for tests. `shift` is the normal entry of s.
Vector3 raisim_slide(const Matrix3& w, const Vector3& q, double mu, double shift, double angle_tolerance);

class SolverRaisim : public ContactSolver {
 public:
  explicit SolverRaisim(bool de_saxce) : de_saxce_(de_saxce) {}  // true: raisim-ds

  const SolverTraits& traits() const override;
  SolverRaisimSettings& settings() override { return settings_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& list) override;

 private:
  bool de_saxce_;
  SolverRaisimSettings settings_;
  SweepEngine engine_;
  BestIterate best_;
};

}  // namespace stiction
