// Single lanes of a block of four, by number.
#pragma once

#include "stiction/math/spatial.h"

namespace stiction {

using PackIntegers = decltype(Pack4{} < Pack4{});

// The lanes before lane n; zero from there on.
STICTION_INLINE Pack4 keep_lanes_before(const Pack4& a, int n) {
  const PackIntegers keep = PackIntegers{0, 1, 2, 3} < n;
  return keep ? a : Pack4{};
}

// a with `value` in lane n.
STICTION_INLINE Pack4 put_lane(const Pack4& a, int n, double value) {
  const PackIntegers here = PackIntegers{0, 1, 2, 3} == n;
  return here ? broadcast4(value) : a;
}

}  // namespace stiction
