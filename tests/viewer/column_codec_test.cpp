// Columns come back: a decoder written apart from the encoder, from the layout alone.
#include "stiction/viewer/column_codec.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace stiction::viewer {
namespace {

std::vector<std::int32_t> chain(std::size_t count, std::int32_t stride) {
  std::vector<std::int32_t> before(count);
  for (std::size_t i = 0; i < count; ++i) before[i] = std::max(static_cast<std::int32_t>(i) - stride, -1);
  return before;
}

std::int64_t rank_of(float x) {  // in the order of the numbers, −0 below 0
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits >> 31 ? -std::int64_t{bits & 0x7fffffffU} - 1 : std::int64_t{bits};
}

float of_rank(std::int64_t rank) {
  const std::uint32_t bits =
      rank < 0 ? 0x80000000U | static_cast<std::uint32_t>(-rank - 1) : static_cast<std::uint32_t>(rank);
  return std::bit_cast<float>(bits);
}

std::vector<float> decode(const Bytes& bytes, const std::vector<std::int32_t>& before) {
  const std::size_t n = before.size();
  EXPECT_EQ(bytes.size(), 2 + 4 * n);
  const int order = bytes[0], shift = bytes[1];
  const std::int64_t unit = std::int64_t{1} << shift;
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k) word |= std::uint32_t{bytes[2 + k * n + i]} << (8 * k);
    const std::int64_t difference = word % 2 ? -std::int64_t{word / 2} - 1 : std::int64_t{word / 2};
    double p = 0.0;
    if (order > 0 && i > 0) {
      std::vector<double> past;
      for (std::int32_t j = before[i]; j >= 0 && static_cast<int>(past.size()) < order; j = before[j])
        past.push_back(x[j]);
      if (past.empty()) {
        p = x[i - 1];
      } else if (past.size() == 1) {
        p = past[0];
      } else {
        p = past.size() == 2 ? 2 * past[0] - past[1] : 3 * past[0] - 3 * past[1] + past[2];
      }
    }
    const auto predicted = static_cast<float>(p);
    const std::int64_t from = rank_of(std::isfinite(predicted) ? predicted : 0.0F);
    const std::int64_t floor = from >= 0 ? from / unit : -((-from + unit - 1) / unit);
    // Ranks of rounded numbers end in zeros, those of negative ones in ones; the sum wraps at 32 bits.
    std::int64_t rank = (floor + difference) * unit;
    if (floor + difference < 0) rank += unit - 1;
    x[i] = of_rank(static_cast<std::int32_t>(static_cast<std::uint32_t>(rank)));
  }
  return x;
}

void expect_same(const std::vector<float>& values, const std::vector<std::int32_t>& before,
                 const Precision& precision = {}) {
  Bytes bytes;
  append_column(values, before, bytes, precision);
  const std::vector<float> found = decode(bytes, before);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float wanted = round_to(values[i], precision);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(found[i]), std::bit_cast<std::uint32_t>(wanted)) << i << ": " << values[i];
  }
}

TEST(ColumnCodec, EveryFloatComesBackToTheLastBit) {
  std::mt19937 random(1);
  std::vector<float> values = {0.0F,
                               -0.0F,
                               1.0F,
                               -1.0F,
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN(),
                               std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::lowest()};
  while (values.size() < 4000) values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  expect_same(values, chain(values.size(), 1));
  expect_same(values, chain(values.size(), 7));
  expect_same(values, std::vector<std::int32_t>(values.size(), -1));
  expect_same({}, {});
}

TEST(ColumnCodec, RoundedNumbersComeBackRounded) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  std::vector<float> values;
  for (int i = 0; i < 3000; ++i) values.push_back(normal(random) * std::pow(10.0F, 4 * normal(random)));
  for (const Precision& precision : {Precision{17, 1e-6F}, Precision{13, 1.0F}, Precision{20}, Precision{24}}) {
    expect_same(values, chain(values.size(), 3), precision);
  }
}

TEST(ColumnCodec, RoundingKeepsTheDigitsItPromises) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 10000; ++i) {
    const float x = normal(random);
    EXPECT_LE(std::abs(round_to(x, {17, 1e-6F}) - x), std::ldexp(std::abs(x), -17));
    EXPECT_LE(std::abs(round_to(1e-12F * x, {17, 1e-6F}) - 1e-12F * x), std::ldexp(1e-12F * std::abs(x), -4));
    EXPECT_EQ(round_to(x, {}), x);
  }
  EXPECT_EQ(round_to(std::numeric_limits<float>::max(), {13, 0.0F}), std::numeric_limits<float>::max());
  EXPECT_TRUE(std::isnan(round_to(std::numeric_limits<float>::quiet_NaN(), {13, 0.0F})));
}

TEST(ColumnCodec, WhatFliesFreelyTakesFewBits) {
  std::vector<float> height;
  for (int i = 0; i < 1000; ++i) height.push_back(static_cast<float>(10.0 + 3.0 * i * 1e-3 - 4.905 * i * i * 1e-6));
  Bytes bytes;
  append_column(height, chain(height.size(), 1), bytes);
  EXPECT_GE(bytes[0], 2);
  EXPECT_LT(deflate(bytes).size(), 1200U);  // of 4000
}

TEST(ColumnCodec, DeflateIsRaw) {
  Bytes bytes(100000);
  std::mt19937 random(4);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() % 7);
  const Bytes packed = deflate(bytes);
  EXPECT_LT(packed.size(), bytes.size() / 2);
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, -15), Z_OK);
  Bytes out(bytes.size());
  stream.next_in = const_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  EXPECT_EQ(out, bytes);
}

TEST(ColumnCodec, Base64) {
  const auto of = [](std::string_view text) {
    return to_base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(of("\xff\xfe\xfd"), "//79");
}

}  // namespace
}  // namespace stiction::viewer
