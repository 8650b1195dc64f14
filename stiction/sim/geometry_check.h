// The geometric certificate (theory §3.10): what the rows of a step promised against what is found at its end.
//
// The judge sees rows; whether these are the world's shows where the step ends. Two things are looked at:
//
//   at q⁺:     every contact point there against the gap Φ + Δt c_N⁺ that its row promised. Points without a row are
//              held against the deepest promise of their pair, or against none: they should not overlap.
//   between:   pairs that could have met on the way and had no row, pairs of which a body turns far, and pairs that
//              pushed and are not there any more: when they first touch (collision/swept_pair.h). What went through
//              something leaves no trace at q⁺.
//
// How much is allowed: a tenth of the way that the two surfaces moved against each other at that point, or twice what
// turning takes (½ (Δt ω)² r, the fastest of the tree, r from its root), at least 1e-7 m (gaps of rows that push 1e-5
// m), and at most the tolerance. A contact that was left out shows by the whole of its way.
//
// Rows that carry an impulse must be somewhere: the point of that name is at q⁺ where the bodies can have taken it, or
// the place of the row was on both surfaces at q. A point with another name is compared by its place, or, where the
// choice of four points has left that corner, by what the two surfaces there have become. A row of a pair that has no
// points at q⁺ errs by their distance.
//
// Normals of rows are compared with those of the same points at q⁺. They turn with the bodies, and by the way over the
// radius of curvature of what is touched, taken as a millimetre; what is left beyond a degree was not the world's.
#pragma once

#include <span>
#include <vector>

#include "stiction/collision/pair_gap.h"
#include "stiction/collision/swept_pair.h"
#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/model/model.h"

namespace stiction {

struct GapPromise {
  ContactIdentity id;
  Vector3 position = Vector3::Zero();  // at q, halfway between the surfaces
  Vector3 normal = Vector3::Zero();
  double gap_before = 0.0;  // Φ, m
  double gap = 0.0;         // Φ + Δt c_N⁺, m
  bool is_carried = false;  // the row has an impulse
  bool is_exact = false;    // its place and gap are those of a later time (MissedContact), not of q
};

// A contact that no row foresaw, and the row that would have: it touches with the normal n and the gap Φ_s after a part
// s of the step, and the bodies may approach no farther than to there: Φ_s + Δt J (v − s v⁺) ≥ least.
struct MissedContact {
  ContactPoint point;      // at that time
  double time = 1.0;       // s
  double least_gap = 0.0;  // ≤ 0: what had been promised
};

class GeometryCheck {
 public:
  struct Inputs {
    const Model& model;
    std::span<const Pose> before, after;   // bodies at q and q⁺
    std::span<const GapPromise> promises;  // of all contact rows, ascending
    std::span<const ContactPoint> sought;  // pairs that could meet in the step, at q, ascending
    std::span<const ContactPoint> found;   // at q⁺, ascending
    std::span<const double> way;           // by body: how far its points move at most, m
    const DynamicsData& dynamics;          // kinematics at q⁺, v⁺
    double time_step = 0.0;
    bool is_recheck = false;               // the step is solved again already
    double farthest_turn = 0.0;            // of all bodies in the step, rad
    const char* asleep = nullptr;          // by tree; null: none
    double margin = 0.0, tolerance = 0.0;  // m

    Vector3 spin(int body) const { return time_step * to_eigen(dynamics.bodies[body].velocity.angular); }  // Δt ω, rad
    Vector3 root(int tree) const { return to_eigen(dynamics.reference[tree]); }                            // world
  };
  void check(const Inputs& in);

  double unforeseen_penetration() const { return unforeseen_; }  // m
  double largest_gap_error() const { return gap_error_; }        // m, over rows that carry an impulse
  double largest_normal_error() const { return normal_error_; }  // rad, likewise
  bool is_certified() const { return is_certified_; }
  // Pairs without rows that met beyond what is allowed, and what is so deep that it might come out on the other side.
  std::span<const MissedContact> missed() const { return missed_; }

 private:
  void compare_ends(const Inputs& in);
  void compare_pair(const Inputs& in, std::span<const GapPromise> promises, std::span<const ContactPoint> found);
  void sweep(const Inputs& in);
  void sweep_pair(const Inputs& in, const ContactPoint& nearest, bool has_rows);
  void follow(const Inputs& in, const ContactIdentity& pair, double level);
  bool compare_row(const Inputs& in, const GapPromise& promise, std::span<const ContactPoint> found);
  void compare_normals(const Inputs& in, const GapPromise& promise, const ContactPoint& point);
  double way_at(const Inputs& in, const ContactIdentity& pair, const Vector3& position) const;
  double allowed(const Inputs& in, const ContactIdentity& pair, const Vector3& position);
  static bool is_near(const Inputs& in, const GapPromise& promise, const ContactPoint& point);
  double off_surfaces(const Inputs& in, const GapPromise& promise);
  double error_of_place(const Inputs& in, const GapPromise& promise);
  double distance_of_pair(const Inputs& in, const GapPromise& promise);
  double height_over(const Shape& shape, const Pose& X_WS, const Vector3& place, double about);
  bool is_as_promised(const Inputs& in);
  static bool may_have_met(const Inputs& in);
  void find_tree_turns(const Inputs& in);
  void add_overlap(const Inputs& in, const ContactPoint& point, double promise, double beyond);
  static double thinner(const Inputs& in, const ContactPoint& point);  // shape of the two, m
  static SweptBody motion_of(const Inputs& in, const Shape& shape);
  static bool is_still(const Inputs& in, const ContactPoint& point);

  double unforeseen_ = 0.0, gap_error_ = 0.0, normal_error_ = 0.0;
  bool is_certified_ = true;
  std::vector<MissedContact> missed_;
  std::vector<double> tree_turn_;  // by tree: the largest Δt ω of its bodies; empty: not asked for
  PairSweep pair_sweep_;
  PairGap pair_gap_;
  Shape probe_;  // a small ball
};

}  // namespace stiction
