// Anderson acceleration (type II) of a fixed-point iteration u ← T(u), safeguarded.
//
// With residuals r_k = T(u_k) − u_k and the differences Δr, Δu of the last iterations as columns:
//
//     γ = argmin ‖r_k − ΔR γ‖²,      u_{k+1} = T(u_k) − (ΔU + ΔR) γ
//
// Extrapolation can be worse than the plain step, and T of contact problems is not smooth. The safeguard: an
// extrapolated point whose residual is more than twice the last one is thrown away and the iteration goes on from the
// plain image kept for that case; so it does when the residual has set no new mark for `patience` iterations. Every
// such failure is followed by plain steps only, ever more of them: 10, 20, 40, then 64 each, from the tenth failure on
// doubling again. A run that acceleration does not help thus becomes the plain iteration. The constants were chosen on
// FCLIB and robot problems: refusing every growth, or waiting longer at once, loses the gain on towers and mass ratios,
// whose residuals do not fall monotonically.
#pragma once

#include "stiction/math/types.h"

namespace stiction {

class Anderson {
 public:
  static constexpr int max_memory = 30;

  // memory: columns kept, 0 … max_memory; 0 makes advance() the plain step.
  void resize(int size, int memory);
  // Forget everything: a new start.
  void restart();
  // Forget the columns only: T has changed, the lessons about waiting stay.
  void forget();

  // From u and its image T(u) to the point to go on from, written over u.
  void advance(VectorOut u, VectorView image);

  int rejected() const { return rejected_; }  // failures of the safeguard since restart()

 private:
  static constexpr int first_wait = 10, usual_wait = 64, longest_wait = 1024, bearable_failures = 10;
  static constexpr int patience = 60;
  static constexpr double tolerated_growth = 2.0;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_memory, max_memory>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_memory, 1>;

  void fail();
  void push_column(VectorView u);
  bool extrapolate(VectorOut u, VectorView image);

  int memory_ = 0, columns_ = 0, next_column_ = 0;
  int wait_ = 0, waiting_ = 0, rejected_ = 0;
  bool have_last_ = false, extrapolated_ = false;
  double last_norm_ = 0.0, best_norm_ = 0.0;
  int since_best_ = 0;
  MatrixX step_, change_;  // ΔU, ΔR
  Small gram_;             // ΔRᵀ ΔR
  VectorX last_point_, residual_, last_residual_, safe_, candidate_;
};

}  // namespace stiction
