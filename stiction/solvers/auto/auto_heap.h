// `auto` for heaps whose contacts give: accelerated sweeps (theory §2.13, §4.10).
//
// A heap is an island of many free bodies with about one contact per pair, all contacts with a compliance of at least a
// hundredth of their own inverse mass. Sweeps then need some hundred visits where an interior point needs many
// factorisations whose fill grows faster than the heap. With less compliance sweeps stall, and the other parts are the
// better ones; with faces that meet in four points, too, unless tangents give as much.
#pragma once

#include "stiction/solvers/accelerated/accelerated_sweeps.h"
#include "stiction/solvers/auto/auto_settings.h"
#include "stiction/solvers/auto/auto_stage.h"

namespace stiction {

class AutoHeap {
 public:
  AutoHeapSettings settings;

  void set_team(WorkTeam* team) { sweeps_.team = team; }

  // Whether a factored problem is such a heap. Looks at no more than it needs.
  bool takes(const ContactProblem& problem) const;

  // Whether sweeps are quick, at least: many free bodies, rigid or not.
  bool may_sweep(const ContactProblem& problem) const;

  // Whether the other parts may spend what they like on what is not solved here: a larger heap would keep them for
  // seconds.
  bool leaves_to_others(const ContactProblem& problem) const {
    return problem.factored().num_nodes() <= settings.most_nodes_for_others;
  }

  SolveOutcome solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse);

 private:
  AcceleratedSweeps sweeps_;
};

}  // namespace stiction
