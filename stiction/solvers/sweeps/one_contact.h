// The exact solution of one frictional contact (theory §2.3): closed form up to one scalar root.
//
// Given W (3×3, rows t1, t2, n; may be slightly unsymmetric) and q, find λ with σ = W λ + q and the NCP law:
// take-off (q_N ≥ 0), stick (−W⁻¹ q in the cone), or slide with σ_N = 0, σ_T = −α λ_T, α > 0 the smallest root of
// f(α) = ‖λ_T(α)‖ − μ λ_N(α), where λ_T(α) = −(S + αI)⁻¹ q̃, S = W_TT − W_TN W_NT/W_NN, q̃ = q_T − W_TN q_N/W_NN.
//
// The root is sought on k(α) = μ λ_N(α)/‖λ_T(α)‖ − 1, which has the same roots, no pole, and is linear in α where S is
// a multiple of the identity. The result is backward stable: exact for a W and q that differ by rounding.
//
// Two paths lead there. The safe one (OneContactBlock, solve_one_contact) brackets the root of k. The fast one
// (OneContact) is arranged for many visits of a sweep: stick by W⁻¹, then Newton on another form of the same equation,
// and the safe path where that does not settle.
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

// W⁻¹ of a block of three rows, both row by row. False where W is singular: then rows are eliminated with the largest
// pivots first, a pivot that rounding could have made is none, and `inverse` is that of the rows that were eliminated,
// with zeros for the others. These follow from the rest (a redundant weld) or cannot be moved (a planar mechanism has
// no inertia across its plane): λ ← λ − inverse · σ makes σ = 0 wherever that is possible.
bool invert_block(const double* w, double* inverse);

// A constraint of three rows inside a sweep. What depends on W alone is made once; the root α of a sliding contact is
// kept between visits.
struct OneContact {
  enum class State : char { unknown, regular, singular };
  State state = State::unknown;
  double w[9];                    // W, row by row
  double inverse[9];              // of invert_block()
  double s_11, s_12, s_21, s_22;  // S
  double column_1, column_2;      // W_TN / W_NN
  double normal_inverse;          // 1 / W_NN
  double alpha = 0.0;             // root of the last visit, 0: none

  // After w has been filled in. λ and σ of the guess give the first α: where a contact slid in the last step,
  // σ_T = −α λ_T nearly holds.
  void prepare(const double* lambda, const double* sigma);

  // The exact λ of a frictional contact, given its present λ and σ, into `impulse`. Call only when prepared.
  void solve(double mu, const double* lambda, const double* sigma, double* impulse);

 private:
  void slide(const double* q, double mu, double* impulse);
  void solve_safely(const double* q, double mu, double* impulse);
};

inline void OneContact::solve(double mu, const double* lambda, const double* sigma, double* impulse) {
  const double* l = lambda;
  const double* s = sigma;
  const double q_normal = s[2] - (w[6] * l[0] + w[7] * l[1] + w[8] * l[2]);
  if (q_normal >= 0.0) {
    impulse[0] = impulse[1] = impulse[2] = 0.0;
    return;
  }
  if (mu == 0.0) {
    impulse[0] = impulse[1] = 0.0;
    impulse[2] = w[8] > 0.0 ? -q_normal / w[8] : 0.0;  // where nothing can move along n no impulse helps
    return;
  }
  if (state == State::regular) {
    for (int k = 0; k < 3; ++k) {
      impulse[k] = l[k] - (inverse[3 * k] * s[0] + inverse[3 * k + 1] * s[1] + inverse[3 * k + 2] * s[2]);
    }
    const double reach = mu * impulse[2];
    if (reach >= 0.0 && impulse[0] * impulse[0] + impulse[1] * impulse[1] <= reach * reach) return;
  }
  const double q[3] = {s[0] - (w[0] * l[0] + w[1] * l[1] + w[2] * l[2]),
                       s[1] - (w[3] * l[0] + w[4] * l[1] + w[5] * l[2]), q_normal};
  if (state == State::regular) {
    slide(q, mu, impulse);
  } else {
    solve_safely(q, mu, impulse);
  }
}

}  // namespace stiction
