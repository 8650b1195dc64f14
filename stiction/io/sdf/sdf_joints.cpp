// What joints say: type, the links they join, axes, limits, springs; mimics and gearboxes.
#include <algorithm>
#include <cmath>

#include "stiction/io/sdf/sdf_reader.h"

namespace stiction {
namespace {

constexpr double unbounded = 1e16;  // what SDF writes for no limit

SdfJointType joint_type(const XmlValue& type) {
  const std::string word = type.string();
  if (word == "revolute" || word == "continuous") return SdfJointType::revolute;
  if (word == "prismatic") return SdfJointType::prismatic;
  if (word == "ball") return SdfJointType::ball;
  if (word == "universal" || word == "revolute2") return SdfJointType::universal;
  if (word == "fixed") return SdfJointType::fixed;
  if (word == "gearbox") return SdfJointType::gearbox;
  if (word == "screw") type.refuse("a screw joint has no counterpart");
  type.refuse("no type of joint; revolute, continuous, prismatic, ball, universal, revolute2, fixed, gearbox are");
}

double bound(const XmlValue& value, double fallback) {
  const double x = value.number_or_infinity(fallback);
  return std::abs(x) >= unbounded ? std::copysign(no_limit, x) : x;
}

}  // namespace

void SdfReader::read_joints() {
  for (SdfJoint& joint : joints_) read_joint(joint);
}

void SdfReader::read_joint(SdfJoint& joint) {
  const XmlElement& element = joint.element;
  joint.type = joint_type(element.attribute("type"));
  const XmlElement parent = element.required_child("parent"), child = element.required_child("child");
  joint.parent = carrier_of(find_frame(joint.scope, parent.text()));
  joint.child = carrier_of(find_frame(joint.scope, child.text()));
  if (joint.child < 0) child.text().refuse("the child of a joint is a link, not the world");
  if (joint.parent == joint.child) element.refuse("parent and child are the same link");
  const XmlElement axis = element.child("axis"), axis2 = element.child("axis2");
  switch (joint.type) {
    case SdfJointType::fixed:
      axis.accept(), axis2.accept();
      return;
    case SdfJointType::ball:
      joint.ball_damping = axis.child("dynamics").text_of("damping").not_negative(0.0);
      axis.text_of("xyz"), axis.child("xyz").accept();
      axis.child("limit").ignore("limit of a ball joint");
      axis2.ignore("a ball joint turns about every axis");
      return;
    case SdfJointType::gearbox:
      return;
    case SdfJointType::revolute:
    case SdfJointType::prismatic:
      joint.axes.push_back(read_axis(joint, element.required_child("axis")));
      joint.axes[0].name = joint.name;
      axis2.ignore("the joint has one axis");
      return;
    case SdfJointType::universal:
      for (const char* which : {"axis", "axis2"}) {
        joint.axes.push_back(read_axis(joint, element.required_child(which)));
        joint.axes.back().name = joint.name + "/" + which;
      }
      if (joint.axes[0].direction.cross(joint.axes[1].direction).norm() < 1e-6) {
        axis2.refuse("the two axes of the joint are parallel");
      }
      return;
  }
}

// In the frame of the joint, that of `expressed_in`, or as old files have it in that of the model.
Vector3 SdfReader::axis_direction(const SdfJoint& joint, const XmlElement& axis) const {
  const XmlElement xyz = axis.child("xyz");
  const Vector3 given = xyz.text().vector3(Vector3::UnitZ());
  if (!(given.norm() > 1e-9)) xyz.text().refuse("the axis has no direction");
  int frame = joint.frame;
  const double version = scopes_[joint.scope].file->version;
  if (axis.text_of("use_parent_model_frame").boolean(version < 5.0)) frame = scopes_[joint.scope].frame;
  const XmlValue expressed_in = xyz.attribute("expressed_in");
  if (expressed_in && !expressed_in.string("").empty()) frame = find_frame(joint.scope, expressed_in);
  return (frames_[frame].world.rotation * given).normalized();
}

SdfAxis SdfReader::read_axis(const SdfJoint& joint, const XmlElement& element) {
  SdfAxis axis{.element = element};
  axis.direction = axis_direction(joint, element);
  read_limit(joint, axis);
  const XmlElement dynamics = element.child("dynamics");
  axis.damping = dynamics.text_of("damping").not_negative(0.0);
  axis.friction = dynamics.text_of("friction").not_negative(0.0);
  axis.stiffness = dynamics.text_of("spring_stiffness").not_negative(0.0);
  axis.rest_position = dynamics.text_of("spring_reference").number(0.0);
  axis.is_mimic = static_cast<bool>(element.child("mimic"));
  element.child("initial_position").ignore("links start where their poses say");
  return axis;
}

void SdfReader::read_limit(const SdfJoint& joint, SdfAxis& axis) {
  const XmlElement limit = axis.element.child("limit");
  axis.lower = bound(limit.text_of("lower"), -no_limit);
  axis.upper = bound(limit.text_of("upper"), no_limit);
  if (axis.lower > axis.upper || axis.lower == no_limit || axis.upper == -no_limit) {
    limit.refuse("lower must not be above upper");
  }
  if (joint.element.attribute("type").string() == "continuous") axis.lower = -no_limit, axis.upper = no_limit;
  // Negative means no limit.
  const double effort = bound(limit.text_of("effort"), -1.0), velocity = bound(limit.text_of("velocity"), -1.0);
  if (effort >= 0.0) axis.effort = effort;
  if (velocity >= 0.0) axis.velocity = velocity;
  for (const char* soft : {"stiffness", "dissipation"}) limit.child(soft).ignore("limits are rigid here");
}

void SdfReader::add_mimics() {
  for (const SdfJoint& joint : joints_) {
    for (const SdfAxis& axis : joint.axes) {
      if (axis.is_mimic) add_mimic(joint, axis);
    }
  }
}

// q = multiplier (q_leader − reference) + offset.
void SdfReader::add_mimic(const SdfJoint& joint, const SdfAxis& axis) {
  const XmlElement mimic = axis.element.child("mimic");
  const XmlValue leader_name = mimic.attribute("joint"), leader_axis = mimic.attribute("axis");
  const auto& joints = scopes_[joint.scope].joints;
  const auto at = joints.find(leader_name.string());
  if (at == joints.end()) leader_name.refuse("there is no joint of that name in the model");
  const SdfJoint& leader = joints_[at->second];
  const std::size_t which = leader_axis.string("axis") == "axis2" ? 1 : 0;
  if (which >= leader.axes.size()) leader_name.refuse("that joint has no such axis");
  const double multiplier = mimic.text_of("multiplier").number(1.0), offset = mimic.text_of("offset").number(0.0);
  const double reference = mimic.text_of("reference").number(0.0);
  if (!joint.in_tree || !leader.in_tree) {
    mimic.ignore("one of the joints closes a loop or does not move");
    return;
  }
  if (leader.axes[which].name == axis.name) leader_name.refuse("a joint cannot mimic itself");
  LoopOptions loop{.name = axis.name + "_mimic", .kind = LoopKind::joint_equality};
  loop.joint_a = axis.name, loop.joint_b = leader.axes[which].name;
  loop.coefficients = {offset - multiplier * reference, multiplier, 0.0, 0.0, 0.0};
  builder_.add_loop(loop);
}

// The revolute joint of the tree between a link and the reference body.
const SdfJoint* SdfReader::joint_between(int link, int reference) const {
  for (const SdfJoint& joint : joints_) {
    const bool joins =
        (joint.parent == link && joint.child == reference) || (joint.parent == reference && joint.child == link);
    if (joins && joint.in_tree && joint.type == SdfJointType::revolute) return &joint;
  }
  return nullptr;
}

// With θ₁ the angle of the parent and θ₂ that of the child, both from the reference body about the axes of the gearbox:
// θ₂ = −ratio θ₁.
void SdfReader::add_gearboxes() {
  for (const SdfJoint& gearbox : joints_) {
    if (gearbox.type != SdfJointType::gearbox) continue;
    const XmlElement& element = gearbox.element;
    const double ratio = element.text_of("gearbox_ratio").number(1.0);
    const int reference =
        carrier_of(find_frame(gearbox.scope, element.required_child("gearbox_reference_body").text()));
    const SdfJoint* joint[2] = {joint_between(gearbox.parent, reference), joint_between(gearbox.child, reference)};
    const int link[2] = {gearbox.parent, gearbox.child};
    const char* names[2] = {"axis", "axis2"};
    double sign[2];
    bool fits = true;
    for (int k = 0; k < 2 && fits; ++k) {
      XmlElement axis = element.child(names[k]);
      if (!axis) axis = element.child("axis");
      axis.child("limit").accept(), axis.child("dynamics").accept();
      fits = joint[k] != nullptr;
      if (!fits) break;
      const double along = axis_direction(gearbox, axis).dot(joint[k]->axes[0].direction);
      fits = std::abs(along) > 1.0 - 1e-6;
      sign[k] = (joint[k]->child == link[k] ? 1.0 : -1.0) * std::copysign(1.0, along);
    }
    if (!fits || joint[0] == joint[1]) {
      element.ignore("a gearbox between links that do not both turn on the reference body about its axes");
      continue;
    }
    LoopOptions loop{.name = gearbox.name, .kind = LoopKind::joint_equality};
    loop.joint_a = joint[1]->name, loop.joint_b = joint[0]->name;
    loop.coefficients = {0.0, -ratio * sign[0] / sign[1], 0.0, 0.0, 0.0};
    builder_.add_loop(loop);
  }
}

}  // namespace stiction
