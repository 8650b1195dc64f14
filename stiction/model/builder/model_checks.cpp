#include "stiction/model/builder/model_checks.h"

#include <Eigen/LU>
#include <cmath>

#include "stiction/math/refuse.h"

namespace stiction {
namespace {

std::string list(const Vector3& v) {
  std::ostringstream text;
  text.precision(17);
  text << "(" << v[0] << ", " << v[1] << ", " << v[2] << ")";
  return text.str();
}

void check_length(double value, std::string_view what, std::string_view field) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    refuse(what, ": ", field, " is ", value, " m; it must be positive and finite");
  }
}

void check_lengths(const Vector3& value, std::string_view what, std::string_view field) {
  for (int k = 0; k < 3; ++k) check_length(value[k], what, std::string(field) + "[" + std::to_string(k) + "]");
}

struct GeometryCheck {
  std::string_view what;

  void operator()(const Plane&) const {}
  void operator()(const Sphere& s) const { check_length(s.radius, what, "sphere radius"); }
  void operator()(const Capsule& c) const {
    check_length(c.radius, what, "capsule radius");
    check_length(c.half_length, what, "capsule half_length (a sphere has none)");
  }
  void operator()(const Cylinder& c) const {
    check_length(c.radius, what, "cylinder radius");
    check_length(c.half_length, what, "cylinder half_length");
  }
  void operator()(const Ellipsoid& e) const { check_lengths(e.radii, what, "ellipsoid radii"); }
  void operator()(const Box& b) const { check_lengths(b.half_size, what, "box half_size"); }
  void operator()(const std::shared_ptr<const ConvexHull>& hull) const {
    if (!hull) refuse(what, ": convex hull is a null pointer");
  }
  void operator()(const std::shared_ptr<const TriangleMesh>& mesh) const {
    if (!mesh) refuse(what, ": triangle mesh is a null pointer");
  }
  void operator()(const std::shared_ptr<const HeightField>& field) const {
    if (!field) refuse(what, ": height field is a null pointer");
  }
};

// Positions with a sign and a zero: limits, springs and references make sense for these alone.
bool has_scalar_positions(JointKind kind) {
  return kind != JointKind::free && kind != JointKind::ball && kind != JointKind::fixed;
}

// What does not apply to a kind of joint must not be given: it would be dropped silently.
void check_applies(const JointOptions& joint, std::string_view what) {
  const bool one = joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
  const auto refuse_field = [&](const char* field, double value) {
    refuse(what, ": ", field, " is ", value, "; it does not apply to a ", to_string(joint.kind), " joint");
  };
  if (joint.kind == JointKind::fixed) return;
  if (!one && joint.reference != 0.0) refuse_field("reference", joint.reference);
  if (!one && joint.initial_position != 0.0) refuse_field("initial_position", joint.initial_position);
  if (has_scalar_positions(joint.kind)) return;
  if (joint.stiffness != 0.0) refuse_field("stiffness", joint.stiffness);
  if (joint.rest_position != 0.0) refuse_field("rest_position", joint.rest_position);
  if (joint.lower != -no_limit) refuse_field("lower", joint.lower);
  if (joint.upper != no_limit) refuse_field("upper", joint.upper);
}

}  // namespace

void check_finite(double value, std::string_view what, std::string_view field) {
  if (!std::isfinite(value)) refuse(what, ": ", field, " is ", value, "; it must be finite");
}

void check_finite(const Vector3& value, std::string_view what, std::string_view field) {
  if (!value.allFinite()) refuse(what, ": ", field, " is ", list(value), "; it must be finite");
}

void check_not_negative(double value, std::string_view what, std::string_view field) {
  if (!std::isfinite(value) || value < 0.0) {
    refuse(what, ": ", field, " is ", value, "; it must be finite and not negative");
  }
}

void check_range(double lower, double upper, std::string_view what, std::string_view fields) {
  if (!(lower <= upper) || lower == no_limit || upper == -no_limit) {
    refuse(what, ": ", fields, " are ", lower, " and ", upper, "; the lower must not exceed the upper");
  }
}

Pose checked_pose(const Pose& pose, std::string_view what, std::string_view field) {
  check_finite(pose.position, what, std::string(field) + " position");
  const Matrix3& r = pose.rotation;
  if (!r.allFinite()) refuse(what, ": ", field, " rotation has entries that are not finite");
  const double error = (r.transpose() * r - Matrix3::Identity()).cwiseAbs().maxCoeff();
  if (!(error < 1e-6) || r.determinant() < 0.0) {
    refuse(what, ": ", field, " rotation is no rotation: RᵀR differs from the identity by ", error,
           ", its determinant is ", r.determinant(), " (a quaternion must have length one)");
  }
  if (error < 1e-14) return pose;
  return {Quaternion(r).normalized(), pose.position};
}

