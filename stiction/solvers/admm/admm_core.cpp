#include "stiction/solvers/admm/admm_core.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>

#include "stiction/math/refuse.h"
#include "stiction/math/set_coulomb_cone.h"

namespace stiction {
namespace {

constexpr double lowest_exponent = -0.5, highest_exponent = 1.0;
constexpr int power_steps = 20;

}  // namespace

void AdmmSettings::validate() const {
  require(eta > 0.0 && std::isfinite(eta), "eta", eta, "positive and finite");
  require(p >= lowest_exponent && p <= highest_exponent, "p", p, "in [-0.5, 1]");
  require(p_step >= 0.0 && std::isfinite(p_step), "p_step", p_step, "at least 0 and finite");
  require(tau > 1.0 && std::isfinite(tau), "tau", tau, "above 1 and finite");
  require(alpha > 1.0 && std::isfinite(alpha), "alpha", alpha, "above 1 and finite");
  require(hold >= 0, "hold", hold, "at least 0");
  require(over_relaxation > 0.0 && over_relaxation < 2.0, "over_relaxation", over_relaxation, "in (0, 2)");
  require(anderson >= 0 && anderson <= Anderson::max_memory, "anderson", anderson, "in 0 … 30");
  require(factorisation >= 0 && factorisation <= 3, "factorisation", factorisation,
          "0 (automatic), 1 (dense), 2 (sparse) or 3 (velocity)");
}

void add_options(AdmmSettings& q, std::vector<SolverOption>& list) {
  list.insert(list.end(),
              {
                  {"eta", "proximal weight, relative to the equilibrated G", &q.eta},
                  {"penalty_linear", "1: penalty by the linear rule instead of the spectral one", &q.penalty_linear},
                  {"p", "exponent of the spectral penalty at a cold start", &q.p},
                  {"p_step", "spectral rule: change of the exponent", &q.p_step},
                  {"tau", "linear rule: factor of the penalty", &q.tau},
                  {"alpha", "ratio of the residuals at which the penalty changes", &q.alpha},
                  {"hold", "iterations at least between two changes of the penalty", &q.hold},
                  {"over_relaxation", "relaxation of the impulse, between 0 and 2", &q.over_relaxation},
                  {"anderson", "memory of Anderson's acceleration, 0 is off", &q.anderson},
                  {"equilibrate", "scale each constraint by its diagonal block", &q.equilibrate},
                  {"factorisation", "0 automatic, 1 dense, 2 sparse, 3 velocity space", &q.factorisation},
              });
}

AdmmSet admm_set(const Constraint& c) {
  switch (c.kind) {
    case ConstraintKind::unilateral:
      return {AdmmSet::Kind::ray, 0.0};
    case ConstraintKind::bilateral:
      return {AdmmSet::Kind::whole, 0.0};
    case ConstraintKind::dry_friction:
      return {AdmmSet::Kind::box, c.bound};
    default:
      return {AdmmSet::Kind::cone, c.friction};
  }
}

void AdmmCore::set_up(const ContactProblem& problem, std::span<const AdmmSet> sets, bool de_saxce,
                      const AdmmSettings& parameters) {
  parameters.validate();
  assert(static_cast<int>(sets.size()) == problem.num_constraints());
  const int m = problem.num_rows();
  problem_ = &problem;
  parameters_ = parameters;
  de_saxce_ = de_saxce;
  sets_.assign(sets.begin(), sets.end());
  active_.assign(m, 1);
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    const AdmmSet::Kind kind = sets[i].kind;
    const bool tangents = kind != AdmmSet::Kind::normal && kind != AdmmSet::Kind::nothing;
    const bool last = kind != AdmmSet::Kind::disc && kind != AdmmSet::Kind::square && kind != AdmmSet::Kind::nothing;
    for (int r = 0; r < c.rows; ++r) active_[c.first_row + r] = c.rows == 3 && r < 2 ? tangents : last;
  }
  all_active_ = std::find(active_.begin(), active_.end(), 0) == active_.end();
  for (VectorX* v : {&work_, &g_, &u_, &f_, &f_last_, &y_, &z_, &image_, &y_next_, &z_next_, &right_}) v->setZero(m);
  weigh();
  factorisation_.analyse(problem, static_cast<FactorisationSpace>(parameters.factorisation), scale_,
                         all_active_ ? std::span<const char>() : std::span<const char>(active_));
  estimate_spectrum();
  anderson_.resize(m, parameters.anderson);
  factored_rho_ = 0.0;
}

