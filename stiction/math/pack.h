// SIMD packs: four or eight doubles in one value, by the compiler's vector extension. The same text compiles to
// AVX-512, to two AVX2 operations or to plain SSE2, so kernels are written once.
#pragma once

#include <cstddef>

namespace stiction {

using Pack4 = double __attribute__((vector_size(32)));
using Pack8 = double __attribute__((vector_size(64)));

inline Pack4 broadcast4(double a) {
  return Pack4{a, a, a, a};
}
inline Pack8 broadcast8(double a) {
  return Pack8{a, a, a, a, a, a, a, a};
}

// Sums in a fixed order, so that a result does not depend on how the compiler shuffles.
inline double sum(const Pack4& a) {
  return (a[0] + a[1]) + (a[2] + a[3]);
}
inline double sum(const Pack8& a) {
  return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

// Rows are padded so that a kernel never needs a remainder loop.
inline constexpr int padded4(int n) {
  return (n + 3) & ~3;
}
inline constexpr int padded8(int n) {
  return (n + 7) & ~7;
}

}  // namespace stiction
