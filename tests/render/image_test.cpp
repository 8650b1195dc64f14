#include "stiction/render/image.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "stiction/render/font.h"

namespace stiction {
namespace {

constexpr Color white = {255, 255, 255}, black = {0, 0, 0};

// How dark the picture is, in black pixels.
double ink(const Image& image) {
  double sum = 0.0;
  for (const std::uint8_t byte : image.bytes()) sum += 255 - byte;
  return sum / (3 * 255.0);
}

TEST(Image, RectanglesCoverTheirArea) {
  Image image(20, 10);
  image.fill_rectangle(2.25, 1.5, 7.5, 4.25, black);
  EXPECT_NEAR(ink(image), 7.5 * 4.25, 0.05);
  EXPECT_EQ(image.at(5, 3), black);
  EXPECT_EQ(image.at(1, 3), white);
  image.fill_rectangle(-5, -5, 100, 100, black);  // cut off
  EXPECT_EQ(ink(image), 200.0);
}

TEST(Image, LinesCoverLengthTimesThickness) {
  for (const double thickness : {0.5, 1.0, 3.0}) {
    Image image(200, 200);
    image.draw_line(20, 30, 170, 150, black, thickness);
    const double length = std::hypot(150, 120), ends = thickness * 2;
    EXPECT_NEAR(ink(image), length * thickness, 0.06 * length * thickness + ends) << thickness;
    EXPECT_LT(image.at(95, 90).red, 140) << thickness;  // halfway
  }
}

TEST(Image, WhatIsNotFiniteOrFarAwayDrawsNothing) {
  Image image(20, 10);
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  image.draw_line(nan, 0, 5, 5, black);
  image.draw_line(0, 0, inf, 5, black);
  image.draw_line(1e300, 1e300, 1e301, 1e301, black);
  image.fill_rectangle(0, nan, 5, 5, black);
  image.fill_rectangle(1e300, 0, 5, 5, black);
  image.draw_text(-1000, 5, "left", black);
  image.draw_text(5, 1000, "below", black);
  EXPECT_EQ(ink(image), 0.0);
}

TEST(Image, SizesAreChecked) {
  for (const int bad : {0, -1, Image::max_size + 1, std::numeric_limits<int>::max()}) {
    EXPECT_THROW(Image(bad, 10), std::invalid_argument);
    EXPECT_THROW(Image(10, bad), std::invalid_argument);
  }
  Image image(4, 3);
  EXPECT_THROW(image.at(4, 0), std::invalid_argument);
  EXPECT_THROW(image.at(0, -1), std::invalid_argument);
  EXPECT_THROW(image.set(0, 3, black), std::invalid_argument);
  EXPECT_THROW(Image().to_png(), std::invalid_argument);
}

TEST(Image, TextHasTheGlyphsOfTheFont) {
  Image image(100, 20);
  image.draw_text(3, 4, "iμ", black, 1);
  const raster::Glyph& i = raster::glyph_of(U'i');
  const raster::Glyph& mu = raster::glyph_of(U'μ');
  for (int y = 0; y < raster::glyph_height; ++y) {
    for (int x = 0; x < raster::glyph_width; ++x) {
      EXPECT_EQ(image.at(3 + x, 4 + y) == black, i[y][x]) << x << ' ' << y;
      EXPECT_EQ(image.at(9 + x, 4 + y) == black, mu[y][x]) << x << ' ' << y;
    }
  }
  EXPECT_EQ(Image::text_width("iμ", 1), 11);
  EXPECT_EQ(Image::text_width("a\nabc", 2), 2 * 17);
  EXPECT_EQ(Image::text_height("a\nb", 1), 20);
}

TEST(Image, AllGlyphsDiffer) {
  std::vector<raster::Glyph> seen;
  for (char32_t c = U' '; c < 127; ++c) seen.push_back(raster::glyph_of(c));
  for (const char32_t c : std::u32string(U"μελστωΔ°±×·−≤≥≈²³⁻→…✓✗‖■")) seen.push_back(raster::glyph_of(c));
  seen.push_back(raster::glyph_of(U'\ufffd'));
  for (std::size_t a = 0; a < seen.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(seen[a], seen[b]) << a << ' ' << b;
  }
}

TEST(Image, BrokenUtf8IsReplaced) {
  EXPECT_EQ(raster::decode_utf8("a\xce\xbc"), U"aμ");
  EXPECT_EQ(raster::decode_utf8("a\xce"), U"a\ufffd");
  EXPECT_EQ(raster::decode_utf8("\xff\x80z"), U"\ufffd\ufffdz");
  EXPECT_EQ(raster::decode_utf8("\xe2\x89\xa4"), U"≤");
}

TEST(Image, PasteCutsOff) {
  Image image(10, 10), stamp(4, 4, black);
  image.paste(stamp, -2, 8);
  EXPECT_EQ(ink(image), 4.0);
  EXPECT_EQ(image.at(0, 8), black);
  image.paste(stamp, 20, 20);
  EXPECT_EQ(ink(image), 4.0);
}

std::uint32_t number_at(const std::vector<std::uint8_t>& bytes, std::size_t i) {
  return bytes[i] << 24 | bytes[i + 1] << 16 | bytes[i + 2] << 8 | bytes[i + 3];
}

// A reader of its own, by the letter of the PNG standard, for the one kind of file that is written.
std::vector<std::uint8_t> decode(const std::vector<std::uint8_t>& png, int width, int height) {
  EXPECT_EQ(std::string(png.begin() + 12, png.begin() + 16), "IHDR");
  EXPECT_EQ(number_at(png, 16), static_cast<std::uint32_t>(width));
  EXPECT_EQ(number_at(png, 20), static_cast<std::uint32_t>(height));
  const std::uint32_t size = number_at(png, 33);
  EXPECT_EQ(std::string(png.begin() + 37, png.begin() + 41), "IDAT");
  EXPECT_EQ(number_at(png, 41 + size), crc32(0, png.data() + 37, size + 4));
  const std::size_t row = 3 * width;
  std::vector<std::uint8_t> rows((row + 1) * height), out(row * height);
  uLongf length = rows.size();
  EXPECT_EQ(uncompress(rows.data(), &length, png.data() + 41, size), Z_OK);
  EXPECT_EQ(length, rows.size());
  for (int y = 0; y < height; ++y) {
    for (std::size_t i = 0; i < row; ++i) {
      const int a = i < 3 ? 0 : out[y * row + i - 3], b = y == 0 ? 0 : out[(y - 1) * row + i];
      const int c = i < 3 || y == 0 ? 0 : out[(y - 1) * row + i - 3];
      const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
      const int expected[] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c};
      out[y * row + i] = static_cast<std::uint8_t>(rows[y * (row + 1) + 1 + i] + expected[rows[y * (row + 1)]]);
    }
  }
  return out;
}

TEST(Image, PngHoldsThePixels) {
  for (const auto& [width, height] : {std::pair{1, 1}, {7, 5}, {64, 33}}) {
    Image image(width, height, {233, 237, 242});
    unsigned noise = 1;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        noise = noise * 1664525U + 1013904223U;
        if (y % 3 == 0) image.set(x, y, {static_cast<std::uint8_t>(noise >> 24), static_cast<std::uint8_t>(3 * x), 7});
      }
    }
    const std::vector<std::uint8_t> decoded = decode(image.to_png(), width, height);
    EXPECT_TRUE(std::equal(decoded.begin(), decoded.end(), image.bytes().begin(), image.bytes().end()));
  }
}

TEST(Image, SaveTellsWhatIsWrong) {
  const Image image(300, 300);
  EXPECT_THROW(image.save(""), std::invalid_argument);
  EXPECT_THROW(image.save("/"), std::invalid_argument);
  EXPECT_THROW(image.save("/no/such/folder/a.png"), std::runtime_error);
  EXPECT_THROW(image.save("/dev/full"), std::invalid_argument);  // a device
  const std::string path = testing::TempDir() + "stiction_image_test.png";
  image.save(path);
  EXPECT_EQ(std::filesystem::file_size(path), image.to_png().size());
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  // A disk that is full: the file of the part is one, and what stood there before stays.
  std::filesystem::remove(path + ".part");
  std::filesystem::create_symlink("/dev/full", path + ".part");
  EXPECT_THROW(image.save(path), std::runtime_error);
  EXPECT_EQ(std::filesystem::file_size(path), image.to_png().size());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace stiction
