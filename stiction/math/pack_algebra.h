// Functions of packs of four that the compiler's vector extension has no operator for.
#pragma once

#include <cmath>

#include "stiction/math/pack.h"

namespace stiction {

// As the processor does: b where a is not a number.
inline __attribute__((always_inline)) Pack4 min4(const Pack4& a, const Pack4& b) {
#if defined(__AVX__)
  return _mm256_min_pd(a, b);
#else
  return a < b ? a : b;
#endif
}
inline __attribute__((always_inline)) Pack4 max4(const Pack4& a, const Pack4& b) {
#if defined(__AVX__)
  return _mm256_max_pd(a, b);
#else
  return a > b ? a : b;
#endif
}
inline __attribute__((always_inline)) Pack4 abs4(const Pack4& a) {
  return max4(a, -a);
}
inline __attribute__((always_inline)) Pack4 sqrt4(const Pack4& a) {
#if defined(__AVX__)
  return _mm256_sqrt_pd(a);
#else
  return Pack4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

// Rows become columns.
inline __attribute__((always_inline)) void transpose4(Pack4& a, Pack4& b, Pack4& c, Pack4& d) {
  const Pack4 ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Pack4 cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

}  // namespace stiction
