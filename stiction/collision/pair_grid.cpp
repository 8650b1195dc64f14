#include "stiction/collision/pair_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/pair_kernels.h"

namespace stiction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double large_factor = 4.0;  // times the median size: a large shape

bool overlap(const Bounds& a, const Bounds& b) {
  // Written so that NaN overlaps nothing and infinity everything.
  return ((a.center - b.center).cwiseAbs().array() <= (a.half + b.half).array()).all();
}

}  // namespace

Bounds bounds_of(const Shape& shape, const Pose& X_WS) {
  const Matrix3& R = X_WS.rotation;
  switch (shape.kind()) {
    case ShapeKind::plane:
      return {Vector3::Zero(), Vector3::Constant(infinity)};
    case ShapeKind::sphere:
      return {X_WS.position, Vector3::Constant(std::get<Sphere>(shape.geometry).radius)};
    case ShapeKind::capsule: {
      const Capsule& c = std::get<Capsule>(shape.geometry);
      return {X_WS.position, (c.half_length * R.col(2).cwiseAbs()).array() + c.radius};
    }
    case ShapeKind::cylinder: {
      const Cylinder& c = std::get<Cylinder>(shape.geometry);
      const Eigen::Array3d z = R.col(2).array();
      return {X_WS.position, c.half_length * z.abs() + c.radius * (1.0 - z.square()).max(0.0).sqrt()};
    }
    case ShapeKind::ellipsoid: {
      const Ellipsoid& e = std::get<Ellipsoid>(shape.geometry);
      return {X_WS.position, (R * e.radii.asDiagonal()).rowwise().norm()};
    }
    case ShapeKind::box:
      return {X_WS.position, R.cwiseAbs() * std::get<Box>(shape.geometry).half_size};
    default: {
      // The sphere, which is given in the body's frame.
      const Vector3 local = shape.pose.to_local(shape.bound_center);
      return {X_WS * local, Vector3::Constant(shape.bound_radius)};
    }
  }
}

PairGrid::PairGrid(const Model& model) : model_(model) {}

PairGrid::Item PairGrid::item_of(const Bounds& b) {
  const Vector3 low = b.center - b.half, high = b.center + b.half;
  return {Pack4{low[0], low[1], low[2], 0.0}, Pack4{high[0], high[1], high[2], 0.0}};
}

std::uint32_t PairGrid::cell(int axis, double x) const {
  // Far outside the range of integers all cells are one; that is slow, not wrong.
  const double c = std::clamp((x - origin_[axis]) * inverse_size_, -1e9, 1e9);
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::floor(c))) & ((1u << bits_[axis]) - 1u);
}

void PairGrid::sort_into_cells(const std::vector<Bounds>& bounds) {
  const int n = static_cast<int>(bounds.size());
  sizes_.clear(), small_.clear(), large_.clear();
  for (int i = 0; i < n; ++i) {
    const double size = bounds[i].half.maxCoeff();
    if (size < infinity) sizes_.push_back(size);
  }
  double limit = 0.0;
  if (!sizes_.empty()) {
    const auto middle = sizes_.begin() + static_cast<std::ptrdiff_t>(sizes_.size() / 2);
    std::nth_element(sizes_.begin(), middle, sizes_.end());
    limit = large_factor * *middle;
  }
  Vector3 low = Vector3::Constant(infinity), high = -low;
  double largest = 0.0;
  for (int i = 0; i < n; ++i) {
    const Bounds& b = bounds[i];
    const double size = b.half.maxCoeff();
    if (size > limit) {
      large_.push_back(i);
    } else if (b.center.allFinite() && size <= limit) {
      small_.push_back(i);
      low = low.cwiseMin(b.center), high = high.cwiseMax(b.center);
      largest = std::max(largest, size);
    }
  }
  // Cells as wide as the largest small shape, so that neighbours are at most one cell apart.
  const double size = std::max(2.0 * largest, 1e-9) * (1.0 + 1e-9);
  inverse_size_ = 1.0 / size;
  origin_ = low;
  const std::uint32_t most = 2 + static_cast<std::uint32_t>(std::log2(1.0 + static_cast<double>(small_.size())));
  double extent[3];
  for (int k = 0; k < 3; ++k) {
    extent[k] = small_.empty() ? 1.0 : (high[k] - low[k]) * inverse_size_ + 1.0;
    // Two cells at least three apart after wrapping, or one: a neighbour is never visited twice.
    bits_[k] = 0;
    while (bits_[k] < most && static_cast<double>(1u << bits_[k]) < extent[k]) ++bits_[k];
    if (bits_[k] == 1) bits_[k] = 2;
  }
  while (bits_[0] + bits_[1] + bits_[2] > most + 1) {
    std::uint32_t* widest = std::max_element(bits_, bits_ + 3);
    if (*widest <= 2) break;
    --*widest;
  }
  const std::size_t cells = std::size_t{1} << (bits_[0] + bits_[1] + bits_[2]);
  begin_.assign(cells + 1, 0);
  cell_of_.resize(small_.size()), items_.resize(small_.size()), shape_of_.resize(small_.size());
  for (std::size_t i = 0; i < small_.size(); ++i) {
    const Vector3& c = bounds[small_[i]].center;
    cell_of_[i] = (((cell(2, c[2]) << bits_[1]) | cell(1, c[1])) << bits_[0]) | cell(0, c[0]);
    ++begin_[cell_of_[i] + 1];
  }
  for (std::size_t c = 0; c < cells; ++c) begin_[c + 1] += begin_[c];
  for (std::size_t i = small_.size(); i-- > 0;) {
    // Filled from behind, begin_[cell + 1] counts down to the first item of the cell.
    const Bounds& b = bounds[small_[i]];
    const std::size_t at = static_cast<std::size_t>(--begin_[cell_of_[i] + 1]);
    items_[at] = item_of(b);
    shape_of_[at] = small_[i];
  }
  begin_.erase(begin_.begin());
  begin_.push_back(static_cast<std::int32_t>(small_.size()));
}

