// Columns of numbers that change little from row to row, as bytes that deflate well.
//
// Every row may name the row it follows in time: the same body, or the same contact, one frame earlier. Its value is
// predicted from the chain of rows before it, and what is stored is the distance in units of the last place kept:
//
//     r = zigzag((ord(x) >> s) − (ord(p) >> s)),   p = x₁ (order 1),  2 x₁ − x₂ (order 2),  3 x₁ − 3 x₂ + x₃ (order 3)
//
// with ord the bits of a float as integers in the order of the numbers, and p rounded to float once. A row without
// predecessor takes the row above it. The order is the one of fewest bits. The four bytes of r go into four planes, so
// that the upper ones are runs of zeros.
//
//     column = order, s (1 byte each), plane 0 (lowest bytes), plane 1, plane 2, plane 3
//
// Digits that nobody reads are most of a page: the last bits of forces and velocities are noise, which does not
// deflate. So a column has a Precision, to which numbers are rounded first. All others come back to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stiction::viewer {

using Bytes = std::vector<std::uint8_t>;

// Significant bits that are kept of a number: `bits` down to the size `floor`, below it one less for every factor of
// two, at least four. Twenty-four are all that a float has.
struct Precision {
  int bits = 24;
  float floor = 0.0F;
};
float round_to(float value, const Precision& precision);

// `before[i]`: the row that row i follows, less than i; −1: none.
void append_column(std::span<const float> values, std::span<const std::int32_t> before, Bytes& out,
                   const Precision& precision = {});
// Planes alone, without prediction.
void append_integers(std::span<const std::int32_t> values, Bytes& out);

// Raw deflate, as DecompressionStream("deflate-raw") reads it.
Bytes deflate(std::span<const std::uint8_t> bytes);
std::string to_base64(std::span<const std::uint8_t> bytes);

}  // namespace stiction::viewer
