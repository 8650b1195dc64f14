#include "stiction/dynamics/point_motion.h"

#include "stiction/dynamics/dynamics_data.h"

namespace stiction {

// About the tree's reference O, seen from the inertial frame that moves with O now, a body has the spatial velocity
// (ω, v_O) and acceleration (α, a_O); the point at r from O then has a_O + α × r + ω × (v_O + ω × r).
PointAcceleration point_acceleration(const Model& model, const DynamicsData& data, const double* acceleration, int body,
                                     const Vector3& point_world) {
  if (body < 0) return {};
  const bool is_single = model.trees[static_cast<std::size_t>(data.tree_of[body])].is_single_free_body;
  // At zero joint acceleration; what is kept has gravity taken off.
  Vector3 alpha = is_single ? Vector3(Vector3::Zero()) : to_eigen(data.acceleration[body].angular);
  Vector3 a =
      is_single ? Vector3(Vector3::Zero()) : Vector3(to_eigen(data.acceleration[body].linear) + to_eigen(data.gravity));
  for (int j = model.last_dof(body); j >= 0; j = model.dofs[static_cast<std::size_t>(j)].parent) {
    alpha += acceleration[j] * to_eigen(data.motion[j].angular);
    a += acceleration[j] * to_eigen(data.motion[j].linear);
  }
  const SpatialVector<double>& v = data.bodies[body].velocity;
  const Vector3 omega = to_eigen(v.angular), r = point_world - to_eigen(data.reference[data.tree_of[body]]);
  return {a + alpha.cross(r) + omega.cross(to_eigen(v.linear) + omega.cross(r)), alpha};
}

}  // namespace stiction
