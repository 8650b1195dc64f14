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

  WorkTeam* team = nullptr;  // not used: visits follow one another

  void load(const ContactProblem& problem, const VectorX& impulse, Point& x);
  void store(const Point& x, VectorX& impulse) const;
  void place(Point& x);  // puts x into the sets and makes σ from it
  void sweep(Point& x);
  int num_visited() const { return static_cast<int>(normal_step_.size()); }  // by a sweep: all
  double residual(const Point& x);
  const std::vector<std::size_t>& parts() const { return parts_; }  // of a point: one

 private:
  const ContactProblem* problem_ = nullptr;
  SweepEngine engine_;
  VectorX impulse_, root_;
  std::vector<double> normal_step_, tangent_step_;
  std::vector<std::size_t> parts_;
};

}  // namespace stiction
