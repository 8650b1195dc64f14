// Rows of servos that may reach their limit (theory §3.9).
#include <cmath>

#include "stiction/constraints/row_builder.h"

namespace stiction {

void RowBuilder::add_servos(const Inputs& in, RowSet& rows) {
  for (const ServoRow& servo : in.servos) {
    const int body = model_->dofs[servo.dof].body;
    rows.begin_constraint(
        std::isfinite(servo.bound) ? Constraint::make_dry_friction(servo.bound) : Constraint::make_unilateral(),
        {.source = ConstraintSource::servo, .first = servo.dof, .second = servo.part}, tree_of(body), -1);
    StepConstraint& constraint = rows.back();
    constraint.offset[0] = servo.offset;
    constraint.compliance[0] = servo.compliance;
    constraint.free_velocity[0] = servo.sign * in.v_free[servo.dof] + servo.offset;
    add_dof_row(in, servo.dof, servo.sign, -1, 0.0, rows);
  }
  if (!in.coupled_servos.empty()) add_coupled_servos(in, rows);
}

}  // namespace stiction
