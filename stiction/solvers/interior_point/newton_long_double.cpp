#include "stiction/solvers/interior_point/newton_long_double.h"

#include <cmath>

namespace stiction {
namespace {

using Real = long double;
using Vector3L = Eigen::Matrix<Real, 3, 1>;
using Matrix3L = Eigen::Matrix<Real, 3, 3>;

ConePoint<Real> wide(const ConePoint<double>& p) {
  return {p.t1, p.t2, p.n};
}
Vector3L vector(const Rows3& a, int i) {
  return {a(i, 0), a(i, 1), a(i, 2)};
}
Matrix3L arrow(const ConePoint<Real>& x) {
  Matrix3L m;
  m << x.n, 0, x.t1, 0, x.n, x.t2, x.t1, x.t2, x.n;
  return m;
}
Matrix3L arrow_inverse(const ConePoint<Real>& x) {
  const ArrowInverse<Real> a(x);
  Matrix3L m;
  m << a.s11, a.s12, a.n1, a.s12, a.s22, a.n2, a.n1, a.n2, a.nn;
  return m;
}
// D⁻¹ of the friction cone's σ(y).
Matrix3L inverse_derivative(const ConePoint<Real>& y, Real mu, Real delta) {
  const DualDerivative<Real> d(y, mu, delta);
  Matrix3L m = Matrix3L::Identity();
  m.row(2) << -d.t1 / d.n, -d.t2 / d.n, 1 / d.n;
  return m;
}

}  // namespace

void NewtonLongDouble::load(const ContactProblem& problem, const ConeProblem& cones) {
  cones_ = &cones;
  factorisations = 0;
  const DelassusFactored& f = problem.factored();
  const int n = cones.size();
  constexpr int width = DelassusFactored::max_node_size;
  a_.setZero(3 * n, width * f.num_nodes());
  for (int i = 0; i < n; ++i) {
    for (int s = f.segment_begin[i]; s < f.segment_begin[i + 1]; ++s) {
      for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < width; ++k) {
          a_(3 * i + r, width * f.segment_node[s] + k) =
              static_cast<Real>(f.segment[s].row[r][k]) * cones.inverse_root_weight()[i];
        }
      }
    }
  }
  b_.resize(n);
  c_.resize(n);
  right_.resize(3 * n);
  rows_.resize(3 * n);
}

NewtonLongDouble::Vector3L NewtonLongDouble::compliance(int i) const {
  return vector(cones_->compliance(), i);
}

void NewtonLongDouble::velocity(const Rows3& impulse, Rows3& sigma) {
  for (int i = 0; i < cones_->size(); ++i) right_.segment<3>(3 * i) = vector(impulse, i);
  step_.noalias() = a_.transpose() * right_;
  rows_.noalias() = a_ * step_;
  for (int i = 0; i < cones_->size(); ++i) {
    for (int r = 0; r < 3; ++r) {
      sigma(i, r) = static_cast<double>(rows_[3 * i + r] + cones_->free_velocity()(i, r) +
                                        static_cast<Real>(cones_->compliance()(i, r)) * impulse(i, r));
    }
  }
}

void NewtonLongDouble::eliminate_cone(int i, const ConeVector& at, Real delta) {
  const ConePoint<Real> x = wide(get(at.x, i)), y = wide(get(at.y, i));
  const Real mu = cones_->friction()[i];
  Matrix3L q = arrow_inverse(y);
  q.row(2) /= mu;
  const Matrix3L b = q * arrow(x) * inverse_derivative(y, mu, delta);
  const Vector3L e = (compliance(i).array() + eta).matrix();
  const Matrix3L s = (Matrix3L::Identity() + b * e.asDiagonal()).inverse();
  b_[i] = s * b;
  c_[i] = s * q;
}

void NewtonLongDouble::eliminate_scalar(const ScalarConstraint& s, const ConeVector& at) {
  const int i = s.index;
  b_[i].setZero();
  c_[i].setZero();
  if (s.kind == ConstraintKind::bilateral) {
    for (int r = 0; r < 3; ++r) b_[i](r, r) = 1 / (line_eta + compliance(i)[r]);
    return;
  }
  const ScalarPair pair = scalar_pair(s, get(at.x, i), get(at.y, i), {});
  const Real weight = 1 / (pair.c + pair.a * (eta + compliance(i)[s.row]));
  b_[i](s.row, s.row) = pair.a * weight;
  c_[i](s.row, s.row) = weight;
}

