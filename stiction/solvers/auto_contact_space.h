// Stages of `auto` in contact space, for dense and sparse problems (theory §4.1): accept the guess; interior
// point from beside it, where it is near; stick probe; interior point from a cold start; arclength following of three
// other central paths.
//
// Every acceptance uses G as given, also where it is not symmetric. Workspaces are kept: a second solve of the same
// pattern allocates nothing and reuses the symbolic factorisation.
#pragma once

#include "stiction/solvers/arclength.h"
#include "stiction/solvers/interior_point.h"
#include "stiction/solvers/newton_contact_space.h"

namespace stiction {

class AutoContactSpace {
 public:
  // `impulse` is the guess on entry (num_rows() finite entries; zero is a cold start) and the best impulse seen on
  // exit, never worse than the guess. Throws std::invalid_argument for a factored problem.
  AutoOutcome solve(const ContactProblem& problem, const AutoGoal& goal, VectorX& impulse);
  // The interior point alone, from the cold start.
  AutoOutcome solve_cold(const ContactProblem& problem, const AutoGoal& goal, const InteriorPointOptions& options,
                         VectorX& impulse, std::vector<HistoryEntry>* history);

 private:
  bool load(const ContactProblem& problem, const AutoGoal& goal, const VectorX& impulse);
  bool probe();
  bool interior_point_near_guess();
  bool interior_point(const InteriorPointOptions& options);
  bool second_interior_point();
  bool arclength();

  ConeProblem cones_;
  NewtonContactSpace system_;
  ConeTask task_;
  StickProbe probe_;
  InteriorPoint interior_point_;
  Arclength arclength_;
  Rows3 impulse_;  // the probe's
  bool probe_failed_ = false;
};

}  // namespace stiction
