#include "stiction/solvers/interior_point/newton_velocity_space.h"

namespace stiction {
namespace {

// A 3×3 matrix of one constraint by columns; rows and columns (t1, t2, n).
struct Block {
  ConePoint<double> c0, c1, c2;

  ConePoint<double> operator*(const ConePoint<double>& v) const {
    return {c0.t1 * v.t1 + c1.t1 * v.t2 + c2.t1 * v.n, c0.t2 * v.t1 + c1.t2 * v.t2 + c2.t2 * v.n,
            c0.n * v.t1 + c1.n * v.t2 + c2.n * v.n};
  }
};

// S = (I + B̄ E)⁻¹ by cofactors, E diagonal.
inline Block regulariser(const Block& b, double e0, double e1, double e2) {
  const double a00 = 1.0 + b.c0.t1 * e0, a01 = b.c1.t1 * e1, a02 = b.c2.t1 * e2;
  const double a10 = b.c0.t2 * e0, a11 = 1.0 + b.c1.t2 * e1, a12 = b.c2.t2 * e2;
  const double a20 = b.c0.n * e0, a21 = b.c1.n * e1, a22 = 1.0 + b.c2.n * e2;
  const double k0 = a11 * a22 - a12 * a21, k1 = a12 * a20 - a10 * a22, k2 = a10 * a21 - a11 * a20;
  const double inverse = 1.0 / (a00 * k0 + a01 * k1 + a02 * k2);
  return {{k0 * inverse, k1 * inverse, k2 * inverse},
          {(a02 * a21 - a01 * a22) * inverse, (a00 * a22 - a02 * a20) * inverse, (a01 * a20 - a00 * a21) * inverse},
          {(a01 * a12 - a02 * a11) * inverse, (a02 * a10 - a00 * a12) * inverse, (a00 * a11 - a01 * a10) * inverse}};
}

template <class Arrays>
inline Block get_block(const Arrays& a, Eigen::Index i) {
  const double* p = a.data() + i;
  const Eigen::Index n = a.rows();
  return {{p[0], p[n], p[2 * n]}, {p[3 * n], p[4 * n], p[5 * n]}, {p[6 * n], p[7 * n], p[8 * n]}};
}

template <class Arrays>
inline void put_columns(Arrays& a, Eigen::Index i, const ConePoint<double>& c0, const ConePoint<double>& c1,
                        const ConePoint<double>& c2) {
  double* p = a.data() + i;
  const Eigen::Index n = a.rows();
  p[0] = c0.t1;
  p[n] = c0.t2;
  p[2 * n] = c0.n;
  p[3 * n] = c1.t1;
  p[4 * n] = c1.t2;
  p[5 * n] = c1.n;
  p[6 * n] = c2.t1;
  p[7 * n] = c2.t2;
  p[8 * n] = c2.n;
}

// Q v = P⁻¹ Arw(y)⁻¹ v from the stored arrow.
template <class Arrays>
inline ConePoint<double> q_times(const Arrays& q, Eigen::Index i, double mu, const ConePoint<double>& v) {
  const double* p = q.data() + i;
  const Eigen::Index n = q.rows();
  const double nn = p[0], n1 = p[n], n2 = p[2 * n], s11 = p[3 * n], s12 = p[4 * n], s22 = p[5 * n];
  return {n1 * v.n + s11 * v.t1 + s12 * v.t2, n2 * v.n + s12 * v.t1 + s22 * v.t2,
          (nn * v.n + n1 * v.t1 + n2 * v.t2) / mu};
}

// D⁻¹ v with last row d.
inline ConePoint<double> inverse_derivative_times(const ConePoint<double>& d, const ConePoint<double>& v) {
  return {v.t1, v.t2, dot(d, v)};
}

}  // namespace

void NewtonVelocitySpace::load(const ContactProblem& problem, const ConeProblem& cones) {
  factored_ = &problem.factored();
  cones_ = &cones;
  factorisations = 0;
  const int n = cones.size();
  lu_.analyse(*factored_);
  d_.resize(n, 3);
  q_.resize(n, 6);
  b_.resize(n, 9);
  s_.resize(n, 9);
  rows_.resize(n, 3);
  weight_.resize(n);
  nodes_.resize(factored_->num_nodes());
  step_.resize(factored_->num_nodes());
  correction_.resize(factored_->num_nodes());
  transpose_segments();
}

void NewtonVelocitySpace::multiply_transposed(const Rows3& rows, Pack8* nodes) const {
  const DelassusFactored& f = *factored_;
  const int n = cones_->size();
  const double* scale = cones_->inverse_root_weight().data();
  const double* r = rows.data();
  std::fill_n(nodes, f.num_nodes(), Pack8{});
  for (int i = 0; i < n; ++i) {
    const Pack8 a = broadcast8(scale[i] * r[i]), b = broadcast8(scale[i] * r[n + i]),
                c = broadcast8(scale[i] * r[2 * n + i]);
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      const DelassusFactored::Segment& segment = f.segment[s];
      nodes[f.segment_node[s]] += segment.row[0] * a + segment.row[1] * b + segment.row[2] * c;
    }
  }
}

