// The disc { ‖x‖ ≤ radius } in the tangent plane: friction once the normal impulse is held. Verbs as in
// set_coulomb_cone.h.
#pragma once

#include "stiction/math/set_whole_space.h"
#include "stiction/math/tangent_norm.h"
#include "stiction/math/types.h"

namespace stiction {

struct SetDisc {
  double radius;  // ≥ 0

  bool contains(const Vector2& x, double slack = 0.0) const { return tangent_norm(x[0], x[1]) <= radius + slack; }

  Vector2 project(const Vector2& x) const {
    const double length = tangent_norm(x[0], x[1]);
    if (length <= radius) return x;
    const double shrink = radius / length;
    return {shrink * x[0], shrink * x[1]};
  }

  Matrix2 project_derivative(const Vector2& x) const {
    const double length = tangent_norm(x[0], x[1]);
    if (length <= radius) return Matrix2::Identity();
    // Outside only the direction matters: the part across x shrinks with it, the part along x is lost.
    const double u1 = x[0] / length, u2 = x[1] / length, shrink = radius / length;
    Matrix2 d;
    d << shrink * u2 * u2, -shrink * u1 * u2, -shrink * u1 * u2, shrink * u1 * u1;
    return d;
  }

  Vector2 de_saxce_shift(const Vector2&) const { return Vector2::Zero(); }
  SetWholeSpace dual() const { return {}; }
};

}  // namespace stiction
