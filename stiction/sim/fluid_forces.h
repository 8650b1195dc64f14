// The forces of a fluid on the bodies in it: drag and lift (theory §3.14).
//
// Drag is taken with its coefficients as they are at the beginning and the velocity at the end of the step: with M that
// of dampers and servos, C = Σ Jᵀ diag(a, b) J ≥ 0, and velocities against the wind,
//     (M + Δt C) (v_f − v) = Δt (τ − b − C v + S (v_1 + v_2)/2).
// Lift, which does no work, is taken in the middle of a motion that drag does not slow down: from v_1, the free
// velocity without fluid, to
//     M (v_2 − v_1) = Δt S (v_1 + v_2)/2,   S = −Sᵀ.
// So v_2 has the energy of v_1, and v_f = (M + Δt C)⁻¹ M v_2 has less, whatever Δt; the drag of u² alone,
// u⁺ = u / (1 + Δt k |u|), is exact. v_2 comes by the three-term recurrence of Concus and Golub (1976), a conjugate
// gradient method for a symmetric matrix plus a skew one: it converges for every Δt, in two or three products where
// steps are short. C couples velocities of one tree alone: it has the packed rows of M, and is factored with it.
//
// A step that is not implicit takes drag and lift as they are at its beginning. Models without a fluid pay nothing.
#pragma once

#include <span>
#include <vector>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/fluid_drag.h"
#include "stiction/math/types.h"

namespace stiction {

class FluidForces {
 public:
  explicit FluidForces(const Model& model);

  bool any() const { return !forms_.empty(); }
  // After update_kinematics at (q, v): force() and, where `implicit`, added_rows().
  void update(const Model& model, const DynamicsData& data, const double* v, double time_step, bool implicit);
  const VectorX& force() const { return force_; }  // at v, by velocity; where implicit without lift
  bool is_implicit() const { return implicit_; }
  // Δt C, packed as M; null where there is none.
  const double* added_rows() const { return implicit_ && any() ? rows_.data() : nullptr; }
  // y += Δt C x.
  void add_product(const Model& model, const double* x, double* y) const;

  // What else a step knows when it asks for them; `added`: what factor_inertia was given beside added_rows().
  struct Motion {
    const Model& model;
    DynamicsData& data;
    const double *v, *added;
    double time_step;
  };
  // Where implicit, with data factored without added_rows(): from v_1, which all other forces lead to, to v_f, with
  // data factored with them. Drag at v and lift are added to `force`.
  void correct(const Motion& motion, double* free_velocity, double* force);
  // The way back, from v_f and data factored with added_rows() to v_1 and without. Lift alone is added to `force`.
  void correct_back(const Motion& motion, double* free_velocity, double* force);

  // When v⁺ is known: what acted in the step, by form, and the energy that it took from the bodies, J.
  void finish(const DynamicsData& data, const double* v, const double* v_end, double time_step);
  std::span<const BodyWrench> wrenches() const { return wrenches_; }
  double taken() const { return taken_; }

 private:
  struct Form {
    FluidDragLaw law;
    int body, tree;
    Pose pose;  // on its body
    // ---- at (q, v)
    Matrix3 axes = Matrix3::Identity();  // R_WF
    Vector3 arm = Vector3::Zero();       // centre from the tree's reference, world
    FluidDrag drag{};                    // spin, flow and turn in world axes
    Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
    Vector3 lift_force = Vector3::Zero(), lift_torque = Vector3::Zero();
  };
  struct Velocity {
    Vector3 angular, linear;  // of the form's centre
  };
  Velocity velocity_of(const Form& form) const;  // of velocity_
  void add_wrench(const Form& form, const Vector3& force, const Vector3& torque);
  void collect(const DynamicsData& data, double* force);  // adds what was added to subtrees, by velocity
  void fill_rows(const Model& model, const DynamicsData& data, double time_step);
  // Adds S x, x against this wind, by velocity.
  void add_lift(const DynamicsData& data, const VectorX& x, const Vector3& wind, double* force);
  // Lift S z with z = x + ½ sign y, M y = Δt S z: in the middle of the motion that begins (1) or ends (−1) with x.
  void find_lift(const Motion& motion, const VectorX& x, double sign, double* force);

  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  std::vector<Form> forms_;  // ascending bodies
  Vector3 wind_ = Vector3::Zero();
  bool has_lift_ = false, implicit_ = false;
  VectorX force_;
  AlignedVector<double> rows_;
  AlignedVector<SpatialVector<double>> velocity_, subtree_;  // by body
  std::vector<Matrix6> damping_;                             // by body: of its subtree, about the tree's reference
  std::vector<BodyWrench> wrenches_;
  double taken_ = 0.0;
  VectorX residual_, earlier_residual_, solution_, earlier_solution_, direction_, product_, start_;  // of find_lift()
};

}  // namespace stiction