void NewtonVelocitySpace::multiply(const Pack8* nodes, const Rows3& offset, Rows3& rows) const {
  const DelassusFactored& f = *factored_;
  const int n = cones_->size();
  const double* o = offset.data();
  double* r = rows.data();
  for (int i = 0; i < n; ++i) {
    Pack4 even{}, odd{};
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      const Pack4* a = columns_[s].column;
      const Pack8& w = nodes[f.segment_node[s]];
      even += a[0] * broadcast4(w[0]) + a[2] * broadcast4(w[2]) + a[4] * broadcast4(w[4]);
      odd += a[1] * broadcast4(w[1]) + a[3] * broadcast4(w[3]) + a[5] * broadcast4(w[5]);
    }
    const Pack4 sum = even + odd;
    r[i] = o[i] + sum[0];
    r[n + i] = o[n + i] + sum[1];
    r[2 * n + i] = o[2 * n + i] + sum[2];
  }
}

// A by columns: the product A w needs no sum across lanes then.
void NewtonVelocitySpace::transpose_segments() {
  const DelassusFactored& f = *factored_;
  const double* scale = cones_->inverse_root_weight().data();
  columns_.resize(f.segment.size());
  for (int i = 0; i < cones_->size(); ++i) {
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      const Pack8* row = f.segment[s].row;
      for (int c = 0; c < DelassusFactored::max_node_size; ++c) {
        columns_[s].column[c] = broadcast4(scale[i]) * Pack4{row[0][c], row[1][c], row[2][c], 0.0};
      }
    }
  }
}

void NewtonVelocitySpace::velocity(const Rows3& impulse, Rows3& sigma) {
  multiply_transposed(impulse, nodes_.data());
  multiply(nodes_.data(), cones_->free_velocity(), sigma);
  sigma += cones_->compliance() * impulse;
}

double NewtonVelocitySpace::scalar_eta(const ScalarConstraint& s, int row) const {
  const double eta = s.kind == ConstraintKind::bilateral ? std::max(eta_, line_eta) : eta_;
  return eta + cones_->compliance()(s.index, row);
}

void NewtonVelocitySpace::eliminate(const ConeVector& at, double delta) {
  const int n = cones_->size();
  const double eta = eta_;
  const double* mu = cones_->friction().data();
  const double* compliance = cones_->compliance().data();
  const double* root = cones_->inverse_root_weight().data();
  // B̄ is found for several constraints at once, but the LU wants it by constraint: it is copied while it is in the
  // cache.
  constexpr int strip = 64;
  for (int begin = 0; begin < n; begin += strip) {
    const int end = std::min(begin + strip, n);
    STICTION_VECTORISE
    for (int i = begin; i < end; ++i) {
      const ConePoint<double> x = get(at.x, i), y = get(at.y, i);
      const DualDerivative<double> forward(y, mu[i], delta);
      const double inverse_n = 1.0 / forward.n, over_mu = 1.0 / mu[i];
      const ConePoint<double> d{-forward.t1 * inverse_n, -forward.t2 * inverse_n, inverse_n};
      put(d_, i, d);
      // Q, and the columns of B̄ = Q Arw(x) D⁻¹: those of Arw(x), the tangents plus d times the last.
      const ArrowInverse<double> a(y);
      const ConePoint<double> q0{a.s11, a.s12, a.n1 * over_mu}, q1{a.s12, a.s22, a.n2 * over_mu},
          q2{a.n1, a.n2, a.nn * over_mu};
      const Block q{q0, q1, q2};
      const Block bar{q * ConePoint<double>{x.n + d.t1 * x.t1, d.t1 * x.t2, x.t1 + d.t1 * x.n},
                      q * ConePoint<double>{d.t2 * x.t1, x.n + d.t2 * x.t2, x.t2 + d.t2 * x.n},
                      q * ConePoint<double>{d.n * x.t1, d.n * x.t2, d.n * x.n}};
      const Block s = regulariser(bar, eta + compliance[i], eta + compliance[n + i], eta + compliance[2 * n + i]);
      put_columns(s_, i, s.c0, s.c1, s.c2);
      double* stored = q_.data() + i;
      stored[0] = a.nn;
      stored[n] = a.n1;
      stored[2 * n] = a.n2;
      stored[3 * n] = a.s11;
      stored[4 * n] = a.s12;
      stored[5 * n] = a.s22;
      put_columns(b_, i, s * bar.c0, s * bar.c1, s * bar.c2);
    }
    const double* b = b_.data();
    for (int i = begin; i < end; ++i) {
      double* out = weight_[i].data();
      const double scale = root[i] * root[i];
      for (int k = 0; k < 9; ++k) out[k] = scale * b[k * n + i];
    }
  }
  eliminate_scalars(at);
}

