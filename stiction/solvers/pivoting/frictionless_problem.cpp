#include "stiction/solvers/pivoting/frictionless_problem.h"

#include <algorithm>
#include <limits>

namespace stiction {

void FrictionlessProblem::build(const ContactProblem& problem, const CondensedProblem& condensed, VectorView start) {
  num_rows_ = problem.num_rows();
  rows_.clear();
  for (const Constraint& c : problem.constraints()) {
    if (c.kind != ConstraintKind::bilateral) rows_.push_back(c.first_row + c.rows - 1);  // the normal is the last row
  }
  const int n = static_cast<int>(rows_.size());
  lcp_.matrix.resize(n, n);
  lcp_.offset.resize(n);
  lower_.resize(n);
  upper_.resize(n);
  const bool started = start.size() == num_rows_;
  int k = 0;
  for (const Constraint& c : problem.constraints()) {
    if (c.kind == ConstraintKind::bilateral) continue;
    const bool boxed = c.kind == ConstraintKind::dry_friction;
    const double bound = c.bound * condensed.impulse_scale(), from = started ? start[c.first_row] : 0.0;
    lower_[k] = boxed ? std::min(0.0, -bound - from) : 0.0;
    upper_[k] = boxed ? std::max(0.0, bound - from) : std::numeric_limits<double>::infinity();
    ++k;
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      // Elimination leaves a symmetric matrix up to rounding.
      lcp_.matrix(i, j) = 0.5 * (condensed.matrix(rows_[i], rows_[j]) + condensed.matrix(rows_[j], rows_[i]));
    }
    lcp_.offset[j] = condensed.offset(rows_[j]);
    if (!started) continue;
    for (int i = 0; i < num_rows_; ++i) {
      if (start[i] != 0.0) lcp_.offset[j] += condensed.matrix(rows_[j], i) * start[i];
    }
  }
}

void FrictionlessProblem::scatter(const VectorX& unknown, VectorX& scaled) const {
  scaled.setZero(num_rows_);
  for (size_t k = 0; k < rows_.size(); ++k) scaled[rows_[k]] = unknown[static_cast<Eigen::Index>(k)];
}

}  // namespace stiction
