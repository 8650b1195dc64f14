#include "stiction/solvers/pivoting/condensed_problem.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/linear_algebra/dense_delassus.h"

namespace stiction {
namespace {

// A diagonal entry that elimination has brought below this fraction of its first value is zero up to rounding.
constexpr double dependent_fraction = 1e-12;

double power_of_two_near(double x) {
  return std::exp2(std::min(1023.0, std::round(std::log2(x))));  // 2^1024 is infinite, the largest double nearly that
}

}  // namespace

void CondensedProblem::build(const ContactProblem& problem, double regularisation, VectorView centre) {
  const int m = problem.num_rows();
  dictionary_.resize(m, m);
  MatrixX& a = dictionary_.table();
  fill_dense(problem, a);
  a.diagonal() += problem.compliance();
  // Powers of two near max diag(G) and max |g|: scaling then costs no digit of problems with large impulses.
  const double diagonal_scale = power_of_two_near(problem.largest_diagonal());
  const double velocity_scale = power_of_two_near(problem.largest_free_velocity());
  a /= diagonal_scale;
  a.diagonal().array() += regularisation;
  dictionary_.value() = problem.free_velocity() / velocity_scale;
  impulse_scale_ = diagonal_scale / velocity_scale;
  if (centre.size() == m) dictionary_.value() -= regularisation * impulse_scale_ * centre;

  eliminated_.clear();
  dependent_.clear();
  diagonal_0_.resize(m);
  for (const Constraint& c : problem.constraints()) {
    if (c.kind != ConstraintKind::bilateral) continue;
    for (int r = c.first_row; r < c.first_row + c.rows; ++r) {
      diagonal_0_[r] = std::abs(a(r, r));
      dependent_.push_back(r);
    }
  }
  while (!dependent_.empty()) {
    size_t best = 0;
    for (size_t k = 1; k < dependent_.size(); ++k) {
      if (std::abs(a(dependent_[k], dependent_[k])) > std::abs(a(dependent_[best], dependent_[best]))) best = k;
    }
    const int row = dependent_[best];
    if (!(std::abs(a(row, row)) > dependent_fraction * diagonal_0_[row])) break;
    dependent_.erase(dependent_.begin() + static_cast<std::ptrdiff_t>(best));
    eliminated_.push_back(row);
    dictionary_.exchange(row, row);
  }
}

void CondensedProblem::recover(VectorX& scaled, VectorX& impulse) const {
  for (int row : eliminated_) scaled[row] = 0.0;  // these columns now belong to σ̂ of their rows, which is zero
  for (int row : dependent_) scaled[row] = 0.0;
  impulse.noalias() = scaled / impulse_scale_;
  for (int row : eliminated_) {
    impulse[row] = (dictionary_.value()[row] + dictionary_.table().row(row).dot(scaled)) / impulse_scale_;
  }
}

}  // namespace stiction
