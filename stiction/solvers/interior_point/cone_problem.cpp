#include "stiction/solvers/interior_point/cone_problem.h"

#include <limits>

namespace stiction {
namespace {

// The λ inside (−bound, bound) whose velocity on the central path, −κ λ/(bound² − λ²), leaves λ − σ = z.
double central_in_box(double z, double bound, double kappa) {
  double low = 0.0, high = bound;  // of |λ|, with which λ − σ grows to ∞; fifty halvings stay clear of the bound
  for (int k = 0; k < 50; ++k) {
    const double l = 0.5 * (low + high);
    (l + kappa * l / ((bound - l) * (bound + l)) < std::abs(z) ? low : high) = l;
  }
  return std::copysign(low, z);
}

}  // namespace

ScalarPair scalar_pair(const ScalarConstraint& s, const ConePoint<double>& x, const ConePoint<double>& y,
                       const ConePoint<double>& rc) {
  if (s.kind == ConstraintKind::unilateral) return {x.n, y.n, rc.n};
  const double ratio = x.t1 / x.n;
  return {(x.n - x.t1) * (x.n + x.t1) / x.n, y.n - ratio * y.t1, rc.t1 - ratio * rc.n};
}

ConePoint<double> scalar_dual_step(const ScalarConstraint& s, const ConePoint<double>& x, const ConePoint<double>& y,
                                   const ConePoint<double>& rc, double velocity_step, double impulse_step) {
  if (s.kind == ConstraintKind::unilateral) return {0.0, 0.0, velocity_step};
  if (s.kind == ConstraintKind::bilateral) return {0.0, 0.0, 0.0};
  return {velocity_step, 0.0, (rc.n - x.t1 * velocity_step - y.t1 * impulse_step) / x.n};
}

void ConeProblem::load(const ContactProblem& problem) {
  const int n = problem.num_constraints();
  for (ArrayX* a :
       {&friction_, &true_friction_, &cone_weight_, &root_weight_, &inverse_root_weight_, &impulse_measure_,
        &velocity_measure_, &own_impulse_, &own_push_, &own_speed_, &start_, &relative_, &natural_, &primal_}) {
    a->resize(n);
  }
  free_velocity_.setZero(n, 3);
  compliance_.setZero(n, 3);
  first_row_.resize(n);
  rows_.resize(n);
  scalars_.clear();
  gamma_ = 0.0;
  num_cones_ = 0.0;
  const VectorX& g = problem.free_velocity();
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem.constraint(i);
    double w = problem.diagonal_block(i).trace();
    for (int r = 0; r < c.rows; ++r) w += problem.compliance()[c.first_row + r];
    w /= c.rows;
    if (!(w > 0.0)) w = problem.largest_diagonal();
    first_row_[i] = c.first_row;
    rows_[i] = c.rows;
    root_weight_[i] = std::sqrt(w);
    inverse_root_weight_[i] = 1.0 / root_weight_[i];
    const bool contact = c.kind == ConstraintKind::frictional;
    const bool frictional = contact && c.friction >= smallest_friction;
    true_friction_[i] = contact ? c.friction : 1.0;
    friction_[i] = frictional ? c.friction : 1.0;
    cone_weight_[i] = c.kind == ConstraintKind::bilateral ? 0.0 : 1.0;
    num_cones_ += cone_weight_[i];
    if (!frictional) {
      const ConstraintKind kind = contact ? ConstraintKind::unilateral : c.kind;
      scalars_.push_back({i, kind, contact ? 2 : 0, c.bound, c.bound});
    }
    for (int r = 0; r < c.rows; ++r) {
      gamma_ = std::max(gamma_, std::abs(g[c.first_row + r]) * inverse_root_weight_[i]);
      compliance_(i, r) = problem.compliance()[c.first_row + r] / w;
    }
  }
  if (!(gamma_ > 0.0)) gamma_ = 1.0;
  num_cones_ = std::max(1.0, num_cones_);
  read_rows(g.data(), 1.0 / gamma_, free_velocity_);
  const double velocity_scale = 1.0 / problem.largest_free_velocity();
  impulse_measure_ = gamma_ * problem.largest_diagonal() * velocity_scale * inverse_root_weight_;
  velocity_measure_ = gamma_ * velocity_scale * root_weight_;
  for (int i = 0; i < n; ++i) {
    const ConstraintScale& scale = problem.scale(i);
    own_impulse_[i] = gamma_ * inverse_root_weight_[i] * scale.impulse;
    own_push_[i] = scale.push;
    own_speed_[i] = scale.speed;
  }
  start_ = free_velocity_.matrix().rowwise().norm().array().max(start_floor);
  for (ScalarConstraint& s : scalars_) {
    s.bound = std::max(smallest_bound, s.bound * root_weight_[s.index] / gamma_);
  }
}

