// SIMD packs: four or eight doubles in one value, by the compiler's vector extension. The same text compiles to
// AVX-512, to two AVX2 operations or to plain SSE2, so kernels are written once.
#pragma once

#include <cstddef>
#include <cstring>

namespace stiction {

using Pack4 = double __attribute__((vector_size(32)));
using Pack8 = double __attribute__((vector_size(64)));

inline Pack4 broadcast4(double a) {
  return Pack4{a, a, a, a};
}
inline Pack8 broadcast8(double a) {
  return Pack8{a, a, a, a, a, a, a, a};
}

// Packs at any address: a plain array of doubles is not one of packs for the optimiser, and need not be aligned as one
// (a portable build aligns to sixteen bytes only). The copy compiles to one unaligned move.
inline __attribute__((always_inline)) Pack4 load4(const double* from) {
  Pack4 pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}
inline __attribute__((always_inline)) Pack8 load8(const double* from) {
  Pack8 pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}
inline __attribute__((always_inline)) void store4(double* to, const Pack4& pack) {
  std::memcpy(to, &pack, sizeof pack);
}
inline __attribute__((always_inline)) void store8(double* to, const Pack8& pack) {
  std::memcpy(to, &pack, sizeof pack);
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