void PairGrid::find_small(const std::vector<Bounds>& bounds, std::vector<PairKey>& pairs) {
  for (std::size_t s = 0; s < small_.size(); ++s) {
    const int a = small_[s];
    const Item own = item_of(bounds[a]);
    const std::uint32_t mask[3] = {(1u << bits_[0]) - 1u, (1u << bits_[1]) - 1u, (1u << bits_[2]) - 1u};
    const std::uint32_t x = cell_of_[s] & mask[0], y = (cell_of_[s] >> bits_[0]) & mask[1];
    const std::uint32_t z = cell_of_[s] >> (bits_[0] + bits_[1]);
    const std::size_t first_pair = pairs.size();
    const int wide[3] = {bits_[0] > 0, bits_[1] > 0, bits_[2] > 0};
    for (int dz = -wide[2]; dz <= wide[2]; ++dz)
      for (int dy = -wide[1]; dy <= wide[1]; ++dy)
        for (int dx = -wide[0]; dx <= wide[0]; ++dx) {
          const std::uint32_t c =
              ((((z + dz) & mask[2]) << bits_[1] | ((y + dy) & mask[1])) << bits_[0]) | ((x + dx) & mask[0]);
          for (std::int32_t i = begin_[c]; i < begin_[c + 1]; ++i) {
            const std::int32_t other = shape_of_[static_cast<std::size_t>(i)];
            if (other <= a) continue;
            const Item& item = items_[static_cast<std::size_t>(i)];
            const auto apart = (item.low > own.high) | (item.high < own.low);
            if ((apart[0] | apart[1] | apart[2]) == 0 && model_.may_collide(a, other)) pairs.push_back({a, other});
          }
        }
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(first_pair), pairs.end());
  }
}

void PairGrid::find_large(const std::vector<Bounds>& bounds) {
  large_pairs_.clear();
  for (std::size_t l = 0; l < large_.size(); ++l) {
    const int a = large_[l];
    const auto consider = [&](int b) {
      const PairKey key{std::min(a, b), std::max(a, b)};
      if (overlap(bounds[a], bounds[b]) && model_.may_collide(key.a, key.b)) large_pairs_.push_back(key);
    };
    for (const int b : small_) consider(b);
    for (std::size_t m = l + 1; m < large_.size(); ++m) consider(large_[m]);
  }
  std::sort(large_pairs_.begin(), large_pairs_.end());
}

void PairGrid::find(const std::vector<Bounds>& bounds, std::vector<PairKey>& pairs) {
  sort_into_cells(bounds);
  merged_.clear();
  find_small(bounds, merged_);
  find_large(bounds);
  pairs.resize(merged_.size() + large_pairs_.size());
  std::merge(merged_.begin(), merged_.end(), large_pairs_.begin(), large_pairs_.end(), pairs.begin());
}

}  // namespace stiction
