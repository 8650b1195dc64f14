// The half-line x ≥ 0: impulses of a frictionless contact or a joint limit. Verbs as in set_coulomb_cone.h.
#pragma once

namespace stiction {

struct SetHalfLine {
  bool contains(double x, double slack = 0.0) const { return x >= -slack; }
  double project(double x) const { return x > 0.0 ? x : 0.0; }
  double project_derivative(double x) const { return x > 0.0 ? 1.0 : 0.0; }
  double de_saxce_shift(double) const { return 0.0; }
  SetHalfLine dual() const { return {}; }
};

}  // namespace stiction