void NewtonVelocitySpace::eliminate_scalars(const ConeVector& at) {
  const ArrayX& root = cones_->inverse_root_weight();
  for (const ScalarConstraint& s : cones_->scalars()) {
    const int i = s.index;
    const double scale = root[i] * root[i];
    weight_[i].setZero();
    if (s.kind == ConstraintKind::bilateral) {
      for (int r = 0; r < 3; ++r) weight_[i](r, r) = scale / scalar_eta(s, r);
    } else {
      const ScalarPair pair = scalar_pair(s, get(at.x, i), get(at.y, i), {});
      weight_[i](s.row, s.row) = scale * pair.a / (pair.c + pair.a * scalar_eta(s, s.row));
    }
  }
}

bool NewtonVelocitySpace::factor(const ConeVector& at, double delta) {
  eta_ = std::max(smallest_eta, eta_numerator / std::max(1.0, cones_->largest_normal(at)));
  eliminate(at, delta);
  ++factorisations;
  return lu_.factor(*factored_, weight_, 1.0, interrupt);
}

void NewtonVelocitySpace::sharpen() {
  eta_numerator = std::min(eta_numerator, sharp_eta_numerator);
  refinements = std::max(refinements, 1);
}

void NewtonVelocitySpace::unsharpen() {
  eta_numerator = usual_eta_numerator;
  refinements = 0;
}

void NewtonVelocitySpace::follow_path() {
  eta_numerator = path_eta_numerator;
  refinements = 1;
}

void NewtonVelocitySpace::first_right_side(const ConeVector& at, const Rows3& rp, const Rows3& rc) {
  const int n = cones_->size();
  const double* mu = cones_->friction().data();
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    const ConePoint<double> v = get_block(s_, i) * q_times(q_, i, mu[i], get(rc, i));
    put(rows_, i, v - get_block(b_, i) * get(rp, i));
  }
  for (const ScalarConstraint& s : cones_->scalars()) {
    const int i = s.index;
    ConePoint<double> v{};
    if (s.kind == ConstraintKind::bilateral) {
      v = {-rp(i, 0) / scalar_eta(s, 0), -rp(i, 1) / scalar_eta(s, 1), -rp(i, 2) / scalar_eta(s, 2)};
    } else {
      const ScalarPair pair = scalar_pair(s, get(at.x, i), get(at.y, i), get(rc, i));
      v = scalar_row(s, (pair.r - pair.a * rp(i, s.row)) / (pair.c + pair.a * scalar_eta(s, s.row)));
    }
    put(rows_, i, v);
  }
}

