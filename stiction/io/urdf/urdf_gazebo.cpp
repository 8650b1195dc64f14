// Gazebo's extension of URDF: what it says of links and joints, and its sensors.
#include <algorithm>

#include "stiction/io/urdf/urdf_reader.h"

namespace stiction {
namespace {

constexpr const char* engine = "a parameter of Gazebo's engines: contacts and joints are rigid here";

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return name == n; });
}

// <mu1>0.5</mu1>, or <mu1 value="0.5"/>.
XmlValue value_of(const XmlElement& element) {
  return element.attribute("value") ? element.attribute("value") : element.text();
}

// true, false, 1, 0 in any case of letters.
bool truth_of(const XmlElement& element) {
  const XmlValue value = value_of(element);
  std::string word = value.string();
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (word == "true" || word == "1") return true;
  if (word != "false" && word != "0") value.refuse("neither true nor false");
  return false;
}

}  // namespace

void UrdfReader::read_gazebo() {
  for (const XmlElement& gazebo : document_.root().children("gazebo")) {
    const std::string reference = gazebo.attribute("reference").string("");
    const auto link = link_of_.find(reference);
    const auto joint = joint_of_.find(reference);
    if (reference.empty()) {
      read_gazebo_robot(gazebo);
    } else if (link != link_of_.end()) {
      read_gazebo_link(gazebo, link->second);
    } else if (joint != joint_of_.end()) {
      read_gazebo_joint(gazebo, joint->second);
    } else {
      gazebo.ignore("there is no link or joint of that name");
    }
  }
  for (UrdfLink& link : links_) {
    const XmlElement contact = link.element.child("contact");
    if (!contact) continue;
    const XmlValue friction = contact.child("lateral_friction").attribute("value");
    if (friction) link.friction = friction.not_negative();
    const XmlValue restitution = contact.child("restitution").attribute("value");
    if (restitution) link.restitution = restitution.not_negative();
  }
}

void UrdfReader::read_gazebo_robot(const XmlElement& gazebo) {
  for (const XmlElement& child : gazebo.children()) {
    const std::string name = child.name();
    if (name == "plugin") {
      child.ignore("a plugin of Gazebo");
    } else if (name == "static") {
      child.ignore("whether the robot stands still is said by the base (LoadOptions::base)");
    } else {
      child.ignore("an extension of Gazebo for the robot as a whole");
    }
  }
}

void UrdfReader::read_gazebo_link(const XmlElement& gazebo, int index) {
  UrdfLink& link = links_[index];
  for (const XmlElement& child : gazebo.children()) {
    const std::string name = child.name();
    if (name == "mu1" || name == "mu") {
      link.friction = value_of(child).not_negative();
    } else if (name == "mu2") {
      link.friction_2 = value_of(child).not_negative();
    } else if (name == "fdir1") {
      link.is_friction_along_x = value_of(child).vector3().normalized() == Vector3::UnitX();
    } else if (is_one_of(name, {"selfCollide", "self_collide"})) {
      link.collides_with_own = truth_of(child);
    } else if (name == "turnGravityOff") {
      link.is_weightless = truth_of(child);
    } else if (name == "gravity") {
      link.is_weightless = !truth_of(child);
    } else if (name == "sensor") {
      sensors_.push_back({child, index, -1});
    } else if (is_one_of(name, {"material", "visual"})) {
      child.ignore("only to be seen");
    } else if (name == "plugin") {
      child.ignore("a plugin of Gazebo");
    } else if (is_one_of(name, {"kp", "kd", "maxVel", "minDepth", "maxContacts", "soft_cfm", "soft_erp", "slip1",
                                "slip2", "dampingFactor", "laserRetro", "collision"})) {
      child.ignore(engine);
    } else {
      child.ignore("an extension of Gazebo that is not known here");
    }
  }
  if (link.friction_2 && !link.is_friction_along_x && link.friction_2 != link.friction) {
    note(gazebo, "mu2 of link", link.name, "differs from mu1, and fdir1 is not 1 0 0: mu1 holds in all directions");
  }
  if (!link.is_friction_along_x) link.friction_2.reset();
}

void UrdfReader::read_gazebo_joint(const XmlElement& gazebo, int index) {
  UrdfJoint& joint = joints_[index];
  for (const XmlElement& child : gazebo.children()) {
    const std::string name = child.name();
    if (name == "springStiffness" && joint.has_one_dof()) {
      joint.stiffness = value_of(child).not_negative();
    } else if (name == "springReference" && joint.has_one_dof()) {
      joint.rest_position = value_of(child).number();
    } else if (name == "sensor") {
      sensors_.push_back({child, joint.child, index});
      const bool divides = child.attribute("type").string("") == "force_torque" && joint.type == UrdfJointType::fixed;
      if (divides) links_[joint.child].is_seam = true;
    } else if (is_one_of(name, {"provideFeedback", "preserveFixedJoint", "disableFixedJointLumping"})) {
      child.accept();  // forces can be asked for everywhere, and every link keeps its frame
    } else if (name == "plugin") {
      child.ignore("a plugin of Gazebo");
    } else if (is_one_of(name, {"implicitSpringDamper", "stopCfm", "stopErp", "fudgeFactor", "cfmDamping", "stopKp",
                                "stopKd"})) {
      child.ignore(engine);
    } else {
      child.ignore("an extension of Gazebo that is not known here");
    }
  }
}

