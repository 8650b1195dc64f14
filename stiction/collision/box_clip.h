// Manifold of two box faces: clipping, identities, reduction to four points (specification 7.2).
#pragma once

#include <algorithm>
#include <cstdint>

#include "stiction/collision/box_box.h"

namespace stiction {

// Feature numbers of box pairs.
namespace box_feature {
inline std::uint64_t vertex(unsigned which_box, unsigned v) {
  return (1ull << 60) | (static_cast<std::uint64_t>(which_box) << 56) | v;
}
inline std::uint64_t edge(unsigned v, unsigned w) {
  return (static_cast<std::uint64_t>(std::min(v, w)) << 12) | std::max(v, w);
}
inline std::uint64_t pair(std::uint64_t edge_of_first, std::uint64_t edge_of_second) {
  return (2ull << 60) | (edge_of_first << 24) | edge_of_second;
}
}  // namespace box_feature

// A face of each box, in the frame of the reference box. An axis k stands for the face at +k, ~k for the one at −k.
struct BoxFaces {
  bool reference_is_first = true;
  Matrix3 R;  // axes of the incident box
  Vector3 t;  // its centre
  Vector3 half_reference, half_incident;
  int axis_reference = 0, axis_incident = 0;
};

struct BoxCandidate {
  Vector3 position;  // halfway between the faces
  double gap = 0.0;  // height of the incident face over the reference face
  double x = 0.0, y = 0.0;
  std::uint64_t feature = 0;
};

struct BoxCandidates {
  int size = 0;
  double least = 0.0;  // gap
  BoxCandidate point[8];
};

// The incident face cut to the prism over the reference face: points with gap ≤ margin. A vertex that made a point
// before still does a little outside the prism: else the points of equal boxes stacked flush would change with every
// jitter.
void clip_box_faces(const BoxFaces& faces, double margin, const BoxPairMemory& memory, BoxCandidates& out);

// Indices of up to four points that span the manifold, by the keep rule those of the last time where they still do.
int choose_four(const BoxCandidates& candidates, double margin, const BoxPairMemory& memory,
                int chosen[Manifold::max_points]);

}  // namespace stiction
