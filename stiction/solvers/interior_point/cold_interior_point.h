// The interior point alone, from a cold start, in the space that suits the problem: contact space for dense and sparse
// ones, velocity space for factored ones.
#pragma once

#include "stiction/solvers/interior_point/interior_point.h"
#include "stiction/solvers/interior_point/newton_contact_space.h"
#include "stiction/solvers/interior_point/newton_velocity_space.h"

namespace stiction {

class ColdInteriorPoint {
 public:
  // `impulse` has num_rows() finite entries on entry and the best impulse seen on exit, which may be the one given: it
  // is measured, but no start. `history` may be null.
  SolveOutcome solve(const ContactProblem& problem, const SolveGoal& goal, const InteriorPointOptions& options,
                     VectorX& impulse, std::vector<HistoryEntry>* history);

 private:
  ConeProblem cones_;
  NewtonContactSpace contact_space_;
  NewtonVelocitySpace velocity_space_;
  ConeTask task_;
  InteriorPoint interior_point_;
};

}  // namespace stiction
