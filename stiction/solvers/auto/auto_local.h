// One constraint of three rows inside a Gauss–Seidel sweep of `auto`: the exact solution of theory §2.3, arranged
// for many visits. What depends on W alone is made once; the root α of a sliding contact is kept between visits.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/solvers/sweeps/one_contact.h"

namespace stiction {

struct AutoLocal {
  enum class State : char { unknown, regular, singular };
  State state = State::unknown;
  double w[9];                    // W, row by row
  double inverse[9];              // W⁻¹ where regular
  double s_11, s_12, s_21, s_22;  // W_TT − W_TN W_NT / W_NN
  double column_1, column_2;      // W_TN / W_NN
  double normal_inverse;          // 1 / W_NN
  double alpha = 0.0;             // root of the last visit, 0: none

  // After w has been filled in. λ and σ of the guess give the first α: where a contact slid in the last step,
  // σ_T = −α λ_T nearly holds.
  void prepare(const double* lambda, const double* sigma);

  // The exact λ of a frictional contact, given its present λ and σ, into `impulse`. Call only when prepared.
  void solve_contact(double mu, const double* lambda, const double* sigma, double* impulse);

 private:
  void slide(const double* q, double mu, double* impulse);
  void solve_safely(const double* q, double mu, double* impulse);
};

inline void AutoLocal::solve_contact(double mu, const double* lambda, const double* sigma, double* impulse) {
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
