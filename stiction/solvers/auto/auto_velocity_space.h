// `auto` in velocity space, for factored problems: towers, piles with more rows than velocities, mass ratios up to 10⁶
// (theory §4.7).
//
// Stages: accept the guess; stick probe from the guess; interior point from beside the guess where that is near, from
// the impulse that the probe leaves and from the cold start (the likelier one first), both again with a smaller η and
// one refinement; arclength following; tiny systems at last in long double.
#pragma once

#include "stiction/solvers/auto/auto_newton.h"
#include "stiction/solvers/auto/infeasibility.h"
#include "stiction/solvers/interior_point/arclength.h"
#include "stiction/solvers/interior_point/interior_point.h"
#include "stiction/solvers/interior_point/local_path.h"
#include "stiction/solvers/interior_point/newton_long_double.h"
#include "stiction/solvers/interior_point/newton_velocity_space.h"

namespace stiction {

// One interior point among several.
struct InteriorPointAttempt {
  double delta = 0.8, start_scale = 1.0;  // the scale is that of a cold start
  InteriorPointOptions::StepRule step_rule = InteriorPointOptions::StepRule::by_predictor;
  int patience = 16;  // near a fold the path of a pile creeps for a dozen iterations and then goes on
  double start_floor = ConeProblem::start_floor;
  InteriorPointOptions::SecondOrder second_order = InteriorPointOptions::SecondOrder::at_full_step;
};

class AutoVelocitySpace {
 public:
  AutoVelocitySpaceSettings settings;

  // As AutoContactSpace::solve. Throws std::invalid_argument unless the problem is factored.
  SolveOutcome solve(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse);

 private:
  enum class Start { near_guess, from_probe, cold };
  SolveOutcome solve_once(const ContactProblem& problem, const SolveGoal& goal, VectorX& impulse);
  bool can_pay(const ContactProblem& problem, const SolveGoal& goal);
  bool load(const ContactProblem& problem, const SolveGoal& goal, const VectorX& impulse);
  bool probe();
  bool guess_is_near() const;
  bool interior_point(Start start, const InteriorPointAttempt& attempt = {});
  bool run_interior_point(const InteriorPointAttempt& attempt);  // from where interior_point_ stands
  bool mark_open(const Rows3& impulse, const Rows3& sigma);
  bool probe_loaded(const Rows3& impulse);
  bool is_at_rest();
  void prepare_next_step();
  bool cross_folds(const ContactProblem& problem);
  bool all_interior_points(const ContactProblem& problem);  // true when no other stage is needed
  bool arclength(const ContactProblem& problem);
  bool long_double(const ContactProblem& problem);
  bool prove_infeasible(const ContactProblem& problem);

  ConeProblem cones_;
  NewtonVelocitySpace system_;
  NewtonLongDouble precise_;
  ConeTask task_;
  StickProbe probe_;
  InteriorPoint interior_point_;
  Arclength arclength_;
  LocalPath local_path_;
  AutoNewton newton_;
  InfeasibilityProof proof_;
  Rows3 probed_, loaded_;
  std::vector<char> is_open_;  // by constraint
  BestImpulse solution_;
  VectorX retried_;
  double guess_residual_ = 0.0;
  bool probe_failed_ = false;
};

}  // namespace stiction
