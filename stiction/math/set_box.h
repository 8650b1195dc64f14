// The interval [−bound, bound]: impulses of dry friction in a joint. Verbs as in set_coulomb_cone.h.
#pragma once

#include <cmath>

#include "stiction/math/set_whole_space.h"

namespace stiction {

struct SetBox {
  double bound;  // ≥ 0

  bool contains(double x, double slack = 0.0) const { return std::abs(x) <= bound + slack; }
  double project(double x) const { return x > bound ? bound : x < -bound ? -bound : x; }
  double project_derivative(double x) const { return std::abs(x) < bound ? 1.0 : 0.0; }
  double de_saxce_shift(double) const { return 0.0; }
  SetWholeSpace dual() const { return {}; }
};

}  // namespace stiction
