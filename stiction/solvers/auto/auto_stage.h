// What the parts of `auto` share: each part is given a problem and a guess, and says how far it came.
#pragma once

#include "stiction/solvers/auto/auto_budget.h"
#include "stiction/solvers/solver.h"

namespace stiction {

struct AutoGoal {
  double tolerance = 1e-8;
  double acceptable = 0.0;       // a residual with which a stage that no longer gets on may end the search; 0: none
  bool use_relative = false;     // both on ε_rel instead of ε_nat
  AutoBudget* budget = nullptr;  // of the whole solve; null: no limit
  double share = 1.0;            // of the whole problem that this part is: what its factorisations count

  bool may_spend(double cost) const { return budget == nullptr || budget->allows(share * cost); }
  bool spend(double cost) const { return budget == nullptr || budget->take(share * cost); }
  bool spend_and_ask(double cost) const { return budget == nullptr || budget->take_and_ask(share * cost); }
  double left() const { return budget == nullptr ? 1e9 : budget->left() / share; }
};

struct AutoOutcome {
  bool converged = false;
  AutoStage stage = AutoStage::warm_start;  // the stage that finished, or that came closest
  int iterations = 0;
  int factorisations = 0;
  double residual = 0.0;    // of the impulse left behind, by the measure of the goal
  bool infeasible = false;  // a proof was found that there is no solution
  bool accepted = false;    // an interior point did what it could and left a residual within goal.acceptable
};

}  // namespace stiction
