#include "stiction/solvers/max_dissipation/conic_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

// A pivot below this fraction of its diagonal entry is rounding.
constexpr double lost_pivot = 1e-15;

double hyperbolic_square(const double* u) {
  // (u_0 − ‖u_1‖)(u_0 + ‖u_1‖) keeps digits near the boundary of the cone
  const double t = std::hypot(u[1], u[2]);
  return (u[0] - t) * (u[0] + t);
}

// out = λ \ d for the Jordan product of Q₃: the solution of λ ∘ out = d.
void jordan_divide(const double* l, const double* d, double* out) {
  const double square = hyperbolic_square(l), dot = l[1] * d[1] + l[2] * d[2];
  out[0] = (l[0] * d[0] - dot) / square;
  for (int k = 1; k < 3; ++k) out[k] = (d[k] - l[k] * out[0]) / l[0];
}

}  // namespace

void ConicQp::multiply(const ConicQpProblem& p, const VectorX& x, bool with_offset, VectorX& out) const {
  const int rows = static_cast<int>(p.rows.cols());
  int k = 0;
  for (; k < rows; ++k) out[k] = p.rows.col(k).dot(x) + (with_offset ? p.row_offset[k] : 0.0);
  for (const ConicQpBound& b : p.bounds) out[k++] = b.sign * x[b.variable] + (with_offset ? b.offset : 0.0);
  for (const ConicQpCone& c : p.cones) {
    out[k++] = c.slope * x[c.normal] + (with_offset ? c.offset : 0.0);
    out[k++] = x[c.tangent_1];
    out[k++] = x[c.tangent_2];
  }
}

void ConicQp::multiply_transposed(const ConicQpProblem& p, const VectorX& z, VectorX& out) const {
  const int rows = static_cast<int>(p.rows.cols());
  out.setZero(p.linear.size());
  int k = 0;
  for (; k < rows; ++k) out.noalias() += z[k] * p.rows.col(k);
  for (const ConicQpBound& b : p.bounds) out[b.variable] += b.sign * z[k++];
  for (const ConicQpCone& c : p.cones) {
    out[c.normal] += c.slope * z[k];
    out[c.tangent_1] += z[k + 1];
    out[c.tangent_2] += z[k + 2];
    k += 3;
  }
}

void ConicQp::start(const ConicQpProblem& p, const VectorX& x) {
  const int linear = num_linear(p), size = linear + 3 * static_cast<int>(p.cones.size());
  const int n = static_cast<int>(p.linear.size());
  x_ = x;
  for (VectorX* v : {&s_, &z_, &ds_, &dz_, &lambda_, &target_, &primal_residual_, &work_, &work_2_}) v->resize(size);
  for (VectorX* v : {&dx_, &dual_residual_, &rhs_}) v->resize(n);
  weight_.resize(linear + 4 * static_cast<int>(p.cones.size()));
  factor_.resize(n, n);
  multiply(p, x_, true, s_);
  const double inside = 0.1 * std::max(1.0, x_.size() > 0 ? x_.lpNorm<Eigen::Infinity>() : 0.0);
  for (int k = 0; k < linear; ++k) {
    s_[k] = std::max(s_[k], inside);
    z_[k] = 1.0;
  }
  for (int k = linear; k < size; k += 3) {
    s_[k] = std::max(s_[k], std::hypot(s_[k + 1], s_[k + 2]) + inside);
    z_[k] = 1.0;
    z_[k + 1] = z_[k + 2] = 0.0;
  }
}

void ConicQp::scale(const ConicQpProblem& p) {
  const int linear = num_linear(p);
  for (int k = 0; k < linear; ++k) {
    weight_[k] = std::sqrt(s_[k] / z_[k]);
    lambda_[k] = std::sqrt(s_[k] * z_[k]);
  }
  for (int i = 0; i < static_cast<int>(p.cones.size()); ++i) {
    const double *s = s_.data() + linear + 3 * i, *z = z_.data() + linear + 3 * i;
    double* w = weight_.data() + linear + 4 * i;
    const double s_size = std::sqrt(hyperbolic_square(s)), z_size = std::sqrt(hyperbolic_square(z));
    const double dot = (s[0] * z[0] + s[1] * z[1] + s[2] * z[2]) / (s_size * z_size);
    const double gamma = std::sqrt(0.5 * (1.0 + dot));
    w[0] = std::sqrt(s_size / z_size);  // η
    w[1] = (s[0] / s_size + z[0] / z_size) / (2.0 * gamma);
    w[2] = (s[1] / s_size - z[1] / z_size) / (2.0 * gamma);
    w[3] = (s[2] / s_size - z[2] / z_size) / (2.0 * gamma);
  }
  apply_w(p, false, z_, lambda_);
}

