// What the parts of `auto` share: each part is given a problem and a guess, and says how far it came.
#pragma once

#include "stiction/solvers/solver.h"

namespace stiction {

struct AutoGoal {
  double tolerance = 1e-8;
  bool use_relative = false;      // on ε_rel instead of ε_nat
  int max_factorisations = 5000;  // over all stages of the part
};

struct AutoOutcome {
  bool converged = false;
  AutoStage stage = AutoStage::warm_start;  // the stage that finished, or that came closest
  int iterations = 0;
  int factorisations = 0;
  double residual = 0.0;     // of the impulse left behind, by the measure of the goal
  int cheap_iterations = 0;  // those of `iterations` so cheap that no limit counts them: dense steps, sweeps
};

}  // namespace stiction
