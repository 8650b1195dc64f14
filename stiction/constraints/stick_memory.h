// What sticks stays where it began to stick (theory §3.8).
//
// Zero velocity at the beginning of a step leaves a second-order way at its end: what is carried round at ω would drift
// outwards at Δt ω² r/2. So every contact that sticks remembers the points of both bodies that met (WarmStart), and the
// next step asks for the velocity that takes back what has become of them, and what is to come,
//
//     γ_T = e_T/Δt + (c_T(q, v) − c_T⁻)/2,      e_T = s − n (n·s)
//
// inside the same law: λ stays in its cone, so nothing is held that friction cannot hold. e_T is forgotten when the
// contact slides, opens, or is new. The second term is Δt/2 times the rate at which the velocity c⁻ that the last step
// ended with changed on its way, v⁺ being constant: with it the way of a whole step is zero to second order, and e_T
// is of third. Both are taken back at once, not by Baumgarte's fraction: they are errors of one step, and one linear
// rule for all contacts keeps the rows of loops (a cube between two fingers) free of contradictions.
//
// Without the second term a contact near the limit of friction would slip whenever the first is asked of it, forget,
// and drift. So a contact that slips more slowly than this term keeps it.
//
// The way s. With a and b the points of the bodies that met, where they are now, s = a − b while the bodies do not turn
// against each other. Where they roll, the contact has travelled over both, and what counts is the difference of the
// ways unrolled:
//
//     s = T(φ_B) (p − b) − T(φ_A) (p − a),      T(φ) = I − φ×/2 + κ φ×φ×,   κ = (1 − θ/2 cot θ/2)/θ²,   θ = |φ|
//
// p the point of contact now, φ the turn of a body in the step against the frame of the contact, whose normal turns
// from n⁻ to n and which spins with B. T⁻¹ Δt u is the way, in axes of the contact, of a point that is left behind at
// the constant speed u on a body that turns: steady rolling of spheres and cylinders, also on each other, is exact for
// any Δt.
//
// Contacts of two rigid bodies that follow one another share one displacement; their rows must not contradict each
// other. So where their normals are one, what is taken back is the translation and turn about the normal that are
// nearest to what the points ask for, and a point that is new takes part in it. Between bodies at rest errors of
// ConstraintSettings::negligible_gap are none, for all points of a pair or for none.
//
// Contacts of surfaces that move by themselves (conveyors) are not held: their bodies do not stay where they met.
#pragma once

#include <span>
#include <vector>

#include "stiction/collision/contact_point.h"
#include "stiction/constraints/constraint_settings.h"
#include "stiction/constraints/row_builder.h"
#include "stiction/constraints/row_set.h"
#include "stiction/constraints/warm_start.h"
#include "stiction/dynamics/dynamics.h"

namespace stiction {

class StickMemory {
 public:
  explicit StickMemory(const Model& model);

  struct Inputs {
    const DynamicsData& dynamics;  // kinematics at q, v
    const double* v = nullptr;
    std::span<const ContactPoint> contacts;
    const RowBuilder& builder;               // of the rows: which points became contacts
    std::span<const WarmStart> warm_starts;  // of the last step, ascending identity
    double time_step = 0.0;
    std::int64_t step = 0;  // its number: what stands still is looked at now and then
    const ConstraintSettings& settings;
  };
  // Before the solve: adds γ_T to the rows of contacts that stuck in the last step.
  void recall(const Inputs& in, RowSet& rows);
  // After it, at the same q: what the next step is to remember of a contact that ends with c = J v⁺ in its frame.
  void store(const Inputs& in, const RowSet& rows, int contact, bool sticks, const Pack4& end, WarmStart& next) const;
  static void store_nothing(WarmStart& next);

 private:
  enum class Past : std::int8_t {
    none,     // new, or open
    slid,     // or left as it is in a jam
    held,     // stuck
    resting,  // stuck, and the contact has not travelled: its points stay those that met
  };
  struct Hold {
    Vec3<double> error{0.0, 0.0, 0.0};  // e_T, world axes, m
    Vec3<double> asked{0.0, 0.0, 0.0};  // what is taken back, Δt γ_T
    int body_a = -1, body_b = -1;
    int before = -1;  // in the warm starts
    Past past = Past::none;
    bool at_rest = true;  // both bodies, there
    bool is_known() const { return past >= Past::held; }
  };

  struct Travel {
    Vec3<double> n, over_a, over_b;     // normal, p − a, p − b
    Vec3<double> turning_a, turning_b;  // rad/s
    double angle;                       // of the bodies against each other in a step, squared
  };
  bool unroll(const Inputs& in, int contact, const WarmStart& before, const Travel& travel, Vec3<double>& way) const;
  void measure(const Inputs& in, int contact, const WarmStart& before, bool stuck, Hold& hold) const;
  void hold_group(const Inputs& in, int first, int end, RowSet& rows);
  void make_rigid(const Inputs& in, int first, int end, int known);
  void inherit(const Inputs& in, int first, int end);

  struct ShapeOf {
    int body;
    double size;  // m
  };
  struct TreeOf {
    int first_velocity, num_velocities;
  };
  void find_still_trees(const Inputs& in);
  bool is_still(const Hold& hold, const DynamicsData& d) const {
    const auto still = [&](int body) { return body < 0 || still_[d.tree_of[body]] != 0; };
    return still(hold.body_a) && still(hold.body_b);
  }
  std::vector<ShapeOf> shapes_;
  std::vector<TreeOf> trees_;
  std::vector<char> still_;  // by tree: hardly moves, and is not looked at in this step
  std::vector<Hold> holds_;  // by contact; empty where nothing is held
};

}  // namespace stiction
