// Kinematics, inertia matrix, its factor and what contact rows need of them, for all trees of a model at once.
//
//     M(q) v̇ + bias(q, v) = τ + Jᵀ f
//
// Call order: update_kinematics, update_inertia, factor_inertia; each says what it needs and dynamics_data.h which
// fields it fills. Nothing here allocates. The functions on DynamicsDataT<T> exist for T = double, Pack4 and Pack8; in
// packs every lane is an environment of its own: q[i] holds the i-th coordinate of all of them.
// Arrays have the sizes of the model; body −1 is the world, which stands still.
#pragma once

#include <memory>
#include <type_traits>

#include "stiction/model/model.h"

namespace stiction {

template <class T>
struct DynamicsDataT;  // dynamics_data.h, which callers outside of the library need not know
using DynamicsData = DynamicsDataT<double>;

// For who does not see what is inside: the data of a model, all memory taken.
struct DynamicsDataDeleter {
  void operator()(DynamicsData* data) const;
};
std::unique_ptr<DynamicsData, DynamicsDataDeleter> make_dynamics_data(const Model& model);

// Body poses, motion columns, velocities, world inertias, bias accelerations and forces (gravity included). Quaternions
// in q have length one.
template <class T>
void update_kinematics(const Model& model, const T* q, const std::type_identity_t<T>* v, DynamicsDataT<T>& data);

// After update_kinematics. Backward: bias force per velocity and composite inertias; forward: M, armature included.
template <class T>
void update_inertia(const Model& model, DynamicsDataT<T>& data);

// After update_inertia. M + diag(added_diagonal) + added_rows = Lᵀ D L; null: nothing added. (Implicit damping adds Δt
// d. `added_rows`, packed as M, couple velocities of a tree, as a fluid's drag does; no single free body has any.)
template <class T>
void factor_inertia(const Model& model, const std::type_identity_t<T>* added_diagonal, DynamicsDataT<T>& data,
                    const std::type_identity_t<T>* added_rows = nullptr);

// After factor_inertia: x ← (M + diag)⁻¹ x.
template <class T>
void solve_inertia(const Model& model, const DynamicsDataT<T>& data, T* x);

// The same for the velocities of one tree; the rest of x is left alone.
void solve_inertia_of_tree(const Model& model, const DynamicsData& data, int tree, double* x);

// After update_kinematics at q and any velocity: the bias of one tree at another velocity v, whatever else of the data
// stays as it is. Not for single free bodies (Tree::is_single_free_body). Returns vᵀ M v, a free root's flight left
// out.
double bias_of_tree(const Model& model, DynamicsData& data, int tree, const double* v, double* bias);

// After update_inertia: y = M x, nothing added. x and y must not overlap.
template <class T>
void multiply_inertia(const Model& model, const DynamicsDataT<T>& data, const T* x, T* y);

// After factor_inertia: dv = L⁻¹ D^(−1/2) w, so that with w = Aᵀ λ: dv = M⁻¹ Jᵀ λ. w and dv may be the same.
template <class T>
void velocity_from_factor(const Model& model, const DynamicsDataT<T>& data, const T* w, T* dv);

// After factor_inertia: a = M⁻¹ (τ − bias), accelerations without contact. a and τ may be the same.
void forward_dynamics(const Model& model, const DynamicsData& data, const double* tau, double* acceleration);

// A force and a torque on a body, at a point; world axes.
struct BodyWrench {
  int body = -1;
  Vector3 force = Vector3::Zero();   // N
  Vector3 torque = Vector3::Zero();  // N·m
  Vector3 point = Vector3::Zero();   // world, m
};

// After update_kinematics: the τ that gives these accelerations, M a + bias − Σ Jᵀ f, by recursion (RNEA), M not
// needed.
void inverse_dynamics(const Model& model, DynamicsData& data, const double* acceleration, const BodyWrench* wrenches,
                      int num_wrenches, double* tau);

// After update_kinematics: τ += Jᵀ f.
void add_body_wrench(const Model& model, const DynamicsData& data, int body, const Vector3& force,
                     const Vector3& torque, const Vector3& point_world, double* tau);

// After update_kinematics.
Pose body_pose(const DynamicsData& data, int body);  // X_WB
Vector3 tree_reference(const DynamicsData& data, int tree);
Vector3 point_velocity(const DynamicsData& data, int body, const Vector3& point_world);  // world axes, m/s
Vector3 angular_velocity(const DynamicsData& data, int body);                            // world axes, rad/s

}  // namespace stiction
