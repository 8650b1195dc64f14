#include "stiction/solvers/auto/auto_sparse_sweep.h"

#include <algorithm>

namespace stiction {

void AutoSparseSweep::load(const ContactProblem& problem) {
  problem_ = &problem;
  const int n = problem.num_constraints();
  block_.resize(n);
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem.constraint(i);
    const Matrix3& g = problem.diagonal_block(i);
    AutoLocal& block = block_[i];
    block.state = AutoLocal::State::unknown;
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) block.w[3 * r + k] = g(r, k);
      if (r < c.rows) block.w[4 * r] += problem.compliance()[c.first_row + r];
    }
  }
}

void AutoSparseSweep::velocity_of(int i, const double* lambda, double* sigma) const {
  const DelassusSparse& g = problem_->sparse();
  const Constraint& c = problem_->constraint(i);
  double s0 = 0.0, s1 = 0.0, s2 = 0.0;
  for (int k = g.row_begin[i]; k < g.row_begin[i + 1]; ++k) {
    const Constraint& other = problem_->constraint(g.column[k]);
    const double* l = lambda + other.first_row;
    const double* b = g.block[k].data();
    s0 += b[0] * l[0];
    s1 += b[1] * l[0];
    s2 += b[2] * l[0];
    if (other.rows == 3) {
      s0 += b[3] * l[1] + b[6] * l[2];
      s1 += b[4] * l[1] + b[7] * l[2];
      s2 += b[5] * l[1] + b[8] * l[2];
    }
  }
  const double s[3] = {s0, s1, s2};
  for (int r = 0; r < c.rows; ++r) {
    const int row = c.first_row + r;
    sigma[r] = s[r] + problem_->compliance()[row] * lambda[row] + problem_->free_velocity()[row];
  }
}

void AutoSparseSweep::solve_one(int i, const double* lambda, const double* sigma, double* impulse) {
  const Constraint& c = problem_->constraint(i);
  AutoLocal& block = block_[i];
  if (c.rows == 3 && block.state == AutoLocal::State::unknown) block.prepare(lambda, sigma);
  if (c.kind == ConstraintKind::frictional) {
    block.solve_contact(c.friction, lambda, sigma, impulse);
    return;
  }
  if (c.rows == 3 && block.state == AutoLocal::State::regular) {
    for (int k = 0; k < 3; ++k) {
      const double* row = block.inverse + 3 * k;
      impulse[k] = lambda[k] - (row[0] * sigma[0] + row[1] * sigma[1] + row[2] * sigma[2]);
    }
    return;
  }
  for (int k = 0; k < c.rows; ++k) {
    // Rows of a singular block move together: a third of each row's own step cannot overshoot.
    const double w = c.rows == 3 ? 3.0 * std::max({block.w[0], block.w[4], block.w[8]}) : block.w[0];
    double next = w > 0.0 ? lambda[k] - sigma[k] / w : lambda[k];
    if (c.kind == ConstraintKind::unilateral) next = std::max(0.0, next);
    if (c.kind == ConstraintKind::dry_friction) next = std::clamp(next, -c.bound, c.bound);
    impulse[k] = next;
  }
}

void AutoSparseSweep::sweep(double* lambda, bool reverse) {
  const int n = problem_->num_constraints();
  for (int k = 0; k < n; ++k) {
    const int i = reverse ? n - 1 - k : k;
    double* l = lambda + problem_->constraint(i).first_row;
    double sigma[3], next[3];
    velocity_of(i, lambda, sigma);
    solve_one(i, l, sigma, next);
    for (int r = 0; r < problem_->constraint(i).rows; ++r) l[r] = next[r];
  }
}

}  // namespace stiction
