#include "stiction/collision/convex/hull_faces.h"

#include <algorithm>

#include "stiction/collision/manifold/feature.h"

namespace stiction {
namespace {

// The different numbers among `keys`, ascending; returns how many.
int distinct(int size, const int* keys, int out[4]) {
  std::copy(keys, keys + size, out);
  std::sort(out, out + size);
  return static_cast<int>(std::unique(out, out + size) - out);
}

}  // namespace

int best_face(const ConvexHull& hull, const Vector3& direction, const int* vertices, int num_vertices, int old,
              double& cosine) {
  constexpr double tie = 2e-7;
  int best = -1;
  cosine = -2.0;
  for (int k = 0; k < num_vertices; ++k) {
    for (int f : hull.faces_of(vertices[k])) {
      const double c = hull.faces()[f].normal.dot(direction);
      if (c > cosine) cosine = c, best = f;
    }
  }
  if (old >= 0 && old != best) {
    const double c = hull.faces()[old].normal.dot(direction);
    if (c > cosine - tie) cosine = c, best = old;
  }
  return best;
}

std::uint64_t witness_feature(int size, const int* a, const int* b) {
  int i[4], j[4];
  const int num_a = distinct(size, a, i), num_b = distinct(size, b, j);
  if (num_a >= 3) return feature_vertex_b(j[0]);
  if (num_b >= 3) return feature_vertex_a(i[0]);
  return feature_edges(edge_bits(i[0], i[num_a - 1]), edge_bits(j[0], j[num_b - 1]));
}

}  // namespace stiction
