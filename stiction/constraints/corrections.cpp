#include "stiction/constraints/corrections.h"

#include <algorithm>

namespace stiction {
namespace {

// γ_N of a contact of which part of the penetration is left alone.
double offset_beyond(double left_depth, const RowSet::Row& row, double time_step, const ConstraintSettings& settings) {
  const double gap = left_depth > 0.0 ? std::min(0.0, row.error[2] + left_depth) : +row.error[2];
  return settings.one_sided_offset(gap, time_step, !settings.project_positions);
}

bool is_corrected(const RowSet::Row& row, double time_step, const ConstraintSettings& settings) {
  return row.id.source == ConstraintSource::contact && row.compliance[2] == 0.0 && row.offset[2] < 0.0 &&
         row.offset[2] == offset_beyond(row.left_depth, row, time_step, settings);
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
    leave_at_depth(-rows[i].error[2], time_step, settings, rows[i]);
    if (rows[i].id.source != ConstraintSource::contact) continue;
    const Pack4 held{rows[i].offset[0], rows[i].offset[1], 0.0, 0.0};  // StickMemory
    rows[i].offset -= held;
    rows[i].free_velocity -= held;
  }
}

void leave_at_depth(double depth, double time_step, const ConstraintSettings& settings, RowSet::Row& row) {
  if (!is_corrected(row, time_step, settings)) return;
  row.left_depth = depth;
  const double offset = offset_beyond(row.left_depth, row, time_step, settings);
  row.free_velocity[2] += offset - row.offset[2];
  row.offset[2] = offset;
}

}  // namespace stiction
