// Length of a tangential vector: one square root in the ordinary range, hypot where squares would leave the exponent
// range of a double.
#pragma once

#include <cmath>

namespace stiction {

inline double tangent_norm(double a, double b) {
  const double square = a * a + b * b;
  if (square > 1e-280 && square < 1e280) [[likely]]
    return std::sqrt(square);
  return std::hypot(a, b);
}

}  // namespace stiction
