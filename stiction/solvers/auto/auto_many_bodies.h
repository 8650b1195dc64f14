// `auto` for many lightly coupled bodies: spheres, gravel, loose piles (theory §4.6).
//
// G = A Aᵀ is never formed. w = Aᵀ λ runs along, one pack per velocity node; a visit reads σ_i = A_i w + R_i λ_i + g_i,
// solves the contact exactly and adds A_iᵀ Δλ_i: O(nodes of the contact). Over-relaxed, λ ← λ + ω (local − λ) followed
// by the horizontal projection. ω starts at 1 and grows only while the largest change keeps falling, because ω > 1
// worsens stiff piles. Every sixteenth sweep visits all contacts, the others only those that carry an impulse, and
// every other one of these only those that still move. The full residual is computed only when the largest change is
// small.
//
// A stiff pile converges too slowly for this to pay. The speed of convergence is watched, and a problem that would need
// more sweeps than the budget is given up early, with the best iterate, for velocity space to finish.
#pragma once

#include <span>
#include <vector>

#include "stiction/math/pack.h"
#include "stiction/solvers/auto/auto_residual.h"
#include "stiction/solvers/auto/auto_settings.h"
#include "stiction/solvers/auto/auto_stage.h"
#include "stiction/solvers/best_iterate.h"
#include "stiction/solvers/sweeps/one_contact.h"
#include "stiction/solvers/sweeps/running_velocity.h"

namespace stiction {

class AutoManyBodies {
 public:
  AutoManyBodiesSettings settings;

  // A problem in factored form.
  SolveOutcome solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse);

  // σ of the impulse left behind.
  const VectorX& velocity() const { return best_.velocity(); }

 private:
  enum class Sweep { all, loaded, moving };
  void load(const ContactProblem& problem, const VectorX& impulse);
  double sweep(std::span<const Constraint> constraints, Sweep which, double relaxation);
  double residual(const ContactProblem& problem, const AutoResidualScale& scale);

  VectorX lambda_, sigma_;
  BestIterate best_;
  std::vector<Pack8> node_;
  RunningNodes running_;
  std::vector<OneContact> block_;
  std::vector<double> stiffness_;  // largest diagonal entry of G_ii + R_i: turns a change of λ into one of σ
  std::vector<double> change_;     // of each constraint at its last visit, as a velocity
  double largest_change_ = 0.0;    // of the last sweep
  std::vector<int> loaded_;        // constraints that carried an impulse after the last full sweep
};

}  // namespace stiction
