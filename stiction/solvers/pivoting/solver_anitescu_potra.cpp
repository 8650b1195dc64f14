#include "stiction/solvers/pivoting/solver_anitescu_potra.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "stiction/math/refuse.h"
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

  // Frictional contacts by the polygon of d sides; everything else as `square` has it.
  const double velocity_scale = 1.0 / problem.largest_free_velocity();
  double worst = stopping_residual(problem, ContactModel::lcp, impulse, velocity, ConstraintKind::frictional)
                     .measure(settings_.use_relative);
  for (int i = 0; i < problem.num_constraints(); ++i) {
    const Constraint& c = problem.constraint(i);
    if (c.kind != ConstraintKind::frictional) continue;
    const double *l = impulse.data() + c.first_row, *s = velocity.data() + c.first_row;
    const ConstraintScale& own = problem.scale(i);
    const double impulse_scale = settings_.use_relative ? problem.largest_diagonal() * velocity_scale : own.impulse;
    double outside = 0.0, support = 0.0;
    for (const Vector2& n : side_normals_) outside = std::max(outside, n[0] * l[0] + n[1] * l[1]);
    for (const Vector2& d : groups_[0]) support = std::max(support, -d[0] * s[0] - d[1] * s[1]);
    const double primal = impulse_scale * std::max({0.0, -l[2], outside - c.friction * l[2]});
    const double penetration = -velocity_scale * s[2];
    const double push = impulse_scale * velocity_scale * std::abs(l[2] * s[2]);
    const double rub =
        impulse_scale * velocity_scale * std::abs(l[0] * s[0] + l[1] * s[1] + c.friction * support * l[2]);
    if (settings_.use_relative) {
      worst = std::max({worst, primal, penetration, push + rub});
      continue;
    }
    const double size = impulse_scale * std::hypot(l[0], l[1], l[2]);
    const double* g = problem.free_velocity().data() + c.first_row;
    const double change =
        velocity_scale * std::max({std::abs(s[0] - g[0]), std::abs(s[1] - g[1]), std::abs(s[2] - g[2])});
    const double a = std::max({own.push, size, std::min(1.0, change)});
    const double v = std::min(1.0, std::max(own.speed, ConstraintScale::range * size));
    worst = std::max({worst, primal / a, penetration / v, push / (a * v), rub / (a * v)});
  }
  return worst;
}

void AnitescuPotraSettings::validate() const {
  ContactLcpSettings::validate();
  require(directions >= 4 && directions <= 64, "directions", directions, "4 … 64");
}

SolveReport SolverAnitescuPotra::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const int d = settings_.directions;
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
