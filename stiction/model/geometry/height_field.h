// Terrain given by heights over a rectangular grid, centred on the origin of its frame: the solid lies below.
//
// Sample (i, j) is at x = (i − (num_x − 1)/2) spacing_x, y = (j − (num_y − 1)/2) spacing_y. Every cell is two
// triangles, cut along the diagonal from (i, j) to (i + 1, j + 1): triangle 0 lies on the side of (i + 1, j), 1 on that
// of (i, j + 1).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "stiction/math/pose.h"

namespace stiction {

class HeightField {
 public:
  static constexpr int max_samples = 1 << 27;

  // heights[j num_x + i], m. Throws std::invalid_argument for fewer than two samples along an axis, a spacing that is
  // not positive, another number of heights than num_x num_y, and heights that are not finite.
  static std::shared_ptr<const HeightField> make(int num_x, int num_y, double spacing_x, double spacing_y,
                                                 std::span<const double> heights);

  int num_x() const { return num_x_; }
  int num_y() const { return num_y_; }
  double spacing_x() const { return spacing_x_; }
  double spacing_y() const { return spacing_y_; }
  std::span<const double> heights() const { return heights_; }
  double height(int i, int j) const { return heights_[static_cast<std::size_t>(j) * num_x_ + i]; }

  double left() const { return -0.5 * (num_x_ - 1) * spacing_x_; }   // x of sample (0, ·)
  double front() const { return -0.5 * (num_y_ - 1) * spacing_y_; }  // y of sample (·, 0)
  Vector3 sample(int i, int j) const { return {left() + i * spacing_x_, front() + j * spacing_y_, height(i, j)}; }

  Vector3 lower() const { return {left(), front(), lowest_}; }
  Vector3 upper() const { return {-left(), -front(), highest_}; }
  // Heights within a cell.
  double highest_in(int i, int j) const;

  // Triangles are numbered 2 (j (num_x − 1) + i) + half.
  struct Corner {
    int i, j;
  };
  int num_triangles() const { return 2 * (num_x_ - 1) * (num_y_ - 1); }
  std::array<Corner, 3> corners(int triangle) const;  // counter-clockwise from above
  // The triangle beyond the edge from corner k to corner k + 1; −1 at the border.
  int across(int triangle, int k) const;
  // The lowest number among the triangles that hang together with this one over flat edges (to 1e-9 of their size).
  int region(int triangle) const { return regions_[triangle]; }

  // Height of the surface; at the border where (x, y) is outside, also infinitely far; NaN where x or y is.
  double height_at(double x, double y) const;

 private:
  HeightField() = default;
  void find_regions();

  int num_x_ = 0, num_y_ = 0;
  double spacing_x_ = 0.0, spacing_y_ = 0.0, lowest_ = 0.0, highest_ = 0.0;
  std::vector<double> heights_;
  std::vector<int> regions_;
};

}  // namespace stiction
