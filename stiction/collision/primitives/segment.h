// Closest points of segments: what capsules and the edges of boxes need.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/math/types.h"

namespace stiction {

// Closest points of the segments c1 + s u1, |s| ≤ h1, and c2 + t u2, |t| ≤ h2, for unit vectors u1, u2. Where they are
// parallel the point nearest to the middle of the first is taken.
struct SegmentPair {
  double s = 0.0, t = 0.0;
};
inline SegmentPair closest_on_segments(const Vector3& c1, const Vector3& u1, double h1, const Vector3& c2,
                                       const Vector3& u2, double h2) {
  const Vector3 w = c1 - c2;
  const double b = u1.dot(u2), d = u1.dot(w), e = u2.dot(w);
  // 1 − b² and b e − d by cross products, which keep their digits where the segments are nearly parallel.
  const Vector3 across = u1.cross(u2);
  const double det = across.squaredNorm();
  SegmentPair r;
  r.s = std::clamp(det > 1e-24 ? -w.dot(u2.cross(across)) / det : -d, -h1, h1);
  r.t = std::clamp(b * r.s + e, -h2, h2);
  r.s = std::clamp(b * r.t - d, -h1, h1);
  return r;
}

}  // namespace stiction
