#include "stiction/solvers/interior_point/newton_contact_space.h"

namespace stiction {
namespace {

using Arrow = Eigen::Array<double, Eigen::Dynamic, 6>;

inline void put_arrow(Arrow& a, Eigen::Index i, const ArrowInverse<double>& v) {
  double* p = a.data() + i;
  const Eigen::Index n = a.rows();
  p[0] = v.nn;
  p[n] = v.n1;
  p[2 * n] = v.n2;
  p[3 * n] = v.s11;
  p[4 * n] = v.s12;
  p[5 * n] = v.s22;
}

inline ConePoint<double> arrow_times(const Arrow& a, Eigen::Index i, const ConePoint<double>& b) {
  const double* p = a.data() + i;
  const Eigen::Index n = a.rows();
  const double nn = p[0], n1 = p[n], n2 = p[2 * n], s11 = p[3 * n], s12 = p[4 * n], s22 = p[5 * n];
  return {n1 * b.n + s11 * b.t1 + s12 * b.t2, n2 * b.n + s12 * b.t1 + s22 * b.t2, nn * b.n + n1 * b.t1 + n2 * b.t2};
}

// D v with D the identity but for its last row d.
inline ConePoint<double> derivative_times(const ConePoint<double>& d, const ConePoint<double>& v) {
  return {v.t1, v.t2, dot(d, v)};
}

}  // namespace

void NewtonContactSpace::load(const ContactProblem& problem, const ConeProblem& cones) {
  problem_ = &problem;
  cones_ = &cones;
  factorisations = 0;
  const int n = cones.size();
  if (problem.form() == DelassusForm::dense) {
    copy_dense(problem);
    delassus_ = &from_dense_;
  } else {
    delassus_ = &problem.sparse();
  }
  weight_ = cones.root_weight().square();
  a_.resize(n, 6);
  d_.resize(n, 3);
  block_.resize(n, 9);
  diagonal_.resize(n);
  right_.resize(n, 3);
  rows_.resize(problem.num_rows());
  product_.resize(problem.num_rows());
  packed_.resize(3 * static_cast<size_t>(n));
}

void NewtonContactSpace::copy_dense(const ContactProblem& problem) {
  const int n = problem.num_constraints();
  DelassusSparse& s = from_dense_;
  if (s.num_block_rows() != n) {
    s.row_begin.resize(n + 1);
    s.column.resize(static_cast<size_t>(n) * n);
    s.transposed.resize(static_cast<size_t>(n) * n);
    s.diagonal.resize(n);
    s.block.resize(static_cast<size_t>(n) * n);
    for (int i = 0; i < n; ++i) {
      s.row_begin[i + 1] = (i + 1) * n;
      s.diagonal[i] = i * n + i;
      for (int j = 0; j < n; ++j) {
        s.column[i * n + j] = j;
        s.transposed[i * n + j] = j * n + i;
      }
    }
    s.row_begin[0] = 0;
  }
  const DelassusDense& g = problem.dense();
  for (int i = 0; i < n; ++i) {
    const Constraint& ci = problem.constraint(i);
    for (int j = 0; j < n; ++j) {
      const Constraint& cj = problem.constraint(j);
      Matrix3& block = s.block[i * n + j];
      block.setZero();
      for (int c = 0; c < cj.rows; ++c) {
        for (int r = 0; r < ci.rows; ++r) block(r, c) = g(ci.first_row + r, cj.first_row + c);
      }
    }
  }
}

void NewtonContactSpace::velocity(const Rows3& impulse, Rows3& sigma) {
  cones_->write_rows(impulse, cones_->inverse_root_weight(), rows_.data());
  const ConstVectorMap u(rows_.data(), static_cast<Eigen::Index>(rows_.size()));
  VectorMap v(product_.data(), static_cast<Eigen::Index>(product_.size()));
  problem_->apply(u, v);
  cones_->read_rows(product_.data(), 1.0, sigma);
  sigma += cones_->compliance() * impulse + cones_->free_velocity();
}

// Tangential impulses that must stay zero: a diagonal that leaves nothing of them.
void NewtonContactSpace::lock_tangents(int i) {
  diagonal_[i](0, 0) = diagonal_[i](1, 1) = 1e20 * weight_[i];
}

bool NewtonContactSpace::factor(const ConeVector& at, double delta) {
  const int n = cones_->size();
  const double* mu = cones_->friction().data();
  double* block = block_.data();
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    const ConePoint<double> y = get(at.y, i);
    const ArrowInverse<double> a(get(at.x, i));
    const DualDerivative<double> d(y, mu[i], delta);
    put_arrow(a_, i, a);
    put(d_, i, {d.t1, d.t2, d.n});
    const ConePoint<double> columns[3] = {d * (a * ConePoint<double>{y.n, 0.0, y.t1}),
                                          d * (a * ConePoint<double>{0.0, y.n, y.t2}),
                                          d * (a * ConePoint<double>{mu[i] * y.t1, mu[i] * y.t2, mu[i] * y.n})};
    for (int c = 0; c < 3; ++c) {
      block[(3 * c) * n + i] = columns[c].t1;
      block[(3 * c + 1) * n + i] = columns[c].t2;
      block[(3 * c + 2) * n + i] = columns[c].n;
    }
  }
  const Rows3& compliance = cones_->compliance();
  for (int i = 0; i < n; ++i) {
    double* out = diagonal_[i].data();
    for (int k = 0; k < 9; ++k) out[k] = weight_[i] * block[k * n + i];
    for (int r = 0; r < 3; ++r) diagonal_[i](r, r) += weight_[i] * (eta + compliance(i, r));
  }
  for (const ScalarConstraint& s : cones_->scalars()) {
    const int i = s.index;
    double stiffness = 0.0;
    if (s.kind != ConstraintKind::bilateral) {
      const ScalarPair pair = scalar_pair(s, get(at.x, i), get(at.y, i), {});
      stiffness = pair.c / pair.a;
    }
    diagonal_[i].setZero();
    for (int r = 0; r < 3; ++r) diagonal_[i](r, r) = weight_[i] * (stiffness + eta + compliance(i, r));
    if (s.is_frictionless_contact()) lock_tangents(i);
  }
  ++factorisations;
  return lu_.factor(*delassus_, diagonal_, {}, {}, interrupt);
}

