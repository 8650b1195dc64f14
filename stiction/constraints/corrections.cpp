#include "stiction/constraints/corrections.h"

#include <algorithm>

namespace stiction {
namespace {

bool is_corrected(const RowSet::Row& row, double time_step, const ConstraintSettings& settings) {
  return row.id.source == ConstraintSource::contact && row.compliance[2] == 0.0 && row.offset[2] < 0.0 &&
         row.offset[2] == settings.one_sided_offset(row.error[2], time_step, !settings.project_positions);
}

}  // namespace

bool has_corrections(const RowSet& rows, std::span<const int> constraints, double time_step,
                     const ConstraintSettings& settings) {
  return std::any_of(constraints.begin(), constraints.end(),
                     [&](int i) { return is_corrected(rows[i], time_step, settings); });
}

void drop_corrections(RowSet& rows, std::span<const int> constraints, double time_step,
                      const ConstraintSettings& settings) {
  for (const int i : constraints) {
    if (!is_corrected(rows[i], time_step, settings)) continue;
    rows[i].free_velocity[2] -= rows[i].offset[2];
    rows[i].offset[2] = 0.0;
  }
}

}  // namespace stiction
