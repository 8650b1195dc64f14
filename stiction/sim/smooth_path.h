// The way of a mechanism between two instants without events: dense output of a Runge–Kutta step (theory §7.1).
//
// Positions are q(s) = q_0 ⊕ ξ(s), 0 ≤ s ≤ h, with a cubic ξ that has the values and rates of both ends; velocities are
// the cubic with values and accelerations of both ends. Free flight without spin is exact. Everything about the way is
// taken from these cubics, so what is said of it is proven: the rates ξ̇ stay within the hull of their control points.
#pragma once

#include <array>
#include <vector>

#include "stiction/math/pose.h"
#include "stiction/model/model.h"

namespace stiction {

// c_0 + c_1 s + c_2 s² + c_3 s³
using Cubic = std::array<double, 4>;
// The first s in (0, end] where a cubic with c_0 > 0 is not positive; more than `end` where there is none.
double first_root(const Cubic& c, double end);

// Motion of a body at an instant; world axes, velocity of its frame's origin.
struct BodyMotion {
  Pose pose;
  Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
  Vector3 velocity_of(const Vector3& point) const { return linear + angular.cross(point - pose.position); }
};

class SmoothPath {
 public:
  explicit SmoothPath(const Model& model);

  // The end is (ξ, v_1) after the time h; accelerations v̇ at both ends.
  void set(const VectorX& q, const VectorX& v, const VectorX& acceleration, double h, const VectorX& xi,
           const VectorX& v_end, const VectorX& acceleration_end);

  double duration() const { return h_; }
  void position(double s, VectorX& q) const;
  void velocity(double s, VectorX& v) const;
  BodyMotion motion(int body, double s) const;  // −1: the world, at rest
  // The cubic of one coordinate of ξ about s: position of a prismatic or revolute joint less that at the beginning.
  Cubic coordinate(int velocity, double s) const;
  Cubic speed_of(int velocity) const { return {v_[velocity], a_[velocity], v_2_[velocity], v_3_[velocity]}; }

  // Bounds over the whole way: speed of the origin of a body, m/s, and its rate of turning, rad/s.
  double speed(int body) const { return body < 0 ? 0.0 : speed_[body]; }
  double turning(int body) const { return body < 0 ? 0.0 : turning_[body]; }
  // Whether the origin of the body flies along a cubic (free joints, the world).
  bool is_direct(int body) const { return body < 0 || model_->bodies[body].joint == JointType::free; }

 private:
  void find_bounds();
  double rate_bound(int first, int count) const;

  const Model* model_;
  double h_ = 0.0;
  VectorX q_;
  VectorX rate_, xi_2_, xi_3_, rate_middle_, rate_end_;  // ξ = rate s + ξ_2 s² + ξ_3 s³; control points of ξ̇
  VectorX v_, a_, v_2_, v_3_;
  std::vector<double> speed_, turning_;
};

// ξ̇ of q_0 ⊕ ξ that moves with the velocities v, and v of ξ̇ (theory (7-1)).
void rates_of_displacement(const Model& model, const VectorX& xi, const VectorX& v, VectorX& xi_rate);

}  // namespace stiction
