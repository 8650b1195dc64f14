#include "stiction/solvers/admm/anderson.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace stiction {

void Anderson::resize(int size, int memory) {
  assert(memory >= 0 && memory <= max_memory);
  memory_ = memory;
  if (memory > 0) {
    step_.resize(size, memory);
    change_.resize(size, memory);
    gram_.setZero(memory, memory);
    for (VectorX* v : {&last_point_, &residual_, &last_residual_, &safe_, &candidate_}) v->resize(size);
  }
  restart();
}

void Anderson::restart() {
  wait_ = waiting_ = rejected_ = since_best_ = 0;
  best_norm_ = std::numeric_limits<double>::infinity();
  forget();
}

void Anderson::forget() {
  columns_ = next_column_ = 0;
  have_last_ = extrapolated_ = false;
}

void Anderson::advance(VectorOut u, VectorView image) {
  if (memory_ == 0) {
    u = image;
    return;
  }
  residual_ = image - u;
  const double norm = residual_.norm();
  if (extrapolated_ && !(norm <= tolerated_growth * last_norm_)) {
    u = safe_;
    fail();
    return;
  }
  if (norm < 0.9 * best_norm_) {
    best_norm_ = norm;
    since_best_ = 0;
  } else if (extrapolated_ && ++since_best_ > patience) {
    u = image;
    fail();
    return;
  }
  if (have_last_) push_column(u);
  have_last_ = true;
  last_norm_ = norm;
  last_point_ = u;
  last_residual_ = residual_;
  if (waiting_ > 0) --waiting_;
  extrapolated_ = waiting_ == 0 && columns_ > 0 && extrapolate(u, image);
  if (!extrapolated_) u = image;
}

void Anderson::fail() {
  ++rejected_;
  const int limit = rejected_ > bearable_failures ? longest_wait : usual_wait;
  wait_ = wait_ == 0 ? first_wait : std::min(2 * wait_, limit);
  waiting_ = wait_;
  since_best_ = 0;
  forget();
}

void Anderson::push_column(VectorView u) {
  const int c = next_column_;
  step_.col(c) = u - last_point_;
  change_.col(c) = residual_ - last_residual_;
  columns_ = std::min(columns_ + 1, memory_);
  next_column_ = (c + 1) % memory_;
  for (int k = 0; k < columns_; ++k) gram_(c, k) = gram_(k, c) = change_.col(c).dot(change_.col(k));
}

bool Anderson::extrapolate(VectorOut u, VectorView image) {
  // Differences of late iterations are nearly parallel; the ridge keeps γ bounded and costs nothing else.
  constexpr double ridge = 1e-10;
  Small normal = gram_.topLeftCorner(columns_, columns_);
  normal.diagonal().array() += ridge * normal.trace();
  SmallVector gamma(columns_);
  for (int k = 0; k < columns_; ++k) gamma[k] = change_.col(k).dot(residual_);
  const Eigen::LDLT<Small> ldlt(normal);
  gamma = ldlt.solve(gamma).eval();
  candidate_ = image;
  for (int k = 0; k < columns_; ++k) candidate_ -= gamma[k] * (step_.col(k) + change_.col(k));
  if (!candidate_.allFinite()) return false;
  safe_ = image;
  u = candidate_;
  return true;
}

}  // namespace stiction
