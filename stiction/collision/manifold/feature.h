// Names of the features that make a contact point (theory §5.2): a vertex of A, a vertex of B, or an edge of A
// across an edge of B, an edge being its two vertex numbers in ascending order. Vertices only, never faces, clipping
// order or hashes, so that a name stays while bodies move. Bits 60 … 63 tell the kind, the rest four numbers of 15
// bits.
#pragma once

#include <cstdint>
#include <utility>

namespace stiction {

enum class FeatureKind : std::uint64_t {
  none = 0,      // shapes with one point: sphere against anything round
  vertex_a = 1,  // vertex of the first shape
  vertex_b = 2,
  edges = 3,    // edge of A across edge of B; a vertex in place of an edge is the edge from it to itself
  edges_a = 4,  // two edges of A that are no neighbours in the polygon: only where that is degenerate
  edges_b = 5,
};

inline constexpr std::uint64_t make_feature(FeatureKind kind, std::uint64_t bits) {
  return (static_cast<std::uint64_t>(kind) << 60) | bits;
}
inline constexpr FeatureKind kind_of(std::uint64_t feature) {
  return static_cast<FeatureKind>(feature >> 60);
}
inline constexpr std::uint64_t edge_bits(int i, int j) {
  if (i > j) std::swap(i, j);
  return (static_cast<std::uint64_t>(i) << 15) | static_cast<std::uint64_t>(j);
}
inline constexpr std::uint64_t feature_vertex_a(int vertex) {
  return make_feature(FeatureKind::vertex_a, static_cast<std::uint64_t>(vertex));
}
inline constexpr std::uint64_t feature_vertex_b(int vertex) {
  return make_feature(FeatureKind::vertex_b, static_cast<std::uint64_t>(vertex));
}
// edge_a, edge_b by edge_bits().
inline constexpr std::uint64_t feature_edges(std::uint64_t edge_a, std::uint64_t edge_b) {
  return make_feature(FeatureKind::edges, (edge_a << 30) | edge_b);
}
// The same feature when the two shapes change places.
inline constexpr std::uint64_t swapped_feature(std::uint64_t feature) {
  const std::uint64_t bits = feature & ((std::uint64_t{1} << 60) - 1);
  const std::uint64_t low = bits & ((std::uint64_t{1} << 30) - 1);
  switch (kind_of(feature)) {
    case FeatureKind::vertex_a:
      return make_feature(FeatureKind::vertex_b, bits);
    case FeatureKind::vertex_b:
      return make_feature(FeatureKind::vertex_a, bits);
    case FeatureKind::edges:
      return make_feature(FeatureKind::edges, (low << 30) | (bits >> 30));
    case FeatureKind::edges_a:
      return make_feature(FeatureKind::edges_b, bits);
    case FeatureKind::edges_b:
      return make_feature(FeatureKind::edges_a, bits);
    default:
      return feature;
  }
}

}  // namespace stiction
