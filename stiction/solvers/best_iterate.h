// Keeps the best iterate that a stopping test has seen: strictly better than the last one, and a number.
#pragma once

#include "stiction/math/types.h"

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

}  // namespace stiction
