// A picture of RGB bytes: drawn on, and saved as PNG. What the renderer makes, and what tables and plots are drawn on.
//
//     Image image(640, 480, Palette::light().background);
//     image.draw_line(10, 10, 200, 50, Palette::light().text, 2.0);
//     image.draw_text(10, 60, "μ = 0.8", Palette::light().text, 2);
//     image.save("plot.png");
//
// Pixel (x, y) is the unit square from (x, y) to (x + 1, y + 1), x to the right and y down from the upper left corner.
// Whatever lies outside of the picture is cut off. The same calls give the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Color&) const = default;
};

// Colours that go together; regimes and scene are those of the page of `stiction view`.
struct Palette {
  Color background, text, faint, line, accent;  // faint: less important text; line: axes and grids
  Color sky, ground, ground_line, arrow;        // of a scene
  static const Palette& light();
  static const Palette& dark();
};

class Image {
 public:
  static constexpr int max_size = 16384;  // pixels along a side

  Image() = default;  // no pixels
  // Throws std::invalid_argument for a side that is not 1 … max_size.
  Image(int width, int height, Color fill = {255, 255, 255});

  int width() const { return width_; }
  int height() const { return height_; }
  Color at(int x, int y) const { return {pixel(x, y)[0], pixel(x, y)[1], pixel(x, y)[2]}; }
  void set(int x, int y, Color color);
  // Rows from the top, three bytes a pixel, nothing between.
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  std::span<std::uint8_t> bytes() { return bytes_; }

  // Opacity 0 … 1, edges smooth; positions may be any number, those that are not finite draw nothing.
  void fill_rectangle(double x, double y, double width, double height, Color color, double opacity = 1.0);
  void draw_line(double x0, double y0, double x1, double y1, Color color, double thickness = 1.0, double opacity = 1.0);
  // UTF-8; the upper left corner of its first letter is at (x, y), lines follow each other at '\n'. Letters are
  // 7 size pixels high.
  void draw_text(int x, int y, std::string_view text, Color color, int size = 2);
  static int text_width(std::string_view text, int size = 2);   // of the longest line, pixels
  static int text_height(std::string_view text, int size = 2);  // of all lines
  void paste(const Image& other, int x, int y);

  // The bytes of a PNG file.
  std::vector<std::uint8_t> to_png() const;
  // Writes PATH.part, which takes the name when it is complete. Throws std::invalid_argument where no file can stand
  // there, std::runtime_error where the system refuses (disk full).
  void save(const std::string& path) const;

 private:
  const std::uint8_t* pixel(int x, int y) const;
  void blend(int x, int y, Color color, double opacity);

  int width_ = 0, height_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace stiction
