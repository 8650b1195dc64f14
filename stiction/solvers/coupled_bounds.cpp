#include "stiction/solvers/coupled_bounds.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace stiction {

void CoupledBounds::start(Eigen::Index count) {
  residual_.setZero(count);
  last_residual_.setZero(count);
  last_bounds_.setZero(count);
  residual_steps_.setZero(count, depth);
  bound_steps_.setZero(count, depth);
  steps_ = 0;
}

void CoupledBounds::improve(const VectorX& reached, VectorX& bounds) {
  constexpr int patient = 25;
  residual_ = reached - bounds;
  if (steps_ > 0) {
    const int column = (steps_ - 1) % depth;
    residual_steps_.col(column) = residual_ - last_residual_;
    bound_steps_.col(column) = bounds - last_bounds_;
  }
  last_residual_ = residual_;
  last_bounds_ = bounds;
  const int count = std::min(steps_, depth);
  ++steps_;
  if (steps_ > patient) {
    bounds += 0.5 * residual_;
    return;
  }
  bounds += residual_;
  if (count == 0) return;
  // Shares γ that make ‖residual − ΔR γ‖ least, by normal equations with a little damping: rounds whose residuals are
  // parallel count once.
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, depth, depth>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, depth, 1>;
  const auto steps = residual_steps_.leftCols(count);
  Small normal(count, count);
  SmallVector right(count);
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < count; ++b) normal(a, b) = steps.col(a).dot(steps.col(b));
    right[a] = steps.col(a).dot(residual_);
  }
  const double trace = normal.trace();
  if (!(trace > 0.0)) return;
  normal.diagonal().array() += 1e-12 * trace;
  const SmallVector share = normal.ldlt().solve(right);
  if (!share.allFinite()) return;
  for (int a = 0; a < count; ++a) bounds -= share[a] * (bound_steps_.col(a) + residual_steps_.col(a));
}

}  // namespace stiction
