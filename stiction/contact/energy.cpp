#include "stiction/contact/energy.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <stdexcept>
#include <string>

namespace stiction {
namespace {

void check_length(VectorView values, const ContactProblem& problem, const char* what) {
  if (values.size() != problem.num_rows()) {
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(values.size()) +
                                " entries but the problem has " + std::to_string(problem.num_rows()) + " rows");
  }
}

bool admissible(const ContactProblem& problem, const VectorX& impulse) {
  const double slack = 1e-12 * (1.0 + impulse.cwiseAbs().maxCoeff());
  for (const Constraint& c : problem.constraints()) {
    const double* l = impulse.data() + c.first_row;
    switch (c.kind) {
      case ConstraintKind::bilateral:
        break;
      case ConstraintKind::unilateral:
        if (l[0] < -slack) return false;
        break;
      case ConstraintKind::dry_friction:
        if (std::abs(l[0]) > c.bound + slack) return false;
        break;
      case ConstraintKind::frictional:
      case ConstraintKind::viscous:
        if (l[2] < -slack || std::hypot(l[0], l[1]) > std::hypot(c.friction * l[2], c.bound) + slack) return false;
        break;
      case ConstraintKind::anisotropic: {
        if (l[2] < -slack) return false;
        const auto part = [&](double x, double mu) { return std::max(0.0, std::abs(x) - slack) / mu; };
        const double a = c.friction > 0.0 ? part(l[0], c.friction) : (std::abs(l[0]) > slack ? 2.0 * l[2] + 1.0 : 0.0);
        const double b =
            c.friction_2 > 0.0 ? part(l[1], c.friction_2) : (std::abs(l[1]) > slack ? 2.0 * l[2] + 1.0 : 0.0);
        if (std::hypot(a, b) > l[2] + slack) return false;
        break;
      }
    }
  }
  return true;
}

}  // namespace

ContactEnergy contact_energy(const ContactProblem& problem, VectorView impulse, VectorView free_velocity_offset) {
  check_length(impulse, problem, "contact_energy: impulse");
  if (free_velocity_offset.size()) check_length(free_velocity_offset, problem, "contact_energy: free_velocity_offset");
  ContactEnergy energy;
  if (problem.num_rows() == 0) return energy;
  VectorX moved(problem.num_rows());
  problem.apply(impulse, moved);
  VectorX before = problem.free_velocity();
  if (free_velocity_offset.size()) before -= free_velocity_offset;
  energy.impact_loss = 0.5 * impulse.dot(moved);
  energy.change = energy.impact_loss + impulse.dot(before);
  for (const Constraint& c : problem.constraints()) {
    if (c.kind != ConstraintKind::frictional) continue;
    const int k = c.first_row;
    energy.dissipated += c.friction * impulse[k + 2] * std::hypot(before[k] + moved[k], before[k + 1] + moved[k + 1]);
  }
  return energy;
}

InternalForceSplit split_internal_forces(const ContactProblem& problem, VectorView impulse, double rank_tolerance) {
  check_length(impulse, problem, "split_internal_forces: impulse");
  InternalForceSplit split;
  split.external = impulse;
  split.internal = VectorX::Zero(impulse.size());
  split.feasible = true;
  if (problem.num_rows() == 0) return split;
  const MatrixX g = problem.to_dense();
  const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(0.5 * (g + g.transpose()));
  const double cut = rank_tolerance * eigen.eigenvalues().cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < g.rows(); ++k) {
    if (std::abs(eigen.eigenvalues()[k]) > cut) continue;
    const auto direction = eigen.eigenvectors().col(k);
    split.internal += direction * direction.dot(impulse);
  }
  split.external -= split.internal;
  split.feasible = admissible(problem, split.external);
  return split;
}

}  // namespace stiction
