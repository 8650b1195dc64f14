#include "stiction/solvers/interior_point/arclength.h"

#include <algorithm>
#include <cmath>

namespace stiction {

void Arclength::resize(int n) {
  point.resize(n);
  for (Tangent* t : {&tangent_, &newton_, &normal_, &corrector_}) t->v.resize(n);
  saved_.resize(n);
  rc_.resize(n, 3);
  zero_.setZero(n, 3);
  weight_l_.resize(n);
  weight_y_.resize(n);
}

// Tangent of the path (κ e on the right, log κ moves by one) and Newton direction at fixed κ, from one factorisation.
bool Arclength::find_directions(ConeTask& task, double delta) {
  if (!task.factor(point.at, delta)) return false;
  ++task.iterations;
  rc_.leftCols(2).setZero();
  rc_.col(2).setConstant(kappa_);
  task.system->solve(point.at, zero_, rc_, tangent_.v);
  tangent_.log_kappa = 1.0;
  task.cones->complementarity_residual(point.at, kappa_, 0.0, nullptr, rc_);
  task.system->solve(point.at, point.rp, rc_, newton_.v);
  newton_.log_kappa = 0.0;
  return true;
}

void Arclength::weigh(const ConeTask& task) {
  weight_l_ = (task.cones->friction() / point.at.x.col(2)).square();
  weight_y_ = point.at.y.col(2).square().inverse();
}

double Arclength::inner(const Tangent& a, const Tangent& b) const {
  return ((a.v.impulse * b.v.impulse).rowwise().sum() * weight_l_).sum() +
         ((a.v.y * b.v.y).rowwise().sum() * weight_y_).sum() + a.log_kappa * b.log_kappa;
}

double Arclength::largest_step(const ConeTask& task, const ConeVector& direction) const {
  double inverse = 1e-30;
  for (int i = 0; i < task.cones->size(); ++i) {
    inverse = std::max({inverse, PolarStep::inverse_largest(get(point.at.x, i), get(direction.x, i)),
                        PolarStep::inverse_largest(get(point.at.y, i), get(direction.y, i))});
  }
  return 1.0 / inverse;
}

void Arclength::advance(const ConeTask& task, const Tangent& direction, double step) {
  for (int i = 0; i < task.cones->size(); ++i) {
    put(point.at.x, i, PolarStep::advance(get(point.at.x, i), get(direction.v.x, i), step));
    put(point.at.y, i, PolarStep::advance(get(point.at.y, i), get(direction.v.y, i), step));
  }
  for (const ScalarConstraint& s : task.cones->scalars()) {
    if (s.kind != ConstraintKind::bilateral) continue;
    put(point.at.impulse, s.index, get(point.at.impulse, s.index) + step * get(direction.v.impulse, s.index));
  }
  task.cones->from_cone(point.at);
  kappa_ *= std::exp(step * direction.log_kappa);
}

void Arclength::predict(const ConeTask& task) {
  double step = length_ * std::min(largest_step(task, normal_.v), 30.0);
  if (std::abs(step * normal_.log_kappa) > 1.5) step = 1.5 / std::abs(normal_.log_kappa);
  advance(task, normal_, step);
  correctors_ = 0;
}

// Back to the last point of the path with a shorter predictor.
bool Arclength::go_back(const ConeTask& task) {
  point.at = saved_;
  kappa_ = saved_kappa_;
  length_ *= 0.3;
  if (length_ < smallest_length_) return false;
  predict(task);
  return true;
}

bool Arclength::turned_too_far(double sign, double tangent_norm) const {
  const double cosine = sign * inner(normal_, tangent_) / (tangent_norm * std::sqrt(inner(normal_, normal_)));
  return cosine < 0.5 && length_ > 1e-3;
}

// The point is on the path: remember it and step along n = −sign(det) t/‖t‖.
void Arclength::accept(ConeTask& task) {
  const double sign = -task.system->determinant_sign();
  const double norm = std::sqrt(inner(tangent_, tangent_));
  if (on_path_ && turned_too_far(sign, norm)) {
    go_back(task);
    return;
  }
  if (on_path_ && correctors_ <= 2) length_ = std::min(largest_length_, 1.5 * length_);
  saved_ = point.at;
  saved_kappa_ = kappa_;
  normal_.v.impulse = (sign / norm) * tangent_.v.impulse;
  normal_.v.x = (sign / norm) * tangent_.v.x;
  normal_.v.y = (sign / norm) * tangent_.v.y;
  normal_.log_kappa = sign / norm;
  on_path_ = true;
  predict(task);
}

// One step c = d₀ + b t back to the path; false when that fails for good.
bool Arclength::correct(const ConeTask& task, double shift) {
  ++correctors_;
  if (correctors_ > 8 && on_path_) return go_back(task);
  double step = std::min(1.0, 0.9 * largest_step(task, corrector_.v));
  if (std::abs(shift * step) > 1.0) step = 1.0 / std::abs(shift);
  advance(task, corrector_, step);
  return kappa_ < 1e8;
}

bool Arclength::run(ConeTask& task, const ArclengthOptions& options) {
  const int limit = task.system->factorisations + options.max_factorisations;
  kappa_ = task.cones->mean_product(point.at);
  length_ = options.first_length;
  smallest_length_ = options.smallest_length;
  largest_length_ = options.largest_length;
  on_path_ = false;
  correctors_ = 0;
  for (;;) {
    const bool finite = point.evaluate(task, options.delta);
    if (task.done() || task.is_acceptable()) return true;
    if (!finite || task.system->factorisations >= limit || !task.may_factor()) return false;
    if (!find_directions(task, options.delta)) return false;
    weigh(task);

    const double shift = on_path_ ? -inner(normal_, newton_) / inner(normal_, tangent_) : 0.0;
    corrector_.v.impulse = newton_.v.impulse + shift * tangent_.v.impulse;
    corrector_.v.x = newton_.v.x + shift * tangent_.v.x;
    corrector_.v.y = newton_.v.y + shift * tangent_.v.y;
    corrector_.log_kappa = shift;
    const double distance = std::sqrt(inner(corrector_, corrector_));
    if (!std::isfinite(distance)) return false;
    if (distance < 0.1 && (correctors_ > 0 || !on_path_)) {
      accept(task);
      if (saved_kappa_ <= options.enough_kappa) {
        point.at = saved_;
        return true;
      }
    } else if (!correct(task, shift)) {
      return false;
    }
  }
}

}  // namespace stiction
