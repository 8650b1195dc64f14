// What the parts of `auto` share: each part is given a problem and a guess, and says how far it came.
#pragma once

#include "stiction/solvers/solver.h"

namespace stiction {

struct AutoGoal {
  double tolerance = 1e-8;
  double acceptable = 0.0;        // a residual with which a stage that no longer gets on may end the search; 0: none
  bool use_relative = false;      // both on ε_rel instead of ε_nat
  int max_factorisations = 5000;  // over all stages of the part
};

struct AutoOutcome {
  bool converged = false;
  AutoStage stage = AutoStage::warm_start;  // the stage that finished, or that came closest
  int iterations = 0;
  int factorisations = 0;
  double residual = 0.0;     // of the impulse left behind, by the measure of the goal
  bool accepted = false;     // an interior point did what it could and left a residual within goal.acceptable
  int cheap_iterations = 0;  // those of `iterations` so cheap that no limit counts them: dense steps, sweeps
};

}  // namespace stiction