// s = w^(−1/2) per row. Rows that nothing can move (G = 0, R = 0) get a floor far below the others.
void AdmmCore::weigh() {
  const VectorX& compliance = problem_->compliance();
  const double largest = problem_->largest_diagonal() + (problem_->is_rigid() ? 0.0 : compliance.maxCoeff());
  scale_.setConstant(problem_->num_rows(), 1.0 / std::sqrt(largest));
  if (!parameters_.equilibrate) return;
  const double floor = 1e-14 * largest;
  for (int i = 0; i < problem_->num_constraints(); ++i) {
    const Constraint& c = problem_->constraint(i);
    const Matrix3& block = problem_->diagonal_block(i);
    double trace = 0.0;
    for (int r = 0; r < c.rows; ++r) {
      const double w = block(r, r) + compliance[c.first_row + r];
      trace += w;
      scale_[c.first_row + r] = 1.0 / std::sqrt(std::max(floor, w));
    }
    if (c.kind == ConstraintKind::bilateral) continue;
    const double s = 1.0 / std::sqrt(std::max(floor, trace / c.rows));
    for (int r = 0; r < c.rows; ++r) scale_[c.first_row + r] = s;
  }
}

// L = λ_max(Ĝ) + η from below by power iteration, m = min R̂ + η.
void AdmmCore::estimate_spectrum() {
  const int m = problem_->num_rows();
  // From the same start every time: a vector kept from the last solve would make the result depend on what was solved
  // before. Entries differ, so that no symmetry of the contacts makes the start orthogonal to what is sought.
  eigenvector_.resize(m);
  for (int r = 0; r < m; ++r) eigenvector_[r] = 1.0 + 0.1 * (r % 7);
  double eigenvalue = 0.0;
  for (int k = 0; k < power_steps; ++k) {
    factorisation_.apply(eigenvector_, work_);
    const double last = eigenvalue;
    eigenvalue = work_.norm() / eigenvector_.norm();
    if (!(work_.squaredNorm() > 0.0)) break;
    eigenvector_ = work_ / work_.norm();
    if (std::abs(eigenvalue - last) <= 1e-3 * eigenvalue) break;
  }
  double compliance = std::numeric_limits<double>::infinity();
  for (int r = 0; r < m; ++r) {
    if (active_[r]) compliance = std::min(compliance, problem_->compliance()[r] * scale_[r] * scale_[r]);
  }
  smallest_ = parameters_.eta + (std::isfinite(compliance) ? compliance : 0.0);
  largest_ = std::max(eigenvalue + parameters_.eta, 2.0 * smallest_);
}

double AdmmCore::penalty_at(double exponent) const {
  return (std::sqrt(smallest_) * std::sqrt(largest_)) * std::pow(largest_ / smallest_, exponent);
}

double AdmmCore::penalty_exponent() const {
  return std::log(rho_ / (std::sqrt(smallest_) * std::sqrt(largest_))) / std::log(largest_ / smallest_);
}

bool AdmmCore::set_penalty(double rho) {
  if (!(rho > 0.0) || !std::isfinite(rho)) return false;  // numbers near the ends of the double's range
  // An exponent carried over is ρ through a logarithm and back: the same up to rounding, no reason to factor again.
  if (std::abs(rho - factored_rho_) <= 1e-12 * rho) {
    rho_ = factored_rho_;
    return true;
  }
  rho_ = rho;
  factored_rho_ = rho;
  return factorisation_.factor(parameters_.eta + rho);
}

bool AdmmCore::begin(VectorView linear, VectorView impulse, VectorView dual, double exponent,
                     std::span<const AdmmSet> sets) {
  const int m = problem_->num_rows();
  double unit = 0.0;
  for (int r = 0; r < m; ++r) {
    g_[r] = active_[r] ? linear[r] * scale_[r] : 0.0;
    unit = std::max(unit, std::abs(g_[r]));
  }
  unit_ = unit > 0.0 ? unit : 1.0;
  g_ /= unit_;
  for (size_t i = 0; i < sets.size(); ++i) {
    assert(sets_[i].kind == sets[i].kind);
    const bool sized = sets[i].kind != AdmmSet::Kind::cone;
    sets_[i].size = sized ? sets[i].size / (scale_[problem_->constraint(i).first_row] * unit_) : sets[i].size;
  }
  exponent_ = std::isfinite(exponent) ? std::clamp(exponent, lowest_exponent, highest_exponent) : parameters_.p;
  if (!set_penalty(penalty_at(exponent_))) return false;
  since_change_ = 0;
  anderson_.restart();

  for (int r = 0; r < m; ++r) y_[r] = active_[r] ? impulse[r] / (scale_[r] * unit_) : 0.0;
  if (dual.size() == m) {
    for (int r = 0; r < m; ++r) z_[r] = active_[r] ? dual[r] * scale_[r] / unit_ : 0.0;
  } else {
    // z = P_K*(σ + Γ(σ)) = v + P_K(−v) by Moreau. Exact for cones; a box gets v beyond its bounds, which the first
    // projection takes back.
    factorisation_.apply(y_, z_);
    z_ += g_;
    work_ = z_;
    if (de_saxce_) add_shift(work_, z_);
    work_ = -z_;
    project(work_, right_);
    z_ += right_;
  }
  u_ = y_ - z_ / rho_;
  project(u_, y_);
  z_ = rho_ * (y_ - u_);
  f_ = y_;
  return true;
}

