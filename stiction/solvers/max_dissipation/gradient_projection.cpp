#include "stiction/solvers/max_dissipation/gradient_projection.h"

namespace stiction {

double GradientProjection::solve(const MatrixX& a, const VectorX& b, const VectorX& lower, const VectorX& upper,
                                 double tolerance, int max_iterations, VectorX& x, Interrupt* interrupt) {
  x = x.cwiseMax(lower).cwiseMin(upper);
  const auto objective_and_gradient = [&](const VectorX& at) {
    product_.noalias() = a * at;
    const double value = 0.5 * at.dot(product_) + b.dot(at);
    product_ += b;
    return value;
  };
  double value = objective_and_gradient(x);
  for (int iteration = 0;; ++iteration) {
    gradient_ = product_;
    // The part of −∇ that does not leave the bounds at once.
    direction_ = -gradient_;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      if ((x[i] <= lower[i] && direction_[i] < 0.0) || (x[i] >= upper[i] && direction_[i] > 0.0)) direction_[i] = 0.0;
    }
    const double residual = (x - (x - gradient_).cwiseMax(lower).cwiseMin(upper)).lpNorm<Eigen::Infinity>();
    const bool is_stopped = interrupt != nullptr && interrupt->check();
    if (residual <= tolerance || iteration >= max_iterations || is_stopped) return residual;

    product_.noalias() = a * direction_;
    const double curvature = direction_.dot(product_), slope = direction_.squaredNorm();
    double step = curvature > 1e-14 * slope ? slope / curvature : 1.0;
    bool fell = false;
    for (int halving = 0; halving < 60 && !fell; ++halving, step *= 0.5) {
      trial_ = (x + step * direction_).cwiseMax(lower).cwiseMin(upper);
      const double next = objective_and_gradient(trial_);
      fell = next < value;
      if (fell) value = next;
    }
    if (!fell) {
      objective_and_gradient(x);
      return residual;
    }
    x = trial_;
  }
}

}  // namespace stiction
