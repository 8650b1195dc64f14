// A small font for labels, drawn for this: printable ASCII and the symbols of mechanics (μ ε λ σ Δ ° ± × ≤ …).
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace stiction::raster {

inline constexpr int glyph_width = 5, glyph_height = 9;                 // two rows below the base line
using Glyph = std::array<std::array<bool, glyph_width>, glyph_height>;  // [row from the top][column]

// A frame for what the font has not.
const Glyph& glyph_of(char32_t character);
// Bytes that are no UTF-8 become U+FFFD.
std::u32string decode_utf8(std::string_view text);

}  // namespace stiction::raster
