// What a solve may spend, and has spent, over all its parts.
//
// The unit is one iteration of the method: a sweep, or a factorisation of the whole problem with what belongs to it. A
// method of several parts counts what is cheaper as a fraction of it. Nothing is begun that is not paid for: spent()
// never exceeds the limit.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiction/solvers/interrupt.h"

namespace stiction {

class SolveBudget {
 public:
  void start(int limit, Interrupt* interrupt) {
    limit_ = limit;
    spent_ = 0.0;
    refused_ = false;
    interrupt_ = interrupt;
  }

  // Whether so much is left and nobody asked to stop. A refusal is remembered: it is why a search ended.
  bool allows(double cost) {
    if (interrupt_ != nullptr && interrupt_->requested()) return false;
    if (spent_ + cost <= limit_) return true;
    refused_ = true;
    return false;
  }
  // Spends it, unless that is not allowed.
  bool take(double cost) {
    if (!allows(cost)) return false;
    spent_ += cost;
    return true;
  }
  // The same for what takes more than microseconds: a moment to ask the caller.
  bool take_and_ask(double cost) {
    if (interrupt_ != nullptr && interrupt_->check()) return false;
    return take(cost);
  }

  Interrupt* interrupt() const { return interrupt_; }  // may be null
  double left() const { return limit_ - spent_; }
  double spent() const { return spent_; }
  int iterations() const { return static_cast<int>(std::min(std::ceil(spent_), limit_)); }
  bool was_refused() const { return refused_; }
  bool was_interrupted() const { return interrupt_ != nullptr && interrupt_->requested(); }

 private:
  double limit_ = 0.0, spent_ = 0.0;
  bool refused_ = false;
  Interrupt* interrupt_ = nullptr;
};

}  // namespace stiction
