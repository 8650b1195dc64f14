// Arclength following of the central path (theory §4.3).
//
// The central path of this non-convex problem can fold back; a plain interior point then stalls with full centring
// steps and vanishing predictor steps. Here x ∘ y = κ e, r_p = 0 is followed with log κ as one more unknown, so that κ
// may rise on the way. The direction comes from the sign of the determinant, which turns with the path at a fold; the
// continuity of the tangent does not, and runs backwards after a sharp one.
//
// Metric: Σ (μ_i/x_N,i)² Δλ·Δλ + Δy·Δy / y_N,i² + (Δ log κ)².
#pragma once

#include "stiction/solvers/interior_point/cone_path.h"

namespace stiction {

struct ArclengthOptions {
  double delta = 0.6;             // δ of (4-3): other values give other paths
  int max_factorisations = 600;   // for this path
  double first_length = 0.5;      // h, part of the way to the boundary that a predictor takes
  double largest_length = 0.7;    // of h
  double smallest_length = 1e-5;  // give up
  double enough_kappa = 0.0;      // a point of the path with a κ as small as this ends the run
};

class Arclength {
 public:
  PathPoint point;  // point.at is the start on entry, strictly inside the cones

  void resize(int n);
  // True when the task is done or what it has is acceptable (the best impulse is in the task), or where `point` is one
  // of the path with a κ of at most enough_kappa.
  bool run(ConeTask& task, const ArclengthOptions& options);

 private:
  struct Tangent {
    ConeVector v;
    double log_kappa = 0.0;
  };

  bool find_directions(ConeTask& task, double delta);
  void weigh(const ConeTask& task);
  double inner(const Tangent& a, const Tangent& b) const;
  double largest_step(const ConeTask& task, const ConeVector& direction) const;
  void advance(const ConeTask& task, const Tangent& direction, double step);
  void predict(const ConeTask& task);
  bool turned_too_far(double sign, double tangent_norm) const;
  void accept(ConeTask& task);
  bool go_back(const ConeTask& task);
  bool correct(const ConeTask& task, double shift);

  double kappa_ = 0.0, saved_kappa_ = 0.0, length_ = 0.0;
  bool on_path_ = false;  // a point of the path has been reached: normal_ and saved_ hold
  int correctors_ = 0;
  double smallest_length_ = 0.0, largest_length_ = 0.0;
  Tangent tangent_, newton_, normal_, corrector_;
  ConeVector saved_;
  Rows3 rc_, zero_;
  ArrayX weight_l_, weight_y_;
};

}  // namespace stiction
