// The turn of semismooth Newton among the parts of `auto`: from the best impulse that the interior points left, where
// they no longer get on. It often knows most contacts' regimes and lacks a few, which Newton finds in some ten steps;
// where that does not happen soon it hardly ever does, and the turn ends.
#pragma once

#include "stiction/solvers/auto/auto_settings.h"
#include "stiction/solvers/auto/auto_stage.h"
#include "stiction/solvers/interior_point/cone_path.h"
#include "stiction/solvers/newton/semismooth_newton.h"

namespace stiction {

class AutoNewton {
 public:
  AutoNewtonSettings settings;

  // As long as `allowance` lasts, in factorisations of this problem. `impulse` is replaced only by something better.
  SolveOutcome solve(const ContactProblem& problem, const SolveGoal& goal, double allowance, VectorX& impulse);
  // The same from and to the best impulse of a task, which is one of this problem. True when the task is done.
  bool run(const ContactProblem& problem, double allowance, ConeTask& task);
  bool run_cold(const ContactProblem& problem, double allowance, ConeTask& task);  // the same from zero

 private:
  bool run_from_impulse(const ContactProblem& problem, double allowance, ConeTask& task);

  SemismoothNewton newton_;
  VectorX impulse_;
  Rows3 rows_, sigma_;
};

}  // namespace stiction
