#include "stiction/collision/cache_layout.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace stiction {

namespace {

constexpr std::uint64_t magic_number = 0x3130'6c6c'6f43'6974;  // changes with the layout

}  // namespace

std::size_t CacheView::total_size(std::size_t capacity) const {
  return bodies_end() + 2 * padded_bodies() * sizeof(double) +
         capacity * (sizeof(PairKey) + sizeof(double) + shape_.memory_size);
}

bool CacheView::fits(const CollisionCache& cache, const CacheShape& shape) {
  shape_ = shape;
  if (cache.bytes.size() < sizeof(Header)) return false;
  const Header& h = *reinterpret_cast<const Header*>(cache.bytes.data());
  return h.magic == magic_number && h.fingerprint == shape.fingerprint &&
         h.num_bodies == static_cast<std::uint64_t>(shape.num_bodies) && h.memory_size == shape.memory_size &&
         h.num_pairs <= h.capacity && h.capacity <= cache.bytes.size() && cache.bytes.size() == total_size(h.capacity);
}

bool CacheView::attach(CollisionCache& cache, const CacheShape& shape) {
  const bool is_own = fits(cache, shape);
  data_ = cache.bytes.data();
  if (is_own) return false;
  cache.bytes.assign(total_size(0), std::byte{});
  data_ = cache.bytes.data();
  header() = {magic_number, shape.fingerprint, static_cast<std::uint64_t>(shape.num_bodies), shape.memory_size, 0, 0};
  return true;
}

void CacheView::resize(CollisionCache& cache, int num_pairs) {
  const std::size_t n = static_cast<std::size_t>(num_pairs);
  if (n > header().capacity || n < header().capacity / 4) {
    const std::size_t capacity = (n + n / 4 + 7) & ~std::size_t{7};
    cache.bytes.resize(total_size(capacity));
    data_ = cache.bytes.data();
    header().capacity = capacity;
  }
  header().num_pairs = n;
}

}  // namespace stiction
