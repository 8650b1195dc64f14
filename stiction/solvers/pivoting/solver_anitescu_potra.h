// lcp-anitescu-potra: the complementarity formulation of Anitescu and Potra (theory §2.10), solved by Lemke.
//
//     0 ≤ c_n ⟂ N v⁺ ≥ 0,   0 ≤ β ⟂ s e + Dᵀ v⁺ ≥ 0,   0 ≤ s ⟂ μ c_n − eᵀ β ≥ 0                                (2-17)
//
// One group of d directions per contact (contact_lcp.h), so d + 2 unknowns. The directions are the corners of the
// regular polygon around the unit disc whose sides touch it: length 1/cos(π/d), at angles (2k + 1) π/d. With d = 4 that
// is the square ‖λ_T‖_∞ ≤ μ λ_N of lcp-pgs and lcp-lemke, and the model is the same; with more directions the
// friction pyramid shrinks onto the cone of the exact law (from outside, by 1/cos(π/d) − 1: 8 % for d = 8, 2 % for 16).
//
// `tolerance` refers to ε_nat of the lcp model for d = 4. For d > 4 the same three distances are taken for the
// polygon solved: ε_p how far λ leaves the pyramid over it, ε_d = max(0, −σ_N), ε_c = |λ·σ + μ λ_N h(−σ_T)| with h the
// polygon's support function; the judge's lcp residual does not apply then.
//
// Guarantees, cost and the treatment of other constraints are those of lcp-lemke, with d + 2 for 7.
//
// Differences from the paper: the paper's directions are unit vectors, so its pyramid lies inside the cone; ours are
// longer, so that d = 4 is the pyramid of the other solvers. Joints are eliminated rather than carried in the LCP.
#pragma once

#include "stiction/solvers/pivoting/contact_lcp.h"

namespace stiction {

struct AnitescuPotraSettings : ContactLcpSettings {
  int directions = 4;  // d per contact, 4 … 64

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

class SolverAnitescuPotra : public SolverContactLcp {
 public:
  const SolverTraits& traits() const override;
  SolverSettings& settings() override { return settings_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& options) override;
  double measure(const ContactProblem& problem, VectorView impulse, VectorView velocity) const override;

 private:
  AnitescuPotraSettings settings_;
  std::vector<FrictionDirections> groups_;
  std::vector<Vector2> side_normals_;  // unit normals of the polygon's sides, each at distance one
};

}  // namespace stiction