// W u = η (w_0 u_0 + w_1ᵀ u_1, w_1 u_0 + u_1 + w_1 (w_1ᵀ u_1)/(1 + w_0)); the inverse has −w_1 and 1/η.
void ConicQp::apply_w(const ConicQpProblem& p, bool inverse, const VectorX& in, VectorX& out) const {
  const int linear = num_linear(p);
  for (int k = 0; k < linear; ++k) out[k] = inverse ? in[k] / weight_[k] : in[k] * weight_[k];
  for (int i = 0; i < static_cast<int>(p.cones.size()); ++i) {
    const double *u = in.data() + linear + 3 * i, *w = weight_.data() + linear + 4 * i;
    double* v = out.data() + linear + 3 * i;
    const double sign = inverse ? -1.0 : 1.0, eta = inverse ? 1.0 / w[0] : w[0];
    const double u0 = u[0], dot = w[2] * u[1] + w[3] * u[2];
    const double along = sign * u0 + dot / (1.0 + w[1]);
    const double v1 = u[1] + w[2] * along, v2 = u[2] + w[3] * along;
    v[0] = eta * (w[1] * u0 + sign * dot);
    v[1] = eta * v1;
    v[2] = eta * v2;
  }
}

// L Lᵀ of S + Bᵀ W⁻² B, in the lower triangle.
bool ConicQp::factor(const ConicQpProblem& p) {
  const int n = static_cast<int>(p.linear.size()), rows = static_cast<int>(p.rows.cols()), linear = num_linear(p);
  factor_ = p.matrix;
  for (int k = 0; k < rows; ++k) {
    const double d = 1.0 / (weight_[k] * weight_[k]);
    for (int j = 0; j < n; ++j) {
      const double f = d * p.rows(j, k);
      if (f != 0.0) factor_.col(j).tail(n - j).noalias() += f * p.rows.col(k).tail(n - j);
    }
  }
  for (int k = rows; k < linear; ++k) {
    const int v = p.bounds[k - rows].variable;
    factor_(v, v) += 1.0 / (weight_[k] * weight_[k]);
  }
  for (size_t i = 0; i < p.cones.size(); ++i) {  // W⁻² = (2 v vᵀ − J)/η², v = (w_0, −w_1), J = diag(1, −1, −1)
    const double* w = weight_.data() + linear + 4 * static_cast<int>(i);
    const double scale = 1.0 / (w[0] * w[0]), v[3] = {w[1], -w[2], -w[3]};
    const int at[3] = {p.cones[i].normal, p.cones[i].tangent_1, p.cones[i].tangent_2};
    const double slope[3] = {p.cones[i].slope, 1.0, 1.0};
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        if (at[a] < at[b]) continue;
        const double j = a != b ? 0.0 : a == 0 ? 1.0 : -1.0;
        factor_(at[a], at[b]) += scale * slope[a] * slope[b] * (2.0 * v[a] * v[b] - j);
      }
    }
  }
  diagonal_ = factor_.diagonal();
  for (int k = 0; k < n; ++k) {
    // Where cancellation has left nothing of a pivot the variable hardly moves in this iteration.
    if (std::isfinite(factor_(k, k)) && factor_(k, k) <= lost_pivot * diagonal_[k]) factor_(k, k) = diagonal_[k];
    const double pivot = factor_(k, k);
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    factor_.col(k).tail(n - k) /= std::sqrt(pivot);
    for (int j = k + 1; j < n; ++j) {
      const double f = factor_(j, k);
      if (f != 0.0) factor_.col(j).tail(n - j).noalias() -= f * factor_.col(k).tail(n - j);
    }
  }
  return true;
}

void ConicQp::solve_factored(VectorX& b) const {
  const int n = static_cast<int>(b.size());
  for (int k = 0; k < n; ++k) {
    b[k] /= factor_(k, k);
    b.tail(n - k - 1).noalias() -= b[k] * factor_.col(k).tail(n - k - 1);
  }
  for (int k = n - 1; k >= 0; --k) {
    b[k] = (b[k] - factor_.col(k).tail(n - k - 1).dot(b.tail(n - k - 1))) / factor_(k, k);
  }
}

// (S + Bᵀ W⁻² B) dx = −r_x + Bᵀ W⁻¹ (t + W⁻¹ r_s),  dz = W⁻¹ (t + W⁻¹ (r_s − B dx)),  ds = B dx − r_s.
void ConicQp::direction(const ConicQpProblem& p, double keep) {
  apply_w(p, true, primal_residual_, work_);
  work_ = target_ + keep * work_;
  apply_w(p, true, work_, work_2_);
  multiply_transposed(p, work_2_, rhs_);
  rhs_ -= keep * dual_residual_;
  dx_ = rhs_;
  solve_factored(dx_);
  multiply(p, dx_, false, ds_);
  ds_ -= keep * primal_residual_;
  apply_w(p, true, ds_, work_);
  work_ = target_ - work_;
  apply_w(p, true, work_, dz_);
}

