// Names a constraint from step to step, for warm starts.
#pragma once

#include <cstdint>
#include <type_traits>

#include "stiction/collision/contact_point.h"
#include "stiction/math/types.h"

namespace stiction {

enum class ConstraintSource : std::int32_t {
  contact = 0,
  lower_limit = 1,
  upper_limit = 2,
  dry_friction = 3,
  loop = 4,
  servo = 5
};

struct RowIdentity {
  ConstraintSource source = ConstraintSource::contact;
  // Shapes of a contact; degree of freedom; loop and which of its blocks; degree of freedom and which part of what its
  // servos exert, −1: they are saturated and no row.
  std::int32_t first = -1, second = -1;
  std::int32_t unused = 0;    // explicit padding: states are compared and stored as bytes
  std::uint64_t feature = 0;  // of a contact point

  friend bool operator==(const RowIdentity&, const RowIdentity&) = default;
  friend auto operator<=>(const RowIdentity&, const RowIdentity&) = default;
};

// The impulse that a constraint carried: a contact's in world axes, so that turned tangents do not matter; rows of
// other constraints as they are. And how deep a jammed contact was left, and where a contact began to stick.
struct WarmStart {
  RowIdentity id;
  double impulse[3] = {0.0, 0.0, 0.0};  // N·s
  // m, as RowSet::Row; negative: the jam has changed since, and the contact is to be driven out when its turn comes.
  double left_depth = 0.0;
  // Of a contact that sticks (StickMemory): the points of its bodies that met, in the bodies' frames (the world's: in
  // the world), m, and its normal in world axes. A normal of zero: it does not stick.
  double point_a[3] = {0.0, 0.0, 0.0}, point_b[3] = {0.0, 0.0, 0.0}, normal[3] = {0.0, 0.0, 0.0};
  double end_velocity[3] = {0.0, 0.0, 0.0};  // of a contact: J v⁺ at its beginning, world axes, m/s
};

}  // namespace stiction
