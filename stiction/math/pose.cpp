#include "stiction/math/pose.h"

#include <cmath>

namespace stiction {

// The shortest turn from z to the axis, without the trigonometry. In the lower half 1 + z loses its digits: there the
// shortest turn from −z is taken, after a turn by π about x.
Matrix3 rotation_with_z(const Vector3& axis) {
  const double x = axis[0], y = axis[1], z = axis[2];
  Matrix3 r;
  if (z < 0.0) {
    const double h = 1.0 / (1.0 - z);
    r << 1.0 - x * x * h, x * y * h, x,   //
        -x * y * h, -1.0 + y * y * h, y,  //
        x, -y, z;
    r.col(0) = r.col(1).cross(r.col(2));
    return r;
  }
  const double h = 1.0 / (1.0 + z);
  r << 1.0 - x * x * h, -x * y * h, x,  //
      -x * y * h, 1.0 - y * y * h, y,   //
      -x, -y, z;
  return r;
}

}  // namespace stiction
