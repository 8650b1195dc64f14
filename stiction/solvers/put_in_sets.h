// Impulses put back into their sets, each constraint by itself.
#pragma once

#include <algorithm>
#include <span>

#include "stiction/contact/constraint.h"
#include "stiction/math/horizontal_projection.h"

namespace stiction {

// Contacts by the horizontal projection (theory (1-10)), boxes and half-lines clipped, bilateral rows as they are.
// False where that changes nothing.
inline bool put_in_sets(std::span<const Constraint> constraints, double* lambda) {
  bool changed = false;
  for (const Constraint& c : constraints) {
    double* l = lambda + c.first_row;
    if (c.kind == ConstraintKind::frictional) {
      changed |= project_horizontally(c.friction, l);
    } else if (c.kind != ConstraintKind::bilateral) {
      const bool limit = c.kind == ConstraintKind::unilateral;
      const double clipped = limit ? std::max(0.0, l[0]) : std::clamp(l[0], -c.bound, c.bound);
      changed |= clipped != l[0];
      l[0] = clipped;
    }
  }
  return changed;
}

}  // namespace stiction
