// The contact points that were found where the last step ended, which is where the next one begins.
#pragma once

#include <vector>

#include "stiction/collision/contact_point.h"
#include "stiction/math/types.h"

namespace stiction {

struct FoundContacts {
  VectorX q;                         // where; empty: nothing was looked for
  std::vector<double> reach;         // by body, m: pairs nearer than the margin and both reaches are among the points
  std::vector<ContactPoint> points;  // ascending identity

  bool is_at(const VectorX& position) const { return q.size() == position.size() && q == position; }
  void clear() {
    q.resize(0);
    reach.clear();
    points.clear();
  }
  void swap(FoundContacts& other) noexcept {
    q.swap(other.q);
    reach.swap(other.reach);
    points.swap(other.points);
  }
};

}  // namespace stiction
