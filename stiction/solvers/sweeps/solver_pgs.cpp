#include "stiction/solvers/sweeps/solver_pgs.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "stiction/math/refuse.h"
#include "stiction/math/set_coulomb_cone.h"
#include "stiction/math/set_disc.h"

namespace stiction {
namespace {

constexpr int default_sweeps = 1000;

SolverTraits pgs_traits(ContactModel model) {
  switch (model) {
    case ContactModel::lcp:
      return {.name = "lcp-pgs", .model = model, .summary = "projected Gauss-Seidel on the friction pyramid"};
    case ContactModel::ccp:
      return {.name = "ccp-pgs", .model = model, .summary = "projected Gauss-Seidel on the cone (Anitescu-Tasora)"};
    case ContactModel::ncp:
      return {.name = "ncp-pgs", .model = model, .summary = "projected Gauss-Seidel, friction put on its disc"};
    default:
      refuse("SolverPgs: there is no projected Gauss-Seidel for the model ", to_string(model));
  }
}

// Largest eigenvalue of the symmetric part of the tangential 2×2 block.
double largest_tangential(const Matrix3& w) {
  const double mean = 0.5 * (w(0, 0) + w(1, 1)), difference = 0.5 * (w(0, 0) - w(1, 1));
  return mean + std::hypot(difference, 0.5 * (w(0, 1) + w(1, 0)));
}

double inverse_or_zero(double x) {
  return x > 0.0 ? 1.0 / x : 0.0;
}

// Normal step, then a tangential step within the friction that the new normal impulse allows. `pyramid` clamps per
// component, else the disc.
struct NormalThenTangent {
  const ContactProblem& problem;
  const std::vector<double>&normal_step, &tangent_step;
  double omega;
  bool pyramid;

  double relaxation() const { return omega; }
  void end_sweep() {}
  void contact(int i, const Matrix3& w, const double* sigma, double* lambda) const {
    const double normal = std::max(0.0, lambda[2] - omega * normal_step[i] * sigma[2]);
    const double change = normal - lambda[2];
    const double step = omega * tangent_step[i];
    const Vector2 tangent(lambda[0] - step * (sigma[0] + w(0, 2) * change),
                          lambda[1] - step * (sigma[1] + w(1, 2) * change));
    const double radius = problem.constraint(i).friction * normal;
    lambda[2] = normal;
    if (pyramid) {
      lambda[0] = std::clamp(tangent[0], -radius, radius);
      lambda[1] = std::clamp(tangent[1], -radius, radius);
    } else {
      const Vector2 inside = SetDisc{radius}.project(tangent);
      lambda[0] = inside[0];
      lambda[1] = inside[1];
    }
  }
};

struct ConeProjection {
  const ContactProblem& problem;
  const std::vector<double>& step;
  double omega;

  double relaxation() const { return omega; }
  void end_sweep() {}
  void contact(int i, const Matrix3&, const double* sigma, double* lambda) const {
    Eigen::Map<Vector3> l(lambda);
    const Vector3 moved = l - omega * step[i] * Eigen::Map<const Vector3>(sigma);
    l = SetCoulombCone{problem.constraint(i).friction}.project(moved);
  }
};

}  // namespace

SolverPgs::SolverPgs(ContactModel model) : traits_(pgs_traits(model)) {}

void SolverPgs::prepare(const ContactProblem& problem) {
  const int n = problem.num_constraints();
  normal_step_.resize(n);
  tangent_step_.resize(n);
  for (int i = 0; i < n; ++i) {
    const Constraint& c = problem.constraint(i);
    normal_step_[i] = tangent_step_[i] = 0.0;
    if (c.kind != ConstraintKind::frictional) continue;
    Matrix3 w = problem.diagonal_block(i);
    for (int r = 0; r < 3; ++r) w(r, r) += problem.compliance()[c.first_row + r];
    normal_step_[i] = inverse_or_zero(w(2, 2));
    if (traits_.model != ContactModel::ccp) {
      tangent_step_[i] =
          inverse_or_zero(settings_.use_smallest_diagonal ? std::min(w(0, 0), w(1, 1)) : largest_tangential(w));
    } else if (settings_.use_trace_step) {
      tangent_step_[i] = inverse_or_zero(w.trace() / 3.0);
    } else {
      const Matrix3 symmetric = 0.5 * (w + w.transpose());
      tangent_step_[i] = inverse_or_zero(
          Eigen::SelfAdjointEigenSolver<Matrix3>().computeDirect(symmetric, Eigen::EigenvaluesOnly).eigenvalues()[2]);
    }
  }
}

void SolverPgsSettings::validate() const {
  SolverSettings::validate();
  require(over_relaxation > 0.0 && over_relaxation < 2.0, "over_relaxation", over_relaxation, "in (0, 2)");
}

SolveReport SolverPgs::do_solve(const ContactProblem& problem, ContactSolution& solution) {
  const double omega = settings_.over_relaxation;
  prepare(problem);
  const SolveGoal goal = start_goal(default_sweeps);
  auto* history = settings_.record_history ? &history_ : nullptr;
  if (traits_.model == ContactModel::ccp) {
    ConeProjection law{problem, tangent_step_, omega};
    return report_of(run_sweeps(problem, solution.impulse, engine_, best_, law, goal, history));
  }
  NormalThenTangent law{problem, normal_step_, tangent_step_, omega, traits_.model == ContactModel::lcp};
  return report_of(run_sweeps(problem, solution.impulse, engine_, best_, law, goal, history));
}

void SolverPgs::add_options(std::vector<SolverOption>& list) {
  list.push_back({"over_relaxation", "factor on every step, in (0, 2)", &settings_.over_relaxation});
  if (traits_.model == ContactModel::ccp) {
    list.push_back({"use_trace_step", "the papers' step 3/tr(G_ii)", &settings_.use_trace_step});
  } else {
    list.push_back({"use_smallest_diagonal", "the papers' tangential step", &settings_.use_smallest_diagonal});
  }
}

}  // namespace stiction
