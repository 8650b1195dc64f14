// How the bytes of a CollisionCache are laid out. The collider works on them in place, so that saving and restoring a
// state is a copy of the bytes.
//
//     header | last placement of every body | odometer | odometer at the last broad phase | pairs | wake | memory of
//     pairs
#pragma once

#include <cstddef>
#include <cstdint>

#include "stiction/collision/collision_cache.h"

namespace stiction {

struct PairKey {
  std::int32_t a = 0, b = 0;  // shapes, a < b

  friend bool operator==(const PairKey&, const PairKey&) = default;
  friend auto operator<=>(const PairKey&, const PairKey&) = default;
};

// What must agree for bytes to belong to a model and its settings.
struct CacheShape {
  std::uint64_t fingerprint = 0;  // of the model's shapes and of the settings
  int num_bodies = 0;
  std::size_t memory_size = 0;  // bytes per pair, a multiple of 16
};

class CacheView {
 public:
  // Bytes of a cache if they fit, else a fresh one in their place: no pairs, poses unknown. Says whether it is fresh.
  bool attach(CollisionCache& cache, const CacheShape& shape);
  bool fits(const CollisionCache& cache, const CacheShape& shape);  // attach() would not make a fresh one
  // Room for `num_pairs` pairs, with a reserve; the contents of the pair sections are undefined afterwards.
  void resize(CollisionCache& cache, int num_pairs);

  int num_pairs() const { return static_cast<int>(header().num_pairs); }
  // Of every body, where it was seen last: rotation by columns, centre of its sphere.
  static constexpr int placement_size = 12;
  double* last_placement() const { return at<double>(sizeof(Header)); }
  double* odometer() const { return at<double>(bodies_end()); }  // one more than bodies: the world, which never moves
  double* anchor() const { return odometer() + padded_bodies(); }
  PairKey* pairs() const { return reinterpret_cast<PairKey*>(anchor() + padded_bodies()); }
  double* wake() const { return reinterpret_cast<double*>(pairs() + header().capacity); }
  std::byte* memory(int pair) const {
    return reinterpret_cast<std::byte*>(wake() + header().capacity) +
           static_cast<std::size_t>(pair) * shape_.memory_size;
  }

 private:
  struct Header {
    std::uint64_t magic, fingerprint, num_bodies, memory_size, num_pairs, capacity;
  };
  static_assert(sizeof(Header) % 16 == 0);

  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(data_ + offset);
  }
  Header& header() const { return *at<Header>(0); }
  std::size_t padded_bodies() const { return (static_cast<std::size_t>(shape_.num_bodies) + 2) & ~std::size_t{1}; }
  std::size_t bodies_end() const {
    return sizeof(Header) + placement_size * sizeof(double) * static_cast<std::size_t>(shape_.num_bodies);
  }
  std::size_t total_size(std::size_t capacity) const;

  CacheShape shape_;
  std::byte* data_ = nullptr;
};

}  // namespace stiction
