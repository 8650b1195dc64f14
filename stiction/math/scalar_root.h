// A root of a scalar function inside a bracket: Newton while it helps, bisection where it does not.
#pragma once

#include <cmath>
#include <limits>

namespace stiction {

struct ValueAndSlope {
  double value;
  double slope;
};

struct ScalarRoot {
  double x = 0.0;
  int evaluations = 0;
  bool bracketed = true;  // false: both ends have the same sign; x is the end with the smaller |f|
};

// f(x) → ValueAndSlope, continuous on [low, high]. Ends at the accuracy of a double: Newton's step is a rounding error
// of x, or the bracket holds no other number. A slope that is missing, zero or of the wrong sign costs bisections,
// never the root; one that is far too steep ends the search early.
template <class Function>
ScalarRoot find_root(const Function& f, double low, double high, int max_evaluations = 200) {
  const ValueAndSlope at_low = f(low), at_high = f(high);
  int evaluations = 2;
  if (at_low.value == 0.0) return {low, evaluations, true};
  if (at_high.value == 0.0) return {high, evaluations, true};
  if ((at_low.value > 0.0) == (at_high.value > 0.0)) {
    return {std::abs(at_low.value) <= std::abs(at_high.value) ? low : high, evaluations, false};
  }
  const bool falling = at_low.value > 0.0;
  double x = std::abs(at_low.value) <= std::abs(at_high.value) ? low : high;
  ValueAndSlope at = x == low ? at_low : at_high;
  double last_step = high - low;
  while (evaluations < max_evaluations) {
    double next = x - at.value / at.slope;
    if (std::abs(next - x) <= std::numeric_limits<double>::epsilon() * std::abs(x)) break;
    // Bisect where Newton leaves the bracket, has no slope (the comparison is false for NaN), or gains less than half.
    if (!(next > low && next < high) || std::abs(next - x) > 0.5 * std::abs(last_step)) next = 0.5 * (low + high);
    last_step = next - x;
    if (next <= low || next >= high) break;
    x = next;
    at = f(x);
    ++evaluations;
    if (at.value == 0.0) break;
    ((at.value > 0.0) == falling ? low : high) = x;
  }
  return {x, evaluations, true};
}

}  // namespace stiction
