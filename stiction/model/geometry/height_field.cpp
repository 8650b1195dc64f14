#include "stiction/model/geometry/height_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/math/refuse.h"
#include "stiction/model/geometry/flat_regions.h"

namespace stiction {

std::shared_ptr<const HeightField> HeightField::make(int num_x, int num_y, double spacing_x, double spacing_y,
                                                     std::span<const double> heights) {
  if (num_x < 2) refuse("HeightField: num_x = ", num_x, " is less than two");
  if (num_y < 2) refuse("HeightField: num_y = ", num_y, " is less than two");
  if (num_x > max_samples / num_y) refuse("HeightField: ", num_x, " x ", num_y, " samples are too many");
  if (!(spacing_x > 0.0) || !std::isfinite(spacing_x)) refuse("HeightField: spacing_x = ", spacing_x, " is no length");
  if (!(spacing_y > 0.0) || !std::isfinite(spacing_y)) refuse("HeightField: spacing_y = ", spacing_y, " is no length");
  const std::size_t n = static_cast<std::size_t>(num_x) * static_cast<std::size_t>(num_y);
  if (heights.size() != n)
    refuse("HeightField: ", heights.size(), " heights for ", num_x, " x ", num_y, " = ", n, " samples");
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(heights[i])) refuse("HeightField: height ", i, " = ", heights[i], " is not finite");
  std::shared_ptr<HeightField> field(new HeightField);
  field->num_x_ = num_x, field->num_y_ = num_y;
  field->spacing_x_ = spacing_x, field->spacing_y_ = spacing_y;
  field->heights_.assign(heights.begin(), heights.end());
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  field->lowest_ = *low, field->highest_ = *high;
  field->find_regions();
  return field;
}

std::array<HeightField::Corner, 3> HeightField::corners(int triangle) const {
  const int cell = triangle >> 1, i = cell % (num_x_ - 1), j = cell / (num_x_ - 1);
  if (triangle & 1) return {Corner{i, j}, Corner{i + 1, j + 1}, Corner{i, j + 1}};
  return {Corner{i, j}, Corner{i + 1, j}, Corner{i + 1, j + 1}};
}

int HeightField::across(int triangle, int k) const {
  const int cell = triangle >> 1, cells_x = num_x_ - 1, i = cell % cells_x, j = cell / cells_x;
  if (triangle & 1) {
    if (k == 0) return triangle - 1;
    if (k == 1) return j + 1 < num_y_ - 1 ? 2 * (cell + cells_x) : -1;
    return i > 0 ? 2 * (cell - 1) : -1;
  }
  if (k == 2) return triangle + 1;
  if (k == 0) return j > 0 ? 2 * (cell - cells_x) + 1 : -1;
  return i + 1 < cells_x ? 2 * (cell + 1) + 1 : -1;
}

void HeightField::find_regions() {
  const auto place = [&](const Corner& c) { return sample(c.i, c.j); };
  const auto is_flat = [&](int t, int k) {
    const auto own = corners(t), other = corners(across(t, k));
    const Vector3 origin = place(own[0]), n = (place(own[1]) - origin).cross(place(own[2]) - origin).normalized();
    double farthest = 0.0;
    for (const Corner& c : other) farthest = std::max(farthest, std::abs(n.dot(place(c) - origin)));
    return farthest <= 1e-9 * (spacing_x_ + spacing_y_);
  };
  regions_ = find_flat_regions(num_triangles(), [&](int t, int k) { return across(t, k); }, is_flat);
}

double HeightField::highest_in(int i, int j) const {
  return std::max(std::max(height(i, j), height(i + 1, j)), std::max(height(i, j + 1), height(i + 1, j + 1)));
}

double HeightField::height_at(double x, double y) const {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  const double u = std::clamp((x - left()) / spacing_x_, 0.0, static_cast<double>(num_x_ - 1));
  const double v = std::clamp((y - front()) / spacing_y_, 0.0, static_cast<double>(num_y_ - 1));
  const int i = std::min(static_cast<int>(u), num_x_ - 2), j = std::min(static_cast<int>(v), num_y_ - 2);
  const double s = u - i, t = v - j, h = height(i, j), across = height(i + 1, j + 1);
  if (s >= t) return h + s * (height(i + 1, j) - h) + t * (across - height(i + 1, j));
  return h + t * (height(i, j + 1) - h) + s * (across - height(i, j + 1));
}

}  // namespace stiction
