// Joints of a URDF file: types, limits, mimics, transmissions.
#include <algorithm>
#include <cmath>

#include "stiction/io/urdf/urdf_reader.h"

namespace stiction {
namespace {

UrdfJointType joint_type(const XmlValue& type) {
  const std::string word = type.string();
  if (word == "revolute") return UrdfJointType::revolute;
  if (word == "continuous") return UrdfJointType::continuous;
  if (word == "prismatic") return UrdfJointType::prismatic;
  if (word == "fixed") return UrdfJointType::fixed;
  if (word == "floating") return UrdfJointType::floating;
  if (word == "planar") return UrdfJointType::planar;
  type.refuse("no type of joint; revolute, continuous, prismatic, fixed, floating and planar are");
}

}  // namespace

void UrdfReader::read_joints() {
  for (const XmlElement& element : document_.root().children("joint")) read_joint(element);
}

void UrdfReader::read_joint(const XmlElement& element) {
  UrdfJoint joint{.element = element, .name = element.attribute("name").string()};
  const auto [at, is_new] = joint_of_.try_emplace(joint.name, static_cast<int>(joints_.size()));
  if (!is_new) {
    element.refuse("there is a joint of that name already, in line " +
                   std::to_string(joints_[at->second].element.line()));
  }
  joint.type = joint_type(element.attribute("type"));
  joint.parent = find_link(element.required_child("parent").attribute("link"));
  joint.child = find_link(element.required_child("child").attribute("link"));
  if (joint.parent == joint.child) element.refuse("parent and child are the same link");
  joint.origin = read_origin(element.child("origin"));
  const XmlElement axis = element.child("axis");
  for (const char* unused : {"safety_controller", "calibration"}) {
    element.child(unused).ignore("for controllers and drivers; <limit> holds");
  }
  if (joint.type == UrdfJointType::fixed) {
    axis.accept();
    for (const char* unused : {"limit", "dynamics", "mimic"})
      element.child(unused).ignore("a fixed joint does not move");
    joints_.push_back(std::move(joint));
    return;
  }
  joint.axis = axis.attribute("xyz").vector3(Vector3::UnitX());
  if (joint.type == UrdfJointType::floating) {
    axis.accept();
  } else if (!(joint.axis.norm() > 1e-9)) {
    axis.attribute("xyz").refuse("the axis has no direction");
  }
  joint.axis.normalize();
  read_limit(joint);
  const XmlElement dynamics = element.child("dynamics");
  joint.damping = dynamics.attribute("damping").not_negative(0.0);
  joint.friction = dynamics.attribute("friction").not_negative(0.0);
  const XmlElement mimic = element.child("mimic");
  if (mimic) {
    if (!joint.has_one_dof()) mimic.refuse("only joints of one degree of freedom mimic others");
    joint.is_mimic = true;
    joint.mimicked_name = mimic.attribute("joint").string();
    joint.multiplier = mimic.attribute("multiplier").number(1.0);
    joint.offset = mimic.attribute("offset").number(0.0);
  }
  joints_.push_back(std::move(joint));
}

void UrdfReader::read_limit(UrdfJoint& joint) {
  const XmlElement limit = joint.element.child("limit");
  const bool is_limited = joint.type == UrdfJointType::revolute || joint.type == UrdfJointType::prismatic;
  const XmlValue lower = limit.attribute("lower"), upper = limit.attribute("upper");
  if (is_limited && (lower || upper)) {
    joint.lower = lower.number_or_infinity(0.0), joint.upper = upper.number_or_infinity(0.0);
    if (joint.lower > joint.upper || joint.lower == no_limit || joint.upper == -no_limit) {
      (upper ? upper : lower).refuse("lower must not be above upper");
    }
  } else if (is_limited) {
    note(joint.element, "joint", joint.name, "its type asks for limits and it has none: it moves freely");
  } else if (lower || upper) {
    note(limit, "lower and upper of joint", joint.name,
         "a " + joint.element.attribute("type").string() + " joint has no limits");
  }
  // Programs that write URDF fill in 0 where they know nothing.
  const auto read_bound = [&](const char* name, double& bound) {
    const XmlValue value = limit.attribute(name);
    const double number = value.number_or_infinity(no_limit);
    if (number > 0.0) {
      bound = number;
    } else {
      note(limit, std::string(name) + " of joint", joint.name, "is not positive; taken for not known, hence no limit");
    }
  };
  read_bound("effort", joint.effort);
  read_bound("velocity", joint.velocity);
}

// Positions at which the simulation starts: zero, or the limit that is nearest to it; mimics follow.
void UrdfReader::resolve_mimics() {
  for (UrdfJoint& joint : joints_) {
    joint.initial_position = joint.has_one_dof() ? std::clamp(joint.wanted_position, joint.lower, joint.upper) : 0.0;
    if (!joint.is_mimic) continue;
    const auto at = joint_of_.find(joint.mimicked_name);
    if (at == joint_of_.end()) {
      note(joint.element.child("mimic"), "mimic '" + joint.mimicked_name + "' of joint", joint.name,
           "there is no joint of that name: the joint moves by itself");
      joint.is_mimic = false;
      continue;
    }
    joint.mimicked = at->second;
    const UrdfJoint& other = joints_[joint.mimicked];
    if (other.type == UrdfJointType::floating || other.type == UrdfJointType::planar) {
      joint.element.child("mimic").attribute("joint").refuse("that joint has several degrees of freedom");
    }
  }
  for (UrdfJoint& joint : joints_) {
    if (!joint.is_mimic) continue;
    // Up the chain of mimics, q = multiplier · q' + offset each time.
    double factor = 1.0, constant = 0.0;
    const UrdfJoint* at = &joint;
    for (std::size_t length = 0; at->is_mimic; ++length) {
      if (length > joints_.size()) joint.element.child("mimic").refuse("joints mimic each other in a circle");
      constant += factor * at->offset, factor *= at->multiplier;
      at = &joints_[at->mimicked];
    }
    joint.initial_position = factor * at->initial_position + constant;
  }
}

void UrdfReader::add_mimics() {
  for (const UrdfJoint& joint : joints_) {
    if (!joint.is_mimic || !joint.has_one_dof()) continue;
    LoopOptions loop{.name = options_.prefix + joint.name + "_mimic", .kind = LoopKind::joint_equality};
    loop.joint_a = options_.prefix + joint.name;
    loop.coefficients = {joint.offset, joint.multiplier, 0.0, 0.0, 0.0};
    if (joints_[joint.mimicked].has_one_dof()) loop.joint_b = options_.prefix + joints_[joint.mimicked].name;
    try {
      builder_.add_loop(loop);
    } catch (const std::invalid_argument& e) {
      joint.element.refuse(e.what());
    }
  }
}

void UrdfReader::read_transmissions() {
  for (const XmlElement& element : document_.root().children("transmission")) read_transmission(element);
}

// Of one joint and one actuator. The reduction stands with the actuator, the joint or the transmission itself.
void UrdfReader::read_transmission(const XmlElement& element) {
  const std::vector<XmlElement> joints = element.children("joint"), actuators = element.children("actuator");
  const auto skip = [&](const std::string& why) {
    element.ignore(why + "; the joint has the actuator that all joints have");
  };
  if (joints.size() != 1 || actuators.size() > 1) return skip("couples several joints or actuators");
  const auto at = joint_of_.find(joints[0].attribute("name").string());
  if (at == joint_of_.end()) return element.ignore("its joint does not exist");
  UrdfJoint& joint = joints_[at->second];
  if (!joint.has_one_dof()) return element.ignore("its joint does not move, or has several degrees of freedom");
  if (joint.is_mimic) return element.ignore("its joint mimics another");
  if (joint.gear) return element.ignore("its joint has a transmission already");
  const XmlElement actuator = actuators.empty() ? XmlElement() : actuators[0];
  std::vector<double> reductions;
  for (const XmlElement& place : {actuator, joints[0], element}) {
    const XmlValue reduction = place.text_of("mechanicalReduction");
    if (!reduction || reduction.string("").empty()) continue;
    if (reduction.number() == 0.0) reduction.refuse("a reduction must not be zero");
    reductions.push_back(reduction.number());
  }
  joint.gear = reductions.empty() ? 1.0 : reductions[0];
  joint.actuator = actuator.attribute("name").string("");
  if (reductions.size() > 1)
    note(element, "mechanicalReduction of the transmission of joint", joint.name,
         "given several times; the first holds");
  element.attribute("name"), element.attribute("type"), element.child("type").accept();
  for (const XmlElement& place : {actuator, joints[0]}) {
    for (const XmlElement& interface : place.children("hardwareInterface"))
      interface.ignore("actuators are torques or forces");
  }
}

void UrdfReader::add_actuators() {
  std::set<std::string> names;
  for (const int link : order_) {
    if (links_[link].parent_joint < 0) continue;
    const UrdfJoint& joint = joints_[links_[link].parent_joint];
    if (!joint.has_one_dof() || joint.is_mimic) continue;
    ActuatorOptions actuator{.name = options_.prefix + joint.name, .joint = options_.prefix + joint.name};
    if (!joint.actuator.empty() && !names.contains(options_.prefix + joint.actuator)) {
      actuator.name = options_.prefix + joint.actuator;
    }
    names.insert(actuator.name);
    actuator.gear = joint.gear.value_or(1.0);
    actuator.force_upper = joint.effort / std::abs(actuator.gear);
    actuator.force_lower = -actuator.force_upper;
    apply_interface(joint, actuator);
    try {
      builder_.add_actuator(actuator);
    } catch (const std::invalid_argument& e) {
      joint.element.refuse(e.what());
    }
  }
}

}  // namespace stiction
