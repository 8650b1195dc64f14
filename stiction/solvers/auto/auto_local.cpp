#include "stiction/solvers/auto/auto_local.h"

namespace stiction {
namespace {

// W⁻¹ by cofactors, row by row. False where the determinant is lost in rounding.
bool invert(const double* w, double* inverse) {
  const double c0 = w[4] * w[8] - w[5] * w[7], c1 = w[5] * w[6] - w[3] * w[8], c2 = w[3] * w[7] - w[4] * w[6];
  const double determinant = w[0] * c0 + w[1] * c1 + w[2] * c2;
  if (!(determinant > 1e-13 * w[0] * w[4] * w[8]) || !(w[8] > 0.0)) return false;
  const double d = 1.0 / determinant;
  inverse[0] = d * c0;
  inverse[1] = d * (w[2] * w[7] - w[1] * w[8]);
  inverse[2] = d * (w[1] * w[5] - w[2] * w[4]);
  inverse[3] = d * c1;
  inverse[4] = d * (w[0] * w[8] - w[2] * w[6]);
  inverse[5] = d * (w[2] * w[3] - w[0] * w[5]);
  inverse[6] = d * c2;
  inverse[7] = d * (w[1] * w[6] - w[0] * w[7]);
  inverse[8] = d * (w[0] * w[4] - w[1] * w[3]);
  return true;
}

}  // namespace

void AutoLocal::prepare(const double* lambda, const double* sigma) {
  alpha = 0.0;
  if (!invert(w, inverse)) {
    state = State::singular;
    return;
  }
  state = State::regular;
  normal_inverse = 1.0 / w[8];
  column_1 = w[2] * normal_inverse;
  column_2 = w[5] * normal_inverse;
  s_11 = w[0] - column_1 * w[6];
  s_12 = w[1] - column_1 * w[7];
  s_21 = w[3] - column_2 * w[6];
  s_22 = w[4] - column_2 * w[7];
  const double tangent = lambda[0] * lambda[0] + lambda[1] * lambda[1];
  if (tangent > 0.0) alpha = std::max(0.0, -(sigma[0] * lambda[0] + sigma[1] * lambda[1]) / tangent);
}

void AutoLocal::solve_safely(const double* q, double mu, double* impulse) {
  const Matrix3 matrix = (Matrix3() << w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]).finished();
  solve_one_contact(OneContactBlock(matrix), q, mu, impulse, alpha);
}

// The root of ‖λ_T(α)‖ = μ λ_N(α) by Newton on h = 1/‖λ_T‖ − 1/(μ λ_N), which is nearly linear in α. The last step is
// applied to λ by its derivative instead of a further evaluation: an error of second order in a step below 1e-6.
void AutoLocal::slide(const double* q, double mu, double* impulse) {
  const double p_1 = q[0] - column_1 * q[2], p_2 = q[1] - column_2 * q[2];
  double a = alpha;
  if (a == 0.0) {
    // Nothing is known: the root for a round S and a normal impulse that friction does not change.
    const double reach = -mu * q[2] * normal_inverse;
    if (reach > 0.0) a = std::max(0.0, std::sqrt(p_1 * p_1 + p_2 * p_2) / reach - 0.5 * (s_11 + s_22));
  }
  for (int k = 0; k < 12; ++k) {
    const double a_11 = s_11 + a, a_22 = s_22 + a;
    const double d = 1.0 / (a_11 * a_22 - s_12 * s_21);
    const double t_1 = (s_12 * p_2 - a_22 * p_1) * d, t_2 = (s_21 * p_1 - a_11 * p_2) * d;
    const double n = -(q[2] + w[6] * t_1 + w[7] * t_2) * normal_inverse;
    const double tangent_squared = t_1 * t_1 + t_2 * t_2, tangent = std::sqrt(tangent_squared);
    // Derivatives by α.
    const double u_1 = (s_12 * t_2 - a_22 * t_1) * d, u_2 = (s_21 * t_1 - a_11 * t_2) * d;
    const double n_a = -(w[6] * u_1 + w[7] * u_2) * normal_inverse;
    const double along = t_1 * u_1 + t_2 * u_2;  // ‖λ_T‖ ∂‖λ_T‖/∂α
    const double reach = mu * n;
    const double slope = mu * n_a * tangent * tangent_squared - along * reach * reach;
    const double step = reach * tangent_squared * (tangent - reach) / slope;
    if (!(n > 0.0) || !(slope > 0.0) || !(a + step >= 0.0)) break;
    a += step;
    if (std::abs(tangent - reach) <= 1e-6 * tangent) {
      impulse[0] = t_1 + step * u_1;
      impulse[1] = t_2 + step * u_2;
      impulse[2] = n + step * n_a;
      alpha = a;
      return;
    }
  }
  alpha = 0.0;
  solve_safely(q, mu, impulse);
}

}  // namespace stiction
