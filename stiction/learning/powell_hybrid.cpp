#include "stiction/learning/powell_hybrid.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/dense.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

// The point of the dogleg at most `radius` long in the scaled norm: through the minimum along steepest descent to
// Newton's step. `scale`: D, positive.
VectorX dogleg(const MatrixX& jacobian, const VectorX& f, const VectorX& scale, double radius) {
  const VectorX newton = -solve_pivoted(jacobian, f);
  const double newton_length = newton.cwiseProduct(scale).norm();
  if (newton.allFinite() && newton_length <= radius) return newton;
  // In scaled unknowns y = D x the gradient is D⁻¹ Jᵀ f.
  const VectorX gradient = (jacobian.transpose() * f).cwiseQuotient(scale);
  const double slope = gradient.norm();
  if (slope == 0.0) return newton.allFinite() ? VectorX(newton * (radius / newton_length)) : VectorX::Zero(f.size());
  const VectorX direction = -(gradient / slope).cwiseQuotient(scale);  // of scaled length one
  const double bent = (jacobian * direction).squaredNorm();
  const double way = bent > 0.0 ? slope / bent : radius;
  if (way >= radius || !newton.allFinite()) return direction * std::min(way, radius);
  const VectorX cauchy = direction * way;
  // ‖D (cauchy + t (newton − cauchy))‖ = radius
  const VectorX a = cauchy.cwiseProduct(scale), b = (newton - cauchy).cwiseProduct(scale);
  const double bb = b.squaredNorm(), ab = a.dot(b), rest = radius * radius - a.squaredNorm();
  const double t = bb > 0.0 ? rest / (ab + std::sqrt(std::max(0.0, ab * ab + bb * rest))) : 0.0;
  return cauchy + std::clamp(t, 0.0, 1.0) * (newton - cauchy);
}

}  // namespace

std::string_view to_string(PowellStatus status) {
  switch (status) {
    case PowellStatus::converged:
      return "converged";
    case PowellStatus::small_step:
      return "small_step";
    case PowellStatus::evaluation_limit:
      return "evaluation_limit";
    case PowellStatus::not_finite:
      return "not_finite";
  }
  return "unknown";
}

void PowellSettings::validate() const {
  require(tolerance >= 0.0 && std::isfinite(tolerance), "tolerance", tolerance, "at least 0 and finite");
  require(step_tolerance >= 0.0 && std::isfinite(step_tolerance), "step_tolerance", step_tolerance,
          "at least 0 and finite");
  require(max_evaluations >= 0, "max_evaluations", max_evaluations, "at least 0");
  require(difference > 0.0 && difference < 1.0, "difference", difference, "within 0 … 1");
  require(least_difference > 0.0 && std::isfinite(least_difference), "least_difference", least_difference, "positive");
  require(first_radius > 0.0 && std::isfinite(first_radius), "first_radius", first_radius, "positive");
}

PowellReport powell_hybrid(const VectorFunction& function, VectorX& x, const PowellSettings& settings) {
  settings.validate();
  const Eigen::Index n = x.size();
  const int limit = settings.max_evaluations > 0 ? settings.max_evaluations : 200 * static_cast<int>(n + 1);
  PowellReport report;
  VectorX f(n), trial_f(n), trial(n), scale = VectorX::Zero(n);
  MatrixX jacobian(n, n);
  const auto evaluate = [&](const VectorX& at, VectorX& into) {
    ++report.evaluations;
    function(at, into);
  };
  const auto finish = [&](PowellStatus status) {
    report.status = status;
    report.residual = f.norm();
    return report;
  };
  evaluate(x, f);
  if (!f.allFinite()) return finish(PowellStatus::not_finite);
  double radius = 0.0;
  bool fresh = false, want_jacobian = true;
  int good = 0, bad = 0;
  while (true) {
    if (f.norm() <= settings.tolerance) return finish(PowellStatus::converged);
    if (report.evaluations >= limit) return finish(PowellStatus::evaluation_limit);
    if (want_jacobian) {
      for (Eigen::Index j = 0; j < n; ++j) {
        trial = x;
        const double h = std::max(settings.difference * std::abs(x[j]), settings.least_difference);
        trial[j] += h;
        evaluate(trial, trial_f);
        jacobian.col(j) = trial_f.allFinite() ? VectorX((trial_f - f) / h) : VectorX::Zero(n);
      }
      ++report.jacobians;
      for (Eigen::Index j = 0; j < n; ++j) {
        const double length = jacobian.col(j).norm();
        scale[j] = std::max(scale[j], length > 0.0 ? length : (scale[j] > 0.0 ? scale[j] : 1.0));
      }
      if (report.jacobians == 1) {
        const double length = x.cwiseProduct(scale).norm();
        radius = settings.first_radius * (length > 0.0 ? length : 1.0);
      }
      fresh = true;
      want_jacobian = false;
      good = bad = 0;
    }
    const VectorX step = dogleg(jacobian, f, scale, radius);
    const double length = step.cwiseProduct(scale).norm();
    if (report.jacobians == 1 && fresh) radius = std::min(radius, std::max(length, 1e-300));
    trial = x + step;
    evaluate(trial, trial_f);
    const double before = f.norm(), after = trial_f.allFinite() ? trial_f.norm() : HUGE_VAL;
    const double predicted = (f + jacobian * step).norm();
    const double actual = after < before ? 1.0 - (after / before) * (after / before) : -1.0;
    const double promised = predicted < before ? 1.0 - (predicted / before) * (predicted / before) : 0.0;
    const double ratio = promised > 0.0 ? actual / promised : 0.0;
    if (ratio < 0.1) {
      good = 0;
      ++bad;
      radius *= 0.5;
    } else {
      bad = 0;
      ++good;
      if (ratio >= 0.5 || good > 1) radius = std::max(radius, 2.0 * length);
      if (std::abs(ratio - 1.0) <= 0.1) radius = 2.0 * length;
    }
    if (trial_f.allFinite() && step.squaredNorm() > 0.0) {  // Broyden: J += (f⁺ − f − J s) sᵀ D² / ‖D s‖²
      const VectorX weighted = step.cwiseProduct(scale).cwiseProduct(scale);
      jacobian += (trial_f - f - jacobian * step) * (weighted.transpose() / weighted.dot(step));
    }
    if (ratio >= 1e-4) {
      x = trial;
      f = trial_f;
    }
    const double size = x.cwiseProduct(scale).norm();
    if (bad >= 2 || step.squaredNorm() == 0.0) {
      // A Jacobian that is fresh and still no good: the region shrinks until nothing is left of it.
      if (radius <= settings.step_tolerance * size || radius < 1e-300 || step.squaredNorm() == 0.0) {
        if (fresh) return finish(PowellStatus::small_step);
      }
      if (!fresh) want_jacobian = true;
      bad = fresh ? bad : 0;
      if (fresh && bad >= 60) return finish(PowellStatus::small_step);
    }
    if (bad == 0) fresh = false;
    // After a bad trial with a fresh Jacobian Broyden's update has made it stale, but the region halves each time.
  }
}

}  // namespace stiction
