#include "stiction/solvers/sweeps/one_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiction {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();
constexpr double negligible = 1e-13;  // pivot to the largest diagonal entry: what rounding can make of none

// k(α) by polynomials: with a(α) = adj(S + αI) q̃ (linear in α) and det(α) of S + αI,
// λ_T = −a/det and λ_N = (W_NT a − q_N det)/(W_NN det), so k and k' cost one root and two divisions.
// Written in the eliminated S (pivot p), no step loses more digits than a stable solution of the 2×2 system would.
struct SlidingCurve {
  const OneContactBlock& w;
  double q_n;         // < 0
  double b_p, b_q;    // q̃
  double a_p0, a_q0;  // a(0)
  double w_b;         // W_NT q̃
  double mu_by_w_nn;

  SlidingCurve(const OneContactBlock& block, const double* q, double mu)
      : w(block), q_n(q[2]), mu_by_w_nn(mu * block.inverse_w_nn) {
    b_p = q[0] - w.w_1n * q_n;
    b_q = q[1] - w.w_2n * q_n;
    if (w.swapped) std::swap(b_p, b_q);
    const double beta = b_q - w.l * b_p;
    a_q0 = w.s_pp * beta;
    a_p0 = w.c * b_p - w.s_pq * beta;
    w_b = w.w_np * b_p + w.w_nq * b_q;
  }

  double det(double alpha) const { return w.det + alpha * (w.trace + alpha); }
  double a_p(double alpha) const { return a_p0 + alpha * b_p; }
  double a_q(double alpha) const { return a_q0 + alpha * b_q; }

  void evaluate(double alpha, double& k, double& slope) const {
    const double ap = a_p(alpha), aq = a_q(alpha);
    const double n = w.w_np * ap + w.w_nq * aq - q_n * det(alpha);
    const double dn = w_b - q_n * (w.trace + 2.0 * alpha);
    const double square = ap * ap + aq * aq;
    const double scale = mu_by_w_nn / std::sqrt(square);
    k = scale * n - 1.0;
    slope = scale * (dn - n * (ap * b_p + aq * b_q) / square);
  }
};

// Smallest root of k from the left: k(0) < 0 (no stick) and k → ∞. Newton inside the bracket (low, high); a step that
// leaves it is replaced by doubling (no upper end yet) or by bisection of the exponent.
double find_root(const SlidingCurve& curve, double alpha, double k, double slope) {
  double low = 0.0, high = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 200; ++iteration) {
    if (k > 0.0) {
      high = alpha;
    } else {
      low = alpha;  // also where k is not a number
    }
    double next = alpha - k / slope;
    if (next > low && next < high) {
      // Quadratic convergence: what is left after a step this small is below rounding.
      if (std::abs(next - alpha) <= 1e-8 * alpha) return next;
    } else {
      if (std::abs(next - alpha) <= 4.0 * unit_roundoff * alpha) return alpha;
      next = std::isinf(high) ? 2.0 * low + curve.w.trace : low > 0.0 ? std::sqrt(low) * std::sqrt(high) : 1e-3 * high;
      if (!(next > low && next < high)) return high;
    }
    alpha = next;
    curve.evaluate(alpha, k, slope);
  }
  return alpha;
}

// The impulse along the direction (d_p, d_q) of λ_T with σ_N = 0 on the boundary of the cone. Where W_NN + μ W_NT d
// cancels, its rounding error would enter the tangential equation magnified; there ‖λ_T‖ = `norm` stays and λ_N
// follows from the cone.
void put_on_cone(const OneContactBlock& w, double d_p, double d_q, double norm, double q_n, double mu,
                 double* impulse) {
  const double coupling = mu * (w.w_np * d_p + w.w_nq * d_q);
  const double denominator = w.w_nn + coupling;
  const double normal = denominator >= 0.25 * (w.w_nn + std::abs(coupling)) ? -q_n / denominator : norm / mu;
  impulse[w.swapped] = mu * normal * d_p;
  impulse[!w.swapped] = mu * normal * d_q;
  impulse[2] = normal;
}

// W⁻¹ by cofactors, row by row. False where the determinant is lost in rounding.
bool invert_regular(const double* w, double* inverse) {
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

// The rule for singular blocks: in place, pivot by pivot, the largest first.
void invert_independent_rows(const double* w, double* inverse) {
  const double least = negligible * std::max({w[0], w[4], w[8]});
  double a[9];
  bool done[3] = {};
  std::copy_n(w, 9, a);
  for (int round = 0; round < 3; ++round) {
    int p = -1;
    for (int k = 0; k < 3; ++k) {
      const bool usable = !done[k] && a[4 * k] > least;
      if (usable && (p < 0 || a[4 * k] > a[4 * p])) p = k;
    }
    if (p < 0) break;
    done[p] = true;
    const double d = 1.0 / a[4 * p];
    a[4 * p] = d;
    for (int j = 0; j < 3; ++j) a[3 * p + j] *= j == p ? 1.0 : d;
    for (int i = 0; i < 3; ++i) {
      if (i == p) continue;
      const double f = a[3 * i + p];
      for (int j = 0; j < 3; ++j) a[3 * i + j] -= j == p ? 0.0 : f * a[3 * p + j];
      a[3 * i + p] = -f * d;
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) inverse[3 * i + j] = done[i] && done[j] ? a[3 * i + j] : 0.0;
  }
}

}  // namespace

