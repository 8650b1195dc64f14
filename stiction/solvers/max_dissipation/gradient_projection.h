// min ½ xᵀ A x + bᵀ x over l ≤ x ≤ u by gradient projection: slow, but it cannot fail.
//
// Steps along the projected gradient, exact on the face it stays on and halved until the objective falls, so the
// objective never rises. A must be symmetric positive semidefinite. Where the program is unbounded the iteration limit
// ends it.
#pragma once

#include "stiction/math/types.h"
#include "stiction/solvers/interrupt.h"

namespace stiction {

class GradientProjection {
 public:
  // `x` is the start on entry (projected on the bounds first). Returns ‖x − P(x − ∇)‖_∞ of the point left behind.
  double solve(const MatrixX& a, const VectorX& b, const VectorX& lower, const VectorX& upper, double tolerance,
               int max_iterations, VectorX& x, Interrupt* interrupt = nullptr);

 private:
  VectorX gradient_, direction_, trial_, product_;
};

}  // namespace stiction
