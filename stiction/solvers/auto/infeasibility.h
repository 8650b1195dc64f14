// Proofs that a contact problem has no solution.
//
// Let w have w_T = 0, w_N ≥ 0 at contacts, w ≥ 0 at limits, any value at bilateral rows and 0 at dry friction, with
//
//     e = (G + R)ᵀ w = 0   and   g·w < 0.
//
// Every solution has σ_N ≥ 0 at contacts (z = σ + Γ(σ) ∈ K* says μ‖σ_T‖ ≤ σ_N + μ‖σ_T‖), σ ≥ 0 at limits and σ = 0 at
// bilateral rows, so w·σ ≥ 0. But w·σ = λ·e + g·w = g·w < 0: there is none, whatever the friction. These are pushes
// that nothing can yield to, against velocities that all of them forbid: a plate between two walls that close in.
//
// Tangents cannot take part: nothing bounds σ_T from below. So this proves what normals alone contradict, and says
// nothing of problems that only friction makes unsolvable.
//
// With numbers e is not quite zero, and a solution would need Σ|λ_j e_j| ≥ −g·w. The proof is given only where that
// means an impulse 1e10 times as large as max|g|/max diag(G): none that a caller could mean.
#pragma once

#include "stiction/solvers/auto/auto_stage.h"
#include "stiction/solvers/sweeps/sweep_engine.h"

namespace stiction {

class InfeasibilityProof {
 public:
  static constexpr int first_sweeps = 40, max_sweeps = 160;  // the latter where the former run away
  static constexpr int max_rows = 300;                       // that take part; the null space is found densely

  // Looks for such a w: the direction in which sweeps on the problem without friction run away, cleaned of what G
  // does not map to zero. Sweeps are paid for by the goal.
  bool find(const ContactProblem& problem, const SolveGoal& goal);
  const VectorX& ray() const { return ray_; }  // w, where it was found

  // Whether w is a proof, by the definition above.
  static bool is_proof(const ContactProblem& problem, const VectorX& w);

 private:
  bool clean(const ContactProblem& problem);

  SweepEngine engine_;
  VectorX ray_, before_;
};

}  // namespace stiction
