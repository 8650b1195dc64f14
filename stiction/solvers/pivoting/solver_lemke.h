// lcp-lemke: Signorini's law and maximum dissipation over the pyramid ‖λ_T‖_∞ ≤ μ λ_N as one linear complementarity
// problem, solved by Lemke's method (theory §2.2).
//
// The model is that of ContactModel::lcp: per tangent axis |λ_t| ≤ μ λ_N, λ_t = −μ λ_N sign(σ_t) where σ_t ≠ 0, and
// 0 ≤ λ_N ⟂ σ_N ≥ 0. In the letters of contact_lcp.h: two groups of directions, {±e_1} and {±e_2}, so seven unknowns
// per contact, one per unilateral row, two per dry friction.
//
// Guarantees: none of convergence to a small residual by iteration is needed; Lemke ends after finitely many pivots at
// a solution (up to rounding) or reports why not. `tolerance` refers to ε_nat of the lcp model and is checked on the
// original data. A guess is returned at once if it already meets the tolerance and is not used otherwise.
// Cost: dense, about (7 n_c)² per pivot and 7 n_c to 20 n_c pivots; meant for up to a few hundred contacts.
//
// Differences from the papers: equilibration, lexicographic ties, bilateral rows eliminated instead of doubled, and a
// second attempt with G + ε I where the first ends on a ray or loses its digits.
#pragma once

#include "stiction/solvers/pivoting/contact_lcp.h"

namespace stiction {

class SolverLemke : public SolverContactLcp {
 public:
  SolverLemke();
  const SolverTraits& traits() const override;
  SolverSettings& settings() override { return settings_; }

 protected:
  SolveReport do_solve(const ContactProblem& problem, ContactSolution& solution) override;
  void validate_settings() const override { settings_.validate(); }
  void add_options(std::vector<SolverOption>& options) override;
  double measure(const ContactProblem& problem, VectorView impulse, VectorView velocity) const override;

 private:
  ContactLcpSettings settings_;
  std::vector<FrictionDirections> groups_;
};

}  // namespace stiction
