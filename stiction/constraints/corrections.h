// Corrections that contradict each other. A box that is wedged between two walls and penetrates both is asked to part
// from both at once: no velocity does that, impulses grow without end, and no solver finds what is not there. Without
// the corrections standing still is always possible, so the problem has a solution.
#pragma once

#include <span>

#include "stiction/constraints/row_set.h"
#include "stiction/constraints/settings.h"

namespace stiction {

// Whether some contact among the constraints is asked to part because it penetrates (not because it bounces).
bool has_corrections(const RowSet& rows, std::span<const int> constraints, double time_step,
                     const ConstraintSettings& settings);
// These contacts are asked not to go deeper than they are, and no more; what sticks is asked for no velocity.
void drop_corrections(RowSet& rows, std::span<const int> constraints, double time_step,
                      const ConstraintSettings& settings);
// The same for one contact that was left at the depth given: it is driven out as far as it is deeper.
void leave_at_depth(double depth, double time_step, const ConstraintSettings& settings, RowSet::Row& row);

}  // namespace stiction
