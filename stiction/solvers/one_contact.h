// The exact solution of one frictional contact (specification 2.3): closed form up to one scalar root.
//
// Given W (3×3, rows t1, t2, n; may be slightly unsymmetric) and q, find λ with σ = W λ + q and the NCP law:
// take-off (q_N ≥ 0), stick (−W⁻¹ q in the cone), or slide with σ_N = 0, σ_T = −α λ_T, α > 0 the smallest root of
// f(α) = ‖λ_T(α)‖ − μ λ_N(α).
#pragma once

#include "stiction/math/types.h"

namespace stiction {

// What can be computed once per W: the 2×2 Schur complement on the tangents.
struct OneContactBlock {
  double w_nn, w_n1, w_n2;        // row n of W
  double w_1n, w_2n;              // column n of W over w_nn
  double s_11, s_12, s_21, s_22;  // W_TT − W_TN W_NT / W_NN

  OneContactBlock() = default;
  explicit OneContactBlock(const Matrix3& w);
};

// λ (t1, t2, n) into `impulse`. `alpha` is the root of the last visit on entry (0: none) and of this one on exit.
// Never fails: where rounding leaves no root the best bracketed value is taken and put on the cone.
void solve_one_contact(const OneContactBlock& block, const double* q, double mu, double* impulse, double& alpha);

inline Vector3 solve_one_contact(const Matrix3& w, const Vector3& q, double mu) {
  Vector3 impulse;
  double alpha = 0.0;
  solve_one_contact(OneContactBlock(w), q.data(), mu, impulse.data(), alpha);
  return impulse;
}

}  // namespace stiction
