#include "stiction/solvers/accelerated/row_sweeps.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/horizontal_projection.h"
#include "stiction/solvers/put_in_sets.h"
#include "stiction/solvers/stopping_test.h"

namespace stiction {
namespace {

double inverse_or_zero(double x) {
  return x > 0.0 ? 1.0 / x : 0.0;
}

// A law for SweepEngine.
struct NormalThenDisc {
  const ContactProblem& problem;
  const std::vector<double>&normal_step, &tangent_step;

  double relaxation() const { return 1.0; }
  void contact(int i, const Matrix3& w, const double* sigma, double* lambda) const {
    const double normal = std::max(0.0, lambda[2] - normal_step[i] * sigma[2]), pushed = normal - lambda[2];
    for (int k = 0; k < 2; ++k) lambda[k] -= tangent_step[i] * (sigma[k] + w(k, 2) * pushed);
    lambda[2] = normal;
    project_horizontally(problem.constraint(i).friction, lambda);
  }
};

}  // namespace

void RowSweeps::load(const ContactProblem& problem, const VectorX& impulse, Point& x) {
  problem_ = &problem;
  const int n = problem.num_constraints(), m = problem.num_rows();
  engine_.start(problem, impulse);
  root_.resize(m);
  impulse_.resize(m);
  normal_step_.assign(n, 0.0);
  tangent_step_.assign(n, 0.0);
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem.constraint(i);
    const Matrix3& w = engine_.block(i);
    const double mean = problem.diagonal_block(i).diagonal().head(c.rows).mean();
    root_.segment(c.first_row, c.rows).setConstant(mean > 0.0 ? std::sqrt(mean) : 1.0);
    if (c.kind != ConstraintKind::frictional) continue;
    const double bent = std::hypot(0.5 * (w(0, 0) - w(1, 1)), 0.5 * (w(0, 1) + w(1, 0)));
    normal_step_[i] = inverse_or_zero(w(2, 2));
    tangent_step_[i] = inverse_or_zero(0.5 * (w(0, 0) + w(1, 1)) + bent);
  }
  x.assign(static_cast<std::size_t>(padded4(m)), 0.0);
  parts_ = {0, x.size()};
  for (int k = 0; k < m; ++k) x[k] = impulse[k] * root_[k];
}

void RowSweeps::store(const Point& x, VectorX& impulse) const {
  for (Eigen::Index k = 0; k < root_.size(); ++k) impulse[k] = x[k] / root_[k];
}

void RowSweeps::place(Point& x) {
  store(x, impulse_);
  if (put_in_sets(problem_->constraints(), impulse_.data())) {
    for (Eigen::Index k = 0; k < root_.size(); ++k) x[k] = impulse_[k] * root_[k];
  }
  engine_.set_impulse(impulse_);
}

void RowSweeps::sweep(Point& x) {
  NormalThenDisc law{*problem_, normal_step_, tangent_step_};
  engine_.sweep(law);
  for (Eigen::Index k = 0; k < root_.size(); ++k) x[k] = engine_.impulse()[k] * root_[k];
}

double RowSweeps::residual(const Point&) {
  return stopping_residual(*problem_, ContactModel::ncp, engine_.impulse(), engine_.refresh_velocity()).natural;
}

}  // namespace stiction
