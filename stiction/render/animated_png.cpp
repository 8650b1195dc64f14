// Animated PNG: the first picture whole, of the others the rectangle that changed.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "stiction/render/film.h"
#include "stiction/render/png.h"

namespace stiction::raster {
namespace {

struct Rectangle {
  int x, y, width, height;
};

// Where two pictures of one size differ; one pixel where they do not.
Rectangle changed(const Image& a, const Image& b) {
  const int width = a.width(), height = a.height();
  const std::size_t row = 3 * static_cast<std::size_t>(width);
  int x_low = width, x_high = -1, y_low = height, y_high = -1;
  for (int y = 0; y < height; ++y) {
    const std::uint8_t *p = a.bytes().data() + y * row, *q = b.bytes().data() + y * row;
    if (std::memcmp(p, q, row) == 0) continue;
    y_low = std::min(y_low, y), y_high = y;
    int first = 0, last = width - 1;
    while (std::memcmp(p + 3 * first, q + 3 * first, 3) == 0) ++first;
    while (std::memcmp(p + 3 * last, q + 3 * last, 3) == 0) --last;
    x_low = std::min(x_low, first), x_high = std::max(x_high, last);
  }
  if (y_high < 0) return {0, 0, 1, 1};
  return {x_low, y_low, x_high - x_low + 1, y_high - y_low + 1};
}

class AnimatedPng : public FilmFormat {
 public:
  AnimatedPng(const std::string& path, double frames_per_second)
      : file_(path), delay_(static_cast<std::uint16_t>(std::lround(std::min(10000.0 / frames_per_second, 65535.0)))) {}

  void add(const Image& image) override {
    Bytes out;
    if (count_ == 0) {
      out = png_beginning(image.width(), image.height());
      control_place_ = out.size();
      append_control(0, out);
      append_frame_control({0, 0, image.width(), image.height()}, out);
      append_chunk("IDAT", packed_rows(image.bytes(), image.width(), image.height()), out);
    } else {
      const Rectangle part = changed(last_, image);
      Bytes pixels;
      for (int y = part.y; y < part.y + part.height; ++y) {
        const std::uint8_t* row = image.bytes().data() + 3 * (static_cast<std::size_t>(y) * image.width() + part.x);
        pixels.insert(pixels.end(), row, row + 3 * part.width);
      }
      append_frame_control(part, out);
      Bytes data;
      append_number(sequence_++, data);
      const Bytes packed = packed_rows(pixels, part.width, part.height);
      data.insert(data.end(), packed.begin(), packed.end());
      append_chunk("fdAT", data, out);
    }
    file_.write(out.data(), out.size());
    last_ = image;
    ++count_;
  }

  void close() override {
    Bytes out;
    append_chunk("IEND", {}, out);
    file_.write(out.data(), out.size());
    Bytes control;
    append_control(count_, control);
    file_.rewrite(control_place_, control.data(), control.size());
    file_.close();
  }

 private:
  // How many pictures, played without end.
  static void append_control(std::uint32_t count, Bytes& out) {
    Bytes data;
    append_number(count, data);
    append_number(0, data);
    append_chunk("acTL", data, out);
  }
  void append_frame_control(const Rectangle& part, Bytes& out) {
    Bytes data;
    append_number(sequence_++, data);
    for (const int value : {part.width, part.height, part.x, part.y}) append_number(value, data);
    constexpr std::uint16_t per_second = 10000;
    for (const std::uint16_t value : {delay_, per_second}) {
      data.push_back(static_cast<std::uint8_t>(value >> 8)), data.push_back(static_cast<std::uint8_t>(value));
    }
    data.push_back(0), data.push_back(0);  // the picture stays; the next one covers it
    append_chunk("fcTL", data, out);
  }

  GrowingFile file_;
  std::uint16_t delay_;  // in 1/10000 s
  std::uint32_t count_ = 0, sequence_ = 0;
  std::size_t control_place_ = 0;
  Image last_;
};

}  // namespace

std::unique_ptr<FilmFormat> make_animated_png(const std::string& path, double frames_per_second) {
  return std::make_unique<AnimatedPng>(path, frames_per_second);
}

}  // namespace stiction::raster