bool AdmmCore::step() {
  const double eta = parameters_.eta, omega = parameters_.over_relaxation;
  f_last_.swap(f_);
  right_ = eta * f_last_ + rho_ * y_ + z_ - g_;
  if (de_saxce_) {
    work_.setZero();
    add_shift(z_, work_);
    right_ -= work_;
  }
  factorisation_.solve(right_, f_);
  image_ = omega * f_ + (1.0 - omega) * y_ - z_ / rho_;
  project(image_, y_next_);
  z_next_ = rho_ * (y_next_ - image_);
  primal_residual_ = (f_ - y_next_).lpNorm<Eigen::Infinity>();
  dual_residual_ = (eta * (f_ - f_last_) + rho_ * (y_next_ - y_)).lpNorm<Eigen::Infinity>();
  ++since_change_;
  return std::isfinite(f_.sum() + z_next_.sum());
}

bool AdmmCore::advance() {
  bool changed = false;
  if (!adapt_penalty(changed)) return false;
  if (changed) {
    u_ = y_next_ - z_next_ / rho_;
    anderson_.forget();
  } else {
    anderson_.advance(u_, image_);
  }
  project(u_, y_);
  z_ = rho_ * (y_ - u_);
  return true;
}

bool AdmmCore::adapt_penalty(bool& changed) {
  if (since_change_ <= parameters_.hold) return true;
  int direction = 0;
  if (primal_residual_ >= parameters_.alpha * dual_residual_) direction = 1;
  if (dual_residual_ >= parameters_.alpha * primal_residual_) direction -= 1;
  if (direction == 0) return true;
  double rho;
  if (parameters_.penalty_linear) {
    rho = std::clamp(direction > 0 ? rho_ * parameters_.tau : rho_ / parameters_.tau, penalty_at(lowest_exponent),
                     penalty_at(highest_exponent));
  } else {
    exponent_ = std::clamp(exponent_ + direction * parameters_.p_step, lowest_exponent, highest_exponent);
    rho = penalty_at(exponent_);
  }
  if (rho == rho_) return true;
  changed = true;
  since_change_ = 0;
  return set_penalty(rho);
}

void AdmmCore::impulse(VectorOut out) const {
  out = y_next_.cwiseProduct(scale_) * unit_;
}

void AdmmCore::dual(VectorOut out) const {
  out = z_next_.cwiseQuotient(scale_) * unit_;
}

void AdmmCore::velocity_estimate(VectorOut out) const {
  // (Ĝ + (η + ρ) I) f = right, so Ĝ f + g needs no product.
  out = (right_ - (parameters_.eta + rho_) * f_ + g_).cwiseQuotient(scale_) * unit_;
}

void AdmmCore::merge(VectorView answer, VectorOut out) const {
  for (int r = 0; r < out.size(); ++r) {
    if (active_[r]) out[r] = answer[r];
  }
}

void AdmmCore::project(const VectorX& point, VectorX& out) const {
  for (size_t i = 0; i < sets_.size(); ++i) {
    const Constraint& c = problem_->constraint(static_cast<int>(i));
    const double* x = point.data() + c.first_row;
    double* y = out.data() + c.first_row;
    const double size = sets_[i].size;
    switch (sets_[i].kind) {
      case AdmmSet::Kind::cone:
        Eigen::Map<Vector3>{y} = SetCoulombCone{size}.project(Eigen::Map<const Vector3>(x));
        break;
      case AdmmSet::Kind::ray:
        y[0] = std::max(0.0, x[0]);
        break;
      case AdmmSet::Kind::box:
        y[0] = std::clamp(x[0], -size, size);
        break;
      case AdmmSet::Kind::whole:
        for (int r = 0; r < c.rows; ++r) y[r] = x[r];
        break;
      case AdmmSet::Kind::normal:
        y[0] = y[1] = 0.0;
        y[2] = std::max(0.0, x[2]);
        break;
      case AdmmSet::Kind::disc: {
        const double length = std::hypot(x[0], x[1]);
        const double shrink = length > size ? size / length : 1.0;
        y[0] = shrink * x[0];
        y[1] = shrink * x[1];
        y[2] = 0.0;
        break;
      }
      case AdmmSet::Kind::square:
        y[0] = std::clamp(x[0], -size, size);
        y[1] = std::clamp(x[1], -size, size);
        y[2] = 0.0;
        break;
      case AdmmSet::Kind::nothing:
        for (int r = 0; r < c.rows; ++r) y[r] = 0.0;
        break;
    }
  }
}

void AdmmCore::add_shift(const VectorX& dual, VectorX& out) const {
  for (size_t i = 0; i < sets_.size(); ++i) {
    if (sets_[i].kind != AdmmSet::Kind::cone) continue;
    const int r = problem_->constraint(static_cast<int>(i)).first_row;
    out[r + 2] += sets_[i].size * std::sqrt(dual[r] * dual[r] + dual[r + 1] * dual[r + 1]);
  }
}

}  // namespace stiction
