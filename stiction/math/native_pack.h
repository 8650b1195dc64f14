// The largest pack that fits a register: eight doubles with AVX-512, four elsewhere. Kernels that keep as many packs in
// registers as there are go along arrays padded to eight by native packs; a Pack8 takes two registers where it is two
// packs of four (pack.h).
#pragma once

#include <type_traits>

#include "stiction/math/pack.h"

// A loop over the packs of a kernel: unrolled early, so that they stay in registers.
#if defined(__clang__)
#define STICTION_UNROLL _Pragma("unroll")
#else
#define STICTION_UNROLL _Pragma("GCC unroll 4")
#endif

namespace stiction {

#if defined(__AVX512F__)
using NativePack = Pack8;
inline constexpr int native_registers = 32;
#else
using NativePack = Pack4;
inline constexpr int native_registers = 16;
#endif
inline constexpr int native_lanes = sizeof(NativePack) / sizeof(double);
static_assert(8 % native_lanes == 0);

inline __attribute__((always_inline)) NativePack load_native(const double* from) {
  NativePack pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}
inline __attribute__((always_inline)) void store_native(double* to, const NativePack& pack) {
  std::memcpy(to, &pack, sizeof pack);
}

#if defined(__AVX512F__)
inline constexpr NativePack native_lane_numbers{0, 1, 2, 3, 4, 5, 6, 7};
#else
inline constexpr NativePack native_lane_numbers{0, 1, 2, 3};
#endif
// The lanes from lane n on, or those before it; zero elsewhere.
inline __attribute__((always_inline)) NativePack keep_lanes_from(const NativePack& a, int n) {
  return native_lane_numbers >= static_cast<double>(n) ? a : NativePack{};
}
inline __attribute__((always_inline)) NativePack keep_lanes_until(const NativePack& a, int n) {
  return native_lane_numbers < static_cast<double>(n) ? a : NativePack{};
}

// Calls kernel(std::integral_constant<int, n>, first) for packs [first, first + n), `Most` at a time and then the rest,
// so that a kernel knows how many registers it fills.
template <int Most, class Kernel>
inline __attribute__((always_inline)) void for_packs(int first, int end, Kernel&& kernel) {
  static_assert(Most <= 4);
  for (; end - first >= Most; first += Most) kernel(std::integral_constant<int, Most>{}, first);
  if constexpr (Most > 3) {
    if (end - first == 3) return kernel(std::integral_constant<int, 3>{}, first);
  }
  if constexpr (Most > 2) {
    if (end - first == 2) return kernel(std::integral_constant<int, 2>{}, first);
  }
  if constexpr (Most > 1) {
    if (end - first == 1) return kernel(std::integral_constant<int, 1>{}, first);
  }
}

}  // namespace stiction
