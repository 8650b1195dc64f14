#include "stiction/contact/least_impulse.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "stiction/contact/judge.h"
#include "stiction/math/dense.h"
#include "stiction/math/refuse.h"
#include "stiction/math/set_anisotropic_cone.h"
#include "stiction/math/set_coulomb_cone.h"

namespace stiction {
namespace {

// What the law leaves to a constraint at the velocities of λ₀.
struct Freedom {
  enum class Kind { fixed, ray, cone, half_line, line, interval } kind = Kind::fixed;
  Vector3 along = Vector3::Zero();  // fixed: the impulse; ray: its direction, of length 1
  double bound = 0.0;               // interval
};

constexpr double still = 1e-7;  // of the largest free velocity: what is slower does not slip or part

Freedom freedom_of_contact(const ContactProblem& problem, const Constraint& c, ContactRegime regime, const Vector3& l,
                           const Vector3& slip) {
  if (regime == ContactRegime::open) return {Freedom::Kind::fixed, Vector3::Zero()};
  if (regime == ContactRegime::sticking) return {Freedom::Kind::cone};
  Vector3 along(0.0, 0.0, 1.0);
  if (c.kind == ConstraintKind::anisotropic) {
    const Vector2 mu(c.friction, c.friction_2), weighted = mu.cwiseProduct(slip.head<2>());
    if (weighted.norm() > 0.0) along.head<2>() = -mu.cwiseProduct(weighted) / weighted.norm();
  } else if (slip.head<2>().norm() > still * problem.largest_free_velocity()) {
    along.head<2>() = -c.friction * slip.head<2>() / slip.head<2>().norm();
  } else if (l.head<2>().norm() > 0.0) {
    along.head<2>() = c.friction * l.head<2>() / l.head<2>().norm();
  }
  return {Freedom::Kind::ray, along.normalized()};
}

Freedom freedom_of_row(const Constraint& c, double l, double s, double threshold) {
  switch (c.kind) {
    case ConstraintKind::bilateral:
      return {Freedom::Kind::line};
    case ConstraintKind::unilateral:
      return s > threshold ? Freedom{Freedom::Kind::fixed} : Freedom{Freedom::Kind::half_line};
    default:
      if (std::abs(s) > threshold) return {Freedom::Kind::fixed, Vector3(l, 0.0, 0.0)};
      return {Freedom::Kind::interval, Vector3::Zero(), c.bound};
  }
}

std::vector<Freedom> freedoms_of(const ContactProblem& problem, VectorView impulse, VectorView velocity) {
  std::vector<Freedom> list;
  const double threshold = still * problem.largest_free_velocity();
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    Vector3 l = Vector3::Zero(), s = Vector3::Zero();
    bool is_rigid = true;
    for (int r = 0; r < c.rows; ++r) {
      l[r] = impulse[c.first_row + r];
      s[r] = velocity[c.first_row + r];
      is_rigid = is_rigid && problem.compliance()[c.first_row + r] == 0.0;
    }
    const bool is_contact = c.kind == ConstraintKind::frictional || c.kind == ConstraintKind::anisotropic;
    if (!is_rigid || c.kind == ConstraintKind::viscous || is_coupled(c.kind)) {
      list.push_back({Freedom::Kind::fixed, l});
    } else if (is_contact) {
      list.push_back(freedom_of_contact(problem, c, contact_regime(problem, i, impulse, velocity), l, s));
    } else {
      list.push_back(freedom_of_row(c, l[0], s[0], threshold));
    }
  }
  // What bounds torsional and rolling friction stays what it is.
  for (const Constraint& c : problem.constraints()) {
    if (!is_coupled(c.kind) || c.partner < 0) continue;
    const Constraint& contact = problem.constraint(c.partner);
    Vector3 l = Vector3::Zero();
    for (int r = 0; r < contact.rows; ++r) l[r] = impulse[contact.first_row + r];
    list[static_cast<std::size_t>(c.partner)] = {Freedom::Kind::fixed, l};
  }
  return list;
}

// The nearest point of what is free, and a derivative of that.
void project(const Constraint& c, const Freedom& f, const Vector3& x, Vector3& out, Matrix3& derivative) {
  derivative.setZero();
  out = f.along;
  switch (f.kind) {
    case Freedom::Kind::fixed:
      return;
    case Freedom::Kind::ray: {
      const double t = f.along.dot(x);
      out = std::max(0.0, t) * f.along;
      if (t > 0.0) derivative = f.along * f.along.transpose();
      return;
    }
    case Freedom::Kind::cone:
      if (c.kind == ConstraintKind::anisotropic) {
        const SetAnisotropicCone set{c.friction, c.friction_2};
        out = set.project(x);
        derivative = set.project_derivative(x);
      } else {
        const SetCoulombCone set{c.friction};
        out = set.project(x);
        derivative = set.project_derivative(x);
      }
      return;
    case Freedom::Kind::half_line:
      out[0] = std::max(0.0, x[0]);
      derivative(0, 0) = x[0] > 0.0;
      return;
    case Freedom::Kind::line:
      // A constraint of up to three rows: all of them.
      out = x;
      derivative.setIdentity();
      return;
    case Freedom::Kind::interval:
      out[0] = std::clamp(x[0], -f.bound, f.bound);
      derivative(0, 0) = std::abs(x[0]) < f.bound;
      return;
  }
}

// The dual: λ(y) = P(U y), Uᵀ λ(y) = b, where U spans the range of G.
class Dual {
 public:
  Dual(const ContactProblem& problem, std::vector<Freedom> freedoms, MatrixX range, VectorView impulse)
      : problem_(problem),
        freedoms_(std::move(freedoms)),
        range_(std::move(range)),
        wanted_(range_.transpose() * impulse) {
    y_ = wanted_;
    evaluate(y_);
  }