void ConeProblem::write_rows(const Rows3& scaled, const ArrayX& factor, double* rows) const {
  for (int i = 0; i < size(); ++i) {
    for (int r = 0; r < rows_[i]; ++r) rows[first_row_[i] + r] = factor[i] * scaled(i, r);
  }
}

void ConeProblem::read_rows(const double* rows, double unit, Rows3& scaled) const {
  for (int i = 0; i < size(); ++i) {
    for (int r = 0; r < 3; ++r) {
      scaled(i, r) = r < rows_[i] ? rows[first_row_[i] + r] * unit * inverse_root_weight_[i] : 0.0;
    }
  }
}

void ConeProblem::read_impulse(const VectorX& impulse, Rows3& scaled) const {
  for (int i = 0; i < size(); ++i) {
    for (int r = 0; r < 3; ++r) {
      scaled(i, r) = r < rows_[i] ? impulse[first_row_[i] + r] * root_weight_[i] / gamma_ : 0.0;
    }
  }
}

void ConeProblem::write_impulse(const Rows3& scaled, VectorX& impulse) const {
  for (int i = 0; i < size(); ++i) {
    const double factor = gamma_ * inverse_root_weight_[i];
    for (int r = 0; r < rows_[i]; ++r) impulse[first_row_[i] + r] = factor * scaled(i, r);
  }
  for (const ScalarConstraint& s : scalars_) {
    if (s.kind != ConstraintKind::dry_friction) continue;
    double& value = impulse[first_row_[s.index]];
    value = std::min(s.true_bound, std::max(-s.true_bound, value));
  }
}

void ConeProblem::to_cone(ConeVector& point) const {
  to_cone_direction(point);
  for (const ScalarConstraint& s : scalars_) {
    if (s.kind == ConstraintKind::dry_friction) point.x(s.index, 2) = s.bound;
    if (s.kind == ConstraintKind::bilateral) point.x(s.index, 2) = 1.0;
  }
}

void ConeProblem::to_cone_direction(ConeVector& point) const {
  point.x.col(0) = point.impulse.col(0);
  point.x.col(1) = point.impulse.col(1);
  point.x.col(2) = friction_ * point.impulse.col(2);
  for (const ScalarConstraint& s : scalars_) {
    const double value = point.impulse(s.index, s.row);
    if (s.kind == ConstraintKind::unilateral) put(point.x, s.index, {0.0, 0.0, value});
    if (s.kind == ConstraintKind::dry_friction) put(point.x, s.index, {value, 0.0, 0.0});
    if (s.kind == ConstraintKind::bilateral) put(point.x, s.index, {0.0, 0.0, 0.0});
  }
}

