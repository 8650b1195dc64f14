#include "stiction/render/shadow_map.h"

#include <algorithm>
#include <cmath>

namespace stiction::raster {

ShadowMap::ShadowMap(const Vector3& to_sun, const Vector3& center, double radius, int size)
    : center_(center),
      cells_per_metre_(0.5 * size / radius),
      size_(size),
      buffer_(size / 4, four_in_a_row, false),
      num_tiles_(size / tile) {
  const Vector3 away = -to_sun;
  const Vector3 right = away.cross(std::abs(away.z()) < 0.9 ? Vector3::UnitZ() : Vector3::UnitY()).normalized();
  axes_ << right, away.cross(right), away;
}

void ShadowMap::draw(const Scene& scene) {
  buffer_.begin(0, size_);
  std::vector<ScreenTriangle> on_map;
  for (const Triangle& triangle : scene.triangles) {
    const Thing& thing = scene.things[triangle.thing];
    if (thing.opacity < 0.3 || thing.is_mark) continue;
    std::array<Vector3, 3> corners;
    for (int k = 0; k < 3; ++k) {
      const Vector3 p = axes_.transpose() * (triangle.corners[k] - center_);
      // Four cells of the map are one of the buffer.
      corners[k] = {0.25 * (0.5 * size_ + cells_per_metre_ * p.x()), 0.5 * size_ + cells_per_metre_ * p.y(), -p.z()};
    }
    on_map.clear();
    set_up(corners, size_ / 4, size_, true, on_map);
    for (const ScreenTriangle& part : on_map) buffer_.draw(part, 0);
  }
  find_nearest();
}

void ShadowMap::find_nearest() {
  std::vector<double> own(static_cast<std::size_t>(num_tiles_) * num_tiles_, -INFINITY);
  for (int y = 0; y < size_; ++y) {
    for (int x = 0; x < size_; ++x) {
      double& best = own[static_cast<std::size_t>(y / tile) * num_tiles_ + x / tile];
      best = std::max(best, cell(x, y));
    }
  }
  nearest_.assign(own.size(), -INFINITY);
  for (int y = 0; y < num_tiles_; ++y) {
    for (int x = 0; x < num_tiles_; ++x) {
      double best = -INFINITY;
      for (int j = std::max(0, y - 1); j <= std::min(num_tiles_ - 1, y + 1); ++j) {
        for (int i = std::max(0, x - 1); i <= std::min(num_tiles_ - 1, x + 1); ++i) {
          best = std::max(best, own[static_cast<std::size_t>(j) * num_tiles_ + i]);
        }
      }
      nearest_[static_cast<std::size_t>(y) * num_tiles_ + x] = best;
    }
  }
}

float ShadowMap::light_at(const Vector3& point, const Vector3& normal) const {
  // A surface must not shade itself: it is looked up a little above itself, more where the sun only grazes it.
  const double slope = 1.0 + normal.dot(axes_.col(2));  // 0: towards the sun
  const Vector3 p = axes_.transpose() * (point + ((1.0 + 2.0 * slope) / cells_per_metre_) * normal - center_);
  const double x = 0.5 * size_ + cells_per_metre_ * p.x() - 1.5, y = 0.5 * size_ + cells_per_metre_ * p.y() - 1.5;
  if (!(x >= 0.0 && y >= 0.0 && x < size_ - 4.0 && y < size_ - 4.0)) return 1.0F;
  const int i = static_cast<int>(x), j = static_cast<int>(y);
  const double nearness = -p.z() + 0.5 / cells_per_metre_;
  if (nearness >= nearest_[static_cast<std::size_t>((j + 1) / tile) * num_tiles_ + (i + 1) / tile]) return 1.0F;
  // Four by four cells, those at the borders by the part that a square of three by three about the point covers.
  const float u = static_cast<float>(x - i), v = static_cast<float>(y - j);
  const float across[4] = {1.0F - u, 1.0F, 1.0F, u}, down[4] = {1.0F - v, 1.0F, 1.0F, v};
  float sum = 0.0F;
  for (int b = 0; b < 4; ++b) {
    float row = 0.0F;
    for (int a = 0; a < 4; ++a) row += cell(i + a, j + b) <= nearness ? across[a] : 0.0F;
    sum += down[b] * row;
  }
  return sum / 9.0F;
}

}  // namespace stiction::raster
