// Which triangle is seen at which sample: a z-buffer of four samples a cell. Internal to the renderer.
//
// A corner of a triangle has x and y in cells and a nearness that is affine over the picture: 1/z of a perspective, −z
// of a parallel one; what has more is seen. Corners are rounded to 1/256 of a cell; edge functions are then integers,
// which doubles hold exactly, so that triangles that share an edge leave no gap and share no sample, and the bits are
// the same everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stiction/math/aligned_vector.h"
#include "stiction/math/pack.h"
#include "stiction/math/types.h"

namespace stiction::raster {

inline constexpr std::uint32_t nothing = 0xffffffff;
using SampleIds = std::uint32_t __attribute__((vector_size(16)));

// Where the four samples of a cell lie, 0 … 1 in steps of 1/256.
struct SamplePattern {
  std::array<double, 4> x, y;
};
// Of a picture: one sample in every quarter of rows and columns.
inline constexpr SamplePattern turned_grid = {{0.375, 0.875, 0.125, 0.625}, {0.125, 0.375, 0.625, 0.875}};
// Four cells beside each other: of a map that is looked up by cells.
inline constexpr SamplePattern four_in_a_row = {{0.125, 0.375, 0.625, 0.875}, {0.5, 0.5, 0.5, 0.5}};

// f(x, y) = by_x x + by_y y + constant, x and y in cells.
struct Affine {
  double by_x = 0.0, by_y = 0.0, constant = 0.0;
  double at(double x, double y) const { return by_x * x + by_y * y + constant; }
};

struct ScreenTriangle {
  std::array<Affine, 3> edges;  // ≥ 0 inside; integers, x and y in 1/256 of a cell
  Affine nearness;
  int x_begin, x_end, y_begin, y_end;  // cells that it may touch
};

// Appends the triangles of a convex polygon of at most eight corners, cut far outside of the picture, where they may
// cover a sample. Its front, counter-clockwise as one looks at it, is seen; its back where that is wanted.
void set_up(std::span<const Vector3> corners, int width, int height, bool both_sides, std::vector<ScreenTriangle>& out);

// Rows y_begin … y_end − 1 of a picture.
class SampleBuffer {
 public:
  SampleBuffer(int width, const SamplePattern& pattern, bool has_ids);
  void begin(int y_begin, int y_end);  // all samples see nothing, infinitely far away
  void forget_ids();                   // what is there keeps its nearness

  void draw(const ScreenTriangle& triangle, std::uint32_t id);
  void draw_everywhere(const Affine& nearness, std::uint32_t id);  // a plane, where its nearness is positive

  const Pack4& nearness(int x, int y) const { return nearness_[index(x, y)]; }
  const SampleIds& ids(int x, int y) const { return ids_[index(x, y)]; }
  const SamplePattern& pattern() const { return pattern_; }
  std::span<const Pack4> all() const { return nearness_; }

 private:
  template <bool has_ids>
  void draw_rows(const ScreenTriangle& triangle, std::uint32_t id);
  std::size_t index(int x, int y) const { return static_cast<std::size_t>(y - y_begin_) * width_ + x; }

  int width_, y_begin_ = 0, y_end_ = 0;
  SamplePattern pattern_;
  bool has_ids_;
  AlignedVector<Pack4> nearness_;
  AlignedVector<SampleIds> ids_;
};

}  // namespace stiction::raster