OneContactBlock::OneContactBlock(const Matrix3& w) {
  w_nn = w(2, 2);
  w_n1 = w(2, 0);
  w_n2 = w(2, 1);
  inverse_w_nn = w_nn > 0.0 ? 1.0 / w_nn : 0.0;
  w_1n = w(0, 2) * inverse_w_nn;
  w_2n = w(1, 2) * inverse_w_nn;
  s_11 = w(0, 0) - w_1n * w_n1;
  s_12 = w(0, 1) - w_1n * w_n2;
  s_21 = w(1, 0) - w_2n * w_n1;
  s_22 = w(1, 1) - w_2n * w_n2;
  swapped = s_22 > s_11;
  w_np = swapped ? w_n2 : w_n1;
  w_nq = swapped ? w_n1 : w_n2;
  // Floors far below rounding keep S invertible where a tangent carries no inertia at all (planar mechanisms).
  s_pp = std::max(swapped ? s_22 : s_11, 1e-40 * w_nn);
  s_pq = swapped ? s_21 : s_12;
  l = (swapped ? s_12 : s_21) / s_pp;
  const double s_qq = swapped ? s_11 : s_22;
  c = std::max(s_qq - l * s_pq, std::max(unit_roundoff * s_qq, 1e-30 * s_pp));
  det = s_pp * c;
  trace = s_pp + c + l * s_pq;
}

void solve_one_contact(const OneContactBlock& block, const double* q, double mu, double* impulse, double& alpha) {
  const double guess = alpha, q_n = q[2];
  alpha = 0.0;
  impulse[0] = impulse[1] = impulse[2] = 0.0;
  if (q_n >= 0.0 || !(block.w_nn > 0.0)) return;  // take-off; where nothing can move along n no impulse helps
  if (mu == 0.0) {
    impulse[2] = -q_n * block.inverse_w_nn;
    return;
  }

  const SlidingCurve curve(block, q, mu);
  double k, slope;
  curve.evaluate(0.0, k, slope);
  if (k >= 0.0) {  // stick
    const double inverse = 1.0 / block.det;
    impulse[block.swapped] = -curve.a_p0 * inverse;
    impulse[!block.swapped] = -curve.a_q0 * inverse;
    // Cancellation in λ_N may leave the cone that k found it in, by rounding of a far larger tangent.
    const double tangent = std::sqrt(impulse[0] * impulse[0] + impulse[1] * impulse[1]);
    impulse[2] =
        std::max(-(q_n + block.w_n1 * impulse[0] + block.w_n2 * impulse[1]) * block.inverse_w_nn, tangent / mu);
    return;
  }

  double start = 0.0;
  if (guess > 0.0) {
    start = guess;
    curve.evaluate(start, k, slope);
  }
  alpha = find_root(curve, start, k, slope);
  double a_p = curve.a_p(alpha), a_q = curve.a_q(alpha);
  double norm = std::sqrt(a_p * a_p + a_q * a_q);
  if (!std::isfinite(norm)) {  // μ so small that α leaves the range of numbers: the limit α → ∞
    a_p = curve.b_p;
    a_q = curve.b_q;
    norm = std::sqrt(a_p * a_p + a_q * a_q);
    alpha = 0.0;
  }
  const double inverse = -1.0 / norm;
  put_on_cone(block, a_p * inverse, a_q * inverse, norm / curve.det(alpha), q_n, mu, impulse);
}

bool invert_block(const double* w, double* inverse) {
  const double least = std::min({w[0], w[4], w[8]}), most = std::max({w[0], w[4], w[8]});
  if (least > negligible * most && invert_regular(w, inverse)) return true;
  invert_independent_rows(w, inverse);
  return false;
}

void OneContact::prepare(const double* lambda, const double* sigma) {
  alpha = 0.0;
  if (!invert_block(w, inverse)) {
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

void OneContact::solve_safely(const double* q, double mu, double* impulse) {
  const Matrix3 matrix = (Matrix3() << w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]).finished();
  solve_one_contact(OneContactBlock(matrix), q, mu, impulse, alpha);
}

// The root of ‖λ_T(α)‖ = μ λ_N(α) by Newton on h = 1/‖λ_T‖ − 1/(μ λ_N), which is nearly linear in α. The last step is
// applied to λ by its derivative instead of a further evaluation: an error of second order in a step below 1e-6.
void OneContact::slide(const double* q, double mu, double* impulse) {
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
