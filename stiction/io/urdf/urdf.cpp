#include "stiction/io/urdf/urdf.h"

#include <algorithm>
#include <cmath>

#include "stiction/io/urdf/urdf_reader.h"
#include "stiction/math/refuse.h"

namespace stiction {

Pose read_origin(const XmlElement& origin) {
  const Vector3 xyz = origin.attribute("xyz").vector3(Vector3::Zero());
  const XmlValue quaternion = origin.attribute("quat_xyzw");
  if (quaternion) {
    if (origin.attribute("rpy")) origin.refuse("it has both rpy and quat_xyzw");
    const std::vector<double> q = quaternion.numbers(4);
    const Quaternion rotation(q[3], q[0], q[1], q[2]);
    if (!(rotation.norm() > 1e-6)) quaternion.refuse("its length is zero");
    return {rotation.normalized(), xyz};
  }
  const Vector3 rpy = origin.attribute("rpy").vector3(Vector3::Zero());
  if (rpy == Vector3::Zero()) return Pose(xyz);
  const auto turn = [](double angle, const Vector3& axis) { return Eigen::AngleAxisd(angle, axis); };
  const Quaternion rotation =
      turn(rpy[2], Vector3::UnitZ()) * turn(rpy[1], Vector3::UnitY()) * turn(rpy[0], Vector3::UnitX());
  return {rotation, xyz};
}

void UrdfReader::note(const XmlElement& at, const std::string& kind, const std::string& name,
                      const std::string& reason) {
  notes_.add(kind, name, at.line(), reason);
}

int UrdfReader::find_link(const XmlValue& name) const {
  const auto at = link_of_.find(name.string());
  if (at == link_of_.end()) name.refuse("there is no link of that name");
  return at->second;
}

void UrdfReader::read(std::vector<IgnoredElement>& ignored) {
  for (const double gain : {options_.servo_kp, options_.servo_kd}) {
    if (!(gain >= 0.0 && std::isfinite(gain))) {
      refuse("servo_kp and servo_kd are ", options_.servo_kp, " and ", options_.servo_kd,
             "; they must not be negative");
    }
  }
  const XmlElement& root = document_.root();
  if (root.name() != "robot") root.refuse("the root element of a URDF file is <robot>");
  root.attribute("name"), root.attribute("version");
  for (const XmlElement& child : root.children()) {
    if (child.name().starts_with("xacro:")) child.ignore("xacro is not expanded; run xacro first if it matters");
  }
  for (const XmlElement& material : root.children("material")) material.ignore("only to be seen");
  read_links();
  read_joints();
  connect();
  order_links();
  read_inertias();
  read_gazebo();
  read_ros2_control();
  apply_base();
  find_lumps();
  fix_joints_without_mass();
  find_weightless();
  sum_lumps();
  resolve_mimics();
  read_transmissions();
  add_bodies();
  exclude_neighbours();
  exclude_overlaps();
  exclude_own();
  add_mimics();
  add_actuators();
  add_sensors();
  document_.report_unused(ignored);
  notes_.append_to(ignored);
}

void UrdfReader::read_links() {
  for (const XmlElement& element : document_.root().children("link")) {
    UrdfLink link{.element = element, .name = element.attribute("name").string()};
    const auto [at, is_new] = link_of_.try_emplace(link.name, static_cast<int>(links_.size()));
    if (!is_new) {
      element.refuse("there is a link of that name already, in line " +
                     std::to_string(links_[at->second].element.line()));
    }
    element.attribute("type");  // of old files; means nothing
    for (const XmlElement& visual : element.children("visual")) visual.ignore("only to be seen");
    links_.push_back(std::move(link));
  }
  if (links_.empty()) {
    document_.root().refuse("there is no <link> in it (macros of xacro are not expanded: run xacro first)");
  }
}

void UrdfReader::connect() {
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
    UrdfLink& child = links_[joints_[j].child];
    if (child.parent_joint >= 0) {
      const UrdfJoint& other = joints_[child.parent_joint];
      joints_[j].element.refuse("link '" + child.name + "' is the child of joint '" + other.name +
                                "' already, in line " + std::to_string(other.element.line()) +
                                "; a link has one parent");
    }
    child.parent_joint = j;
    links_[joints_[j].parent].child_joints.push_back(j);
  }
}

// Depth first from the one root.
void UrdfReader::order_links() {
  std::vector<int> roots;
  for (int k = 0; k < static_cast<int>(links_.size()); ++k) {
    if (links_[k].parent_joint < 0) roots.push_back(k);
  }
  if (roots.size() > 1) {
    std::string names;
    for (std::size_t k = 0; k < std::min<std::size_t>(roots.size(), 5); ++k) {
      names += (k ? ", '" : "'") + links_[roots[k]].name + "'";
    }
    links_[roots[1]].element.refuse(std::to_string(roots.size()) + " links have no parent: " + names +
                                    (roots.size() > 5 ? ", …" : "") + "; a URDF is one tree, join them");
  }
  std::vector<int> stack = roots;
  std::vector<bool> reached(links_.size());
  while (!stack.empty()) {
    const int link = stack.back();
    stack.pop_back();
    reached[link] = true;
    order_.push_back(link);
    const std::vector<int>& joints = links_[link].child_joints;
    for (auto j = joints.rbegin(); j != joints.rend(); ++j) stack.push_back(joints_[*j].child);
  }
  const auto lost = std::find(reached.begin(), reached.end(), false);
  if (lost == reached.end()) return;
  // Every link that was not reached has a parent; going up from one of them ends in a circle.
  int link = static_cast<int>(lost - reached.begin());
  for (std::size_t k = 0; k < links_.size(); ++k) link = joints_[links_[link].parent_joint].parent;
  std::string circle = "'" + links_[link].name + "'";
  int at = link, length = 0;
  do {
    at = joints_[links_[at].parent_joint].parent;
    if (++length <= 8) circle += " on '" + links_[at].name + "'";
  } while (at != link);
  links_[link].element.refuse("links hang on each other in a circle: " + circle);
}

