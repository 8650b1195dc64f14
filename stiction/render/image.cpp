#include "stiction/render/image.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/render/font.h"

namespace stiction {
namespace {

constexpr int letter_step = raster::glyph_width + 1, line_step = raster::glyph_height + 2;

// How much of the pixel [i, i + 1] lies in [low, high].
double covered(int i, double low, double high) {
  return std::clamp(std::min(high, i + 1.0) - std::max(low, static_cast<double>(i)), 0.0, 1.0);
}

// Pixels that [low, high] may touch, as far as there are any: first … end − 1.
std::pair<int, int> pixels_of(double low, double high, int size) {
  return {static_cast<int>(std::clamp(std::floor(low), 0.0, static_cast<double>(size))),
          static_cast<int>(std::clamp(std::ceil(high), 0.0, static_cast<double>(size)))};
}

// Of the glyph at a point of its grid, interpolated: large letters get round corners instead of stairs.
double sample(const raster::Glyph& glyph, double x, double y) {
  const auto at = [&](int i, int j) {
    const bool is_inside = i >= 0 && i < raster::glyph_width && j >= 0 && j < raster::glyph_height;
    return is_inside && glyph[j][i] ? 1.0 : 0.0;
  };
  const double u = x - 0.5, v = y - 0.5;
  const int i = static_cast<int>(std::floor(u)), j = static_cast<int>(std::floor(v));
  const double a = u - i, b = v - j;
  return (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) + b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
}

}  // namespace

const Palette& Palette::light() {
  static const Palette palette = {{255, 255, 255}, {27, 39, 51},    {104, 116, 130}, {205, 211, 218}, {47, 127, 224},
                                  {233, 237, 242}, {211, 217, 224}, {179, 188, 199}, {27, 39, 51}};
  return palette;
}

const Palette& Palette::dark() {
  static const Palette palette = {{18, 22, 28}, {232, 237, 242}, {139, 149, 161}, {61, 71, 83},   {108, 178, 255},
                                  {18, 22, 28}, {42, 49, 59},    {61, 71, 83},    {244, 247, 250}};
  return palette;
}

Image::Image(int width, int height, Color fill) : width_(width), height_(height) {
  require(width >= 1 && width <= max_size, "width", width, message("1 … ", max_size, " pixels"));
  require(height >= 1 && height <= max_size, "height", height, message("1 … ", max_size, " pixels"));
  bytes_.resize(3 * static_cast<std::size_t>(width) * height);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    bytes_[i] = fill.red, bytes_[i + 1] = fill.green, bytes_[i + 2] = fill.blue;
  }
}

const std::uint8_t* Image::pixel(int x, int y) const {
  if (x < 0 || x >= width_ || y < 0 || y >= height_) {
    refuse("pixel (", x, ", ", y, ") is not in an image of ", width_, " × ", height_);
  }
  return bytes_.data() + 3 * (static_cast<std::size_t>(y) * width_ + x);
}

void Image::set(int x, int y, Color color) {
  auto* place = const_cast<std::uint8_t*>(pixel(x, y));
  place[0] = color.red, place[1] = color.green, place[2] = color.blue;
}

void Image::blend(int x, int y, Color color, double opacity) {
  std::uint8_t* place = bytes_.data() + 3 * (static_cast<std::size_t>(y) * width_ + x);
  const auto mix = [opacity](std::uint8_t below, std::uint8_t above) {
    return static_cast<std::uint8_t>(std::lround(below + opacity * (above - below)));
  };
  place[0] = mix(place[0], color.red), place[1] = mix(place[1], color.green), place[2] = mix(place[2], color.blue);
}

void Image::fill_rectangle(double x, double y, double width, double height, Color color, double opacity) {
  if (!std::isfinite(x + y + width + height + opacity) || !(width > 0.0 && height > 0.0)) return;
  opacity = std::clamp(opacity, 0.0, 1.0);
  const auto [x_begin, x_end] = pixels_of(x, x + width, width_);
  const auto [y_begin, y_end] = pixels_of(y, y + height, height_);
  for (int j = y_begin; j < y_end; ++j) {
    const double part = opacity * covered(j, y, y + height);
    for (int i = x_begin; i < x_end; ++i) blend(i, j, color, part * covered(i, x, x + width));
  }
}