void ConeProblem::from_cone(ConeVector& point) const {
  // Lines pass through x (μ is 1 there), so that the arrays can be copied whole.
  for (const ScalarConstraint& s : scalars_) {
    if (s.kind == ConstraintKind::bilateral) put(point.x, s.index, get(point.impulse, s.index));
  }
  point.impulse.col(0) = point.x.col(0);
  point.impulse.col(1) = point.x.col(1);
  point.impulse.col(2) = point.x.col(2) / friction_;
  for (const ScalarConstraint& s : scalars_) {
    const ConePoint<double> x = get(point.x, s.index);
    if (s.kind == ConstraintKind::unilateral) put(point.impulse, s.index, scalar_row(s, x.n));
    if (s.kind == ConstraintKind::dry_friction) put(point.impulse, s.index, {x.t1, 0.0, 0.0});
    if (s.kind == ConstraintKind::bilateral) put(point.x, s.index, {0.0, 0.0, 1.0});
  }
}

void ConeProblem::start_cold(double scale, ConeVector& point, double floor) const {
  point.impulse.leftCols(2).setZero();
  point.impulse.col(2) = scale * start_.max(floor);
  point.y.leftCols(2).setZero();
  point.y.col(2) = scale * start_.max(floor) * friction_.inverse().max(1.0);
  for (const ScalarConstraint& s : scalars_) {
    const double c = scale * std::max(floor, start_[s.index]);
    put(point.impulse, s.index, scalar_row(s, s.kind == ConstraintKind::unilateral ? c : 0.0));
    // A wide box must not dominate the mean of x·y.
    if (s.kind == ConstraintKind::dry_friction) put(point.y, s.index, {0.0, 0.0, c * std::min(1.0, c / s.bound)});
    if (s.kind == ConstraintKind::bilateral) put(point.y, s.index, {0.0, 0.0, 1.0});
  }
  to_cone(point);
}

void ConeProblem::start_from_impulse(ConeVector& point) const {
  constexpr double inside = 1.2;
  for (int i = 0; i < size(); ++i) {
    if (cone_weight_[i] == 0.0) continue;
    ConePoint<double> l = get(point.impulse, i);
    const double mu = friction_[i], c = start_[i];
    l.n = std::max({std::abs(l.n), inside * tangent_norm(l) / mu, c});
    put(point.impulse, i, l);
    put(point.y, i, {0.0, 0.0, c * std::max(1.0, 1.0 / mu)});
  }
  for (const ScalarConstraint& s : scalars_) {
    const double c = start_[s.index], l = point.impulse(s.index, s.row);
    if (s.kind == ConstraintKind::unilateral) {
      put(point.impulse, s.index, scalar_row(s, std::max(std::abs(l), c)));
    } else if (s.kind == ConstraintKind::dry_friction) {
      const double reach = s.bound / inside;
      put(point.impulse, s.index, {std::min(reach, std::max(-reach, l)), 0.0, 0.0});
      put(point.y, s.index, {0.0, 0.0, c * std::min(1.0, c / s.bound)});
    } else {
      put(point.y, s.index, {0.0, 0.0, 1.0});
    }
  }
  to_cone(point);
}

// The difference of primal and dual says which of the two is large: x − y is taken from the guess, and each pair with
// this difference and the product κ is as central as can be. A contact that is decided moves by κ, one that is not by
// √κ.
void ConeProblem::start_near(const Rows3& sigma, double kappa, double delta, ConeVector& point) const {
  auto scalar = scalars_.begin();
  for (int i = 0; i < size(); ++i) {
    if (scalar != scalars_.end() && scalar->index == i) {  // they ascend
      ++scalar;
      continue;
    }
    const ConePoint<double> l = get(point.impulse, i);
    const double mu = friction_[i];
    const ConePoint<double> x{l.t1, l.t2, mu * l.n}, y = dual_of_velocity(get(sigma, i), mu, delta);
    const CentralConePair pair(x - y, kappa);
    put(point.impulse, i, {pair.x.t1, pair.x.t2, pair.x.n / mu});
    put(point.y, i, pair.y);
  }
  for (const ScalarConstraint& s : scalars_) {
    const double z = point.impulse(s.index, s.row) - sigma(s.index, s.row);
    if (s.kind == ConstraintKind::unilateral) {
      const CentralPair pair(z, kappa);
      put(point.impulse, s.index, scalar_row(s, pair.x));
      put(point.y, s.index, {0.0, 0.0, pair.y});
    } else if (s.kind == ConstraintKind::dry_friction) {
      const double l = central_in_box(z, s.bound, kappa), room = kappa / ((s.bound - l) * (s.bound + l));
      put(point.impulse, s.index, {l, 0.0, 0.0});
      put(point.y, s.index, {-room * l, 0.0, room * s.bound});
    } else {
      put(point.y, s.index, {0.0, 0.0, 1.0});
    }
  }
  to_cone(point);
}