// Afterwards joint types alone say what floats.
void UrdfReader::apply_base() {
  if (options_.base == BaseKind::as_in_file) return;
  const UrdfLink& root = links_[order_[0]];
  const bool is_floating = options_.base == BaseKind::floating;
  if (is_floating && root.name != "world") return;  // the root itself floats: add_body
  for (const int j : root.child_joints) {
    UrdfJoint& joint = joints_[j];
    if (is_floating && joint.type == UrdfJointType::fixed) joint.type = UrdfJointType::floating;
    if (!is_floating && joint.type == UrdfJointType::floating) joint.type = UrdfJointType::fixed;
  }
}

void UrdfReader::add_bodies() {
  for (const int link : order_) {
    add_body(link);
    add_shapes(link);
  }
}

std::vector<JointOptions> UrdfReader::joints_of(int link) {
  const UrdfJoint& joint = joints_[links_[link].parent_joint];
  JointOptions options{.name = options_.prefix + joint.name, .axis = joint.axis};
  options.initial_position = joint.initial_position;
  options.damping = joint.damping, options.dry_friction = joint.friction;
  options.stiffness = joint.stiffness, options.rest_position = joint.rest_position;
  options.lower = joint.lower, options.upper = joint.upper;
  options.effort_limit = joint.effort, options.velocity_limit = joint.velocity;
  switch (joint.type) {
    case UrdfJointType::fixed:
      return {};
    case UrdfJointType::revolute:
    case UrdfJointType::continuous:
      options.kind = JointKind::revolute;
      return {options};
    case UrdfJointType::prismatic:
      options.kind = JointKind::prismatic;
      return {options};
    case UrdfJointType::planar:
      options.kind = JointKind::planar;
      return {options};
    case UrdfJointType::floating: {
      options.kind = JointKind::free;
      if (links_[joint.parent].lump < 0) return {options};
      // Relative to a body that moves: three lengths and a ball.
      std::vector<JointOptions> chain;
      const char* endings[] = {"_x", "_y", "_z"};
      for (int k = 0; k < 3; ++k) {
        JointOptions part = options;
        part.name += endings[k], part.kind = JointKind::prismatic, part.axis = Vector3::Unit(k);
        chain.push_back(part);
      }
      options.kind = JointKind::ball;
      chain.push_back(options);
      return chain;
    }
  }
  return {};
}

void UrdfReader::add_body(int k) {
  UrdfLink& link = links_[k];
  BodyOptions body{.name = options_.prefix + link.name};
  body.joint.kind = JointKind::fixed;
  if (link.parent_joint < 0) {
    body.pose = options_.pose;
    if (options_.base == BaseKind::floating && link.name != "world") {
      body.joint.kind = JointKind::free;
      body.joint.name = options_.prefix + "root_joint";
    }
  } else {
    body.parent = links_[joints_[link.parent_joint].parent].body;
    body.pose = joints_[link.parent_joint].origin;
    body.joints = joints_of(k);
  }
  body.inertia = link.inertia ? *link.inertia : Inertia{};
  if (link.is_apart ? link.is_weightless : link.carries_weight) body.gravity_compensation = 1.0;
  try {
    link.body = builder_.add_body(body);
    if (first_body_ < 0) first_body_ = link.body;
    if (body.parent >= 0) body.parent -= first_body_;
    alone_.add_body(body);
  } catch (const std::invalid_argument& e) {
    link.element.refuse(e.what());
  }
}

void append_urdf(ModelBuilder& builder, const std::string& path, const LoadOptions& options,
                 std::vector<IgnoredElement>& ignored) {
  const std::string text = read_whole_file(path, XmlDocument::max_bytes);
  refuse_xacro(text, path);
  const XmlDocument document = XmlDocument::parse(text, path);
  UrdfReader(builder, document, path, options).read(ignored);
}

LoadedModel load_urdf(const std::string& path, const LoadOptions& options) {
  ModelBuilder builder;
  std::vector<IgnoredElement> ignored;
  append_urdf(builder, path, options, ignored);
  return build_loaded(builder, std::move(ignored), path);
}

LoadedModel load_urdf_string(const std::string& xml, const LoadOptions& options, const std::string& folder) {
  ModelBuilder builder;
  std::vector<IgnoredElement> ignored;
  refuse_xacro(xml, "URDF string");
  const XmlDocument document = XmlDocument::parse(xml, "URDF string");
  UrdfReader(builder, document, folder + "/string.urdf", options).read(ignored);
  return build_loaded(builder, std::move(ignored), "URDF string");
}

}  // namespace stiction
