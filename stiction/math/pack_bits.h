// Comparisons of packs as bits.
#pragma once

#include "stiction/math/pack.h"

namespace stiction {

// Which lanes a comparison of packs of four holds for: bit k for lane k.
using Lanes4 = decltype(Pack4{} < Pack4{});
inline __attribute__((always_inline)) unsigned lane_bits(const Lanes4& holds) {
#if defined(__AVX__)
  return static_cast<unsigned>(__builtin_ia32_movmskpd256(reinterpret_cast<Pack4>(holds)));
#else
  return static_cast<unsigned>((holds[0] & 1) | (holds[1] & 2) | (holds[2] & 4) | (holds[3] & 8));
#endif
}

}  // namespace stiction