void Image::draw_line(double x0, double y0, double x1, double y1, Color color, double thickness, double opacity) {
  if (!std::isfinite(x0 + y0 + x1 + y1 + thickness + opacity) || !(thickness > 0.0)) return;
  opacity = std::clamp(opacity, 0.0, 1.0) * std::min(thickness, 1.0);
  const double half = 0.5 * std::max(thickness, 1.0), dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
  const auto [y_begin, y_end] = pixels_of(std::min(y0, y1) - half - 1, std::max(y0, y1) + half + 1, height_);
  for (int j = y_begin; j < y_end; ++j) {
    // The part of the line near this row, and so the pixels that it may touch.
    double low = std::min(x0, x1), high = std::max(x0, x1);
    if (std::abs(dy) > 1e-9) {
      double a = x0 + dx * (j - half - 1 - y0) / dy, b = x0 + dx * (j + half + 2 - y0) / dy;
      if (a > b) std::swap(a, b);
      low = std::max(low, a), high = std::min(high, b);
    }
    const auto [x_begin, x_end] = pixels_of(low - half - 1, high + half + 1, width_);
    for (int i = x_begin; i < x_end; ++i) {
      const double px = i + 0.5 - x0, py = j + 0.5 - y0;
      const double t = length2 > 0.0 ? std::clamp((px * dx + py * dy) / length2, 0.0, 1.0) : 0.0;
      const double distance = std::hypot(px - t * dx, py - t * dy);
      const double part = std::clamp(half + 0.5 - distance, 0.0, 1.0);
      if (part > 0.0) blend(i, j, color, opacity * part);
    }
  }
}

void Image::draw_text(int x, int y, std::string_view text, Color color, int size) {
  require(size >= 1 && size <= 64, "size", size, "1 … 64");
  int left = x, top = y;
  for (const char32_t character : raster::decode_utf8(text)) {
    if (character == U'\n') {
      left = x, top += line_step * size;
      continue;
    }
    const raster::Glyph& glyph = raster::glyph_of(character);
    for (int j = 0; j < raster::glyph_height * size; ++j) {
      for (int i = 0; i < raster::glyph_width * size; ++i) {
        if (left + i < 0 || left + i >= width_ || top + j < 0 || top + j >= height_) continue;
        const double inside = sample(glyph, (i + 0.5) / size, (j + 0.5) / size);
        const double part = std::clamp(0.5 + (inside - 0.45) * size, 0.0, 1.0);
        if (inside > 0.0) blend(left + i, top + j, color, part);
      }
    }
    left += letter_step * size;
  }
}

int Image::text_width(std::string_view text, int size) {
  int longest = 0, length = 0;
  for (const char32_t character : raster::decode_utf8(text)) {
    length = character == U'\n' ? 0 : length + 1;
    longest = std::max(longest, length);
  }
  return longest == 0 ? 0 : size * (longest * letter_step - 1);
}

int Image::text_height(std::string_view text, int size) {
  return size * (raster::glyph_height + line_step * static_cast<int>(std::count(text.begin(), text.end(), '\n')));
}

void Image::paste(const Image& other, int x, int y) {
  const int begin = std::max(0, -x), end = std::min(other.width_, width_ - x);
  for (int j = std::max(0, -y); begin < end && j < std::min(other.height_, height_ - y); ++j) {
    const std::uint8_t* from = other.bytes_.data() + 3 * (static_cast<std::size_t>(j) * other.width_ + begin);
    std::copy_n(from, 3 * (end - begin), bytes_.data() + 3 * (static_cast<std::size_t>(y + j) * width_ + x + begin));
  }
}

}  // namespace stiction
