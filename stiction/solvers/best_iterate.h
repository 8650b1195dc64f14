// Keeps the best iterate that a stopping test has seen: strictly better than the last one, and a number.
#pragma once

#include "stiction/math/aligned_vector.h"
#include "stiction/math/types.h"
#include "stiction/solvers/linear_algebra/dense_view.h"

namespace stiction {

class BestIterate {
 public:
  // The first one counts whatever its residual. σ, where it is given, is kept along.
  void start(VectorView impulse, double residual) {
    impulse_ = impulse;
    residual_ = residual;
  }
  void start(VectorView impulse, VectorView velocity, double residual) {
    start(impulse, residual);
    velocity_ = velocity;
  }
  // False, and nothing changes, unless it is better.
  bool offer(VectorView impulse, double residual) {
    if (!(residual < residual_)) return false;
    start(impulse, residual);
    return true;
  }
  bool offer(VectorView impulse, VectorView velocity, double residual) {
    if (!(residual < residual_)) return false;
    start(impulse, velocity, residual);
    return true;
  }

  const VectorX& impulse() const { return impulse_; }
  const VectorX& velocity() const { return velocity_; }
  double residual() const { return residual_; }

 private:
  VectorX impulse_, velocity_;
  double residual_ = 0.0;
};

// The same for dense problems, with λ and σ padded as in dense_view.h.
struct BestDense {
  AlignedVector<double> lambda, sigma;
  double residual = 0.0;

  void resize(std::size_t padded) {
    lambda.resize(padded);
    sigma.resize(padded);
  }
  void start(int stride, const double* l, const double* s, double value) {
    residual = value;
    dense_detail::copy_padded(l, stride, lambda.data());
    dense_detail::copy_padded(s, stride, sigma.data());
  }
  bool offer(int stride, const double* l, const double* s, double value) {
    if (!(value < residual)) return false;
    start(stride, l, s, value);
    return true;
  }
};

}  // namespace stiction
