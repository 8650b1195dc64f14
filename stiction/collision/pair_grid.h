// Candidate pairs among many shapes, in time linear in their number: a grid over the shapes of ordinary size, the few
// large ones (planes, terrain, walls) against everything.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/collision/cache_layout.h"
#include "stiction/math/pack.h"
#include "stiction/model/model.h"

namespace stiction {

// Axis-aligned box; an infinite half size for planes. Not finite elsewhere: the shape meets nothing.
struct Bounds {
  Vector3 center = Vector3::Zero(), half = Vector3::Zero();
};

// Bounds of a shape at a pose of the world; for planes and terrain of the world too.
Bounds bounds_of(const Shape& shape, const Pose& X_WS);

class PairGrid {
 public:
  explicit PairGrid(const Model& model);

  // All allowed pairs whose bounds overlap, sorted. One entry of `bounds` per shape.
  void find(const std::vector<Bounds>& bounds, std::vector<PairKey>& pairs);

 private:
  struct Item {
    Pack4 low, high;  // the fourth numbers are 0
  };

  static Item item_of(const Bounds& b);
  void sort_into_cells(const std::vector<Bounds>& bounds);
  void find_small(const std::vector<Bounds>& bounds, std::vector<PairKey>& pairs);
  void find_large(const std::vector<Bounds>& bounds);
  std::uint32_t cell(int axis, double x) const;

  const Model& model_;
  std::vector<int> small_, large_;      // shapes
  std::vector<double> sizes_;           // scratch: half sizes, for the median
  std::vector<std::uint32_t> cell_of_;  // of every small shape
  std::vector<std::int32_t> begin_;     // first item of every cell
  std::vector<Item> items_;             // small shapes by cell
  std::vector<std::int32_t> shape_of_;  // of every item
  std::vector<PairKey> large_pairs_, merged_;
  Vector3 origin_ = Vector3::Zero();
  double inverse_size_ = 1.0;
  std::uint32_t bits_[3] = {0, 0, 0};  // cells along an axis: 2^bits; coordinates beyond wrap around
};

}  // namespace stiction
