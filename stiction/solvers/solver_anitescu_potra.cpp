#include "stiction/solvers/solver_anitescu_potra.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "stiction/solvers/stopping_test.h"

namespace stiction {

const SolverTraits& SolverAnitescuPotra::traits() const {
  static const SolverTraits traits{.name = "lcp-anitescu-potra",
                                   .model = ContactModel::lcp,
                                   .summary = "Anitescu and Potra's LCP with d friction directions, by Lemke",
                                   .warm_starts = false};
  return traits;
}

void SolverAnitescuPotra::add_options(std::vector<SolverOption>& options) {
  options.push_back(
      {"directions", "friction directions per contact, 4 … 64; 4 is the lcp model", &settings_.directions});
  options.push_back({"regularisation", "scaled diagonal term of the proximal steps that follow a failure; 0: none",
                     &settings_.regularisation});
}

double SolverAnitescuPotra::measure(const ContactProblem& problem, VectorView impulse, VectorView velocity) const {
  // For d = 4 this is all; for more directions it still measures the constraints that are not contacts.
  const StoppingResidual square = stopping_residual(problem, ContactModel::lcp, impulse, velocity);
  if (settings_.directions == 4) return square.measure(settings_.use_relative);
  if (!std::isfinite(square.natural)) return std::numeric_limits<double>::infinity();

  const double velocity_scale = 1.0 / problem.largest_free_velocity();
  const double impulse_scale = problem.largest_diagonal() * velocity_scale;
  double worst = 0.0;
  for (const Constraint& c : problem.constraints()) {
    const double *l = impulse.data() + c.first_row, *s = velocity.data() + c.first_row;
    double primal = 0.0, dual = 0.0, work = 0.0, square_size = 0.0;
    for (int r = 0; r < c.rows; ++r) square_size += impulse_scale * l[r] * impulse_scale * l[r];
    if (c.kind == ConstraintKind::frictional) {
      double reach = 0.0, support = 0.0;
      for (const Vector2& n : side_normals_) reach = std::max(reach, n[0] * l[0] + n[1] * l[1]);
      for (const Vector2& d : groups_[0]) support = std::max(support, -d[0] * s[0] - d[1] * s[1]);
      primal = impulse_scale * std::max({0.0, -l[2], reach - c.friction * l[2]});
      dual = velocity_scale * std::max(0.0, -s[2]);
      work =
          impulse_scale * velocity_scale * std::abs(l[0] * s[0] + l[1] * s[1] + l[2] * (s[2] + c.friction * support));
    } else if (c.kind == ConstraintKind::unilateral) {
      primal = impulse_scale * std::max(0.0, -l[0]);
      dual = velocity_scale * std::max(0.0, -s[0]);
      work = impulse_scale * velocity_scale * std::abs(l[0] * s[0]);
    } else if (c.kind == ConstraintKind::dry_friction) {
      const double a = impulse_scale * l[0], bound = impulse_scale * c.bound;
      primal = std::abs(a - std::clamp(a - velocity_scale * s[0], -bound, bound));
    } else {
      double moving = 0.0, power = 0.0;
      for (int r = 0; r < c.rows; ++r) {
        moving += s[r] * s[r];
        power += l[r] * s[r];
      }
      dual = velocity_scale * std::sqrt(moving);
      work = impulse_scale * velocity_scale * std::abs(power);
    }
    const double size = settings_.use_relative ? 1.0 : std::max(1.0, std::sqrt(square_size));
    worst = std::max({worst, primal / size, dual, work / size});
  }
  return worst;
}

SolveReport SolverAnitescuPotra::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const int d = settings_.directions;
  if (d < 4 || d > 64) {
    throw std::invalid_argument("lcp-anitescu-potra: directions is " + std::to_string(d) + "; it must be 4 … 64");
  }
  if (groups_.empty() || static_cast<int>(groups_[0].size()) != d) {
    groups_.assign(1, {});
    side_normals_.clear();
    const double half = std::numbers::pi / d, length = 1.0 / std::cos(half);
    for (int k = 0; k < d; ++k) {
      // The corners of the square are (±1, ±1) exactly: no rounding between this and the other pyramid solvers.
      const double angle = (2 * k + 1) * half;
      const double x = length * std::cos(angle), y = length * std::sin(angle);
      groups_[0].push_back(d == 4 ? Vector2(std::round(x), std::round(y)) : Vector2(x, y));
      side_normals_.emplace_back(std::cos(2 * k * half), std::sin(2 * k * half));
    }
  }
  return solve_as_lcp(problem, groups_, settings_, solution);
}

}  // namespace stiction