// (Ĝ + C) out = right through the unscaled matrix: (G + W C) u = √W right, out = √W u.
void NewtonContactSpace::solve_weighted(const Rows3& right, Rows3& out) {
  const int n = cones_->size();
  const ArrayX& root = cones_->root_weight();
  for (int i = 0; i < n; ++i) {
    for (int r = 0; r < 3; ++r) packed_[3 * i + r] = root[i] * right(i, r);
  }
  lu_.solve(packed_.data(), packed_.data());
  for (int i = 0; i < n; ++i) {
    for (int r = 0; r < 3; ++r) out(i, r) = root[i] * packed_[3 * i + r];
  }
}

void NewtonContactSpace::solve(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) {
  const int n = cones_->size();
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    put(right_, i, derivative_times(get(d_, i), arrow_times(a_, i, get(rc, i))) - get(rp, i));
  }
  for (const ScalarConstraint& s : cones_->scalars()) {
    const int i = s.index;
    ConePoint<double> r = {-rp(i, 0), -rp(i, 1), -rp(i, 2)};
    if (s.kind != ConstraintKind::bilateral) {
      const ScalarPair pair = scalar_pair(s, get(at.x, i), get(at.y, i), get(rc, i));
      r = scalar_row(s, pair.r / pair.a - rp(i, s.row));
    }
    put(right_, i, r);
  }
  solve_weighted(right_, direction.impulse);
  for (const ScalarConstraint& s : cones_->scalars()) {
    if (s.is_frictionless_contact()) put(direction.impulse, s.index, {0.0, 0.0, direction.impulse(s.index, 2)});
  }
  cones_->to_cone_direction(direction);
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    const ConePoint<double> r = get(rc, i) - jordan_product(get(at.y, i), get(direction.x, i));
    put(direction.y, i, arrow_times(a_, i, r));
  }
  for (const ScalarConstraint& s : cones_->scalars()) {
    const int i = s.index;
    const ConePoint<double> x = get(at.x, i), y = get(at.y, i), r = get(rc, i);
    const double step = direction.impulse(i, s.row);
    const ScalarPair pair = scalar_pair(s, x, y, r);
    put(direction.y, i, scalar_dual_step(s, x, y, r, (pair.r - pair.c * step) / pair.a, step));
  }
}

bool NewtonContactSpace::factor_stick(double stick_eta) {
  const Rows3& compliance = cones_->compliance();
  for (int i = 0; i < cones_->size(); ++i) {
    diagonal_[i].setZero();
    for (int r = 0; r < 3; ++r) diagonal_[i](r, r) = weight_[i] * (stick_eta + compliance(i, r));
  }
  for (const ScalarConstraint& s : cones_->scalars()) {
    if (s.is_frictionless_contact()) lock_tangents(s.index);
  }
  ++factorisations;
  return lu_.factor(*delassus_, diagonal_, {}, {}, interrupt);
}

void NewtonContactSpace::stick_step(const Rows3& sigma, Rows3& impulse) {
  solve_weighted(sigma, right_);
  impulse -= right_;
  for (const ScalarConstraint& s : cones_->scalars()) {
    if (s.is_frictionless_contact()) put(impulse, s.index, {0.0, 0.0, impulse(s.index, 2)});
  }
}

}  // namespace stiction
