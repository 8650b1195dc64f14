// Across a fold of the central path, at the place where it is (theory §4.8).
//
// The path of a large pile folds because of one or two contacts that may as well stick as slide; the interior point
// then stalls everywhere (docs/piles.md). Following the whole path through the fold takes hundreds of factorisations of
// the whole matrix. But what lies beyond the fold differs from what lies before it near those contacts only: so the
// bodies around them are taken alone, all other impulses are held, and the path of this small problem is followed from
// its cold start, through its folds, to a κ below the present one. What it finds there replaces the present point.
#pragma once

#include <span>

#include "stiction/contact/problem_part.h"
#include "stiction/solvers/interior_point/arclength.h"
#include "stiction/solvers/interior_point/newton_velocity_space.h"

namespace stiction {

class LocalPath {
 public:
  static constexpr int few_bodies = 60;  // to begin with; 150 take a third more factorisations in all

  // Replaces λ, x and y of `point`, where κ stands, around the constraints `blocking` (not empty) of the factored
  // problem that `cones` was loaded with, within at least so many bodies. False, and `point` is as it was, where the
  // path gets lost or `reserve` factorisations of the whole are all that the goal's budget has left.
  bool cross(const ContactProblem& problem, const ConeProblem& cones, std::span<const int> blocking, double kappa,
             int bodies, ConeVector& point, const SolveGoal& whole = {}, double reserve = 0.0);

  // Of the last call, as a share of factorisations of the whole by the number of bodies.
  double factorisations() const { return factorisations_; }

 private:
  void mark_region(const DelassusFactored& factored, std::span<const int> blocking, int bodies);
  void hold_the_rest(const ContactProblem& problem, const ConeProblem& cones, const ConeVector& point);
  bool follow(double kappa, const SolveGoal& whole, double reserve);

  std::vector<char> is_inside_, grown_;  // by velocity node
  std::vector<int> kept_;                // constraints that touch a node inside
  VectorX impulse_, velocity_, nothing_;
  ProblemPart part_;
  ConeProblem cones_;
  NewtonVelocitySpace system_;
  ConeTask task_;
  Arclength path_;
  double factorisations_ = 0.0;
  double share_ = 1.0;  // of the bodies
};

}  // namespace stiction
