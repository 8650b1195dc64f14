#include "stiction/contact/energy.h"

#include <cmath>

#include "stiction/math/dense.h"
#include "stiction/math/refuse.h"
#include "stiction/math/set_anisotropic_cone.h"
#include "stiction/math/set_box.h"
#include "stiction/math/set_coulomb_cone.h"
#include "stiction/math/set_disc.h"
#include "stiction/math/set_half_line.h"

namespace stiction {
namespace {

void check_length(VectorView values, const ContactProblem& problem, const char* what) {
  if (values.size() != problem.num_rows()) {
    refuse(what, " has ", values.size(), " entries but the problem has ", problem.num_rows(), " rows");
  }
}

// `normal`: λ_N of the partner of a coupled constraint.
bool admissible(const Constraint& c, const double* l, double normal, double slack) {
  const auto contact = [l] { return Vector3(l[0], l[1], l[2]); };
  switch (c.kind) {
    case ConstraintKind::bilateral:
      return true;
    case ConstraintKind::unilateral:
      return SetHalfLine{}.contains(l[0], slack);
    case ConstraintKind::dry_friction:
      return SetBox{c.bound}.contains(l[0], slack);
    case ConstraintKind::frictional:
      return SetCoulombCone{c.friction}.contains(contact(), slack);
    case ConstraintKind::anisotropic:
      return SetAnisotropicCone{c.friction, c.friction_2}.contains(contact(), slack);
    case ConstraintKind::viscous:
      return l[2] >= -slack && SetDisc{std::hypot(c.friction * l[2], c.bound)}.contains({l[0], l[1]}, slack);
    case ConstraintKind::torsional:
      return SetBox{c.friction * std::max(0.0, normal)}.contains(l[0], slack);
    case ConstraintKind::rolling:
      return SetDisc{c.friction * std::max(0.0, normal)}.contains({l[0], l[1]}, slack) && std::abs(l[2]) <= slack;
  }
  return false;
}

// The largest power that friction can take from the velocity c.
double friction_power(const Constraint& c, const double* l, double normal, const Vector3& velocity) {
  switch (c.kind) {
    case ConstraintKind::frictional:
      return l[2] * SetCoulombCone{c.friction}.de_saxce_shift(velocity)[2];
    case ConstraintKind::anisotropic:
      return l[2] * SetAnisotropicCone{c.friction, c.friction_2}.de_saxce_shift(velocity)[2];
    case ConstraintKind::viscous:
      return std::hypot(c.friction * l[2], c.bound) * std::hypot(velocity[0], velocity[1]);
    case ConstraintKind::dry_friction:
      return c.bound * std::abs(velocity[0]);
    case ConstraintKind::torsional:
      return c.friction * normal * std::abs(velocity[0]);
    case ConstraintKind::rolling:
      return c.friction * normal * std::hypot(velocity[0], velocity[1]);
    case ConstraintKind::unilateral:
    case ConstraintKind::bilateral:
      break;
  }
  return 0.0;
}

double normal_impulse_of_partner(const ContactProblem& problem, const Constraint& c, const VectorX& impulse) {
  if (c.partner < 0) return 0.0;
  const Constraint& contact = problem.constraint(c.partner);
  return impulse[contact.first_row + contact.rows - 1];
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
    Vector3 velocity = Vector3::Zero();
    for (int r = 0; r < c.rows; ++r) velocity[r] = before[c.first_row + r] + moved[c.first_row + r];
    energy.dissipated +=
        friction_power(c, impulse.data() + c.first_row, normal_impulse_of_partner(problem, c, impulse), velocity);
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
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (g + g.transpose()));
  const double cut = rank_tolerance * eigen.values.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < g.rows(); ++k) {
    if (std::abs(eigen.values[k]) > cut) continue;
    const auto direction = eigen.vectors.col(k);
    split.internal += direction * direction.dot(impulse);
  }
  split.external -= split.internal;
  const double slack = 1e-12 * (1.0 + split.external.cwiseAbs().maxCoeff());
  for (const Constraint& c : problem.constraints()) {
    const double normal = normal_impulse_of_partner(problem, c, split.external);
    split.feasible = split.feasible && admissible(c, split.external.data() + c.first_row, normal, slack);
  }
  return split;
}

}  // namespace stiction
