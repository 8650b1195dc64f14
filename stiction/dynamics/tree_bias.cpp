#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"

namespace stiction {

// The recursion of update_kinematics with poses, columns and inertias as they are: velocities and bias accelerations
// outwards, forces inwards. What passes between a body and the next one stays in registers.
double bias_of_tree(const Model& model, DynamicsData& data, int tree, const double* v, double* bias) {
  const Tree& t = model.trees[tree];
  const int first = t.first_body, end = first + t.num_bodies;
  const int *parent = data.parent.data(), *first_velocity = data.first_velocity.data();
  const SpatialVector<double>* motion = data.motion.data();
  SpatialVector<double>*velocity = data.scratch_motion.data(), *acceleration = velocity + data.parent.size();
  SpatialVector<double>* force = acceleration + data.parent.size();
  const Vec3<double> zero = zero_vector<double>();
  SpatialVector<double> v_i{zero, zero}, a_i{zero, zero - data.gravity};
  Pack4 twice{};
  for (int i = first; i < end; ++i) {
    int j = first_velocity[i];
    const int end_velocity = first_velocity[i + 1];
    // A free root is seen from the frame that flies with its origin: no velocity there, and no bias acceleration.
    if (end_velocity - j == 6) j += 3;
    SpatialVector<double> own = v[j] * motion[j];
    for (++j; j < end_velocity; ++j) own = own + v[j] * motion[j];
    if (parent[i] < 0) {
      v_i = own;
    } else {
      if (parent[i] != i - 1) {
        v_i = velocity[parent[i]];
        a_i = acceleration[parent[i]];
      }
      a_i = a_i + cross_motion(v_i, own);
      v_i = v_i + own;
    }
    if (data.has_several_children[i]) {
      velocity[i] = v_i;
      acceleration[i] = a_i;
    }
    if (data.constants[i].is_massless) {
      force[i] = {zero, zero};
      continue;
    }
    const SpatialVector<double> momentum = data.inertia[i] * v_i;
    force[i] = data.inertia[i] * a_i + cross_force(v_i, momentum);
    twice += v_i.angular.lanes() * momentum.angular.lanes() + v_i.linear.lanes() * momentum.linear.lanes();
  }
  double twice_of_rotors = 0.0;
  SpatialVector<double> f{zero, zero};
  for (int i = end - 1; i >= first; --i) {
    const bool has_first_child = i + 1 < end && parent[i + 1] == i;
    f = has_first_child ? force[i] + f : force[i];
    for (int j = first_velocity[i]; j < first_velocity[i + 1]; ++j) {
      bias[j] = dot(motion[j], f);
      twice_of_rotors += data.armature[j] * v[j] * v[j];
    }
    if (parent[i] >= 0 && parent[i] != i - 1) force[parent[i]] = force[parent[i]] + f;
  }
  return sum_halves(twice) + twice_of_rotors;
}

}  // namespace stiction
