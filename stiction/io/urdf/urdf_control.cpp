// ros2_control: command interfaces as actuators, initial values of states; and xacro named as what it is.
#include <algorithm>
#include <cctype>

#include "stiction/io/urdf/urdf_reader.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

// <param name="min">-1</param>
XmlValue parameter(const XmlElement& interface, std::string_view name) {
  for (const XmlElement& param : interface.children("param")) {
    if (param.attribute("name").string("") == name) return param.text();
  }
  return {};
}

// Text without its comments, blanks in their place so that lines keep their numbers.
std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t begin = out.find("<!--"); begin != std::string::npos; begin = out.find("<!--", begin)) {
    const std::size_t end = std::min(out.find("-->", begin), out.size() - 3) + 3;
    for (; begin < end; ++begin) {
      if (out[begin] != '\n') out[begin] = ' ';
    }
  }
  return out;
}

}  // namespace

void refuse_xacro(std::string_view given, const std::string& file) {
  const std::string text = without_comments(given);
  const auto refuse_at = [&](std::size_t at) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    std::size_t end = at;
    while (end < text.size() && end < at + 40 && std::string_view(" />\n\"'").find(text[end]) == std::string_view::npos)
      ++end;
    refuse(file, ":", line, ": ", text.substr(at, end - at), ": this is a xacro file; run xacro first, as in ",
           "'xacro robot.urdf.xacro > robot.urdf'");
  };
  // What is only defined and never used does no harm.
  for (std::size_t at = text.find("<xacro:"); at != std::string::npos; at = text.find("<xacro:", at + 1)) {
    const std::string_view rest = std::string_view(text).substr(at + 7);
    const bool only_defines = rest.starts_with("property") || rest.starts_with("arg") || rest.starts_with("macro");
    if (!only_defines) refuse_at(at);
  }
  for (const char* mark : {"${", "$(find", "$(arg"}) {
    if (const std::size_t at = text.find(mark); at != std::string::npos) refuse_at(at);
  }
}

void UrdfReader::read_ros2_control() {
  for (const XmlElement& control : document_.root().children("ros2_control")) {
    control.attribute("name"), control.attribute("type");
    for (const XmlElement& child : control.children()) {
      if (child.name() == "joint") {
        read_controlled_joint(child);
      } else {
        child.ignore(child.name() == "sensor" ? "a sensor of the hardware: add one to the model" : "of the hardware");
      }
    }
  }
}

void UrdfReader::read_controlled_joint(const XmlElement& element) {
  const auto at = joint_of_.find(element.attribute("name").string());
  if (at == joint_of_.end()) return element.ignore("there is no joint of that name");
  UrdfJoint& joint = joints_[at->second];
  if (!joint.has_one_dof()) return element.ignore("its joint does not move, or has several degrees of freedom");
  for (const XmlElement& param : element.children("param")) param.ignore("for drivers; <mimic> of the joint holds");
  for (const XmlElement& state : element.children("state_interface")) {
    state.accept();
    if (state.attribute("name").string() != "position") continue;
    const XmlValue initial = parameter(state, "initial_value");
    if (!initial) continue;
    joint.wanted_position = initial.number();
    if (joint.wanted_position < joint.lower || joint.wanted_position > joint.upper) {
      initial.refuse("it is outside of the limits of joint '" + joint.name + "', " +
                     message(joint.lower, " and ", joint.upper));
    }
  }
  for (const XmlElement& command : element.children("command_interface")) {
    const std::string name = command.attribute("name").string();
    if (name != "position" && name != "velocity" && name != "effort") {
      command.ignore("no interface of a joint here; position, velocity and effort are");
    } else if (joint.is_mimic) {
      command.ignore("its joint mimics another");
    } else if (!joint.interface.empty()) {
      command.ignore("a second way to command a joint: the first one of the file holds");
    } else {
      read_command(command, name, joint);
    }
  }
}

void UrdfReader::read_command(const XmlElement& command, const std::string& name, UrdfJoint& joint) {
  command.accept();
  joint.interface = name;
  const XmlValue lower = parameter(command, "min"), upper = parameter(command, "max");
  joint.command_lower = lower.number_or_infinity(-no_limit), joint.command_upper = upper.number_or_infinity(no_limit);
  if (!(joint.command_lower <= joint.command_upper)) {
    upper.refuse(message("min of the command of joint '", joint.name, "' is ", joint.command_lower, ", above it"));
  }
}

// What a command interface asks for, in place of a torque.
void UrdfReader::apply_interface(const UrdfJoint& joint, ActuatorOptions& actuator) {
  if (joint.interface.empty()) return;
  const bool has_gains = options_.servo_kp > 0.0 || options_.servo_kd > 0.0;
  const bool is_effort = joint.interface == "effort";
  if (!is_effort && !has_gains) {
    note(joint.element, joint.interface + " interface of joint", joint.name,
         "the file says no gains: it takes a torque; LoadOptions::servo_kp and servo_kd make servos");
    return;
  }
  actuator.control_lower = joint.command_lower, actuator.control_upper = joint.command_upper;
  if (is_effort) return;
  // Commands are in units of the joint.
  actuator.gear = 1.0;
  actuator.force_upper = joint.effort, actuator.force_lower = -joint.effort;
  actuator.kd = options_.servo_kd;
  actuator.kind = joint.interface == "position" ? ActuatorKind::position : ActuatorKind::velocity;
  if (actuator.kind == ActuatorKind::position) actuator.kp = options_.servo_kp;
}

}  // namespace stiction
