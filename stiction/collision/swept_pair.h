// When two moving shapes first touch (theory §5.5).
//
// Conservative advancement: with the gap d and its normal n at a time t no point of the pair comes nearer along n than
//
//     d(t + δ) ≥ d(t) − δ ( n·(v_b − v_a) + r_a |ω_a| + r_b |ω_b| ),
//
// so that time may be advanced until the right side is zero, and the pair is looked at again. A pair whose rate of
// approach is not positive never meets. Where one of the shapes is terrain, or they overlap, n is not one plane that
// separates, and the norm of the relative velocity takes the place of n·(v_b − v_a).
#pragma once

#include <cstdint>

#include "stiction/collision/contact_point.h"
#include "stiction/collision/pair_gap.h"
#include "stiction/model/geometry/shape.h"

namespace stiction {

// A motion with constant velocities: of the point `pivot` straight, and about it at a constant rate.
struct SweptBody {
  Pose start;                              // X_WB at the beginning
  Vector3 pivot = Vector3::Zero();         // world, at the beginning
  Vector3 displacement = Vector3::Zero();  // of the pivot in the whole time, m
  Vector3 turn = Vector3::Zero();          // rotation vector of the whole time, world axes, rad; may exceed a turn

  // The motion from one pose to another in which the body turns at about `spin` (rad in the whole time): what lies
  // between is a screw about the pivot, with as many whole turns as the spin asks for.
  static SweptBody between(const Pose& from, const Pose& to, const Vector3& pivot_in_body, const Vector3& spin);
  Pose at(double time) const;                                     // 0 … 1
  Vector3 velocity_of(const Vector3& point, double time) const {  // world, per time of the whole motion
    return displacement + turn.cross(point - pivot - time * displacement);
  }
};

struct FirstTouch {
  double time = 2.0;   // 0 … 1 of the motion; more: they do not meet
  ContactPoint point;  // at that time; its identity is the feature alone
  Pose pose_a, pose_b;
  bool touches() const { return time <= 1.0; }
};

class PairSweep {
 public:
  // When the gap first is no more than `level` (a little over zero: they touch; below: they overlap by so much). Bodies
  // that carry the shapes move; a shape of the world has a motion that stands still.
  FirstTouch find(const Shape& a, const SweptBody& motion_a, const Shape& b, const SweptBody& motion_b, double level);

 private:
  // The gap, or a lower bound beyond the margin; the deepest point where there is one.
  double gap_at(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, ContactPoint& point);

  PairGap pair_gap_;
};

}  // namespace stiction