bool NewtonLongDouble::assemble_and_factor() {
  ba_.resize(a_.rows(), a_.cols());
  for (int i = 0; i < cones_->size(); ++i) ba_.middleRows<3>(3 * i).noalias() = b_[i] * a_.middleRows<3>(3 * i);
  k_.noalias() = a_.transpose() * ba_;
  k_.diagonal().array() += 1;
  lu_.compute(k_);
  ++factorisations;
  return std::isfinite(static_cast<double>(lu_.matrixLU().sum()));
}

bool NewtonLongDouble::factor(const ConeVector& at, double delta) {
  delta_ = delta;
  for (int i = 0; i < cones_->size(); ++i) eliminate_cone(i, at, delta);
  for (const ScalarConstraint& s : cones_->scalars()) eliminate_scalar(s, at);
  return assemble_and_factor();
}

void NewtonLongDouble::solve(const ConeVector& at, const Rows3& rp, const Rows3& rc, ConeVector& direction) {
  const int n = cones_->size();
  for (int i = 0; i < n; ++i) right_.segment<3>(3 * i) = c_[i] * vector(rc, i);
  for (const ScalarConstraint& s : cones_->scalars()) {
    const ScalarPair pair = scalar_pair(s, get(at.x, s.index), get(at.y, s.index), get(rc, s.index));
    right_.segment<3>(3 * s.index) = c_[s.index].col(s.row) * static_cast<Real>(pair.r);
  }
  for (int i = 0; i < n; ++i) rows_.segment<3>(3 * i) = right_.segment<3>(3 * i) - b_[i] * vector(rp, i);
  step_ = lu_.solve(a_.transpose() * rows_);
  rows_.noalias() = a_ * step_;
  for (int i = 0; i < n; ++i) {
    // Velocities r_p + A Δw, then Δλ; D Δy = r_p + A Δw + E Δλ needs the derivative of Δy only where there is a cone.
    rows_.segment<3>(3 * i) += vector(rp, i);
    const Vector3L l = right_.segment<3>(3 * i) - b_[i] * rows_.segment<3>(3 * i);
    const Vector3L e = compliance(i).array() + eta;
    rows_.segment<3>(3 * i) += e.cwiseProduct(l);
    put(direction.impulse, i, {static_cast<double>(l[0]), static_cast<double>(l[1]), static_cast<double>(l[2])});
  }
  cones_->to_cone_direction(direction);
  for (int i = 0; i < n; ++i) {
    // Arw(x) Δy = r_c − Arw(y) Δx and D Δy = Δσ agree; the second keeps its digits where x is small.
    const Vector3L y = inverse_derivative(wide(get(at.y, i)), cones_->friction()[i], delta_) * rows_.segment<3>(3 * i);
    put(direction.y, i, {static_cast<double>(y[0]), static_cast<double>(y[1]), static_cast<double>(y[2])});
  }
  for (const ScalarConstraint& s : cones_->scalars()) {
    const int i = s.index;
    put(direction.y, i,
        scalar_dual_step(s, get(at.x, i), get(at.y, i), get(rc, i), static_cast<double>(rows_[3 * i + s.row]),
                         direction.impulse(i, s.row)));
  }
}

int NewtonLongDouble::determinant_sign() const {
  int sign = static_cast<int>(lu_.permutationP().determinant());
  for (Eigen::Index k = 0; k < lu_.matrixLU().rows(); ++k) {
    if (lu_.matrixLU()(k, k) < 0) sign = -sign;
  }
  return sign;
}

bool NewtonLongDouble::factor_stick(double stick_eta) {
  for (int i = 0; i < cones_->size(); ++i) {
    b_[i].setZero();
    for (int r = 0; r < 3; ++r) b_[i](r, r) = 1 / (stick_eta + compliance(i)[r]);
  }
  for (const ScalarConstraint& s : cones_->scalars()) {
    if (s.is_frictionless_contact()) b_[s.index](0, 0) = b_[s.index](1, 1) = 0;
  }
  return assemble_and_factor();
}

void NewtonLongDouble::stick_step(const Rows3& sigma, Rows3& impulse) {
  for (int i = 0; i < cones_->size(); ++i) rows_.segment<3>(3 * i) = -(b_[i] * vector(sigma, i));
  step_ = lu_.solve(a_.transpose() * rows_);
  rows_.noalias() = a_ * step_;
  for (int i = 0; i < cones_->size(); ++i) {
    const Vector3L l = b_[i] * (vector(sigma, i) + rows_.segment<3>(3 * i));
    for (int r = 0; r < 3; ++r) impulse(i, r) -= static_cast<double>(l[r]);
  }
}

}  // namespace stiction
