// Newton along a path of compliant problems, for dense problems of robot scale on which full Newton steps do not
// settle.
//
// Where many rows share a load that bounds hold (joints with dry friction between two feet that stick, a sole on its
// edge), G is singular or nearly so, and a small change of the right-hand side moves impulses from one bound to
// another: the active set of a full step has little to do with that of the next. With a compliance ε diag(G) about a
// centre λ_c,
//
//     σ = (G + ε diag(G)) λ + g − ε diag(G) λ_c,   the law as it is,
//
// impulses stay near the centre, and Newton steps settle within a few. The solution is the next centre; it solves the
// problem itself when it is the centre. ε falls while steps settle, and rises where they do not: a proximal point
// method whose every step is solved, where AutoDense moves the centre with every Newton step.
//
// Along a direction in which G hardly moves anything centres creep: the next ones lie on a line, at distances that fall
// as the residual does. The centre then goes at once to where they would end, or to the first bound on the way.
#pragma once

#include "stiction/math/aligned_vector.h"
#include "stiction/solvers/auto/auto_active_set.h"
#include "stiction/solvers/auto/auto_residual.h"
#include "stiction/solvers/auto/auto_settings.h"
#include "stiction/solvers/auto/auto_stage.h"
#include "stiction/solvers/best_iterate.h"
#include "stiction/solvers/linear_algebra/dense_view.h"

namespace stiction {

class AutoProximal {
 public:
  AutoProximalSettings settings;

  struct Outcome {
    bool converged = false;
    double residual = 0.0;  // of the iterate left behind
    int steps = 0;          // factorisations
  };
  // From the best so far, whose vectors have room for view.stride entries; what is better takes its place.
  // Every step is paid from the budget of the goal.
  Outcome run(const DenseView& view, const AutoResidualScale& scale, double limit, int most_steps,
              AutoActiveSet& active_set, BestDense& best, const SolveGoal& goal = {});

 private:
  // An iterate: λ, σ of the compliant problem, and the residuals of both problems.
  struct Iterate {
    AlignedVector<double> lambda, sigma;
    double residual = 0.0, compliant_residual = 0.0;
  };
  void load(const DenseView& view, const double* lambda);
  void set_compliance(const DenseView& view, double epsilon);
  double room_along(const DenseView& view, const double* from, const double* to) const;
  void move_centre(const DenseView& view, const AutoResidualScale& scale, double limit, Iterate& reached,
                   Outcome& outcome, BestDense& best);
  void keep(const DenseView& view, const double* l, double residual, double limit, Outcome& outcome, BestDense& best);
  bool settle(const DenseView& view, const AutoResidualScale& scale, double limit, int most_steps,
              AutoActiveSet& active_set, Outcome& outcome, BestDense& best);
  void test(const DenseView& view, const AutoResidualScale& scale, double limit, Iterate& iterate, Outcome& outcome,
            BestDense& best);

  DenseView compliant_;                            // of ε and the centre
  AlignedVector<double> matrix_, free_velocity_;   // its own
  AlignedVector<double> centre_, weight_, plain_;  // λ_c; ε D; σ of the problem itself
  double centre_residual_ = 0.0;
  Iterate now_, inside_;  // the Newton iterate and its projection
  const SolveGoal* goal_ = nullptr;
};

}  // namespace stiction
