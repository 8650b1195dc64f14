// One look at a pair of shapes, whatever their kinds: the gap, or a proven lower bound of it, and the points.
#pragma once

#include <vector>

#include "stiction/collision/contact_point.h"
#include "stiction/collision/terrain/terrain.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

class PairGap {
 public:
  // X_WA, X_WB: poses of the shapes. Contract of all kernels (primitives/primitives.h): a lower bound of the distance
  // beyond the margin, and no points; else the smallest gap. Normals from b to a, identities by feature alone. Nothing
  // is remembered from look to look.
  double look(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin);

  const std::vector<ContactPoint>& points() const { return points_; }  // of the last look
  const ContactPoint* deepest() const;                                 // null: there is none

 private:
  TerrainContacts terrain_;
  std::vector<ContactPoint> points_;
};

}  // namespace stiction
