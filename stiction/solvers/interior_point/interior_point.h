// Interior point on the NCP with the exact smooth de Saxcé term (theory §4.2).
//
// Unknowns λ and y with x = P λ and y strictly inside their cones; κ → 0 in
//
//     x ∘ y = κ e,      (G + R) λ + g = σ(y)      (velocity_of_dual in lorentz_cone.h)
//
// by Mehrotra's predictor and corrector, one factorisation per iteration. At κ = 0 this is the law itself, no smoothing
// is left. The problem is not convex: there is no guarantee, but run() notices when it gets nowhere.
#pragma once

#include "stiction/solvers/interior_point/cone_path.h"

namespace stiction {

struct InteriorPointOptions {
  // Part of the way to the boundary: at least 0.9, raised to 1 − κ or to the length of the predictor.
  enum class StepRule { by_kappa, by_predictor };
  StepRule step_rule = StepRule::by_kappa;
  double largest_part = 0.999999;  // of the rule by predictor; 0.99 costs two more factorisations on towers
  double delta = 0.8;              // δ of (4-3)
  int max_iterations = 60;         // 5–15 suffice where it converges
  int patience = 8;                // iterations without max(κ, ‖r_p‖) falling below 0.8 of its best
  int patience_when_acceptable = 3;
  // What the corrector knows of the second order: x ∘ y for a step of 1, whatever the predictor's length, or x ∘ y and
  // σ(y) for a step as long as the predictor. The second keeps to the path, the first jumps over some of its folds.
  enum class SecondOrder { at_full_step, at_predictor };
  SecondOrder second_order = SecondOrder::at_full_step;
  int max_tiny_steps = 4;  // steps below 1e-3 in a row
  bool watch = false;      // note what hinders and where the path was, for blocking and go_back()
};

class InteriorPoint {
 public:
  PathPoint point;  // point.at is the start on entry, strictly inside the cones

  // Constraints that cut steps short since the last progress of a run that is watched, in no order, some repeated. The
  // path of a pile folds where a single contact can stick as well as slide.
  std::vector<int> blocking;

  void resize(int n);
  // Back to the last point seen with κ at least `factor` times that of now. False where there is none.
  bool go_back(double factor);
  // Towards the point of the path whose κ is that of now. False at a singular or non-finite matrix.
  bool centre(ConeTask& task, double delta, int steps);
  // True when the task is done. The best impulse is in the task.
  bool run(ConeTask& task, const InteriorPointOptions& options);

 private:
  struct Milestone {
    ConeVector at;
    double kappa;
  };
  void watch(const ConeTask& task, double step);
  double predict(ConeTask& task);
  double correct(ConeTask& task, double target, double second_order);
  double correct_bent(ConeTask& task, double target, double affine_step, double delta);
  void advance(const ConeTask& task, double step);

  ConeVector affine_, direction_;
  Rows3 rc_, bent_;
  std::vector<Milestone> milestones_;  // one per decade of κ, the first num_milestones_ of them
  std::size_t num_milestones_ = 0;
};

}  // namespace stiction
