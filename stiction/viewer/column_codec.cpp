#include "stiction/viewer/column_codec.h"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <stdexcept>

namespace stiction::viewer {
namespace {

constexpr int max_order = 3, float_bits = 24, fewest_bits = 4;

std::uint32_t zigzag(std::int32_t x) {
  return (static_cast<std::uint32_t>(x) << 1) ^ static_cast<std::uint32_t>(x >> 31);
}

std::int32_t ordered(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

// The page computes the same in double and rounds once; the products are exact, so fused operations change nothing.
float predict(std::span<const float> x, std::span<const std::int32_t> before, std::size_t row, int order) {
  const std::int32_t one = before[row];
  if (order == 0 || row == 0) return 0.0F;
  if (one < 0) return x[row - 1];
  const std::int32_t two = order > 1 ? before[one] : -1;
  if (two < 0) return x[one];
  const std::int32_t three = order > 2 ? before[two] : -1;
  const double a = x[one], b = x[two];
  return static_cast<float>(three < 0 ? 2.0 * a - b : 3.0 * a - 3.0 * b + static_cast<double>(x[three]));
}

std::uint32_t residual(std::span<const float> x, std::span<const std::int32_t> before, std::size_t row, int order,
                       int shift) {
  const float p = predict(x, before, row, order);
  const std::int32_t expected = ordered(std::isfinite(p) ? p : 0.0F) >> shift;
  const auto difference = static_cast<std::uint32_t>(ordered(x[row]) >> shift) - static_cast<std::uint32_t>(expected);
  return zigzag(static_cast<std::int32_t>(difference));
}

int best_order(std::span<const float> values, std::span<const std::int32_t> before, int shift) {
  int best = 0;
  std::uint64_t fewest = UINT64_MAX;
  for (int order = 0; order <= max_order; ++order) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < values.size(); ++i) bits += std::bit_width(residual(values, before, i, order, shift));
    if (bits < fewest) fewest = bits, best = order;
  }
  return best;
}

void append_planes(std::span<const std::uint32_t> words, Bytes& out) {
  for (int plane = 0; plane < 4; ++plane) {
    for (const std::uint32_t word : words) out.push_back(static_cast<std::uint8_t>(word >> (8 * plane)));
  }
}

}  // namespace

float round_to(float value, const Precision& precision) {
  if (!std::isfinite(value) || value == 0.0F) return value;
  int bits = precision.bits;
  if (std::abs(value) < precision.floor) bits -= std::ilogb(precision.floor) - std::ilogb(value);
  const int dropped = float_bits - std::max(bits, fewest_bits);
  if (dropped <= 0) return value;
  const auto half = std::uint32_t{1} << (dropped - 1);
  const std::uint32_t up = std::bit_cast<std::uint32_t>(value) + half;  // a carry goes into the exponent, as it should
  const auto rounded = std::bit_cast<float>(up & ~(2 * half - 1));
  return std::isfinite(rounded) ? rounded : value;
}

void append_column(std::span<const float> values, std::span<const std::int32_t> before, Bytes& out,
                   const Precision& precision) {
  std::vector<float> rounded(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) rounded[i] = round_to(values[i], precision);
  // Bits that no number has; what was not rounded, like NaN, keeps them.
  std::uint32_t used = 0;
  for (const float value : rounded) used |= static_cast<std::uint32_t>(ordered(value) ^ (ordered(value) >> 31));
  const int shift = std::min(std::countr_zero(used), float_bits - 1);
  const int order = best_order(rounded, before, shift);
  std::vector<std::uint32_t> words(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) words[i] = residual(rounded, before, i, order, shift);
  out.push_back(static_cast<std::uint8_t>(order));
  out.push_back(static_cast<std::uint8_t>(shift));
  append_planes(words, out);
}

void append_integers(std::span<const std::int32_t> values, Bytes& out) {
  std::vector<std::uint32_t> words;
  words.reserve(values.size());
  for (const std::int32_t value : values) words.push_back(zigzag(value));
  append_planes(words, out);
}

Bytes deflate(std::span<const std::uint8_t> bytes) {
  z_stream stream{};
  constexpr int raw = -15, memory = 9;
  if (deflateInit2(&stream, 6, Z_DEFLATED, raw, memory, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  Bytes out(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate: a block is too large");
  return out;
}

std::string to_base64(std::span<const std::uint8_t> bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < left ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text.push_back(k <= left ? digits[word >> (18 - 6 * k) & 63U] : '=');
  }
  return text;
}

}  // namespace stiction::viewer