  bool solve(int most) {
    const double goal = 1e-14 * (1.0 + wanted_.norm());
    for (int k = 0; k < most && error_.norm() > goal; ++k) {
      if (!step()) break;
    }
    return error_.norm() <= 1e-9 * (1.0 + wanted_.norm());
  }
  const VectorX& impulse() const { return impulse_; }

 private:
  void evaluate(const VectorX& y) {
    const VectorX x = range_ * y;
    impulse_.resize(x.size());
    weighted_ = MatrixX::Zero(range_.rows(), range_.cols());
    value_ = -wanted_.dot(y);
    for (int i = 0; i < problem_.num_constraints(); ++i) {
      const Constraint& c = problem_.constraint(i);
      Vector3 at = Vector3::Zero(), to;
      Matrix3 derivative;
      for (int r = 0; r < c.rows; ++r) at[r] = x[c.first_row + r];
      project(c, freedoms_[i], at, to, derivative);
      for (int r = 0; r < c.rows; ++r) {
        impulse_[c.first_row + r] = to[r];
        for (int s = 0; s < c.rows; ++s)
          weighted_.row(c.first_row + r) += derivative(r, s) * range_.row(c.first_row + s);
      }
      value_ += at.dot(to) - 0.5 * to.squaredNorm();
    }
    error_ = range_.transpose() * impulse_ - wanted_;
  }

  // A damped Newton step that brings the dual value down, or the error where rounding hides that.
  bool step() {
    const VectorX at = y_, error = error_;
    const double value = value_;
    MatrixX hessian = product_of_transposed(range_, weighted_);
    hessian.diagonal().array() += 1e-12 + 1e-3 * std::min(1.0, error.norm() / (1.0 + wanted_.norm()));
    const VectorX direction = solve_symmetric(hessian, -error);
    const double slope = direction.dot(error);
    for (double share = 1.0; share > 1e-9; share *= 0.5) {
      y_ = at + share * direction;
      evaluate(y_);
      if (value_ <= value + 1e-4 * share * slope || error_.norm() < 0.9 * error.norm()) return true;
    }
    y_ = at;
    evaluate(y_);
    return false;
  }

  const ContactProblem& problem_;
  std::vector<Freedom> freedoms_;
  MatrixX range_, weighted_;
  VectorX wanted_, y_, impulse_, error_;
  double value_ = 0.0;
};

}  // namespace

LeastImpulse find_least_impulse(const ContactProblem& problem, VectorView impulse, double rank_tolerance) {
  const int m = problem.num_rows();
  if (impulse.size() != m) {
    refuse("find_least_impulse: the impulse has ", impulse.size(), " entries but the problem has ", m, " rows");
  }
  for (int k = 0; k < m; ++k) {
    if (!std::isfinite(impulse[k])) refuse("find_least_impulse: impulse[", k, "] is ", impulse[k]);
  }
  require(rank_tolerance >= 0.0 && rank_tolerance < 1.0, "rank_tolerance", rank_tolerance, "0 … 1");
  LeastImpulse out{VectorX(impulse), VectorX::Zero(m), 0.0, true};
  if (m == 0) return out;
  const MatrixX g = problem.to_dense();
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (g + g.transpose()));
  const double cut = rank_tolerance * eigen.values.cwiseAbs().maxCoeff();
  const int kept = static_cast<int>((eigen.values.array() > cut).count());
  VectorX velocity(m);
  problem.velocity(impulse, velocity);
  Dual dual(problem, freedoms_of(problem, impulse, velocity), eigen.vectors.rightCols(kept), impulse);
  out.converged = dual.solve(200);
  out.impulse = dual.impulse();
  out.internal = impulse - out.impulse;
  out.mismatch = (g * out.internal).cwiseAbs().maxCoeff() / problem.largest_free_velocity();
  return out;
}

}  // namespace stiction
