// Stages of `auto` in contact space, for dense and sparse problems (theory §4.1): accept the guess; interior
// point from beside it, where it is near; stick probe; interior point from a cold start; semismooth Newton from the
// best of these; arclength following of three other central paths, the long ones after the last resort.
//
// Every acceptance uses G as given, also where it is not symmetric. Workspaces are kept: a second solve of the same
// pattern allocates nothing and reuses the symbolic factorisation.
#pragma once

#include "stiction/solvers/auto/auto_newton.h"
#include "stiction/solvers/auto/infeasibility.h"
#include "stiction/solvers/interior_point/arclength.h"
#include "stiction/solvers/interior_point/interior_point.h"
#include "stiction/solvers/interior_point/newton_contact_space.h"

namespace stiction {

class AutoContactSpace {
 public:
  AutoContactSpaceSettings settings;

  // `impulse` is the guess on entry (num_rows() finite entries; zero is a cold start) and the best impulse seen on
  // exit, never worse than the guess. Throws std::invalid_argument for a factored problem.
  SolveOutcome solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse);
  // After a solve() that did not succeed, of the same problem: the paths that it left out, from 1500 factorisations on.
  SolveOutcome follow_long_paths(const ContactProblem& problem, VectorX& impulse);

 private:
  bool load(const ContactProblem& problem, const SolveGoal& goal, const VectorX& impulse);
  bool probe();
  bool interior_point_near_guess();
  bool interior_point(const InteriorPointOptions& options);
  bool second_interior_point();
  bool newton(const ContactProblem& problem);
  bool prove_infeasible(const ContactProblem& problem);
  bool arclength(const ContactProblem& problem, int first, int end);

  ConeProblem cones_;
  NewtonContactSpace system_;
  ConeTask task_;
  StickProbe probe_;
  InteriorPoint interior_point_;
  Arclength arclength_;
  AutoNewton newton_;
  InfeasibilityProof proof_;
  Rows3 impulse_;  // the probe's
  bool probe_failed_ = false;
};

}  // namespace stiction
