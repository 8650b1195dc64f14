// Names a constraint of a step, and stays from step to step.
#pragma once

#include <compare>
#include <cstdint>

namespace stiction {

enum class ConstraintSource : std::int32_t {
  contact = 0,
  lower_limit = 1,
  upper_limit = 2,
  dry_friction = 3,
  loop = 4,
  servo = 5
};

struct ConstraintIdentity {
  ConstraintSource source = ConstraintSource::contact;
  // Shapes of a contact; degree of freedom, or number of velocities + tendon; loop and which of its blocks; degree of
  // freedom, or number of velocities + coupled length, and which part of what its servos exert, −1: they are saturated
  // and no row.
  std::int32_t first = -1, second = -1;
  std::int32_t unused = 0;    // explicit padding: states are compared and stored as bytes
  std::uint64_t feature = 0;  // of a contact point

  friend bool operator==(const ConstraintIdentity&, const ConstraintIdentity&) = default;
  friend auto operator<=>(const ConstraintIdentity&, const ConstraintIdentity&) = default;
};

}  // namespace stiction
