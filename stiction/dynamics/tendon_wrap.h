// The shortest way of a string between two points round a sphere or a cylinder. Internal.
#pragma once

#include "stiction/math/pose.h"

namespace stiction {

// Where the string from a to b touches the solid first and last, and the length between, m; negative where it does not
// touch it. `side`: a point of the world on whose side it passes, also where another way is shorter; where it lies
// within the solid the string runs inside instead, and touches at one point at most. Null: the shorter way.
double wrap_round(const Vector3& a, const Vector3& b, const Pose& solid, double radius, bool is_cylinder,
                  const Vector3* side, Vector3 touches[2]);

}  // namespace stiction
