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
  servo = 5,  // they come last
  torsion = 6,
  rolling = 7
};

// The order of constraints in a step. (Numbers stay what they were when states with them were written.)
constexpr int rank(ConstraintSource source) {
  return source == ConstraintSource::servo ? 8 : static_cast<int>(source);
}

struct ConstraintIdentity {
  ConstraintSource source = ConstraintSource::contact;
  // Shapes of a contact, also for its torsion and rolling; degree of freedom, or number of velocities + tendon; loop and which of its blocks; degree of
  // freedom, or number of velocities + coupled length, and which part of what its servos exert, −1: they are saturated
  // and no row.
  std::int32_t first = -1, second = -1;
  std::int32_t unused = 0;    // explicit padding: states are compared and stored as bytes
  std::uint64_t feature = 0;  // of a contact point

  friend bool operator==(const ConstraintIdentity&, const ConstraintIdentity&) = default;
  friend std::strong_ordering operator<=>(const ConstraintIdentity& a, const ConstraintIdentity& b) {
    if (a.source != b.source) return rank(a.source) <=> rank(b.source);
    if (a.first != b.first) return a.first <=> b.first;
    if (a.second != b.second) return a.second <=> b.second;
    if (a.unused != b.unused) return a.unused <=> b.unused;
    return a.feature <=> b.feature;
  }
};

}  // namespace stiction