double ConicQp::longest_step(const ConicQpProblem& p, const VectorX& s, const VectorX& ds) const {
  const int linear = num_linear(p);
  double step = std::numeric_limits<double>::infinity();
  for (int k = 0; k < linear; ++k) {
    if (ds[k] < 0.0) step = std::min(step, -s[k] / ds[k]);
  }
  for (int i = 0; i < static_cast<int>(p.cones.size()); ++i) {  // first root of a α² + 2 b α + c
    const double *u = s.data() + linear + 3 * i, *d = ds.data() + linear + 3 * i;
    const double a = hyperbolic_square(d), b = u[0] * d[0] - u[1] * d[1] - u[2] * d[2], c = hyperbolic_square(u);
    const double discriminant = b * b - a * c;
    if (discriminant < 0.0) continue;
    const double denominator = -b + std::sqrt(discriminant);
    if (denominator > 0.0) step = std::min(step, c / denominator);
  }
  return step;
}

ConicQpStep ConicQp::residual(const ConicQpProblem& p) {
  const int linear = num_linear(p);
  multiply_transposed(p, z_, dual_residual_);
  dual_residual_ = p.linear - dual_residual_;
  dual_residual_.noalias() += p.matrix * x_;
  multiply(p, x_, true, primal_residual_);
  primal_residual_ = s_ - primal_residual_;
  double work = 0.0;
  for (int k = 0; k < linear; ++k) work = std::max(work, s_[k] * z_[k]);
  for (int k = linear; k < s_.size(); k += 3) {
    work = std::max(work, s_[k] * z_[k] + s_[k + 1] * z_[k + 1] + s_[k + 2] * z_[k + 2]);
  }
  const double size = std::max(1.0, x_.lpNorm<Eigen::Infinity>());
  const double cones = std::max<double>(1.0, linear + static_cast<double>(p.cones.size()));
  ConicQpStep out;
  out.gap = s_.dot(z_) / cones;
  const double primal = s_.size() > 0 ? primal_residual_.lpNorm<Eigen::Infinity>() : 0.0;
  out.residual = std::max({dual_residual_.lpNorm<Eigen::Infinity>(), primal / size, work / size});
  // A sum catches what is not finite where max() would drop it.
  if (!std::isfinite(dual_residual_.sum() + primal_residual_.sum() + work)) {
    out.residual = std::numeric_limits<double>::infinity();
  }
  return out;
}

bool ConicQp::iterate(const ConicQpProblem& p) {
  const int linear = num_linear(p);
  const double gap = residual(p).gap;
  scale(p);
  if (!factor(p)) return false;

  // Predictor: straight at s ∘ z = 0.
  target_ = -lambda_;
  direction(p, 1.0);
  const double affine = std::min({1.0, longest_step(p, s_, ds_), longest_step(p, z_, dz_)});
  const double centring = std::pow(1.0 - affine, 3);

  // Corrector: t = −λ \ (λ∘λ + (W⁻¹ ds)∘(W dz) − σ μ e).
  apply_w(p, true, ds_, work_);
  apply_w(p, false, dz_, work_2_);
  for (int k = 0; k < linear; ++k) {
    target_[k] = -(lambda_[k] + (work_[k] * work_2_[k] - centring * gap) / lambda_[k]);
  }
  for (int k = linear; k < s_.size(); k += 3) {
    const double *a = work_.data() + k, *b = work_2_.data() + k, *l = lambda_.data() + k;
    const double d[3] = {
        l[0] * l[0] + l[1] * l[1] + l[2] * l[2] + a[0] * b[0] + a[1] * b[1] + a[2] * b[2] - centring * gap,
        2.0 * l[0] * l[1] + a[0] * b[1] + b[0] * a[1], 2.0 * l[0] * l[2] + a[0] * b[2] + b[0] * a[2]};
    jordan_divide(l, d, target_.data() + k);
    for (int r = 0; r < 3; ++r) target_[k + r] = -target_[k + r];
  }
  direction(p, 1.0 - centring);
  const double step = std::min(1.0, 0.99 * std::min(longest_step(p, s_, ds_), longest_step(p, z_, dz_)));
  if (!std::isfinite(dx_.sum() + ds_.sum() + dz_.sum())) return false;
  x_.noalias() += step * dx_;
  s_.noalias() += step * ds_;
  z_.noalias() += step * dz_;
  return true;
}

}  // namespace stiction
