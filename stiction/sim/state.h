// Everything that changes: copy it, save it, restore it, and the simulation goes on with the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stiction/collision/collision_cache.h"
#include "stiction/constraints/warm_start.h"
#include "stiction/model/model.h"
#include "stiction/sim/found_contacts.h"

namespace stiction {

struct State {
  double time = 0.0;  // s
  std::int64_t step = 0;
  VectorX q, v;        // layout as in Model
  VectorX control;     // one entry per actuator
  VectorX activation;  // one entry per actuator with a state of its own: Actuator::first_activation

  // Warm starts: they change the last bits of a solution, so they belong to the state.
  std::vector<WarmStart> warm_starts;  // ascending identity
  CollisionCache collision;
  // Collision looks at the end of a step for the geometric certificate; the next step begins with what it found.
  FoundContacts found;
  std::vector<std::int32_t> rest_steps;  // sleeping: steps that each tree has been at rest; empty: nothing sleeps
  // What sensors with a delay have read, each a ring of steps; empty: nothing yet. From which step on: −1: none.
  VectorX sensed;
  std::int64_t sensed_from = -1;
  std::uint64_t rest_inputs = 0;  // a sum of control and forces under which they rest; 0: unknown

  static State initial(const Model& model);
  static State from_keyframe(const Model& model, int keyframe);

  // Bytes that hold all of it, with a checksum; read() throws std::invalid_argument where they are damaged or belong to
  // another layout.
  std::vector<std::byte> to_bytes() const;
  static State from_bytes(std::span<const std::byte> bytes);
  void save(const std::string& path) const;
  static State load(const std::string& path);
};

// Throws std::invalid_argument naming the entry when sizes do not fit the model, a value is not finite or a quaternion
// is far from length one.
void check_state(const Model& model, const State& state);

}  // namespace stiction