double ConeProblem::primal_residual(const Rows3& sigma, const Rows3& y, double delta, Rows3& rp) const {
  const int n = size();
  const double* mu = friction_.data();
  double* largest = primal_.data();
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    const ConePoint<double> r = get(sigma, i) - velocity_of_dual(get(y, i), mu[i], delta);
    put(rp, i, r);
    const double a = std::abs(r.t1), b = std::abs(r.t2), c = std::abs(r.n);
    const double ab = a > b ? a : b;
    largest[i] = ab > c ? ab : c;
  }
  for (const ScalarConstraint& s : scalars_) {
    const ConePoint<double> v = get(y, s.index);
    ConePoint<double> r = get(sigma, s.index);
    if (s.kind == ConstraintKind::unilateral) r = scalar_row(s, sigma(s.index, s.row) - v.n);
    if (s.kind == ConstraintKind::dry_friction) r.t1 -= v.t1;
    put(rp, s.index, r);
    largest[s.index] = std::max({std::abs(r.t1), std::abs(r.t2), std::abs(r.n)});
  }
  return primal_.maxCoeff();
}

void ConeProblem::bent_primal_residual(const Rows3& rp, const ConeVector& at, const ConeVector& direction, double a,
                                       double delta, Rows3& bent) const {
  const int n = size();
  const double* mu = friction_.data();
  const double over_a = 1.0 / a;
  bent = rp;
  double* normal = bent.data() + 2 * n;
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    const ConePoint<double> y = get(at.y, i), step = a * get(direction.y, i);
    const DualDerivative<double> derivative(y, mu[i], delta);
    const double change = velocity_of_dual(y + step, mu[i], delta).n - velocity_of_dual(y, mu[i], delta).n;
    normal[i] -= over_a * (change - (derivative * step).n);
  }
  for (const ScalarConstraint& s : scalars_) normal[s.index] = rp(s.index, 2);  // σ is linear in y there
}

void ConeProblem::complementarity_residual(const ConeVector& at, double target, double second_order,
                                           const ConeVector* direction, Rows3& rc) const {
  const int n = size();
  if (second_order == 0.0) {
    STICTION_VECTORISE
    for (int i = 0; i < n; ++i) {
      const ConePoint<double> p = jordan_product(get(at.x, i), get(at.y, i));
      put(rc, i, {-p.t1, -p.t2, target - p.n});
    }
    return;
  }
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    const ConePoint<double> p = jordan_product(get(at.x, i), get(at.y, i));
    const ConePoint<double> q = second_order * jordan_product(get(direction->x, i), get(direction->y, i));
    put(rc, i, {-p.t1 - q.t1, -p.t2 - q.t2, target - p.n - q.n});
  }
}

double ConeProblem::mean_product(const ConeVector& at) const {
  return ((at.x * at.y).rowwise().sum() * cone_weight_).sum() / num_cones_;
}

double ConeProblem::mean_product(const ConeVector& at, const ConeVector& direction, double a) const {
  const int n = size();
  const double* weight = cone_weight_.data();
  double* product = primal_.data();
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    product[i] = weight[i] * dot(get(at.x, i) + a * get(direction.x, i), get(at.y, i) + a * get(direction.y, i));
  }
  return primal_.sum() / num_cones_;
}

