// Powell's hybrid method for n equations f(x) = 0 in n unknowns (theory §9.5): Newton's direction where it is within
// the region that the linear model is trusted in, otherwise a dogleg from steepest descent to it. The Jacobian is taken
// by finite differences once and kept up by Broyden's rank-one updates; it is taken anew where two trials in a row were
// no good. Needs f alone, and takes jumps of f as bad trials.
#pragma once

#include <functional>
#include <string_view>

#include "stiction/math/types.h"

namespace stiction {

enum class PowellStatus {
  converged,         // ‖f‖ ≤ tolerance
  small_step,        // no trial step that still counts makes ‖f‖ smaller
  evaluation_limit,  // the best point so far came back
  not_finite,        // f is not finite at the guess
};
std::string_view to_string(PowellStatus status);

struct PowellSettings {
  double tolerance = 1e-10;        // on ‖f‖, in the unit of f
  double step_tolerance = 1e-14;   // on the trusted region, relative to x
  int max_evaluations = 0;         // 0: 200 (n + 1)
  double difference = 1e-8;        // relative step of the finite differences
  double least_difference = 1e-8;  // absolute one, for unknowns near zero, in the unit of x
  double first_radius = 100.0;     // of the trusted region, in lengths of the scaled guess

  void validate() const;
};

struct PowellReport {
  PowellStatus status = PowellStatus::converged;
  double residual = 0.0;  // ‖f‖ at the point returned
  int evaluations = 0, jacobians = 0;
  bool converged() const { return status == PowellStatus::converged; }
};

using VectorFunction = std::function<void(VectorView x, VectorOut f)>;

// `x` is the guess on entry and the best point on exit.
PowellReport powell_hybrid(const VectorFunction& function, VectorX& x, const PowellSettings& settings = {});

}  // namespace stiction
