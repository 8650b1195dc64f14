#include "stiction/dynamics/dynamics.h"

namespace stiction {

// The recursion of update_kinematics with poses, columns and inertias as they are: velocities and bias accelerations
// outwards, forces inwards.
double bias_of_tree(const Model& model, DynamicsData& data, int tree, const double* v, double* bias) {
  const Tree& t = model.trees[tree];
  const int first = t.first_body, end = first + t.num_bodies;
  SpatialVector<double>*velocity = data.scratch_motion.data(), *acceleration = velocity + data.parent.size();
  SpatialVector<double>* force = data.scratch_motion.data() + 2 * data.parent.size();
  const Vec3<double> zero = zero_vector<double>();
  double twice = 0.0;
  for (int i = first; i < end; ++i) {
    const int parent = data.parent[i];
    SpatialVector<double> own{zero, zero}, v_i{zero, zero}, a_i{zero, zero - data.gravity};
    int j = data.first_velocity[i];
    // A free root is seen from the frame that flies with its origin: no velocity there, and no bias acceleration.
    if (data.constants[i].joint == JointType::free) j += 3;
    for (; j < data.first_velocity[i + 1]; ++j) own = own + v[j] * data.motion[j];
    if (parent >= 0) {
      v_i = velocity[parent];
      a_i = acceleration[parent] + cross_motion(v_i, own);
    }
    velocity[i] = v_i = v_i + own;
    acceleration[i] = a_i;
    if (data.constants[i].is_massless) {
      force[i] = {zero, zero};
      continue;
    }
    const SpatialVector<double> momentum = data.inertia[i] * v_i;
    force[i] = data.inertia[i] * a_i + cross_force(v_i, momentum);
    twice += dot(v_i, momentum);
  }
  for (int i = end - 1; i >= first; --i) {
    for (int j = data.first_velocity[i]; j < data.first_velocity[i + 1]; ++j) {
      bias[j] = dot(data.motion[j], force[i]);
      twice += data.armature[j] * v[j] * v[j];
    }
    if (data.parent[i] >= 0) force[data.parent[i]] = force[data.parent[i]] + force[i];
  }
  return twice;
}

}  // namespace stiction
