// The horizontal projection onto the friction cone { ‖x_T‖ ≤ μ x_N } (theory (1-10)): x_N ≥ 0 kept, x_T shrunk to the
// disc of radius μ x_N. Not the nearest point: a contact that pushes as hard as before does not push harder for being
// put back on its cone.
#pragma once

#include <cmath>

namespace stiction {

// In place, rows t1, t2, n. False where x was inside and is as it was. Costs no root there.
inline bool project_horizontally(double mu, double* x) {
  const bool pulls = !(x[2] >= 0.0);
  if (pulls) x[2] = 0.0;
  const double tangent_squared = x[0] * x[0] + x[1] * x[1], reach = mu * x[2];
  if (!(tangent_squared > reach * reach)) return pulls;
  const double shrink = reach / std::sqrt(tangent_squared);
  x[0] *= shrink;
  x[1] *= shrink;
  return true;
}

}  // namespace stiction
