#include "stiction/collision/cache_journal.h"

#include <cstring>

namespace stiction {

void CacheJournal::keep_place(std::ptrdiff_t offset, const void* from, std::size_t size) {
  if (size == 0) return;
  const auto* bytes = static_cast<const std::byte*>(from);
  bytes_.insert(bytes_.end(), bytes, bytes + size);
  places_.push_back({static_cast<std::size_t>(offset), size});
}

void CacheJournal::keep_whole(const CollisionCache& cache) {
  if (!is_on_ || has_whole_) return;
  whole_ = cache.bytes;
  put_back(whole_);
  has_whole_ = true;
}

void CacheJournal::take_back(CollisionCache& cache) noexcept {
  if (!is_on_) return;
  if (has_whole_)
    cache.bytes.swap(whole_);
  else
    put_back(cache.bytes);
  is_on_ = false;
}

// The last change first: what was changed twice ends as it began. Memory may have ended between the bytes of a place
// and the place.
void CacheJournal::put_back(std::vector<std::byte>& into) const noexcept {
  std::size_t end = 0;
  for (const Place& place : places_) end += place.size;
  for (std::size_t k = places_.size(); k-- > 0;) {
    end -= places_[k].size;
    std::memcpy(into.data() + places_[k].offset, bytes_.data() + end, places_[k].size);
  }
}

}  // namespace stiction
