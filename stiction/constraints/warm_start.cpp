#include "stiction/constraints/warm_start.h"

#include "stiction/constraints/row_builder.h"

namespace stiction {

void recall_guesses(std::span<const WarmStart> warm_starts, const RowBuilder& builder, RowSet& rows) {
  auto before = warm_starts.begin();
  for (int i = 0; i < rows.num_constraints(); ++i) {
    StepConstraint& constraint = rows[i];
    while (before != warm_starts.end() && before->id < constraint.id) ++before;
    if (before == warm_starts.end()) return;
    if (before->id != constraint.id) continue;
    const double* x = before->impulse;
    if (constraint.id.source == ConstraintSource::contact) {
      const Vector3 local = builder.frame(i).transpose() * Vector3(x[0], x[1], x[2]);
      constraint.guess = Pack4{local[0], local[1], local[2], 0.0};
    } else if (constraint.id.source == ConstraintSource::rolling) {
      const Matrix3& frame = builder.frame(constraint.law.partner);
      const Vector3 world(x[0], x[1], x[2]);
      constraint.guess = Pack4{frame.col(0).dot(world), frame.col(1).dot(world), 0.0, 0.0};
    } else {
      constraint.guess = Pack4{x[0], x[1], x[2], 0.0};
    }
  }
}

}  // namespace stiction
