// Accelerated sweeps (theory §2.13): two visits of every constraint are one step x → T(x), and Anderson's window
// extrapolates from such steps. No factorisation; made for heaps, thousands of bodies that share a load, whose contacts
// give a little.
#pragma once

#include <vector>

#include "stiction/solvers/accelerated/accelerated_sweeps_settings.h"
#include "stiction/solvers/accelerated/anderson_window.h"
#include "stiction/solvers/accelerated/constraint_batches.h"
#include "stiction/solvers/accelerated/row_sweeps.h"
#include "stiction/solvers/goal.h"

namespace stiction {

class AcceleratedSweeps {
 public:
  AcceleratedSweepsSettings settings;
  WorkTeam* team = nullptr;  // who shares the work of a large factored problem; null: nobody. The bits are the same

  // Leaves the best iterate by the measure of the goal, of those that were measured: every `test_every` sweeps, and at
  // the end. `history` gets these; it may be null.
  SolveOutcome solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse,
                     std::vector<HistoryEntry>* history = nullptr);

 private:
  template <class Map>
  SolveOutcome run(Map& map, const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse,
                   std::vector<HistoryEntry>* history);
  template <class Map>
  double residual(Map& map, const ContactProblem& problem, const SolveGoal& goal, const AndersonWindow::Array& x);

  template <class Map>
  void copy(const Map& map, const AndersonWindow::Array& from, AndersonWindow::Array& to);

  ConstraintBatches batches_;
  RowSweeps rows_;
  AndersonWindow window_;
  AndersonWindow::Array x_, image_, best_;
  VectorX impulse_, velocity_;  // of a point, where ε_rel is asked for
};

}  // namespace stiction
