// Bodies whose place and velocity are set: kinematic ones, and free ones.
#include <cmath>

#include "stiction/dynamics/dynamics.h"
#include "stiction/math/refuse.h"
#include "stiction/sim/loop_wrench.h"
#include "stiction/sim/workspace.h"

namespace stiction {
namespace {

const Body& settable(const Model& model, int body, const char* what) {
  if (body < 0 || body >= model.num_bodies()) {
    refuse(what, ": body ", body, " does not exist, or is part of the world; the model has ", model.num_bodies());
  }
  const Body& b = model.bodies[static_cast<std::size_t>(body)];
  if (b.joint != JointType::free) {
    refuse(what, ": body '", b.name, "' hangs on a ", to_string(b.joint),
           " joint; only free and kinematic bodies are set as a whole");
  }
  return b;
}

void write_pose(const Pose& pose, double* q) {
  Eigen::Map<Vector3>{q} = pose.position;
  Quaternion rotation = Quaternion(pose.rotation).normalized();
  if (rotation.w() < 0.0) rotation.coeffs() = -rotation.coeffs();
  Eigen::Map<Quaternion>{q + 3} = rotation;
}

void check_pose(const Pose& pose, const Body& body, const char* what) {
  const double error = (pose.rotation.transpose() * pose.rotation - Matrix3::Identity()).cwiseAbs().maxCoeff();
  if (pose.position.allFinite() && error < 1e-6 && pose.rotation.determinant() > 0.0) return;
  refuse(what, ": the pose of body '", body.name, "' has the position (", pose.position.transpose(),
         ") and a rotation that is off by ", error);
}

}  // namespace

void Simulator::set_body_pose(int body, const Pose& pose) {
  const Body& b = settable(model(), body, "set_body_pose");
  check_pose(pose, b, "set_body_pose");
  VectorX q = state().q;
  write_pose(pose, q.data() + b.first_position);
  set_position(q);
}

void Simulator::set_body_velocity(int body, const Vector3& linear, const Vector3& angular) {
  const Body& b = settable(model(), body, "set_body_velocity");
  if (!linear.allFinite() || !angular.allFinite()) {
    refuse("set_body_velocity: body '", b.name, "': linear (", linear.transpose(), ") and angular (",
           angular.transpose(), ") must be finite");
  }
  const Eigen::Map<const Quaternion> rotation(state().q.data() + b.first_position + 3);
  Eigen::Matrix<double, 6, 1> v;
  v << linear, rotation.toRotationMatrix().transpose() * angular;
  if (state().v.segment<6>(b.first_velocity) == v) return;
  if (!b.is_kinematic) {
    VectorX all = state().v;
    all.segment<6>(b.first_velocity) = v;
    return set_velocity(all);
  }
  // It has no energy and leaves no impulse: warm starts and the energy balance stay. What may be met is sought anew.
  Workspace& w = *workspace_;
  w.state.v.segment<6>(b.first_velocity) = v;
  w.state.found.clear();
  w.kinematics_current = w.inertia_current = w.placed = w.found_current = false;
  w.wake();
}

void Simulator::move_body_to(int body, const Pose& pose) {
  const Body& b = settable(model(), body, "move_body_to");
  if (!b.is_kinematic) refuse("move_body_to: body '", b.name, "' is free; only a kinematic body is moved");
  check_pose(pose, b, "move_body_to");
  VectorX target = state().q, way(model().num_velocities());
  write_pose(pose, target.data() + b.first_position);
  difference(model(), state().q, target, way);
  const Matrix3 rotation = Eigen::Map<const Quaternion>(state().q.data() + b.first_position + 3).toRotationMatrix();
  set_body_velocity(body, way.segment<3>(b.first_velocity) / time_step(),
                    rotation * way.segment<3>(b.first_velocity + 3) / time_step());
}

// Impulses on bodies that move whatever pushes them, times their velocity. Kinematics are those of the beginning.
double Simulator::Workspace::work_on_kinematic_bodies() const {
  double work = 0.0;
  const auto add = [&](int body, const Vector3& push, const Vector3& moment, const Vector3& point) {
    if (body < 0 || !model->bodies[static_cast<std::size_t>(body)].is_kinematic) return;
    work += push.dot(point_velocity(dynamics, body, point)) + moment.dot(angular_velocity(dynamics, body));
  };
  for (int i = 0; i < row_builder.num_contacts(); ++i) {
    const ContactPoint& point = points[row_builder.point(i)];
    const Vector3 x = row_builder.frame(i) * Vector3(impulse[i][0], impulse[i][1], impulse[i][2]);
    add(model->shapes[point.id.shape_a].body, x, Vector3::Zero(), point.position);
    add(model->shapes[point.id.shape_b].body, -x, Vector3::Zero(), point.position);
  }
  for_each_friction_torque([&](int i, const Vector3& moment) {
    const ContactPoint& point = points[row_builder.point(i)];
    add(model->shapes[point.id.shape_a].body, Vector3::Zero(), moment, point.position);
    add(model->shapes[point.id.shape_b].body, Vector3::Zero(), -moment, point.position);
  });
  for_each_loop_wrench(*model, dynamics, rows, impulse,
                       [&](int a, int b, const Vector3& f, const Vector3& t, const Vector3& p_a, const Vector3& p_b) {
                         add(a, f, t, p_a);
                         add(b, -f, -t, p_b);
                       });
  return work;
}

}  // namespace stiction