double ConeProblem::largest_step(const ConeVector& at, const ConeVector& direction) const {
  const int n = size();
  double* inverse = primal_.data();
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    const double a = inverse_largest_step(get(at.x, i), get(direction.x, i));
    const double b = inverse_largest_step(get(at.y, i), get(direction.y, i));
    inverse[i] = a > b ? a : b;
  }
  return 1.0 / std::max(1e-30, primal_.maxCoeff());
}

int ConeProblem::tightest(const ConeVector& at, const ConeVector& direction) const {
  largest_step(at, direction);  // leaves the inverse steps in primal_
  Eigen::Index i = 0;
  primal_.maxCoeff(&i);
  return static_cast<int>(i);
}

namespace {

// Distance of (t, n) from { t ≤ μ n } in the plane.
inline double cone_distance(double t, double n, double mu, double over_hypotenuse) {
  const double side = (t - mu * n) * over_hypotenuse;
  const double outside = side > 0.0 ? side : 0.0;
  return mu * t <= -n ? std::sqrt(t * t + n * n) : outside;
}

}  // namespace

StoppingResidual ConeProblem::residual(const Rows3& impulse, const Rows3& sigma) const {
  const int n = size();
  const double *friction = true_friction_.data(), *unit_l = impulse_measure_.data(), *unit_s = velocity_measure_.data();
  const double *own_l = own_impulse_.data(), *own_a = own_push_.data(), *own_v = own_speed_.data();
  double *relative = relative_.data(), *natural = natural_.data(), *primal = primal_.data();
  STICTION_VECTORISE
  for (int i = 0; i < n; ++i) {
    const double mu = friction[i];
    const ConePoint<double> raw = get(impulse, i), s = unit_s[i] * get(sigma, i);
    const ConePoint<double> l = unit_l[i] * raw, o = own_l[i] * raw;
    const double lt = tangent_norm(l), st = tangent_norm(s);
    const double over_hypotenuse = 1.0 / std::sqrt(1.0 + mu * mu);
    const double p = cone_distance(lt, l.n, mu, over_hypotenuse);
    // The dual cone { μ ‖z_T‖ ≤ z_N }: its polar is −K. Beyond μ = 1 penetration counts with 1/√2.
    const double zn = s.n + mu * st;
    const double flat = mu > 1.0 ? 0.70710678118654752 : over_hypotenuse;
    const double apex = st <= -mu * zn ? std::sqrt(st * st + zn * zn) : 0.0;
    const double side = s.n < 0.0 ? -s.n * flat : 0.0;
    const double d = apex > side ? apex : side;
    const double w = std::abs(l.t1 * s.t1 + l.t2 * s.t2 + l.n * zn);
    const double pw = p > w ? p : w;
    relative[i] = pw > d ? pw : d;

    // ε_nat: a, v and the four parts of judge.h.
    const double ot = tangent_norm(o), norm = std::sqrt(ot * ot + o.n * o.n);
    const ConePoint<double> free = unit_s[i] * get(free_velocity_, i);
    const double c1 = std::abs(s.t1 - free.t1), c2 = std::abs(s.t2 - free.t2), c3 = std::abs(s.n - free.n);
    const double c12 = c1 > c2 ? c1 : c2, c123 = c12 > c3 ? c12 : c3, moved = c123 < 1.0 ? c123 : 1.0;
    const double pushed = norm > own_a[i] ? norm : own_a[i], a = pushed > moved ? pushed : moved;
    const double fast = ConstraintScale::range * norm;
    const double faster = fast > own_v[i] ? fast : own_v[i], v = faster < 1.0 ? faster : 1.0;
    const double most = ot + a, cone = mu * (o.n > 0.0 ? o.n : 0.0), reach = cone < most ? cone : most;
    const double m1 = st * o.t1 + reach * s.t1, m2 = st * o.t2 + reach * s.t2;
    const double over_a = 1.0 / a, over_v = 1.0 / v, over_work = over_a * over_v;
    const double own_p = cone_distance(ot, o.n, mu, over_hypotenuse) * over_a;
    const double own_d = -s.n * over_v, own_w = std::abs(o.n * s.n) * over_work;
    const double own_m = std::sqrt(m1 * m1 + m2 * m2) * over_work;
    const double first = own_p > own_d ? own_p : own_d, second = own_w > own_m ? own_w : own_m;
    primal[i] = own_p;
    natural[i] = first > second ? first : second;
  }
  overwrite_scalar_residuals(impulse, sigma);
  if (!std::isfinite(impulse.sum() + sigma.sum())) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {infinity, infinity, infinity};
  }
  return {natural_.maxCoeff(), relative_.maxCoeff(), primal_.maxCoeff()};
}

