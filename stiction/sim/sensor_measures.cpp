#include "stiction/sim/sensor_measures.h"

#include <algorithm>

#include "stiction/collision/world_queries.h"
#include "stiction/dynamics/dynamics_data.h"
#include "stiction/dynamics/point_motion.h"
#include "stiction/sim/loop_wrench.h"

namespace stiction {
namespace {

// A body's subtree is contiguous: parents come before children, depth first.
int end_of_subtree(const Model& model, int body) {
  int end = body + 1;
  while (end < model.num_bodies() && model.bodies[static_cast<std::size_t>(end)].parent >= body) ++end;
  return end;
}

Inertia inertia_of(const Body& body) {
  return {body.mass, body.com, body.inertia};
}

bool holds(const std::vector<int>& sorted, int value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

bool is_free(const Model& model, int body) {
  return model.bodies[static_cast<std::size_t>(body)].joint == JointType::free;
}

// Calls part(body, inertia) for all that a sensor's body and what hangs on it consist of.
template <class Function>
void for_each_inertia(const Model& model, const Sensor& sensor, int body, Function&& part) {
  const auto subtree = [&](int root) {
    for (int b = root; b < end_of_subtree(model, root); ++b) {
      const Body& own = model.bodies[static_cast<std::size_t>(b)];
      if (own.mass > 0.0) part(b, inertia_of(own));
    }
  };
  if (sensor.part.is_whole) return subtree(body);
  if (sensor.part.inertia.mass > 0.0) part(body, sensor.part.inertia);
  for (const int child : sensor.part.children) subtree(child);
}

Matrix3 moment_in_world(const Inertia& inertia, const Matrix3& rotation) {
  return rotation * inertia.moment * rotation.transpose();
}

}  // namespace

SensorMeasures::Place SensorMeasures::place(int frame, const Pose& pose) const {
  if (frame < 0) return {-1, pose};
  const Frame& f = model.frames[static_cast<std::size_t>(frame)];
  return {f.body, f.pose * pose};
}

Pose SensorMeasures::in_world(const DynamicsData& at, const Place& p) const {
  return p.body < 0 ? p.on_body : body_pose(at, p.body) * p.on_body;
}

void SensorMeasures::measure(const Sensor& sensor, double* out) {
  using K = SensorKind;
  switch (object_of(sensor.kind)) {
    case SensorObject::joint:
      return measure_joint(sensor, out);
    case SensorObject::tendon:
      *out = measure_tendon(sensor);
      return;
    case SensorObject::actuator:
      *out = measure_actuator(sensor);
      return;
    case SensorObject::none:
      *out = time;
      return;
    case SensorObject::frame:
      break;
  }
  Eigen::Map<Vector3> vector(out, 3);
  if (sensor.kind == K::touch || sensor.kind == K::rangefinder) {
    *out = sensor.kind == K::touch ? touch(sensor) : range(sensor);
  } else if (sensor.kind == K::force || sensor.kind == K::torque) {
    const auto [force, torque] = wrench(sensor);
    const Pose S = in_world(step->begin, place(sensor.frame, sensor.pose));
    vector = S.rotation.transpose() * (sensor.kind == K::force ? force : torque);
  } else if (sensor.kind == K::contact_force) {
    vector = contact_force(sensor);
  } else if (sensor.kind >= K::subtree_center && sensor.kind <= K::subtree_angular_momentum) {
    vector = measure_subtree(sensor);
  } else if (takes_reference(sensor.kind)) {
    measure_frame(sensor, out);
  } else {
    vector = measure_place(sensor);
  }
}

void SensorMeasures::measure_joint(const Sensor& sensor, double* out) const {
  const Joint& joint = model.joints[static_cast<std::size_t>(sensor.element)];
  if (sensor.kind == SensorKind::joint_position) {
    std::copy_n(q.data() + joint.first_position, joint.num_positions, out);
  } else {
    const VectorX& values = sensor.kind == SensorKind::joint_velocity ? v : actuation.actuator_force();
    std::copy_n(values.data() + joint.first_velocity, joint.num_velocities, out);
  }
}

double SensorMeasures::measure_tendon(const Sensor& sensor) const {
  const CoupledLengths& lengths = transmissions.lengths_at(model, data, q.data());
  return sensor.kind == SensorKind::tendon_length ? lengths.length(sensor.element)
                                                  : lengths.rate(sensor.element, v.data());
}

double SensorMeasures::measure_actuator(const Sensor& sensor) const {
  if (sensor.kind == SensorKind::actuator_force) return actuation.actuator_forces()[sensor.element];
  const Actuator& actuator = model.actuators[static_cast<std::size_t>(sensor.element)];
  const bool is_position = sensor.kind == SensorKind::actuator_position;
  if (actuator.transmission == TransmissionKind::joint) {
    const Body& body = model.bodies[static_cast<std::size_t>(model.dofs[static_cast<std::size_t>(actuator.dof)].body)];
    return actuator.gear * (is_position ? q[body.first_position] : v[actuator.dof]);
  }
  const CoupledLengths& lengths = transmissions.lengths_at(model, data, q.data());
  const int k =
      actuator.transmission == TransmissionKind::tendon ? actuator.tendon : lengths.of_actuator(sensor.element);
  return actuator.gear * (is_position ? lengths.length(k) : lengths.rate(k, v.data()));
}

// What is told in the axes of S, and accelerations.
Vector3 SensorMeasures::measure_place(const Sensor& sensor) const {
  using K = SensorKind;
  const bool of_step = is_of_step(sensor.kind);
  const DynamicsData& at = of_step ? step->begin : data;
  const Place mount = place(sensor.frame, sensor.pose);
  const Pose S = in_world(at, mount);
  const auto turned = [&](const Vector3& x) -> Vector3 { return S.rotation.transpose() * x; };
  if (sensor.kind == K::magnetometer) return turned(sensor.field);
  if (sensor.kind == K::gyro) return turned(angular_velocity(at, mount.body));
  if (sensor.kind == K::velocimeter) return turned(point_velocity(at, mount.body, S.position));
  const PointAcceleration a = point_acceleration(model, at, step->acceleration.data(), mount.body, S.position);
  if (sensor.kind == K::frame_angular_acceleration) return a.angular;
  const Vector3 felt = a.linear - model.gravity;
  return sensor.kind == K::accelerometer ? turned(felt) : felt;
}

void SensorMeasures::measure_frame(const Sensor& sensor, double* out) const {
  using K = SensorKind;
  const Place mount = place(sensor.frame, sensor.pose);
  const Pose F = in_world(data, mount);
  Place origin;
  Pose R;
  if (sensor.has_reference) {
    origin = place(sensor.reference_frame, sensor.reference_pose);
    R = in_world(data, origin);
  }
  Eigen::Map<Vector3> vector(out, 3);
  const auto seen = [&](const Vector3& x) -> Vector3 { return R.rotation.transpose() * x; };
  if (sensor.kind == K::frame_orientation) {
    Quaternion turn(R.rotation.transpose() * F.rotation);
    if (turn.w() < 0.0) turn.coeffs() = -turn.coeffs();
    std::copy_n(turn.coeffs().data(), 4, out);
  } else if (sensor.kind == K::frame_position) {
    vector = seen(F.position - R.position);
  } else if (sensor.kind <= K::frame_z_axis) {
    vector = seen(F.rotation.col(static_cast<int>(sensor.kind) - static_cast<int>(K::frame_x_axis)));
  } else if (sensor.kind == K::frame_angular_velocity) {
    vector = seen(angular_velocity(data, mount.body) - angular_velocity(data, origin.body));
  } else {
    // A point that is at rest in the reference has no velocity.
    const Vector3 carried = point_velocity(data, origin.body, F.position);
    vector = seen(point_velocity(data, mount.body, F.position) - carried);
  }
}

Vector3 SensorMeasures::measure_subtree(const Sensor& sensor) const {
  const int body = place(sensor.frame, sensor.pose).body;
  double mass = 0.0;
  Vector3 first = Vector3::Zero(), momentum = Vector3::Zero();
  for_each_inertia(model, sensor, body, [&](int b, const Inertia& inertia) {
    const Vector3 com = in_world(data, {b, Pose(inertia.com)}).position;
    mass += inertia.mass;
    first += inertia.mass * com;
    momentum += inertia.mass * point_velocity(data, b, com);
  });
  if (mass == 0.0) {
    const bool asks_place = sensor.kind == SensorKind::subtree_center;
    return asks_place ? in_world(data, place(sensor.frame, sensor.pose)).position : Vector3(Vector3::Zero());
  }
  const Vector3 center = first / mass, velocity = momentum / mass;
  if (sensor.kind == SensorKind::subtree_center) return center;
  if (sensor.kind == SensorKind::subtree_velocity) return velocity;
  Vector3 angular = Vector3::Zero();
  for_each_inertia(model, sensor, body, [&](int b, const Inertia& inertia) {
    const Pose pose = in_world(data, {b, Pose()});
    const Vector3 com = pose * inertia.com;
    angular += moment_in_world(inertia, pose.rotation) * angular_velocity(data, b);
    angular += (com - center).cross(inertia.mass * (point_velocity(data, b, com) - velocity));
  });
  return angular;
}

bool SensorMeasures::carries(const Sensor& sensor, int own_body, int body) const {
  if (body < 0) return false;
  if (sensor.part.is_whole) return body >= own_body && body < end_of_subtree(model, own_body);
  return std::any_of(sensor.part.children.begin(), sensor.part.children.end(), [&](int child) {
    return !is_free(model, child) && body >= child && body < end_of_subtree(model, child);
  });
}

// What the motion of the part and of all that hangs on it asks for, less what the world does to them directly.
std::pair<Vector3, Vector3> SensorMeasures::wrench(const Sensor& sensor) const {
  const DynamicsData& at = step->begin;
  const Place mount = place(sensor.frame, sensor.pose);
  const Vector3 origin = in_world(at, mount).position;
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
  if (sensor.part.is_whole && is_free(model, mount.body)) return {force, torque};
  const auto add = [&](const Vector3& f, const Vector3& t, const Vector3& point) {
    force += f;
    torque += t + (point - origin).cross(f);
  };
  const auto add_subtree = [&](int body) {
    const SpatialVector<double>& f = at.scratch_force[body];
    add(to_eigen(f.linear), to_eigen(f.angular), tree_reference(at, model.bodies[static_cast<std::size_t>(body)].tree));
  };
  if (sensor.part.is_whole) {
    add_subtree(mount.body);
  } else {
    const Inertia& own = sensor.part.inertia;
    const Pose pose = in_world(at, {mount.body, Pose()});
    const Vector3 com = pose * own.com, omega = angular_velocity(at, mount.body);
    const PointAcceleration a = point_acceleration(model, at, step->acceleration.data(), mount.body, com);
    const Matrix3 moment = moment_in_world(own, pose.rotation);
    add(own.mass * (a.linear - model.gravity), moment * a.angular + omega.cross(moment * omega), com);
    for (const int child : sensor.part.children) {
      if (!is_free(model, child)) add_subtree(child);
    }
  }
  const auto subtract = [&](int on, const Vector3& f, const Vector3& t, const Vector3& point) {
    if (carries(sensor, mount.body, on)) add(-f, -t, point);
  };
  const Vector3 none = Vector3::Zero();
  for (const BodyWrench& e : step->external_forces) subtract(e.body, e.force, e.torque, e.point);
  step->world_forces.for_each(model, at, [&](int on, const Vector3& f, const Vector3& p) { subtract(on, f, none, p); });
  for (const BodyWrench& f : step->fluid_forces) subtract(f.body, f.force, f.torque, f.point);
  for (const Contact& c : step->contacts) {
    const auto side = [&](int body, int shape, const Vector3& f, const Vector3& t) {
      const bool is_own = !sensor.part.is_whole && body == mount.body && holds(sensor.part.shapes, shape);
      if (is_own || carries(sensor, mount.body, body)) add(-f, -t, c.point.position);
    };
    side(c.body_a, c.point.id.shape_a, c.force, c.torque);
    side(c.body_b, c.point.id.shape_b, -c.force, -c.torque);
  }
  const double per_step = 1.0 / step->time_step;
  for_each_loop_wrench(model, at, step->rows, step->impulse,
                       [&](int a, int b, const Vector3& p, const Vector3& m, const Vector3& p_a, const Vector3& p_b) {
                         subtract(a, per_step * p, per_step * m, p_a);
                         subtract(b, -per_step * p, -per_step * m, p_b);
                       });
  return {force, torque};
}

template <class Function>
void SensorMeasures::for_each_contact(const Sensor& sensor, Function&& part) const {
  const auto is_other = [&](int shape) { return !sensor.has_other || holds(sensor.other_shapes, shape); };
  for (const Contact& c : step->contacts) {
    const int a = c.point.id.shape_a, b = c.point.id.shape_b;
    if (holds(sensor.part.shapes, a) && is_other(b)) part(c, 1.0);
    if (holds(sensor.part.shapes, b) && is_other(a)) part(c, -1.0);
  }
}

Vector3 SensorMeasures::contact_force(const Sensor& sensor) const {
  const Pose S = in_world(step->begin, place(sensor.frame, sensor.pose));
  Vector3 sum = Vector3::Zero();
  for_each_contact(sensor, [&](const Contact& c, double sign) {
    // A ray of no length meets what its origin is inside of.
    if (sensor.region && !stiction::cast_ray(*sensor.region, S, c.point.position, Vector3::UnitZ(), 0.0)) return;
    sum += sign * c.force;
  });
  return sum;
}

// As MuJoCo has it: a contact counts where it lies in the region, or where the body pushes towards it from there.
double SensorMeasures::touch(const Sensor& sensor) const {
  const Pose S = in_world(step->begin, place(sensor.frame, sensor.pose));
  double sum = 0.0;
  for_each_contact(sensor, [&](const Contact& c, double sign) {
    const Vector3 outwards = -sign * c.frame.col(2);
    if (c.impulse[2] <= 0.0) return;
    if (sensor.region && !stiction::cast_ray(*sensor.region, S, c.point.position, outwards)) return;
    sum += c.impulse[2] / step->time_step;
  });
  return sum;
}

double SensorMeasures::range(const Sensor& sensor) const {
  const Place mount = place(sensor.frame, sensor.pose);
  const Pose S = in_world(data, mount);
  const WorldRayHit hit =
      stiction::cast_ray(WorldView{model, body_poses}, S.position, S.rotation.col(2), {.without_body = mount.body});
  return hit ? hit.distance : -1.0;
}

}  // namespace stiction
