// What the collider remembers from step to step: part of the simulation's state, saved and restored with it, because a
// warm start changes the last bits of a distance. Plain vectors of trivially copyable entries, so that they are written
// to a file and compared as bytes.
#pragma once

#include <cstddef>
#include <vector>

namespace stiction {

struct CollisionCache {
  std::vector<std::byte> bytes;  // laid out by the collider; empty: nothing is remembered

  void clear() { bytes.clear(); }
};

}  // namespace stiction
