// Finds the bounds b of torsional and rolling friction: the fixed point b = r λ_N(b), λ_N being what a solve with the
// bounds b ends with (theory §1.8, §2.14).
//
// Anderson's acceleration of b ← r λ_N: of the last few steps that combination whose residuals nearly cancel. Plain steps
// do where normals hardly depend on torques, and are what the first one is, and, half as long, those that follow where the
// acceleration did not get there.
#pragma once

#include <Eigen/Core>

#include "stiction/math/types.h"

namespace stiction {

class CoupledBounds {
 public:
  void start(Eigen::Index count);
  // b ← the next try, given what b led to.
  void improve(const VectorX& reached, VectorX& bounds);

 private:
  static constexpr int depth = 4;

  VectorX residual_, last_residual_, last_bounds_;
  MatrixX residual_steps_, bound_steps_;  // of the last `depth` rounds, columns in a ring
  int steps_ = 0;                         // taken
};

}  // namespace stiction
