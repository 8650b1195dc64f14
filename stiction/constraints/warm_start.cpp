#include "stiction/constraints/warm_start.h"

#include "stiction/constraints/row_builder.h"

namespace stiction {

namespace {

// Calls found(i, before) for every constraint that is among the warm starts.
template <class Function>
void for_each_known(std::span<const WarmStart> warm_starts, RowSet& rows, Function&& found) {
  auto before = warm_starts.begin();
  for (int i = 0; i < rows.num_constraints(); ++i) {
    while (before != warm_starts.end() && before->id < rows[i].id) ++before;
    if (before == warm_starts.end()) return;
    if (before->id == rows[i].id) found(i, *before);
  }
}

// Of a contact, in its frame of now.
Pack4 local_impulse(const WarmStart& before, const RowBuilder& builder, int contact) {
  const double* x = before.impulse;
  const Vector3 local = builder.frame(contact).transpose() * Vector3(x[0], x[1], x[2]);
  return Pack4{local[0], local[1], local[2], 0.0};
}

}  // namespace

void recall_guesses(std::span<const WarmStart> warm_starts, const RowBuilder& builder, RowSet& rows) {
  for_each_known(warm_starts, rows, [&](int i, const WarmStart& before) {
    const double* x = before.impulse;
    if (rows[i].id.source == ConstraintSource::contact) {
      rows[i].guess = local_impulse(before, builder, i);
    } else if (rows[i].id.source == ConstraintSource::rolling) {
      const Matrix3& frame = builder.frame(rows[i].law.partner);
      const Vector3 world(x[0], x[1], x[2]);
      rows[i].guess = Pack4{frame.col(0).dot(world), frame.col(1).dot(world), 0.0, 0.0};
    } else {
      rows[i].guess = Pack4{x[0], x[1], x[2], 0.0};
    }
  });
}

void relax_tangents(std::span<const WarmStart> warm_starts, const RowBuilder& builder, RowSet& rows) {
  for_each_known(warm_starts, rows, [&](int i, const WarmStart& before) {
    StepConstraint& contact = rows[i];
    if (!contact.is_relaxed) return;
    contact.last = local_impulse(before, builder, i) * Pack4{1.0, 1.0, 0.0, 0.0};
    contact.offset -= contact.compliance * contact.last;
    contact.free_velocity -= contact.compliance * contact.last;
  });
}

}  // namespace stiction
