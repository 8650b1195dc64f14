// The last resort of `auto` (theory §4.9): active-set Newton in contact space with a heavy proximal
// term, a few exact sweeps between its steps, on the sparse form.
//
// The state of each contact is that of its exact one-contact solution x: open (x_N ≤ 0), sticking (rows σ = 0) or
// sliding, with t = x_T/‖x_T‖, p = t turned by 90° and σ_T = −α λ_T at x:
//
//     σ_N + η w Δ_N = 0,   t·λ_T = μ λ_N,   p·(σ_T + α λ_T) + η w p·Δ_T = 0,   w = tr(W)/3.
//
// Three rounds of up to 300 steps with η = 1e-2, 1e-1, 1e-3, each from ten sweeps after zero. It solves what path
// following misses now and then; it has no guarantee but that the best iterate comes back.
#pragma once

#include <vector>

#include "stiction/solvers/auto/auto_settings.h"
#include "stiction/solvers/auto/auto_stage.h"
#include "stiction/solvers/best_iterate.h"
#include "stiction/solvers/linear_algebra/block_lu.h"
#include "stiction/solvers/sweeps/sparse_sweep.h"

namespace stiction {

class AutoLastResort {
 public:
  AutoLastResortSettings settings;

  // A problem in sparse form. `impulse` is the best so far on entry and is replaced only by something better.
  SolveOutcome solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse);

 private:
  void load(const ContactProblem& problem);
  void linearise(int i);
  void linearise_contact(int i, const double* local, double w);
  void move_fixed_to_right();
  bool newton_step();

  const ContactProblem* problem_ = nullptr;
  SparseSweep sweeps_;
  BlockLu lu_;
  Interrupt* interrupt_ = nullptr;
  double proximal_ = 0.0;
  BestIterate best_;
  VectorX lambda_, sigma_;
  std::vector<Matrix3> left_, diagonal_;           // rows of the linear system: left_i G_ij + δ_ij diagonal_i
  std::vector<char> fixed_;                        // constraints whose change is known: open, or on a bound
  std::vector<double> right_, step_, correction_;  // three entries per constraint
};

}  // namespace stiction
