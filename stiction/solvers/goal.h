// What a method is asked for and what it says in the end: the pair that all methods and their parts share.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "stiction/contact/model.h"
#include "stiction/solvers/budget.h"

namespace stiction {

struct SolveGoal {
  ContactModel model = ContactModel::ncp;  // the law that the residual belongs to
  double tolerance = 1e-8;
  double acceptable = 0.0;        // a residual with which a part that no longer gets on may end the search; 0: none
  bool use_relative = false;      // both on ε_rel instead of ε_nat
  SolveBudget* budget = nullptr;  // of the whole solve; null: no limit
  double share = 1.0;             // of the whole problem that this part is: what its iterations count

  bool may_spend(double cost) const { return budget == nullptr || budget->allows(share * cost); }
  bool spend(double cost) const { return budget == nullptr || budget->take(share * cost); }
  bool spend_and_ask(double cost) const { return budget == nullptr || budget->take_and_ask(share * cost); }
  Interrupt* interrupt() const { return budget == nullptr ? nullptr : budget->interrupt(); }
  double left() const { return budget == nullptr ? 1e9 : budget->left() / share; }
};

// A stage of a method that has several. The method numbers them from 1 on and names them; 0 is the guess itself.
enum class SolveStage : int { guess = 0 };

struct SolveOutcome {
  bool converged = false;
  SolveStage stage = SolveStage::guess;  // the stage that finished, or that came closest
  int iterations = 0;
  int factorisations = 0;
  double residual = 0.0;    // of the impulse left behind, by the measure of the goal
  bool infeasible = false;  // a proof was found that there is no solution
  bool accepted = false;    // it did what it could and left a residual within goal.acceptable
  bool broken = false;      // a value was not finite, or a factorisation failed
};

// One per iteration, where somebody wants to see how a method got on.
struct HistoryEntry {
  int iteration = 0;
  double residual = 0.0;  // the solver's own ε_nat
  double penalty = 0.0;   // ρ of ADMM, κ of interior points, else 0
  int factorisations = 0;
};

// How many problems, or parts of one, each stage of a method finished.
struct StageCounts {
  static constexpr int most = 12;

  std::span<const std::string_view> names;  // of the method, by number; empty where it has no stages
  std::array<int, most> counts{};

  void add(SolveStage stage) { ++counts[static_cast<int>(stage)]; }
  int of(SolveStage stage) const { return counts[static_cast<int>(stage)]; }
  int of(std::string_view name) const {
    int sum = 0;
    for (std::size_t k = 0; k < names.size(); ++k) sum += names[k] == name ? counts[k] : 0;
    return sum;
  }
};

}  // namespace stiction
