// `auto` in velocity space, for factored problems: towers, piles with more rows than velocities, mass ratios up to 10⁶
// (specification 6.7).
//
// Stages: accept the guess; stick probe from the guess; interior point from the impulse that the probe leaves and from
// the cold start (the likelier one first), both again with a smaller η and one refinement; arclength following; tiny
// systems at last in long double.
#pragma once

#include "stiction/solvers/arclength.h"
#include "stiction/solvers/interior_point.h"
#include "stiction/solvers/newton_long_double.h"
#include "stiction/solvers/newton_velocity_space.h"

namespace stiction {

class AutoVelocitySpace {
 public:
  // As AutoContactSpace::solve. Throws std::invalid_argument unless the problem is factored.
  AutoOutcome solve(const ContactProblem& problem, const AutoGoal& goal, VectorX& impulse);
  // The interior point alone, from the cold start.
  AutoOutcome solve_cold(const ContactProblem& problem, const AutoGoal& goal, const InteriorPointOptions& options,
                         VectorX& impulse, std::vector<HistoryEntry>* history);

 private:
  enum class Start { from_probe, cold };
  AutoOutcome solve_once(const ContactProblem& problem, const AutoGoal& goal, VectorX& impulse);
  bool load(const ContactProblem& problem, const AutoGoal& goal, const VectorX& impulse);
  bool probe();
  bool interior_point(Start start, double delta = 0.8, double start_scale = 1.0);
  bool all_interior_points();  // true when no other stage is needed
  bool arclength();
  bool long_double(const ContactProblem& problem);

  ConeProblem cones_;
  NewtonVelocitySpace system_;
  NewtonLongDouble precise_;
  ConeTask task_;
  StickProbe probe_;
  InteriorPoint interior_point_;
  Arclength arclength_;
  Rows3 guess_, probed_;
  bool probe_failed_ = false;
};

}  // namespace stiction
