// What calls of the collider changed in a cache, so that they can be taken back: a step that fails leaves none. Bytes
// of pairs that sleep are not touched and cost nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "stiction/collision/collision_cache.h"

namespace stiction {

class CacheJournal {
 public:
  void begin() {
    is_on_ = true, has_whole_ = false;
    places_.clear(), bytes_.clear();
  }
  bool is_on() const { return is_on_; }

  // Before `size` bytes at `from` change.
  void keep(const CollisionCache& cache, const void* from, std::size_t size) {
    if (is_on_ && !has_whole_) keep_place(static_cast<const std::byte*>(from) - cache.bytes.data(), from, size);
  }
  // Before the cache is laid out anew.
  void keep_whole(const CollisionCache& cache);
  // The cache is as it was at begin(). Once.
  void take_back(CollisionCache& cache) noexcept;

 private:
  struct Place {
    std::size_t offset, size;
  };
  void keep_place(std::ptrdiff_t offset, const void* from, std::size_t size);
  void put_back(std::vector<std::byte>& into) const noexcept;

  bool is_on_ = false, has_whole_ = false;
  std::vector<Place> places_;     // in the order of the changes
  std::vector<std::byte> bytes_;  // of all of them
  std::vector<std::byte> whole_;
};

}  // namespace stiction
