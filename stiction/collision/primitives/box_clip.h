// Manifold of two box faces: clipping and identities (theory §5.2). The same rules as clip.h, which serves any
// polygon, for quadrilaterals against rectangles.
#pragma once

#include <cstdint>
#include <span>

#include "stiction/collision/manifold/clip.h"
#include "stiction/math/types.h"

namespace stiction {

// A face of each box, in the frame of the reference box. An axis k stands for the face at +k, ~k for the one at −k.
struct BoxFaces {
  bool reference_is_first = true;
  Matrix3 R;  // axes of the incident box
  Vector3 t;  // its centre
  Vector3 half_reference, half_incident;
  int axis_reference = 0, axis_incident = 0;
};

// Coordinates of candidates are along the axes k + 1 and k + 2 (mod 3) of the reference box.
struct BoxCandidates {
  static constexpr int max_size = 8;
  int size = 0;
  double least = 0.0;  // gap
  ContactCandidate point[max_size];
};

// The incident face cut to the prism over the reference face: points with gap ≤ margin. A vertex that made a point
// before still does a little outside the prism: else the points of equal boxes stacked flush would change with every
// jitter.
void clip_box_faces(const BoxFaces& faces, double margin, std::span<const std::uint64_t> old_features,
                    BoxCandidates& out);

}  // namespace stiction
