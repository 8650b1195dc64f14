// When two shapes first touch on a smooth path (theory §7.1): conservative advancement.
//
// At an instant s the pair has the gap d along the normal n, or the proven bound d. No later point of the pair is
// nearer along n than
//
//     d(s + δ) ≥ d(s) + n·(Δp_a − Δp_b)(δ) − ρ δ,    ρ = r_a Ω_a + r_b Ω_b,
//
// p being the origins of the two bodies, which fly along known cubics where their joints are free, r the reach of each
// shape about them (of a sphere or a capsule less its own roundness, which turning does not change), Ω bounds of their
// rates of turning. Time is advanced to the first root of the right side and the pair is looked at again. For bodies
// with other joints, for terrain and without a point the fastest that anything moves takes the place of the cubic.
#pragma once

#include <cstdint>

#include "stiction/collision/pair_gap.h"
#include "stiction/sim/smooth_path.h"

namespace stiction {

struct Touch {
  double time = 0.0;  // along the path, s; more than the limit: none
  ContactPoint point;
  double speed = 0.0;   // of approach, m/s
  bool is_sure = true;  // false: given up, it may be that nothing touches there
};

class NextTouch {
 public:
  explicit NextTouch(const Model& model) : model_(&model) {}

  // The first instant up to `limit` at which a point of the pair is within the tolerance (m) and approaches.
  Touch find(const SmoothPath& path, int shape_a, int shape_b, double limit, double tolerance);
  // The gap of the pair at an instant, and its points: those of PairGap.
  double look(const SmoothPath& path, int shape_a, int shape_b, double s, double margin);
  const PairGap& points() const { return gap_; }
  // How long after the last look, at s, a point of it keeps from coming nearer by `way` at least; more than `limit`:
  // so long. Without a point: any point of the two shapes.
  double safe_time(const SmoothPath& path, int shape_a, int shape_b, const ContactPoint* point, double s, double limit,
                   double way) const;
  // Of a point of the last look: velocity of the first shape against the second, and the speed at which they part, m/s.
  Vector3 relative_velocity(const ContactPoint& point) const {
    return motion_a_.velocity_of(point.position) - motion_b_.velocity_of(point.position);
  }
  double parting_speed(const ContactPoint& point) const { return point.normal.dot(relative_velocity(point)); }

  long num_looks() const { return num_looks_; }

 private:
  const ContactPoint* approaching(double tolerance) const;
  Cubic bound(const SmoothPath& path, const ContactPoint& point, double s, double turning) const;
  bool is_flat(const SmoothPath& path, const Shape& a, const Shape& b) const;
  Touch refine(const SmoothPath& path, int shape_a, int shape_b, double s, double limit, double tolerance);

  const Model* model_;
  PairGap gap_;
  BodyMotion motion_a_, motion_b_;  // of the last look
  int body_a_ = -1, body_b_ = -1;
  long num_looks_ = 0;
};

// How far a shape reaches about its body's origin, what is round about its core left out, m.
double turning_reach(const Shape& shape);
// No point of the shape is faster on the path, m/s.
double fastest_point(const SmoothPath& path, const Shape& shape);

}  // namespace stiction