// rows_ holds r_p + A Δw.
void NewtonVelocitySpace::back_substitute(const ConeVector& at, const Rows3& rc, ConeVector& direction) {
  const int n = cones_->size();
  const double eta = eta_;
  const double* mu = cones_->friction().data();
  const double* compliance = cones_->compliance().data();
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    const ConePoint<double> d = get(d_, i);
    const ConePoint<double> y0 = inverse_derivative_times(d, get(rows_, i));
    const ConePoint<double> r = get(rc, i) - jordan_product(get(at.x, i), y0);
    const ConePoint<double> l = get_block(s_, i) * q_times(q_, i, mu[i], r);
    const ConePoint<double> e{(eta + compliance[i]) * l.t1, (eta + compliance[n + i]) * l.t2,
                              (eta + compliance[2 * n + i]) * l.n};
    put(direction.impulse, i, l);
    put(direction.y, i, y0 + inverse_derivative_times(d, e));
  }
  for (const ScalarConstraint& s : cones_->scalars()) {
    const int i = s.index;
    const ConePoint<double> x = get(at.x, i), y = get(at.y, i), r = get(rc, i), velocity = get(rows_, i);
    ConePoint<double> l{};
    if (s.kind == ConstraintKind::bilateral) {
      l = {-velocity.t1 / scalar_eta(s, 0), -velocity.t2 / scalar_eta(s, 1), -velocity.n / scalar_eta(s, 2)};
      put(direction.y, i, {0.0, 0.0, 0.0});
    } else {
      const ScalarPair pair = scalar_pair(s, x, y, r);
      const double e = scalar_eta(s, s.row), step = (pair.r - pair.a * rows_(i, s.row)) / (pair.c + pair.a * e);
      l = scalar_row(s, step);
      put(direction.y, i, scalar_dual_step(s, x, y, r, rows_(i, s.row) + e * step, step));
    }
    put(direction.impulse, i, l);
  }
}

void NewtonVelocitySpace::first_solve(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) {
  first_right_side(at, rp, rc);
  multiply_transposed(rows_, nodes_.data());
  lu_.solve(nodes_.data(), step_.data());
  multiply(step_.data(), rp, rows_);
  back_substitute(at, rc, direction);
}

void NewtonVelocitySpace::refine(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) {
  multiply_transposed(direction.impulse, nodes_.data());
  for (size_t b = 0; b < nodes_.size(); ++b) nodes_[b] -= step_[b];
  lu_.solve(nodes_.data(), correction_.data());
  for (size_t b = 0; b < nodes_.size(); ++b) step_[b] += correction_[b];
  multiply(step_.data(), rp, rows_);
  back_substitute(at, rc, direction);
}

void NewtonVelocitySpace::solve(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) {
  first_solve(at, rp, rc, direction);
  for (int k = 0; k < refinements; ++k) refine(at, rp, rc, direction);
  cones_->to_cone_direction(direction);
}

void NewtonVelocitySpace::solve_roughly(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) {
  first_solve(at, rp, rc, direction);
  cones_->to_cone_direction(direction);
}

bool NewtonVelocitySpace::factor_stick(double stick_eta) {
  const ArrayX& root = cones_->inverse_root_weight();
  const Rows3& compliance = cones_->compliance();
  stick_eta_ = stick_eta;
  for (int i = 0; i < cones_->size(); ++i) {
    weight_[i].setZero();
    for (int r = 0; r < 3; ++r) weight_[i](r, r) = root[i] * root[i] / (stick_eta + compliance(i, r));
  }
  for (const ScalarConstraint& s : cones_->scalars()) {
    if (s.is_frictionless_contact()) weight_[s.index](0, 0) = weight_[s.index](1, 1) = 0.0;
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i]) weight_[i].setZero();
  }
  ++factorisations;
  return lu_.factor(*factored_, weight_, 1.0, interrupt);
}

void NewtonVelocitySpace::drop_unstuck_rows() {
  for (const ScalarConstraint& s : cones_->scalars()) {
    if (s.is_frictionless_contact()) rows_(s.index, 0) = rows_(s.index, 1) = 0.0;
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i]) rows_.row(static_cast<Eigen::Index>(i)).setZero();
  }
}

// K Δw = −Aᵀσ/E, Δλ = −(σ + A Δw)/E with E = η + R.
void NewtonVelocitySpace::stick_step(const Rows3& sigma, Rows3& impulse) {
  rows_ = -sigma / (stick_eta_ + cones_->compliance());
  drop_unstuck_rows();
  multiply_transposed(rows_, nodes_.data());
  lu_.solve(nodes_.data(), step_.data());
  multiply(step_.data(), sigma, rows_);
  drop_unstuck_rows();
  impulse -= rows_ / (stick_eta_ + cones_->compliance());
}

}  // namespace stiction
