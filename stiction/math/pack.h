// SIMD packs: four or eight doubles in one value, by the compiler's vector extension. The same text compiles to
// AVX-512, to two AVX2 operations or to plain SSE2, so kernels are written once.
//
// Where no register holds eight doubles GCC keeps a vector of eight in memory and copies it in pieces, which makes a
// kernel several times slower. There a Pack8 is two packs of four, each in a register.
#pragma once

#include <cstddef>
#include <cstring>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace stiction {

using Pack4 = double __attribute__((vector_size(32)));

#if defined(__AVX512F__)

using Pack8 = double __attribute__((vector_size(64)));

// a with `value` in that lane. A lane that is written alone and then read as part of its pack makes the processor wait.
inline __attribute__((always_inline)) Pack8 with_lane(const Pack8& a, int lane, const Pack8& value) {
  using Lanes = long long __attribute__((vector_size(64)));
  return (Lanes{0, 1, 2, 3, 4, 5, 6, 7} == lane) ? value : a;
}
inline __attribute__((always_inline)) Pack4 low_half(const Pack8& a) {
  return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
inline __attribute__((always_inline)) Pack4 high_half(const Pack8& a) {
  return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}
inline __attribute__((always_inline)) Pack8 joined(const Pack4& low, const Pack4& high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

#else

#define STICTION_PACK_INLINE inline __attribute__((always_inline))

struct Pack8 {
  Pack4 low, high;

  Pack8() = default;
  STICTION_PACK_INLINE Pack8(const Pack4& a, const Pack4& b) : low(a), high(b) {}
  STICTION_PACK_INLINE Pack8(double a, double b, double c, double d, double e, double f, double g, double h)
      : low{a, b, c, d}, high{e, f, g, h} {}
  STICTION_PACK_INLINE Pack8(double a) : low{a, a, a, a}, high{a, a, a, a} {}  // as a vector takes a scalar
  STICTION_PACK_INLINE double operator[](int lane) const { return lane < 4 ? low[lane] : high[lane - 4]; }
  STICTION_PACK_INLINE double& operator[](int lane) { return reinterpret_cast<double*>(this)[lane]; }
  STICTION_PACK_INLINE Pack8& operator+=(const Pack8& a) { return low += a.low, high += a.high, *this; }
  STICTION_PACK_INLINE Pack8& operator-=(const Pack8& a) { return low -= a.low, high -= a.high, *this; }
  STICTION_PACK_INLINE Pack8& operator*=(const Pack8& a) { return low *= a.low, high *= a.high, *this; }
};
STICTION_PACK_INLINE Pack8 operator+(const Pack8& a, const Pack8& b) {
  return {a.low + b.low, a.high + b.high};
}
STICTION_PACK_INLINE Pack8 operator-(const Pack8& a, const Pack8& b) {
  return {a.low - b.low, a.high - b.high};
}
STICTION_PACK_INLINE Pack8 operator*(const Pack8& a, const Pack8& b) {
  return {a.low * b.low, a.high * b.high};
}
STICTION_PACK_INLINE Pack8 operator/(const Pack8& a, const Pack8& b) {
  return {a.low / b.low, a.high / b.high};
}
STICTION_PACK_INLINE Pack8 operator-(const Pack8& a) {
  return {-a.low, -a.high};
}
STICTION_PACK_INLINE Pack8 with_lane(const Pack8& a, int lane, const Pack8& value) {
  using Lanes = long long __attribute__((vector_size(32)));
  constexpr Lanes low{0, 1, 2, 3}, high{4, 5, 6, 7};
  return {low == lane ? value.low : a.low, high == lane ? value.high : a.high};
}
STICTION_PACK_INLINE Pack4 low_half(const Pack8& a) {
  return a.low;
}
STICTION_PACK_INLINE Pack4 high_half(const Pack8& a) {
  return a.high;
}
STICTION_PACK_INLINE Pack8 joined(const Pack4& low, const Pack4& high) {
  return {low, high};
}

#endif

inline __attribute__((always_inline)) Pack4 broadcast4(double a) {
  return Pack4{a, a, a, a};
}
inline __attribute__((always_inline)) Pack8 broadcast8(double a) {
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
// (a, b, a, b) of two neighbours in memory. GCC would load them and then move lanes, which takes six cycles.
inline __attribute__((always_inline)) Pack4 load2_twice(const double* from) {
#if defined(__AVX__)
  return _mm256_broadcast_pd(reinterpret_cast<const __m128d*>(from));
#else
  return Pack4{from[0], from[1], from[0], from[1]};
#endif
}
// A pack that several operations read stays in its register from here on: GCC would fetch it from memory for each.
inline __attribute__((always_inline)) void hold(Pack4& pack) {
#if defined(__AVX__)
  asm("" : "+x"(pack));
#else
  (void)pack;
#endif
}
inline __attribute__((always_inline)) void store4(double* to, const Pack4& pack) {
  std::memcpy(to, &pack, sizeof pack);
}
inline __attribute__((always_inline)) void store8(double* to, const Pack8& pack) {
  std::memcpy(to, &pack, sizeof pack);
}

// Sums in a fixed order, so that a result does not depend on how the compiler shuffles.
inline __attribute__((always_inline)) double sum(const Pack4& a) {
  return (a[0] + a[1]) + (a[2] + a[3]);
}
inline __attribute__((always_inline)) double sum(const Pack8& a) {
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