// Links that move as one have one weight.
void UrdfReader::find_weightless() {
  std::vector<int> falling(links_.size(), -1);  // by lump: a link with a mass that falls
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const UrdfLink& link = links_[k];
    if (link.lump >= 0 && link.inertia && !link.is_weightless) falling[link.lump] = static_cast<int>(k);
  }
  for (std::size_t k = 0; k < links_.size(); ++k) {
    UrdfLink& link = links_[k];
    if (!link.is_weightless || link.lump < 0 || !link.inertia) continue;
    if (falling[link.lump] < 0) {
      links_[link.lump].carries_weight = true;
    } else {
      note(link.element, "gravity of link", link.name, "is off, but it is fixed to links that fall: it falls too");
    }
  }
}

// Gazebo lets links of one robot meet where both want it; a URDF that says nothing lets all meet.
void UrdfReader::exclude_own() {
  for (std::size_t a = 0; a < shapes_.size(); ++a) {
    for (std::size_t b = a + 1; b < shapes_.size(); ++b) {
      if (shapes_[a].link == shapes_[b].link) continue;
      const auto refuses = [&](int link) { return !links_[link].collides_with_own.value_or(true); };
      if (refuses(shapes_[a].link) || refuses(shapes_[b].link))
        builder_.exclude_shapes(shapes_[a].index, shapes_[b].index);
    }
  }
}

void UrdfReader::add_sensors() {
  for (const GazeboSensor& sensor : sensors_) {
    const XmlElement& element = sensor.element;
    const std::string type = element.attribute("type").string("");
    const std::string name = element.attribute("name").string(links_[sensor.link].name + "_" + type);
    const std::string label = "of type " + type + ": ";
    for (const char* unused : {"always_on", "visualize", "topic", "update_rate", "plugin", "enable_metrics"}) {
      for (const XmlElement& child : element.children(unused)) child.accept();
    }
    SensorOptions options{.body = links_[sensor.link].body, .pose = read_origin_text(element.child("pose"))};
    const auto add = [&](const char* ending, SensorKind kind, double scale) {
      options.name = options_.prefix + name + ending;
      options.kind = kind;
      options.scale = scale;
      try {
        builder_.add_sensor(options);
      } catch (const std::invalid_argument& e) {
        element.refuse(e.what());
      }
    };
    if (type == "imu") {
      add("_acceleration", SensorKind::accelerometer, 1.0);
      add("_angular_velocity", SensorKind::gyro, 1.0);
      add("_orientation", SensorKind::frame_orientation, 1.0);
      element.child("imu").ignore("noise and frames of its numbers: they are exact, in the axes of the sensor");
    } else if (type == "contact") {
      add("", SensorKind::contact_force, 1.0);
      element.child("contact").accept();
    } else if (type == "force_torque" && sensor.joint >= 0) {
      add_force_torque(sensor, add);
    } else {
      element.ignore(label + "no such sensor here");
    }
  }
}

// Gazebo tells what the child does to the parent, unless it is asked otherwise.
void UrdfReader::add_force_torque(const GazeboSensor& sensor,
                                  const std::function<void(const char*, SensorKind, double)>& add) {
  const UrdfLink& link = links_[sensor.link];
  if (joints_[sensor.joint].type == UrdfJointType::floating)
    return sensor.element.ignore("of a joint that carries nothing");
  if (link.is_seam && !link.is_apart) {
    return sensor.element.ignore("of a fixed joint whose links have inertias that only make sense together");
  }
  const XmlElement about = sensor.element.child("force_torque");
  const std::string frame = about.text_of("frame").string("child");
  const std::string direction = about.text_of("measure_direction").string("child_to_parent");
  if (direction != "child_to_parent" && direction != "parent_to_child") {
    about.text_of("measure_direction").refuse("it must be child_to_parent or parent_to_child");
  }
  if (frame == "parent") return sensor.element.ignore("in the axes of the parent; those of the child can be had");
  const double scale = direction == "child_to_parent" ? -1.0 : 1.0;
  add("_force", SensorKind::force, scale);
  add("_torque", SensorKind::torque, scale);
}

// <pose>x y z roll pitch yaw</pose>
Pose UrdfReader::read_origin_text(const XmlElement& element) {
  if (!element) return {};
  const std::vector<double> p = element.text().numbers(6);
  const auto turn = [](double angle, const Vector3& axis) { return Eigen::AngleAxisd(angle, axis); };
  const Quaternion rotation =
      turn(p[5], Vector3::UnitZ()) * turn(p[4], Vector3::UnitY()) * turn(p[3], Vector3::UnitX());
  return {rotation, Vector3(p[0], p[1], p[2])};
}

}  // namespace stiction
