// Corrections that contradict each other. A box that is wedged between two walls and penetrates both is asked to part
// from both at once: no velocity does that, impulses grow without end, and no solver finds what is not there. Without
// the corrections standing still is always possible, so the problem has a solution.
#pragma once

#include <cstdint>
#include <span>

#include "stiction/constraints/constraint_settings.h"
#include "stiction/constraints/row_set.h"
#include "stiction/constraints/warm_start.h"

namespace stiction {

// Whether some contact among the constraints is asked to part because it penetrates (not because it bounces).
bool has_corrections(const RowSet& rows, std::span<const int> constraints, double time_step,
                     const ConstraintSettings& settings);
// These contacts are asked not to go deeper than they are, and no more; what sticks is asked for no velocity.
void drop_corrections(RowSet& rows, std::span<const int> constraints, double time_step,
                      const ConstraintSettings& settings);
// What was jammed in the last step is left as it is: a jam outlasts a step, and to find it again costs a hundred
// factorisations. One of which nothing has changed, no depth and no contact, is not tried again; others are, now and
// then by the number of the step. Rows and warm starts ascend by identity.
void recall_jams(std::span<const WarmStart> warm_starts, std::int64_t step, double time_step,
                 const ConstraintSettings& settings, RowSet& rows);

}  // namespace stiction
