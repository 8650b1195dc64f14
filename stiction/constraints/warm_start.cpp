#include "stiction/constraints/warm_start.h"

#include "stiction/constraints/row_builder.h"

namespace stiction {

void recall_guesses(std::span<const WarmStart> warm_starts, const RowBuilder& builder, RowSet& rows) {
  auto before = warm_starts.begin();
  for (int i = 0; i < rows.size(); ++i) {
    RowSet::Row& row = rows[i];
    while (before != warm_starts.end() && before->id < row.id) ++before;
    if (before == warm_starts.end()) return;
    if (before->id != row.id) continue;
    const double* x = before->impulse;
    if (row.id.source == ConstraintSource::contact) {
      const Vector3 local = builder.frame(i).transpose() * Vector3(x[0], x[1], x[2]);
      row.guess = Pack4{local[0], local[1], local[2], 0.0};
    } else {
      row.guess = Pack4{x[0], x[1], x[2], 0.0};
    }
  }
}

}  // namespace stiction