MountedCamera checked_camera(const MountedCamera& camera, std::string_view what) {
  if (static_cast<int>(camera.mode) > static_cast<int>(CameraMode::target_com)) refuse(what, ": no such mode");
  if (!(camera.field_of_view > 0.0 && camera.field_of_view < 3.14159265358979)) {
    refuse(what, ": field_of_view is ", camera.field_of_view, " rad; it must lie between 0 and pi");
  }
  MountedCamera out = camera;
  out.pose = checked_pose(camera.pose, what, "pose");
  return out;
}

Vector3 checked_axis(const Vector3& axis, std::string_view what, std::string_view field) {
  check_finite(axis, what, field);
  const double length = axis.stableNorm();
  if (!(length > 0.0) || !std::isfinite(length)) {
    refuse(what, ": ", field, " is ", list(axis), " of length ", length, "; it must have a direction");
  }
  // Dividing an axis of length one would change its last bits.
  return std::abs(length - 1.0) < 1e-15 ? axis : Vector3((axis / length).normalized());
}

JointOptions checked_joint(const JointOptions& joint, std::string_view what) {
  JointOptions out = joint;
  out.pose = checked_pose(joint.pose, what, "pose");
  out.axis = checked_axis(joint.axis, what, "axis");
  out.axis_2 = checked_axis(joint.axis_2, what, "axis_2");
  if (joint.kind == JointKind::universal && out.axis.cross(out.axis_2).norm() < 1e-6) {
    refuse(what, ": axis ", list(joint.axis), " and axis_2 ", list(joint.axis_2),
           " are parallel; a universal joint turns about two different axes");
  }
  check_finite(joint.reference, what, "reference");
  check_finite(joint.initial_position, what, "initial_position");
  check_not_negative(joint.armature, what, "armature");
  check_not_negative(joint.damping, what, "damping");
  check_not_negative(joint.stiffness, what, "stiffness");
  check_finite(joint.rest_position, what, "rest_position");
  check_not_negative(joint.dry_friction, what, "dry_friction");
  check_range(joint.lower, joint.upper, what, "lower and upper");
  if (!(joint.effort_limit >= 0.0)) refuse(what, ": effort_limit is ", joint.effort_limit, "; it must not be negative");
  if (!(joint.velocity_limit >= 0.0)) {
    refuse(what, ": velocity_limit is ", joint.velocity_limit, "; it must not be negative");
  }
  check_applies(joint, what);
  return out;
}

void check_material(const Material& material, std::string_view what) {
  check_not_negative(material.friction, what, "friction");
  check_finite(material.friction_2, what, "friction_2");
  if (!(material.restitution >= 0.0 && material.restitution <= 1.0)) {
    refuse(what, ": restitution is ", material.restitution, "; it must lie in 0 … 1");
  }
  check_not_negative(material.compliance, what, "compliance");
  check_not_negative(material.damping, what, "damping");
  check_not_negative(material.torsional_friction, what, "torsional_friction");
  check_not_negative(material.rolling_friction, what, "rolling_friction");
  check_finite(material.surface_velocity, what, "surface_velocity");
  check_finite(material.surface_spin, what, "surface_spin");
}

void check_pair_material(const PairMaterial& material, std::string_view what) {
  check_not_negative(material.friction, what, "friction");
  check_not_negative(material.friction_2, what, "friction_2");
  if (material.direction_of < -1 || material.direction_of > 1) {
    refuse(what, ": direction_of is ", material.direction_of, "; it must be 0, 1, or -1 for none");
  }
  if (material.direction_of < 0 && material.friction_2 != material.friction) {
    refuse(what, ": friction is ", material.friction, " and friction_2 ", material.friction_2,
           "; where they differ, direction_of must name the shape along whose x axis the first acts");
  }
  if (!(material.restitution >= 0.0 && material.restitution <= 1.0)) {
    refuse(what, ": restitution is ", material.restitution, "; it must lie in 0 … 1");
  }
  check_not_negative(material.compliance, what, "compliance");
  check_not_negative(material.damping, what, "damping");
  check_not_negative(material.torsional_friction, what, "torsional_friction");
  check_not_negative(material.rolling_friction, what, "rolling_friction");
}

void check_geometry(const Geometry& geometry, std::string_view what) {
  if (geometry.valueless_by_exception()) refuse(what, ": geometry is empty");
  std::visit(GeometryCheck{what}, geometry);
}

}  // namespace stiction
