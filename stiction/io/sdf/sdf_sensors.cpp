// Sensors of links and joints: those that have a counterpart.
#include "stiction/io/sdf/sdf_reader.h"

namespace stiction {
namespace {

constexpr const char* no_counterpart = "of a type that is no sensor here (docs/sensors.md)";

void accept_settings(const XmlElement& sensor) {
  for (const char* unused : {"always_on", "visualize", "topic", "update_rate", "enable_metrics"}) {
    for (const XmlElement& child : sensor.children(unused)) child.accept();
  }
}

}  // namespace

// Names are those of the file; where two links have the same, the second is told by its link.
void SdfReader::add_sensor(const XmlElement& element, const SdfLink& link, const std::string& ending,
                           SensorOptions options) {
  if (link.body < 0) return element.ignore("of a link that is no body");
  const std::string own = element.attribute("name").string();
  const std::string name = options_.prefix + scopes_[link.scope].prefix + own + ending;
  options.name = sensor_names_.insert(name).second ? name : link.name + "::" + own + ending;
  sensor_names_.insert(options.name);
  options.body = link.body;
  try {
    builder_.add_sensor(options);
  } catch (const std::invalid_argument& e) {
    element.refuse(e.what());
  }
}

void SdfReader::add_sensors() {
  for (const SdfLink& link : links_) {
    for (const XmlElement& sensor : link.element.children("sensor")) add_link_sensor(sensor, link);
  }
  for (const SdfJoint& joint : joints_) {
    for (const XmlElement& sensor : joint.element.children("sensor")) add_joint_sensor(sensor, joint);
  }
}

void SdfReader::add_link_sensor(const XmlElement& sensor, const SdfLink& link) {
  const std::string type = sensor.attribute("type").string("");
  if (type != "imu" && type != "contact") return sensor.ignore(no_counterpart);
  accept_settings(sensor);
  const Pose world = pose_in_world(sensor.child("pose"), link.scope, link.frame);
  const Pose pose = frames_[link.frame].world.inverse() * world;
  if (type == "contact") {
    sensor.child("contact").accept();
    return add_sensor(sensor, link, "", {.kind = SensorKind::contact_force, .pose = pose});
  }
  sensor.child("imu").ignore("noise and frames of its numbers: they are exact, in the axes of the sensor");
  add_sensor(sensor, link, "_acceleration", {.kind = SensorKind::accelerometer, .pose = pose});
  add_sensor(sensor, link, "_angular_velocity", {.kind = SensorKind::gyro, .pose = pose});
  add_sensor(sensor, link, "_orientation", {.kind = SensorKind::frame_orientation, .pose = pose});
}

// SDF tells what the child does to the parent, unless it is asked otherwise.
void SdfReader::add_joint_sensor(const XmlElement& sensor, const SdfJoint& joint) {
  if (sensor.attribute("type").string("") != "force_torque") return sensor.ignore(no_counterpart);
  if (!joint.in_tree || joint.reversed || joint.child < 0) return sensor.ignore("of a joint that closes a loop");
  const XmlElement about = sensor.child("force_torque");
  const std::string direction = about.text_of("measure_direction").string("child_to_parent");
  if (direction != "child_to_parent" && direction != "parent_to_child") {
    about.text_of("measure_direction").refuse("it must be child_to_parent or parent_to_child");
  }
  if (about.text_of("frame").string("child") != "child") return sensor.ignore("in other axes than those of the child");
  accept_settings(sensor);
  const double scale = direction == "child_to_parent" ? -1.0 : 1.0;
  const SdfLink& link = links_[joint.child];
  const Pose pose = frames_[link.frame].world.inverse() * frames_[joint.frame].world;
  add_sensor(sensor, link, "_force", {.kind = SensorKind::force, .pose = pose, .scale = scale});
  add_sensor(sensor, link, "_torque", {.kind = SensorKind::torque, .pose = pose, .scale = scale});
}

}  // namespace stiction
