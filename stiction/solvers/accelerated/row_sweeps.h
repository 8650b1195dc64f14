// The map of accelerated sweeps (theory §2.13) for what does not fit into batches: dense and sparse G, and constraints
// on chains of joints. The same visits as in constraint_batches.h, one after the other; a point is λ_i √w_i by rows of
// the problem, padded to a whole pack.
#pragma once

#include <vector>

#include "stiction/solvers/accelerated/anderson_window.h"
#include "stiction/solvers/sweeps/sweep_engine.h"

namespace stiction {

class RowSweeps {
 public:
  using Point = AndersonWindow::Array;

  void load(const ContactProblem& problem, const VectorX& impulse, Point& x);
  void store(const Point& x, VectorX& impulse) const;
  void place(Point& x);  // puts x into the sets and makes σ from it
  void sweep(Point& x);
  double residual(const Point& x);

 private:
  const ContactProblem* problem_ = nullptr;
  SweepEngine engine_;
  VectorX impulse_, root_;
  std::vector<double> normal_step_, tangent_step_;
};

}  // namespace stiction
