#include "stiction/dynamics/mechanics.h"

#include "stiction/dynamics/dynamics_data.h"

namespace stiction {
namespace {

struct PointMass {
  double mass;
  Vec3<double> position, velocity;  // world
};

// The centre of mass of a body.
PointMass center_of(const DynamicsData& d, int body) {
  const BodyConstants& c = d.constants[body];
  const BodyState<double>& state = d.bodies[body];
  const Vec3<double> r = state.position + turn(state.rotation, c.com.data());
  const Vec3<double> v = state.velocity.linear + cross(state.velocity.angular, r);
  return {c.mass, d.reference[c.tree] + r, d.reference_velocity[c.tree] + v};
}

// Rᵀ ω, the angular velocity in the body's axes, and J Rᵀ ω.
struct Spin {
  Vec3<double> velocity, momentum;
};
Spin spin_of(const DynamicsData& d, int body) {
  const Rotation<double>& r = d.bodies[body].rotation;
  const Vec3<double>& w = d.bodies[body].velocity.angular;
  const std::array<double, 6>& m = d.constants[body].moment;
  const double a = dot(r.x, w), b = dot(r.y, w), c = dot(r.z, w);
  return {{a, b, c}, {m[0] * a + m[1] * b + m[2] * c, m[1] * a + m[3] * b + m[4] * c, m[2] * a + m[4] * b + m[5] * c}};
}

void write_vector(const Vec3<double>& a, double* to) {
  to[0] = a.x(), to[1] = a.y(), to[2] = a.z();
}

int num_bodies(const DynamicsData& d) {
  return static_cast<int>(d.parent.size());
}

// ½ Σ armature q̇² in four sums, which do not wait for one another.
double kinetic_energy_of_rotors(const DynamicsData& d, int first, int end, const double* v) {
  const double* armature = d.armature.data();
  Pack4 twice{};
  int j = first;
  for (; j + 4 <= end; j += 4) twice += load4(armature + j) * (load4(v + j) * load4(v + j));
  double rest = 0.0;
  for (; j < end; ++j) rest += armature[j] * v[j] * v[j];
  return 0.5 * (sum_halves(twice) + rest);
}

double kinetic_energy_of_single_body(const DynamicsData& d, int body, const double* v) {
  const BodyConstants& c = d.constants[body];
  const std::array<double, 6>& m = c.moment;
  v += c.first_velocity;
  double twice = c.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + m[0] * v[3] * v[3] + m[3] * v[4] * v[4] +
                 m[5] * v[5] * v[5] + 2.0 * (m[1] * v[3] * v[4] + m[2] * v[3] * v[5] + m[4] * v[4] * v[5]);
  for (int k = 0; k < 6; ++k) twice += d.armature[c.first_velocity + k] * v[k] * v[k];
  return 0.5 * twice;
}

}  // namespace

MatrixX inertia_matrix(const Model& model, const DynamicsData& data) {
  const int n = model.num_velocities();
  MatrixX m = MatrixX::Zero(n, n);
  for (int j = 0; j < n; ++j) {
    for (int e = 0; e <= data.depth[j]; ++e) {
      const int i = model.row_ancestor[data.row_begin[j] + e];
      m(i, j) = m(j, i) = data.mass_matrix[data.row_begin[j] + e];
    }
  }
  return m;
}

MatrixX point_jacobian(const Model& model, const DynamicsData& data, int body, const Vector3& point_world) {
  MatrixX jacobian = MatrixX::Zero(6, model.num_velocities());
  if (body < 0) return jacobian;
  const Vec3<double> r = to_vec3(point_world) - data.reference[data.tree_of[body]];
  for (int j = model.last_dof(body); j >= 0; j = model.dofs[j].parent) {
    const SpatialVector<double>& s = data.motion[j];
    write_vector(s.linear + cross(s.angular, r), &jacobian(0, j));
    write_vector(s.angular, &jacobian(3, j));
  }
  return jacobian;
}

Pose frame_pose(const Model& model, const DynamicsData& data, int frame) {
  return body_pose(data, model.frames[frame].body) * model.frames[frame].pose;
}

MatrixX frame_jacobian(const Model& model, const DynamicsData& data, int frame) {
  return point_jacobian(model, data, model.frames[frame].body, frame_pose(model, data, frame).position);
}

double kinetic_energy(const DynamicsData& data, const double* v) {
  double twice = 0.0;
  for (int i = 0; i < num_bodies(data); ++i) {
    const PointMass c = center_of(data, i);
    const Spin spin = spin_of(data, i);
    twice += c.mass * dot(c.velocity, c.velocity) + dot(spin.velocity, spin.momentum);
  }
  for (std::size_t j = 0; j < data.armature.size(); ++j) twice += data.armature[j] * v[j] * v[j];
  return 0.5 * twice;
}

double gravity_energy(const DynamicsData& data) {
  double energy = 0.0;
  for (int i = 0; i < num_bodies(data); ++i) {
    const PointMass c = center_of(data, i);
    energy -= c.mass * dot(data.gravity, c.position);
  }
  return energy;
}

MechanicalEnergy mechanical_energy(const DynamicsData& data, const double* v) {
  MechanicalEnergy energy;
  energy.kinetic = 0.5 * sum_halves(data.vis_viva.lanes());
  for (const TreeRun& run : data.runs) {
    if (!run.single_free_bodies) {
      energy.kinetic += kinetic_energy_of_rotors(data, run.first_velocity, run.end_velocity, v);
    }
    for (int i = run.first_body; i < run.end_body; ++i) {
      const Vec3<double>& origin = data.reference[data.tree_of[i]];
      if (run.single_free_bodies) {
        energy.kinetic += kinetic_energy_of_single_body(data, i, v);
        energy.gravity -= data.constants[i].mass * dot(data.gravity, origin);
      } else if (data.parent[i] < 0) {  // mass and first moment of the whole tree
        const Pack4 h = data.composite[i].h;
        energy.gravity -= h[3] * dot(data.gravity, origin) + dot(data.gravity, Vec3<double>(h));
      }
    }
  }
  return energy;
}

double spring_energy(const Model& model, const double* q) {
  double energy = 0.0;
  for (const Body& body : model.bodies) {
    if (body.joint != JointType::revolute && body.joint != JointType::prismatic) continue;
    const Dof& dof = model.dofs[body.first_velocity];
    const double stretch = q[body.first_position] - dof.rest_position;
    energy += 0.5 * dof.stiffness * stretch * stretch;
  }
  return energy;
}

double total_mass(const Model& model) {
  double mass = 0.0;
  for (const Body& body : model.bodies) mass += body.mass;
  return mass;
}

Vector3 center_of_mass(const DynamicsData& data) {
  double mass = 0.0;
  Vec3<double> moment = zero_vector<double>();
  for (int i = 0; i < num_bodies(data); ++i) {
    const PointMass c = center_of(data, i);
    mass += c.mass;
    moment = moment + c.mass * c.position;
  }
  return mass > 0.0 ? Vector3(to_eigen(moment) / mass) : Vector3::Zero();
}

Vector3 linear_momentum(const DynamicsData& data) {
  Vec3<double> momentum = zero_vector<double>();
  for (int i = 0; i < num_bodies(data); ++i) {
    const PointMass c = center_of(data, i);
    momentum = momentum + c.mass * c.velocity;
  }
  return to_eigen(momentum);
}

Vector3 center_of_mass_velocity(const DynamicsData& data) {
  double mass = 0.0;
  for (const BodyConstants& c : data.constants) mass += c.mass;
  return mass > 0.0 ? Vector3(linear_momentum(data) / mass) : Vector3::Zero();
}

Vector3 angular_momentum(const DynamicsData& data, const Vector3& point) {
  Vec3<double> momentum = zero_vector<double>();
  for (int i = 0; i < num_bodies(data); ++i) {
    const PointMass c = center_of(data, i);
    momentum = momentum + data.bodies[i].rotation * spin_of(data, i).momentum +
               cross(c.position - to_vec3(point), c.mass * c.velocity);
  }
  return to_eigen(momentum);
}

MatrixX center_of_mass_jacobian(const Model& model, const DynamicsData& data) {
  const int n = num_bodies(data);
  // Mass and first moment (about the tree's reference) of every subtree: each velocity carries its subtree's.
  std::vector<double> mass(n, 0.0);
  AlignedVector<Vec3<double>> moment(n, zero_vector<double>());
  for (int i = n - 1; i >= 0; --i) {
    const PointMass c = center_of(data, i);
    mass[i] += c.mass;
    moment[i] = moment[i] + c.mass * (c.position - data.reference[data.tree_of[i]]);
    if (data.parent[i] < 0) continue;
    mass[data.parent[i]] += mass[i];
    moment[data.parent[i]] = moment[data.parent[i]] + moment[i];
  }
  MatrixX jacobian = MatrixX::Zero(3, model.num_velocities());
  const double total = total_mass(model);
  if (total <= 0.0) return jacobian;
  for (int i = 0; i < n; ++i) {
    for (int j = data.first_velocity[i]; j < data.first_velocity[i + 1]; ++j) {
      const SpatialVector<double>& s = data.motion[j];
      write_vector((1.0 / total) * (mass[i] * s.linear + cross(s.angular, moment[i])), &jacobian(0, j));
    }
  }
  return jacobian;
}

}  // namespace stiction
