// `auto` at robot scale: up to about two hundred rows with G dense (theory §4.5).
//
// Find λ with σ = (G + R) λ + g and λ_i ∈ C_i, −(σ_i + Γ_i(σ_i)) ∈ N_{C_i}(λ_i). Stages, each ended by the stopping
// test:
//   1. the guess as it is (λ of the last step, matched by identity);
//   2. up to four exact Gauss–Seidel sweeps, one contact at a time in closed form (§2.3), as long as their rate says
//      that two more will do;
//   3. active-set Newton with a proximal term (auto_active_set.h), full steps; the horizontal projection of each
//      iterate is tested too. After six steps without a new best: compliant problems (auto_proximal.h); then back to
//      the best, 4, 8, 16 … sweeps, and again with another proximal weight.
// Where that fails the best iterate comes back and the caller goes on with other means.
//
// σ runs along: a change of one block adds its columns of G, no change costs nothing. Inverses of diagonal blocks are
// made once per solve, and only for the contacts that need them. No symmetry of G is assumed.
//
// Guarantees: never worse than the guess by the stopping test; no allocation once a size has been seen.
#pragma once

#include <vector>

#include "stiction/math/aligned_vector.h"
#include "stiction/solvers/auto/auto_active_set.h"
#include "stiction/solvers/auto/auto_proximal.h"
#include "stiction/solvers/auto/auto_residual.h"
#include "stiction/solvers/auto/auto_settings.h"
#include "stiction/solvers/auto/auto_stage.h"
#include "stiction/solvers/linear_algebra/dense_view.h"
#include "stiction/solvers/sweeps/one_contact.h"

namespace stiction {

class AutoDense {
 public:
  AutoDenseSettings settings;

  // A problem in dense form.
  SolveOutcome solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse);
  // The same for a matrix made elsewhere: R on its diagonal, `scale` of the problem that it belongs to. The free
  // velocity need not be padded.
  SolveOutcome solve(const DenseView& given, const AutoResidualScale& scale, const SolveGoal& goal, VectorX& impulse);

  // σ of the impulse left behind, num_rows() entries.
  const double* velocity() const { return sigma_.data(); }

 private:
  DenseView load(const DenseView& given, const VectorX& impulse);
  void sweep(const DenseView& view);
  int choose_sweeps(const DenseView& view) const;
  int newton_step(const DenseView& view, const AutoResidualScale& scale, double limit);
  bool newton_run(const DenseView& view, const AutoResidualScale& scale, double limit, double proximal, int& steps,
                  SolveOutcome& outcome);
  bool sweep_and_test(const DenseView& view, const AutoResidualScale& scale, double limit, int sweeps,
                      SolveOutcome& outcome);
  bool newton_from_zero(const DenseView& view, const AutoResidualScale& scale, double limit, SolveOutcome& outcome);
  bool follow_compliance(const DenseView& view, const AutoResidualScale& scale, double limit, SolveOutcome& outcome);
  bool newton(const DenseView& view, const AutoResidualScale& scale, double limit, bool cold, SolveOutcome& outcome);

  void return_best(const DenseView& view, const AutoResidualScale& scale, const VectorX& guess);

  const SolveGoal* goal_ = nullptr;      // of the solve that is running
  AlignedVector<double> free_velocity_;  // g; all padded to eight
  AlignedVector<double> lambda_, sigma_;
  BestDense best_;                                    // of Newton and its sweeps
  AlignedVector<double> trial_lambda_, trial_sigma_;  // the projected Newton iterate
  double largest_impulse_ = 0.0;                      // normal ones of the sweeps
  std::vector<OneContact> block_;
  AlignedVector<double> compliant_;  // G + R where R is not zero
  AutoActiveSet active_set_;
  AutoProximal proximal_;
};

}  // namespace stiction
