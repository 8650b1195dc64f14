#include "stiction/render/rasterizer.h"

#include <algorithm>
#include <cmath>

namespace stiction::raster {
namespace {

constexpr double steps = 256.0;    // per cell
constexpr double guard = 32768.0;  // cells from the upper left corner, that corners are cut at
constexpr int most_corners = 16;
using Mask = decltype(Pack4{} < Pack4{});
using NarrowMask = std::int32_t __attribute__((vector_size(16)));

Pack4 pack(const std::array<double, 4>& values) {
  return Pack4{values[0], values[1], values[2], values[3]};
}

// The side of the line from a to b where a triangle that goes round by positive area lies. A sample on the line itself
// is inside of one of the two triangles that share it: the line of the other has the opposite signs.
Affine edge_of(const Vector2& a, const Vector2& b) {
  Affine edge{a.y() - b.y(), b.x() - a.x(), 0.0};
  edge.constant = -(edge.by_x * a.x() + edge.by_y * a.y());
  const bool owns_line = edge.by_x > 0.0 || (edge.by_x == 0.0 && edge.by_y > 0.0);
  if (!owns_line) edge.constant -= 1.0;
  return edge;
}

// Cells of a row where an edge function may be positive, given its largest value in the cell at x = 0.
void narrow(double by_cell, double at_zero, int& begin, int& end) {
  if (by_cell == 0.0) {
    if (at_zero < 0.0) end = begin;
    return;
  }
  const double zero = -at_zero / by_cell;
  if (by_cell > 0.0) {
    begin = std::max(begin, static_cast<int>(std::clamp(std::floor(zero), -1.0, 2.0 * guard)));
  } else {
    end = std::min(end, static_cast<int>(std::clamp(std::floor(zero) + 2.0, -1.0, 2.0 * guard)));
  }
}

// Keeps the part of a polygon where sign · corner[axis] ≤ guard; nearness is affine, so cutting in the picture is
// right.
int cut(std::array<Vector3, most_corners>& polygon, int size, int axis, double sign) {
  std::array<Vector3, most_corners> kept;
  int count = 0;
  for (int k = 0; k < size; ++k) {
    const Vector3 &a = polygon[k], &b = polygon[(k + 1) % size];
    const double inside_a = guard - sign * a[axis], inside_b = guard - sign * b[axis];
    if (inside_a >= 0.0) kept[count++] = a;
    if ((inside_a >= 0.0) != (inside_b >= 0.0)) kept[count++] = a + (inside_a / (inside_a - inside_b)) * (b - a);
  }
  polygon = kept;
  return count;
}

bool set_up_triangle(const std::array<Vector3, 3>& corners, int width, int height, bool both_sides,
                     ScreenTriangle& out) {
  std::array<Vector2, 3> p;
  std::array<double, 3> nearness;
  for (int k = 0; k < 3; ++k) {
    p[k] = {std::nearbyint(steps * corners[k].x()), std::nearbyint(steps * corners[k].y())};
    nearness[k] = corners[k].z();
  }
  double area = (p[1].x() - p[0].x()) * (p[2].y() - p[0].y()) - (p[2].x() - p[0].x()) * (p[1].y() - p[0].y());
  if (area == 0.0 || (area > 0.0 && !both_sides)) return false;
  if (area < 0.0) std::swap(p[1], p[2]), std::swap(nearness[1], nearness[2]), area = -area;
  const auto [x_low, x_high] = std::minmax({p[0].x(), p[1].x(), p[2].x()});
  const auto [y_low, y_high] = std::minmax({p[0].y(), p[1].y(), p[2].y()});
  out.x_begin = std::max(0, static_cast<int>(std::floor(x_low / steps)));
  out.y_begin = std::max(0, static_cast<int>(std::floor(y_low / steps)));
  out.x_end = std::min(width, static_cast<int>(std::floor(x_high / steps)) + 1);
  out.y_end = std::min(height, static_cast<int>(std::floor(y_high / steps)) + 1);
  if (out.x_begin >= out.x_end || out.y_begin >= out.y_end) return false;
  for (int k = 0; k < 3; ++k) out.edges[k] = edge_of(p[k], p[(k + 1) % 3]);
  const Vector2 u = p[1] - p[0], v = p[2] - p[0];
  const double du = nearness[1] - nearness[0], dv = nearness[2] - nearness[0];
  out.nearness.by_x = steps * (du * v.y() - dv * u.y()) / area;
  out.nearness.by_y = steps * (dv * u.x() - du * v.x()) / area;
  out.nearness.constant = nearness[0] - out.nearness.by_x * (p[0].x() / steps) - out.nearness.by_y * (p[0].y() / steps);
  return true;
}

}  // namespace

void set_up(std::span<const Vector3> corners, int width, int height, bool both_sides,
            std::vector<ScreenTriangle>& out) {
  std::array<Vector3, most_corners> polygon;
  int size = static_cast<int>(corners.size());
  double farthest = 0.0;
  for (int k = 0; k < size; ++k) {
    polygon[k] = corners[k];
    if (!corners[k].allFinite()) return;
    farthest = std::max({farthest, std::abs(corners[k].x()), std::abs(corners[k].y())});
  }
  if (farthest > guard) {
    for (const int axis : {0, 1}) {
      for (const double sign : {-1.0, 1.0}) size = cut(polygon, size, axis, sign);
    }
  }
  ScreenTriangle triangle;
  for (int k = 1; k + 1 < size; ++k) {
    if (set_up_triangle({polygon[0], polygon[k], polygon[k + 1]}, width, height, both_sides, triangle)) {
      out.push_back(triangle);
    }
  }
}

SampleBuffer::SampleBuffer(int width, const SamplePattern& pattern, bool has_ids)
    : width_(width), pattern_(pattern), has_ids_(has_ids) {}

void SampleBuffer::begin(int y_begin, int y_end) {
  y_begin_ = y_begin, y_end_ = y_end;
  const std::size_t size = static_cast<std::size_t>(width_) * (y_end - y_begin);
  nearness_.assign(size, Pack4{-INFINITY, -INFINITY, -INFINITY, -INFINITY});
  if (has_ids_) ids_.assign(size, SampleIds{nothing, nothing, nothing, nothing});
}

void SampleBuffer::forget_ids() {
  std::fill(ids_.begin(), ids_.end(), SampleIds{nothing, nothing, nothing, nothing});
}

template <bool has_ids>
void SampleBuffer::draw_rows(const ScreenTriangle& t, std::uint32_t id) {
  const Pack4 sample_x = pack(pattern_.x), sample_y = pack(pattern_.y);
  std::array<Pack4, 3> in_cell;
  std::array<double, 3> largest;
  for (int k = 0; k < 3; ++k) {
    in_cell[k] = steps * (t.edges[k].by_x * sample_x + t.edges[k].by_y * sample_y);
    largest[k] = std::max(std::max(in_cell[k][0], in_cell[k][1]), std::max(in_cell[k][2], in_cell[k][3]));
  }
  const Pack4 near_in_cell = t.nearness.by_x * sample_x + t.nearness.by_y * sample_y;
  const SampleIds new_ids = {id, id, id, id};
  for (int y = std::max(t.y_begin, y_begin_); y < std::min(t.y_end, y_end_); ++y) {
    int begin = t.x_begin, end = t.x_end;
    std::array<double, 3> of_row;
    for (int k = 0; k < 3; ++k) {
      of_row[k] = steps * t.edges[k].by_y * y + t.edges[k].constant;
      narrow(steps * t.edges[k].by_x, of_row[k] + largest[k], begin, end);
    }
    const double near_of_row = t.nearness.by_y * y + t.nearness.constant;
    const std::size_t row = index(0, y);
    for (int x = begin; x < end; ++x) {
      const double across = steps * x;
      const Mask inside = (in_cell[0] + (of_row[0] + t.edges[0].by_x * across) >= 0.0) &
                          (in_cell[1] + (of_row[1] + t.edges[1].by_x * across) >= 0.0) &
                          (in_cell[2] + (of_row[2] + t.edges[2].by_x * across) >= 0.0);
      const Pack4 near = near_in_cell + (near_of_row + t.nearness.by_x * x);
      Pack4& known = nearness_[row + x];
      const Mask seen = inside & (near > known);
      known = seen ? near : known;
      if constexpr (has_ids) {
        SampleIds& ids = ids_[row + x];
        ids = __builtin_convertvector(seen, NarrowMask) ? new_ids : ids;
      }
    }
  }
}

void SampleBuffer::draw(const ScreenTriangle& triangle, std::uint32_t id) {
  if (has_ids_) {
    draw_rows<true>(triangle, id);
  } else {
    draw_rows<false>(triangle, id);
  }
}

void SampleBuffer::draw_everywhere(const Affine& nearness, std::uint32_t id) {
  const Pack4 in_cell = nearness.by_x * pack(pattern_.x) + nearness.by_y * pack(pattern_.y);
  const SampleIds new_ids = {id, id, id, id};
  for (int y = y_begin_; y < y_end_; ++y) {
    const std::size_t row = index(0, y);
    for (int x = 0; x < width_; ++x) {
      const Pack4 near = in_cell + nearness.at(x, y);
      const Mask seen = (near > 0.0) & (near > nearness_[row + x]);
      nearness_[row + x] = seen ? near : nearness_[row + x];
      ids_[row + x] = __builtin_convertvector(seen, NarrowMask) ? new_ids : ids_[row + x];
    }
  }
}

}  // namespace stiction::raster
