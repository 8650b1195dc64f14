// One point of a touching, or nearly touching, pair of shapes.
#pragma once

#include <cstdint>

#include "stiction/math/types.h"

namespace stiction {

// Names a contact point across steps. Shapes in ascending order; `feature` tells vertices and edges that make the
// point, never an index of the algorithm, so that it stays while the bodies move (theory §5.2).
struct ContactIdentity {
  std::int32_t shape_a = -1, shape_b = -1;
  std::uint64_t feature = 0;

  friend bool operator==(const ContactIdentity&, const ContactIdentity&) = default;
  friend auto operator<=>(const ContactIdentity&, const ContactIdentity&) = default;
};

struct ContactPoint {
  ContactIdentity id;
  Vector3 position = Vector3::Zero();  // world, m; halfway between the surfaces
  Vector3 normal = Vector3::Zero();    // world, unit, from shape_b to shape_a
  double gap = 0.0;                    // signed distance along the normal, m; negative: penetration
};

// What a pair kernel fills: up to four points with one feature number each; shapes and order are the caller's.
struct Manifold {
  static constexpr int max_points = 4;
  int size = 0;
  Vector3 normal[max_points];    // world, from the second to the first shape
  Vector3 position[max_points];  // world
  double gap[max_points];
  std::uint64_t feature[max_points];

  void clear() { size = 0; }
  void add(const Vector3& p, const Vector3& n, double g, std::uint64_t f) {
    position[size] = p, normal[size] = n, gap[size] = g, feature[size] = f;
    ++size;
  }
};

}  // namespace stiction
