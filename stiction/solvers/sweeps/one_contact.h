// The exact solution of one frictional contact (theory §2.3): closed form up to one scalar root.
//
// Given W (3×3, rows t1, t2, n; may be slightly unsymmetric) and q, find λ with σ = W λ + q and the NCP law:
// take-off (q_N ≥ 0), stick (−W⁻¹ q in the cone), or slide with σ_N = 0, σ_T = −α λ_T, α > 0 the smallest root of
// f(α) = ‖λ_T(α)‖ − μ λ_N(α), where λ_T(α) = −(S + αI)⁻¹ q̃, S = W_TT − W_TN W_NT/W_NN, q̃ = q_T − W_TN q_N/W_NN.
//
// The root is sought on k(α) = μ λ_N(α)/‖λ_T(α)‖ − 1, which has the same roots, no pole, and is linear in α where S is
// a multiple of the identity. The result is backward stable: exact for a W and q that differ by rounding.
#pragma once

#include "stiction/math/types.h"

namespace stiction {

// What can be computed once per W: the Schur complement S on the tangents, eliminated with its larger diagonal entry
// (index p) as pivot. Fixing the last pivot c here, instead of per α, keeps k(α) smooth below the rounding error of S.
struct OneContactBlock {
  double w_nn, w_n1, w_n2;        // row n of W
  double inverse_w_nn;            // 0 where w_nn is not positive
  double w_1n, w_2n;              // column n of W over w_nn
  double s_11, s_12, s_21, s_22;  // S = W_TT − W_TN W_NT / W_NN
  bool swapped;                   // p = t2, q = t1; else p = t1, q = t2
  double w_np, w_nq;              // row n of W, tangents in the order (p, q)
  double s_pp, s_pq;              // pivot row of S
  double l;                       // s_qp / s_pp
  double c;                       // s_qq − l s_pq, at least its own rounding error
  double det, trace;              // of S

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