void ConeProblem::overwrite_scalar_residuals(const Rows3& impulse, const Rows3& sigma) const {
  for (const ScalarConstraint& s : scalars_) {
    if (s.is_frictionless_contact()) continue;  // the cone with μ = 0 measures it
    const int i = s.index;
    const ConePoint<double> l = impulse_measure_[i] * get(impulse, i), v = velocity_measure_[i] * get(sigma, i);
    const ConePoint<double> o = own_impulse_[i] * get(impulse, i);
    const double change = std::abs(v.t1 - velocity_measure_[i] * free_velocity_(i, 0));
    const double norm = std::sqrt(dot(o, o)), a = std::max({own_push_[i], norm, std::min(1.0, change)});
    const double speed = std::min(1.0, std::max(own_speed_[i], ConstraintScale::range * norm));
    double own_primal = 0.0, own_rest = 0.0;
    if (s.kind == ConstraintKind::unilateral) {
      relative_[i] = std::max({0.0, -l.t1, -v.t1, std::abs(l.t1 * v.t1)});
      own_primal = std::max(0.0, -o.t1) / a;
      own_rest = std::max(-v.t1 / speed, std::abs(o.t1 * v.t1) / (a * speed));
    } else if (s.kind == ConstraintKind::dry_friction) {
      const double unscaled = s.true_bound * root_weight_[i] / gamma_;
      const double bound = impulse_measure_[i] * unscaled, own_bound = own_impulse_[i] * unscaled;
      relative_[i] = std::abs(l.t1 - std::min(bound, std::max(-bound, l.t1 - v.t1)));
      const double size = std::max(own_bound, ConstraintScale::floor * a);
      const double reach = std::min(own_bound, std::abs(o.t1) + size);
      own_primal = std::max(0.0, std::abs(o.t1) - own_bound) / size;
      own_rest = std::abs(v.t1) * std::abs(o.t1 + std::copysign(reach, v.t1)) / (size * speed);
    } else {
      const double moving = std::sqrt(dot(v, v));
      relative_[i] = std::max(moving, std::abs(dot(l, v)));
      own_rest = moving / speed;
    }
    primal_[i] = own_primal;
    natural_[i] = std::max(own_primal, own_rest);
  }
}

double ConeProblem::largest_normal(const ConeVector& at) const {
  double largest = (friction_ * at.impulse.col(2)).maxCoeff();
  for (const ScalarConstraint& s : scalars_) {
    if (s.kind == ConstraintKind::unilateral) largest = std::max(largest, at.x(s.index, 2));
  }
  return largest;
}

double ConeProblem::relative_violation(const Rows3& impulse) const {
  double violation = 0.0, total = 0.0;
  for (int i = 0; i < size(); ++i) {
    const ConePoint<double> l = get(impulse, i);
    const double mu = friction_[i], t = tangent_norm(l);
    violation += cone_distance(t, l.n, mu, 1.0 / std::sqrt(1.0 + mu * mu));
    total += std::sqrt(dot(l, l));
  }
  for (const ScalarConstraint& s : scalars_) {
    const ConePoint<double> l = get(impulse, s.index);
    const double mu = friction_[s.index];
    violation -= cone_distance(tangent_norm(l), l.n, mu, 1.0 / std::sqrt(1.0 + mu * mu));
    total -= std::sqrt(dot(l, l));
  }
  return total > 0.0 ? violation / total : 0.0;
}

}  // namespace stiction
