// Sine and cosine of all lanes of a pack at once, to about one unit in the last place, without a call of the library.
#pragma once

#include "stiction/math/pack.h"

namespace stiction {

// Beyond this angle (rad) the reduction by π/2 in three parts loses digits; callers use the library's functions there.
inline constexpr double sin_cos_limit = 1048576.0;

// Reduction x = k π/2 + r, |r| ≤ π/4, with π/2 in parts of 33 bits so that k times a part is exact; then the minimax
// polynomials of degree 13 and 14 on that interval, exchanged and negated by the last two bits of k.
template <class Pack>
inline void sin_cos(const Pack& x, Pack& sine, Pack& cosine) {
  using Integers = decltype(x < x);
  constexpr double rounder = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to an integer kept in the low bits
  const Pack shifted = x * 0.63661977236758134308 + rounder;
  const Integers quadrant = reinterpret_cast<Integers>(shifted);
  const Pack k = shifted - rounder;
  Pack r = x - k * 1.57079632673412561417e+00;
  r = r - k * 6.07710050630396597660e-11;
  r = r - k * 2.02226624879595063154e-21;
  const Pack z = r * r;
  Pack s = 1.58962301576546568060e-10 * z - 2.50507477628578072866e-8;
  s = s * z + 2.75573136213857245213e-6;
  s = s * z - 1.98412698295895385996e-4;
  s = s * z + 8.33333333332211858878e-3;
  s = s * z - 1.66666666666666307295e-1;
  s = r + r * z * s;
  Pack c = -1.13585365213876817300e-11 * z + 2.08757008419747316778e-9;
  c = c * z - 2.75573141792967388112e-7;
  c = c * z + 2.48015872888517045348e-5;
  c = c * z - 1.38888888888730564116e-3;
  c = c * z + 4.16666666666665929218e-2;
  c = 1.0 - 0.5 * z + z * z * c;
  const Integers exchange = (quadrant & 1) != 0;
  const Pack of_sine = exchange ? c : s;
  const Pack of_cosine = exchange ? s : c;
  sine = (quadrant & 2) != 0 ? -of_sine : of_sine;
  cosine = ((quadrant + 1) & 2) != 0 ? -of_cosine : of_cosine;
}

#if !defined(__AVX512F__)
inline void sin_cos(const Pack8& x, Pack8& sine, Pack8& cosine) {
  sin_cos(x.low, sine.low, cosine.low);
  sin_cos(x.high, sine.high, cosine.high);
}
#endif

}  // namespace stiction
