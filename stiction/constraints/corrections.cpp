#include "stiction/constraints/corrections.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

// γ_N of a contact of which part of the penetration is left alone.
double offset_beyond(double left_depth, const StepConstraint& constraint, double time_step,
                     const ConstraintSettings& settings) {
  const double gap = left_depth > 0.0 ? std::min(0.0, constraint.error[2] + left_depth) : +constraint.error[2];
  return settings.one_sided_offset(gap, time_step, !settings.project_positions);
}

bool is_corrected(const StepConstraint& constraint, double time_step, const ConstraintSettings& settings) {
  return constraint.id.source == ConstraintSource::contact && constraint.compliance[2] == 0.0 &&
         constraint.offset[2] < 0.0 &&
         constraint.offset[2] == offset_beyond(constraint.left_depth, constraint, time_step, settings);
}

// One contact that was left at the depth given: it is driven out as far as it is deeper.
void leave_at_depth(double depth, double time_step, const ConstraintSettings& settings, StepConstraint& constraint) {
  if (!is_corrected(constraint, time_step, settings)) return;
  constraint.left_depth = depth;
  const double offset = offset_beyond(constraint.left_depth, constraint, time_step, settings);
  constraint.free_velocity[2] += offset - constraint.offset[2];
  constraint.offset[2] = offset;
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
    if (rows[i].id.source != ConstraintSource::contact || rows[i].is_carried) continue;
    const Pack4 held{rows[i].offset[0], rows[i].offset[1], 0.0, 0.0};  // StickMemory
    rows[i].offset -= held;
    rows[i].free_velocity -= held;
  }
}

void recall_jams(std::span<const WarmStart> warm_starts, std::int64_t step, double time_step,
                 const ConstraintSettings& settings, RowSet& rows) {
  constexpr int try_every = 64;                   // steps
  constexpr double same = 0.1;                    // of a depth: no change
  const auto for_each_left = [&](auto&& visit) {  // visit(where it was left, constraint or null)
    int i = 0;
    for (const WarmStart& before : warm_starts) {
      if (before.left_depth == 0.0) continue;
      while (i < rows.num_constraints() && rows[i].id < before.id) ++i;
      visit(before, i < rows.num_constraints() && rows[i].id == before.id ? &rows[i] : nullptr);
    }
  };
  bool changed = false;
  for_each_left([&](const WarmStart& before, const StepConstraint* constraint) {
    const bool stays = constraint && before.left_depth > 0.0 &&
                       std::abs(-constraint->error[2] - before.left_depth) <= same * before.left_depth;
    changed = changed || !stays;
  });
  if (changed && step % try_every == 0) return;
  for_each_left([&](const WarmStart& before, StepConstraint* constraint) {
    if (!constraint) return;
    leave_at_depth(std::abs(before.left_depth), time_step, settings, *constraint);
    constraint->jam_changed = changed;
  });
}

}  // namespace stiction
