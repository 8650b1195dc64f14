#include "stiction/dynamics/dynamics.h"

#include <algorithm>

#include "stiction/dynamics/dynamics_data.h"

namespace stiction {
namespace {

// A wrench at a point as a spatial force about the reference of a body's tree.
SpatialVector<double> about_reference(const DynamicsData& d, int body, const Vector3& force, const Vector3& torque,
                                      const Vector3& point) {
  const Vec3<double> f = to_vec3(force), r = to_vec3(point) - d.reference[d.tree_of[body]];
  return {to_vec3(torque) + cross(r, f), f};
}

// Forces of single free bodies about their centres of mass: I a plus what was `bias`.
void inverse_dynamics_of_single_body(const DynamicsData& d, int body, const double* a, double* tau) {
  const BodyConstants& c = d.constants[body];
  const int j = c.first_velocity;
  const std::array<double, 6>& m = c.moment;
  const double x = a[j + 3], y = a[j + 4], z = a[j + 5];
  const double turning[3] = {m[0] * x + m[1] * y + m[2] * z, m[1] * x + m[3] * y + m[4] * z,
                             m[2] * x + m[4] * y + m[5] * z};
  for (int k = 0; k < 3; ++k) {
    tau[j + k] = d.bias[j + k] + c.mass * a[j + k];
    tau[j + 3 + k] = d.bias[j + 3 + k] + turning[k];
  }
}

}  // namespace

void forward_dynamics(const Model& model, const DynamicsData& data, const double* tau, double* acceleration) {
  const int n = static_cast<int>(data.depth.size());
  for (int j = 0; j < n; ++j) acceleration[j] = tau[j] - data.bias[j];
  solve_inertia(model, data, acceleration);
}

void inverse_dynamics(const Model& model, DynamicsData& data, const double* acceleration, const BodyWrench* wrenches,
                      int num_wrenches, double* tau) {
  const int num_bodies = static_cast<int>(data.parent.size()), n = static_cast<int>(data.depth.size());
  SpatialVector<double>*force = data.scratch_force.data(), *a = force + num_bodies;
  for (const TreeRun& run : data.runs) {
    for (int i = run.first_body; i < run.end_body; ++i) {
      if (run.single_free_bodies) {
        inverse_dynamics_of_single_body(data, i, acceleration, tau);
        continue;
      }
      a[i] = data.parent[i] < 0 ? SpatialVector<double>{} : a[data.parent[i]];
      for (int j = data.first_velocity[i]; j < data.first_velocity[i + 1]; ++j) {
        a[i] = a[i] + acceleration[j] * data.motion[j];
      }
      force[i] = data.force[i] + data.inertia[i] * a[i];
    }
    if (run.single_free_bodies) continue;
    for (int i = run.end_body - 1; i >= run.first_body; --i) {
      for (int j = data.first_velocity[i]; j < data.first_velocity[i + 1]; ++j) tau[j] = dot(data.motion[j], force[i]);
      if (data.parent[i] >= 0) force[data.parent[i]] = force[data.parent[i]] + force[i];
    }
  }
  for (int j = 0; j < n; ++j) tau[j] += data.armature[j] * acceleration[j];
  for (int i = 0; i < num_wrenches; ++i) {
    const BodyWrench& w = wrenches[i];
    add_body_wrench(model, data, w.body, -w.force, -w.torque, w.point, tau);
  }
}

void add_body_wrench(const Model& model, const DynamicsData& data, int body, const Vector3& force,
                     const Vector3& torque, const Vector3& point_world, double* tau) {
  if (body < 0) return;
  const SpatialVector<double> f = about_reference(data, body, force, torque, point_world);
  for (int j = model.last_dof(body); j >= 0; j = model.dofs[j].parent) tau[j] += dot(data.motion[j], f);
}

Pose body_pose(const DynamicsData& data, int body) {
  Pose pose;
  if (body < 0) return pose;
  const BodyState<double>& state = data.bodies[body];
  pose.rotation.col(0) = to_eigen(state.rotation.x);
  pose.rotation.col(1) = to_eigen(state.rotation.y);
  pose.rotation.col(2) = to_eigen(state.rotation.z);
  pose.position = to_eigen(data.reference[data.tree_of[body]] + state.position);
  return pose;
}

Vector3 tree_reference(const DynamicsData& data, int tree) {
  return to_eigen(data.reference[tree]);
}

Vector3 point_velocity(const DynamicsData& data, int body, const Vector3& point_world) {
  if (body < 0) return Vector3::Zero();
  const SpatialVector<double>& v = data.bodies[body].velocity;
  const int tree = data.tree_of[body];
  const Vec3<double> r = to_vec3(point_world) - data.reference[tree];
  return to_eigen(data.reference_velocity[tree] + v.linear + cross(v.angular, r));
}

Vector3 angular_velocity(const DynamicsData& data, int body) {
  return body < 0 ? Vector3::Zero() : to_eigen(data.bodies[body].velocity.angular);
}

}  // namespace stiction
