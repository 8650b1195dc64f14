#include <algorithm>
#include <cmath>

#include "stiction/dynamics/dynamics.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/math/native_pack.h"
#include "stiction/math/sin_cos.h"

namespace stiction {
namespace {

// Sines and cosines of every revolute joint: packs of joints for one environment, packs of environments for many.
template <class T>
void update_angles(const T* q, DynamicsDataT<T>& d) {
  const int n = static_cast<int>(d.revolute_position.size());
  for (int i = 0; i < n; ++i) d.angle[i] = q[d.revolute_position[i]];
  if constexpr (std::is_same_v<T, double>) {
    double largest = 0.0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(d.angle[i]));
    if (largest > sin_cos_limit) {
      for (int i = 0; i < n; ++i) d.sine[i] = std::sin(d.angle[i]), d.cosine[i] = std::cos(d.angle[i]);
      return;
    }
    for (int i = 0; i < n; i += native_lanes) {
      NativePack s, c;
      sin_cos(load_native(&d.angle[i]), s, c);
      store_native(&d.sine[i], s);
      store_native(&d.cosine[i], c);
    }
  } else {
    for (int i = 0; i < n; ++i) {
      sin_cos(d.angle[i], d.sine[i], d.cosine[i]);
      for (std::size_t lane = 0; lane < sizeof(T) / sizeof(double); ++lane) {
        if (std::abs(d.angle[i][lane]) > sin_cos_limit) {
          d.sine[i][lane] = std::sin(d.angle[i][lane]);
          d.cosine[i][lane] = std::cos(d.angle[i][lane]);
        }
      }
    }
  }
}

// Pose and velocity of a free body: its reference is its own origin.
template <class T>
STICTION_INLINE void move_free_body(const BodyConstants& c, const T* q, const T* v, DynamicsDataT<T>& d,
                                    BodyState<T>& state) {
  q += c.first_position;
  v += c.first_velocity;
  const Rotation<T> r = rotation_of_quaternion<T>(q[3], q[4], q[5], q[6]);
  d.reference[c.tree] = {q[0], q[1], q[2]};
  d.reference_velocity[c.tree] = {v[0], v[1], v[2]};
  state.rotation = r;
  state.velocity.angular = r * Vec3<T>(v[3], v[4], v[5]);
  SpatialVector<T>* columns = &d.motion[c.first_velocity + 3];  // their linear parts stay zero
  columns[0].angular = r.x;
  columns[1].angular = r.y;
  columns[2].angular = r.z;
}

// Gyroscopic moment ω × J ω in the body's axes; the constructor has set the linear part of the bias, −m g.
template <class T>
STICTION_INLINE void gyroscopic_bias(const BodyConstants& c, const T* v, T* bias) {
  const std::array<double, 6>& m = c.moment;
  const T a = v[3], b = v[4], e = v[5];
  const T x = m[0] * a + m[1] * b + m[2] * e, y = m[1] * a + m[3] * b + m[4] * e, z = m[2] * a + m[4] * b + m[5] * e;
  bias[3] = b * z - e * y;
  bias[4] = e * x - a * z;
  bias[5] = a * y - b * x;
}

// Pose, columns and velocity of a body whose parent's are known; returns the joint's own velocity S q̇. `state` enters
// with the joint frame and the parent's velocity.
template <class T>
STICTION_INLINE SpatialVector<T> move_joint(const BodyConstants& c, const T* q, const T* v, DynamicsDataT<T>& d,
                                            BodyState<T>& state) {
  SpatialVector<T>* columns = &d.motion[c.first_velocity];
  Rotation<T>& r = state.rotation;
  const T rate = v[c.first_velocity];
  if (c.joint == JointType::revolute) {
    const T s = d.sine[c.angle], k = d.cosine[c.angle];
    r = {k * r.x + s * r.y, k * r.y - s * r.x, r.z};
    columns[0] = {r.z, cross(state.position, r.z)};
    return rate * columns[0];
  }
  if (c.joint == JointType::prismatic) {
    state.position = state.position + q[c.first_position] * r.z;
    columns[0] = {zero_vector<T>(), r.z};
    return rate * columns[0];
  }
  const T* p = q + c.first_position;
  const Rotation<T> turn = rotation_of_quaternion<T>(p[0], p[1], p[2], p[3]);
  r = {r * turn.x, r * turn.y, r * turn.z};
  columns[0] = {r.x, cross(state.position, r.x)};
  columns[1] = {r.y, cross(state.position, r.y)};
  columns[2] = {r.z, cross(state.position, r.z)};
  return rate * columns[0] + v[c.first_velocity + 1] * columns[1] + v[c.first_velocity + 2] * columns[2];
}

template <class T>
void move_trees(const TreeRun& run, const T* q, const T* v, DynamicsDataT<T>& d) {
  const Vec3<T> zero = zero_vector<T>();
  const SpatialVector<T> minus_gravity{zero, zero - broadcast<T>(d.gravity)};
  Vec3<T> energy = zero;
  for (int i = run.first_body; i < run.end_body; ++i) {
    const BodyConstants& c = d.constants[i];
    BodyState<T>& state = d.bodies[i];
    SpatialVector<T> acceleration;
    if (c.joint == JointType::free) {
      state.position = zero;
      state.velocity.linear = zero;
      move_free_body(c, q, v, d, state);
      acceleration = minus_gravity;
    } else {
      BodyState<T> moved;
      const double *r = c.rotation.data(), *p = c.position.data();
      if (c.parent < 0) {
        d.reference[c.tree] = constant_vector<T>(p);
        moved = {{constant_vector<T>(r), constant_vector<T>(r + 3), constant_vector<T>(r + 6)}, zero, {zero, zero}};
        acceleration = minus_gravity;
      } else {
        const BodyState<T>& parent = d.bodies[c.parent];
        const Rotation<T> carrier = parent.rotation;
        moved = {{turn(carrier, r), turn(carrier, r + 3), turn(carrier, r + 6)},
                 parent.position + turn(carrier, p),
                 parent.velocity};
        acceleration = d.acceleration[c.parent];
      }
      // The columns ride on the body, so their rate is v × S; of v only the parent's part crosses S q̇.
      const SpatialVector<T> own = move_joint(c, q, v, d, moved);
      acceleration = acceleration + cross_motion(moved.velocity, own);
      moved.velocity = moved.velocity + own;
      state = moved;
    }
    d.acceleration[i] = acceleration;
    if (c.is_massless) continue;  // the constructor's zeros hold
    const Vec3<T> com = state.position + turn(state.rotation, c.com.data());
    const Moment<T> moment = turned_moment(state.rotation, c.moment.data());
    d.inertia[i] = about_common_point(moment, com, c.mass);
    d.force[i] = force_of_motion(moment, com, c.mass, state.velocity, acceleration);
    const Vec3<T> velocity = d.reference_velocity[c.tree] + velocity_at(state.velocity, com);
    energy = energy + vis_viva(moment, c.mass, velocity, state.velocity.angular);
  }
  d.vis_viva = d.vis_viva + energy;
}

}  // namespace

template <class T>
void update_kinematics(const Model&, const T* q, const std::type_identity_t<T>* v, DynamicsDataT<T>& data) {
  update_angles(q, data);
  data.vis_viva = zero_vector<T>();
  for (const TreeRun& run : data.runs) {
    if (run.single_free_bodies) {
      for (int i = run.first_body; i < run.end_body; ++i) {
        const BodyConstants& c = data.constants[i];
        move_free_body(c, q, v, data, data.bodies[i]);
        gyroscopic_bias(c, v + c.first_velocity, &data.bias[c.first_velocity]);
      }
    } else {
      move_trees(run, q, v, data);
    }
  }
}

template void update_kinematics(const Model&, const double*, const double*, DynamicsDataT<double>&);
template void update_kinematics(const Model&, const Pack4*, const Pack4*, DynamicsDataT<Pack4>&);
template void update_kinematics(const Model&, const Pack8*, const Pack8*, DynamicsDataT<Pack8>&);

}  // namespace stiction
