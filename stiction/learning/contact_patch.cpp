#include "stiction/learning/contact_patch.h"

#include <Eigen/LU>
#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/sim/free_spin.h"

namespace stiction {

Matrix3 RigidBody::world_inverse_inertia() const {
  return rotation * inertia.inverse() * rotation.transpose();
}

double RigidBody::length() const {
  return std::sqrt(inertia.trace() / (2.0 * mass));
}

void PatchSettings::validate() const {
  require(touch_distance >= 0.0 && std::isfinite(touch_distance), "touch_distance", touch_distance, "at least 0");
  require(thickness > 0.0 && std::isfinite(thickness), "thickness", thickness, "positive and finite");
}

void list_patch_points(std::span<const Contact> contacts, int body, const Vector3& center_of_mass, double time_step,
                       const ConstraintSettings& constraints, std::vector<PatchPoint>& points) {
  points.clear();
  for (const Contact& contact : contacts) {
    if (contact.body_a != body && contact.body_b != body) continue;
    if (contact.body_a >= 0 && contact.body_b >= 0) continue;
    const double sign = contact.body_a == body ? 1.0 : -1.0;
    const double promise = constraints.one_sided_offset(contact.point.gap, time_step, !constraints.project_positions);
    points.push_back(
        {contact.point.position - center_of_mass, sign * contact.point.normal, contact.point.gap, promise});
  }
}

ContactPatch find_patch(std::span<const PatchPoint> points, const BodyVelocity& velocity, double time_step,
                        const PatchSettings& settings, std::vector<int>& chosen) {
  chosen.clear();
  ContactPatch patch;
  Vector3 normal = Vector3::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PatchPoint& point = points[i];
    const double way = time_step * point.normal.dot(velocity.at(point.offset));
    if (point.gap > settings.touch_distance && point.gap + way > 0.0) continue;
    chosen.push_back(static_cast<int>(i));
    patch.center += point.offset;
    normal += point.normal;
  }
  patch.num_points = static_cast<int>(chosen.size());
  if (chosen.empty()) return patch;
  patch.center /= patch.num_points;
  patch.normal =
      normal.norm() > 1e-6 ? Vector3(normal.normalized()) : points[static_cast<std::size_t>(chosen[0])].normal;

  const Matrix3 frame = rotation_with_z(patch.normal);
  Matrix2 moments = Matrix2::Zero();
  for (const int i : chosen) {
    const Vector2 x = frame.leftCols<2>().transpose() * (points[static_cast<std::size_t>(i)].offset - patch.center);
    moments += x * x.transpose() / patch.num_points;
  }
  patch.moments = frame.leftCols<2>() * moments * frame.leftCols<2>().transpose();
  patch.radius = std::sqrt(moments.trace());
  // Eigenvalues of a symmetric 2 × 2 matrix: (a ± b)/2.
  const double a = moments.trace();
  const double b = std::hypot(moments(0, 0) - moments(1, 1), 2.0 * moments(0, 1));
  const double longest = std::sqrt(0.5 * (a + b)), shortest = std::sqrt(std::max(0.0, 0.5 * (a - b)));
  patch.dimension = longest < settings.thickness ? 0 : shortest < settings.thickness ? 1 : 2;
  if (patch.dimension > 0) {
    const double angle = 0.5 * std::atan2(2.0 * moments(0, 1), moments(0, 0) - moments(1, 1));
    patch.direction = frame.leftCols<2>() * Vector2(std::cos(angle), std::sin(angle));
  }
  return patch;
}

PatchImpulse patch_impulse(std::span<const Contact> contacts, int body, const Vector3& about, double time_step) {
  PatchImpulse sum;
  for (const Contact& contact : contacts) {
    if (contact.body_a != body && contact.body_b != body) continue;
    const Vector3 impulse = contact.force_on(body) * time_step;
    sum.linear += impulse;
    sum.angular += (contact.point.position - about).cross(impulse);
  }
  return sum;
}

BodyVelocity flight_velocity(const RigidBody& body, const BodyVelocity& velocity, const Vector3& gravity,
                             double time_step) {
  const Vector3 spin = body.rotation.transpose() * velocity.angular;
  return {velocity.linear + time_step * gravity, body.rotation * spin_after(body.inertia, spin, time_step)};
}

void check_still_surfaces(const Model& model) {
  for (const Shape& shape : model.shapes) {
    if (shape.material.has_moving_surface()) {
      refuse("model: the surface of shape \"", shape.name,
             "\" moves; the learned contact model takes surfaces that are still");
    }
    if (shape.material.restitution != 0.0) {
      refuse("model: restitution of shape \"", shape.name, "\" is ", shape.material.restitution,
             "; the learned contact model has none");
    }
  }
  for (const ShapePair& pair : model.pair_materials) {
    if (pair.material.restitution != 0.0) {
      refuse("model: restitution of shapes \"", model.shapes[static_cast<std::size_t>(pair.shape_a)].name, "\" and \"",
             model.shapes[static_cast<std::size_t>(pair.shape_b)].name, "\" is ", pair.material.restitution,
             "; the learned contact model has none");
    }
  }
}

int only_free_body(const Model& model) {
  int found = -1;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& body = model.bodies[static_cast<std::size_t>(i)];
    if (found >= 0)
      refuse("model: bodies \"", model.bodies[static_cast<std::size_t>(found)].name, "\" and \"", body.name,
             "\" move; the learned contact model takes one free body against what is fixed");
    if (body.joint != JointType::free || body.is_kinematic) {
      refuse("model: body \"", body.name, "\" is not free; the learned contact model takes one free body");
    }
    found = i;
  }
  if (found < 0) refuse("model: no body moves; the learned contact model takes one free body");
  if (!model.loops.empty() || !model.actuators.empty() || !model.tendons.empty() || !model.carried_weights.empty()) {
    refuse("model: it has loops, actuators, tendons or carried weights; the learned contact model takes one free body");
  }
  if (model.fluid.is_there()) refuse("model: it has a fluid; the learned contact model knows of gravity alone");
  for (const Dof& dof : model.dofs) {
    if (dof.armature != 0.0 || dof.damping != 0.0 || dof.dry_friction != 0.0) {
      refuse("model: the joint of body \"", model.bodies[static_cast<std::size_t>(found)].name,
             "\" has armature, damping or dry friction; the learned contact model takes a free body without");
    }
  }
  check_still_surfaces(model);
  return found;
}

RigidBody rigid_body(const Model& model, int body, VectorView q) {
  const Body& of = model.bodies[static_cast<std::size_t>(body)];
  const int first = of.first_position;
  const Quaternion turn(q[first + 6], q[first + 3], q[first + 4], q[first + 5]);
  RigidBody made{of.mass, of.inertia, turn.toRotationMatrix(), q.segment<3>(first)};
  made.center += made.rotation * of.com;
  return made;
}

BodyVelocity body_velocity(const Model& model, int body, VectorView q, VectorView v) {
  const Body& of = model.bodies[static_cast<std::size_t>(body)];
  const int p = of.first_position, first = of.first_velocity;
  const Matrix3 rotation = Quaternion(q[p + 6], q[p + 3], q[p + 4], q[p + 5]).toRotationMatrix();
  BodyVelocity made{v.segment<3>(first), rotation * v.segment<3>(first + 3)};
  made.linear += made.angular.cross(rotation * of.com);
  return made;
}

}  // namespace stiction
