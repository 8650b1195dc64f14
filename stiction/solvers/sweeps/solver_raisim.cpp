#include "stiction/solvers/sweeps/solver_raisim.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

// The boundary of the cone cut with W_N λ + q_N = 0, and the slope of the objective along it.
struct Section {
  const Matrix3& w;
  const Vector3& q;
  double mu, shift;

  double denominator(double c, double s) const { return w(2, 2) / mu + w(2, 0) * c + w(2, 1) * s; }

  Vector3 impulse(double angle) const {
    const double c = std::cos(angle), s = std::sin(angle), r = -q[2] / denominator(c, s);
    return {r * c, r * s, r / mu};
  }

  // d/dθ of ½ λᵀWλ + (q + shift n)ᵀλ divided by r > 0. NaN where the section does not exist.
  double slope(double angle) const {
    const double c = std::cos(angle), s = std::sin(angle), d = denominator(c, s);
    if (!(d > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    const double r = -q[2] / d;
    const double growth = (w(2, 0) * s - w(2, 1) * c) / d;  // r'/r
    const double sigma_1 = r * (w(0, 0) * c + w(0, 1) * s + w(0, 2) / mu) + q[0];
    const double sigma_2 = r * (w(1, 0) * c + w(1, 1) * s + w(1, 2) / mu) + q[1];
    return growth * (sigma_1 * c + sigma_2 * s + shift / mu) + sigma_2 * c - sigma_1 * s;
  }
};

// Zero of the slope between `from`, where it points downhill along `direction`, and `to`, where it is uphill or the
// section has ended (infinite energy). Illinois secants between bisections: every third step halves the bracket.
double shrink_bracket(const Section& section, double from, double slope_from, double to, double slope_to,
                      double direction, double tolerance) {
  for (int step = 0; step < 200 && std::abs(to - from) > tolerance; ++step) {
    double middle = 0.5 * (from + to);
    if (step % 3 != 2 && std::isfinite(slope_to)) {
      const double secant = from - slope_from * (to - from) / (slope_to - slope_from);
      if ((secant - from) * (secant - to) < 0.0) middle = secant;
    }
    if (middle == from || middle == to) break;
    const double slope = section.slope(middle);
    if (slope == 0.0) return middle;
    if (slope * direction < 0.0) {
      from = middle;
      slope_from = slope;
      slope_to *= 0.5;
    } else {
      to = middle;
      slope_to = slope;
      slope_from *= 0.5;
    }
  }
  return from;
}

// The part of the sliding speed that friction opposes: ‖σ_T‖ where λ_T is opposite to σ_T, less elsewhere.
double opposed_speed(const Vector3& lambda, const Vector3& sigma) {
  const double tangent = std::sqrt(lambda[0] * lambda[0] + lambda[1] * lambda[1]);
  if (tangent == 0.0) return std::sqrt(sigma[0] * sigma[0] + sigma[1] * sigma[1]);
  return std::max(0.0, -(lambda[0] * sigma[0] + lambda[1] * sigma[1]) / tangent);
}

struct BisectionLaw {
  const ContactProblem& problem;
  const SolverRaisimSettings& settings;
  bool de_saxce;
  double step = 1.0;

  double relaxation() const { return step; }
  void end_sweep() { step = settings.decay * step + (1.0 - settings.decay) * settings.smallest_step; }

  void contact(int i, const Matrix3& w, const double* sigma_in, double* lambda) const {
    const double mu = problem.constraint(i).friction;
    Eigen::Map<Vector3> l(lambda);
    const Eigen::Map<const Vector3> sigma(sigma_in);
    const Vector3 q = sigma - w * l;
    Vector3 target = Vector3::Zero();
    if (q[2] <= 0.0 && w(2, 2) > 0.0) {
      if (mu == 0.0) {
        target[2] = -q[2] / w(2, 2);
      } else {
        // The exact solution tells whether the contact sticks (then it is −W⁻¹q); sliding is decided by the bisection.
        double alpha = 0.0;
        solve_one_contact(OneContactBlock(w), q.data(), mu, target.data(), alpha);
        if (alpha > 0.0) {
          target = raisim_slide(w, q, mu, de_saxce ? mu * opposed_speed(l, sigma) : 0.0, settings.angle_tolerance);
        }
      }
    }
    l += step * (target - l);
  }
};

}  // namespace

Vector3 raisim_slide(const Matrix3& w, const Vector3& q, double mu, double shift, double angle_tolerance) {
  const Section section{w, q, mu, shift};
  const Vector3 shifted(q[0], q[1], q[2] + shift);
  const Vector3 free = -(w.partialPivLu().solve(shifted));
  double angle = std::atan2(free[1], free[0]);
  double slope = section.slope(angle);
  if (std::isnan(slope)) {
    angle = std::atan2(w(2, 1), w(2, 0));  // where the denominator is largest, hence positive
    slope = section.slope(angle);
  }
  if (slope != 0.0) {
    constexpr double stride = std::numbers::pi / 32.0;
    const double direction = slope > 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 64; ++k) {
      const double next = angle + direction * stride;
      const double next_slope = section.slope(next);
      if (!(next_slope * direction < 0.0)) {
        angle = shrink_bracket(section, angle, slope, next, next_slope, direction, angle_tolerance);
        break;
      }
      angle = next;
      slope = next_slope;
    }
  }
  return section.impulse(angle);
}

const SolverTraits& SolverRaisim::traits() const {
  static const SolverTraits plain{.name = "raisim",
                                  .model = ContactModel::raisim,
                                  .summary = "per-contact bisection; Signorini and Coulomb, sliding direction bent"};
  static const SolverTraits corrected{
      .name = "raisim-ds", .model = ContactModel::ncp, .summary = "per-contact bisection with de Saxce's correction"};
  return de_saxce_ ? corrected : plain;
}

void SolverRaisimSettings::validate() const {
  SolverSettings::validate();
  require(decay > 0.0 && decay <= 1.0, "decay", decay, "in (0, 1]");
  require(smallest_step > 0.0 && smallest_step <= 1.0, "smallest_step", smallest_step, "in (0, 1]");
  require(angle_tolerance > 0.0 && std::isfinite(angle_tolerance), "angle_tolerance", angle_tolerance,
          "positive and finite");
}

SolveReport SolverRaisim::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  constexpr int default_sweeps = 2000;
  BisectionLaw law{problem, settings_, de_saxce_};
  return report_of(run_sweeps(problem, solution.impulse, engine_, best_, law, start_goal(default_sweeps),
                              settings_.record_history ? &history_ : nullptr));
}

void SolverRaisim::add_options(std::vector<SolverOption>& list) {
  list.push_back({"decay", "factor of the step towards smallest_step after each sweep", &settings_.decay});
  list.push_back({"smallest_step", "limit of the step", &settings_.smallest_step});
  list.push_back({"angle_tolerance", "width of the final bracket, rad", &settings_.angle_tolerance});
}

}  // namespace stiction
