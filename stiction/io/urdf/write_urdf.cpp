#include "stiction/io/urdf/write_urdf.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "stiction/io/writers/lost_terms.h"
#include "stiction/io/writers/model_writer.h"
#include "stiction/model/geometry/height_field.h"

namespace stiction {
namespace {

constexpr double plane_size = 1000.0;  // m: of the box that stands for a plane

class UrdfWriter : private ModelWriter {
 public:
  UrdfWriter(const Model& model, const std::string& path)
      : ModelWriter(model, zero_position(model), path, XmlWriter(true)) {}

  WrittenModel write();

 private:
  void claim_names();
  void write_body(const OutlineBody& body);
  void write_chain(const OutlineBody& body, std::string parent);
  void write_link(const std::string& name, const OutlineBody* contents);
  void write_contact(const OutlineBody& body);
  void write_shape(int shape, const char* tag);
  void write_geometry(const Shape& shape);
  void open_joint(const std::string& name, const char* type, const std::string& parent, const std::string& child,
                  const Pose& origin);
  void write_fixed(const OutlineFrame& frame, const std::string& parent, bool is_site);
  std::string write_ball(const OutlineJoint& joint, const std::string& parent, Pose origin);
  void write_terms(const OutlineJoint& joint);
  void write_mimic(int dof);
  void write_transmissions();
  void lose_rest();
  void write_origin(const Pose& pose);

  std::string world_ = "world";
};

void UrdfWriter::claim_names() {
  const auto claim = [&](const OutlineBody& body) {
    for (const OutlineFrame& fixed : body.fixed) names_.insert(fixed.name);
  };
  claim(outline_.world);
  for (const OutlineBody& body : outline_.bodies) names_.insert(body.name), claim(body);
  // A file that was URDF has a frame "world" at the origin: that is the root again.
  const auto own = std::find_if(outline_.world.fixed.begin(), outline_.world.fixed.end(), [](const OutlineFrame& f) {
    return f.name == "world" && f.pose.position.isZero(0.0) && f.pose.rotation.isIdentity(0.0);
  });
  if (own != outline_.world.fixed.end()) {
    outline_.world.fixed.erase(own);
  } else {
    world_ = unique("world");
  }
}

WrittenModel UrdfWriter::write() {
  claim_names();
  xml_.open("robot").attribute("name", std::filesystem::path(path_).stem().string());
  write_link(world_, &outline_.world);
  for (const OutlineFrame& fixed : outline_.world.fixed) write_fixed(fixed, world_, false);
  for (const OutlineFrame& site : outline_.world.sites) write_fixed(site, world_, true);
  for (const OutlineBody& body : outline_.bodies) write_body(body);
  write_transmissions();
  xml_.close();
  lose_rest();
  return finish();
}

void UrdfWriter::write_origin(const Pose& pose) {
  if (pose.position.isZero(0.0) && pose.rotation.isIdentity(0.0)) return;
  xml_.open("origin").attribute("xyz", pose.position);
  if (!pose.rotation.isIdentity(0.0)) xml_.attribute("rpy", roll_pitch_yaw(pose.rotation));
  xml_.close();
}

void UrdfWriter::open_joint(const std::string& name, const char* type, const std::string& parent,
                            const std::string& child, const Pose& origin) {
  xml_.open("joint").attribute("name", name).attribute("type", type);
  xml_.open("parent").attribute("link", parent).close();
  xml_.open("child").attribute("link", child).close();
  write_origin(origin);
}

void UrdfWriter::write_fixed(const OutlineFrame& frame, const std::string& parent, bool is_site) {
  const std::string name = is_site ? unique(frame.name) : frame.name;
  if (is_site) written_.notes.push_back(quoted("site", frame.name) + " is a link without mass");
  write_link(name, nullptr);
  open_joint(name + "_fixed", "fixed", parent, name, frame.pose);
  xml_.close();
}

void UrdfWriter::write_link(const std::string& name, const OutlineBody* contents) {
  xml_.open("link").attribute("name", name);
  if (contents && contents->mass > 0.0) {
    const Matrix3& i = contents->inertia;
    xml_.open("inertial");
    write_origin(Pose(contents->com));
    xml_.open("mass").attribute("value", contents->mass).close();
    xml_.open("inertia").attribute("ixx", i(0, 0)).attribute("ixy", i(0, 1)).attribute("ixz", i(0, 2));
    xml_.attribute("iyy", i(1, 1)).attribute("iyz", i(1, 2)).attribute("izz", i(2, 2)).close();
    xml_.close();
  }
  if (contents) {
    for (const int shape : contents->shapes) {
      write_shape(shape, "collision");
      write_shape(shape, "visual");
    }
    write_contact(*contents);
  }
  xml_.close();
}

// URDF gives a link one friction and one restitution.
void UrdfWriter::write_contact(const OutlineBody& body) {
  if (body.shapes.empty()) return;
  const Material& first = model_.shapes[body.shapes[0]].material;
  for (const int shape : body.shapes) {
    const Material& m = model_.shapes[shape].material;
    const std::string what = quoted("shape", model_.shapes[shape].name);
    if (m.friction != first.friction || m.restitution != first.restitution) {
      lose(what + ": friction and restitution are those of the first shape of its link");
    }
    if (m.is_anisotropic()) lose(what + ": friction " + number_text(m.friction_2) + " across its x axis");
    if (m.compliance != 0.0) lose(what + ": compliance " + number_text(m.compliance) + " m/N and its damping");
    if (m.priority != 0) lose(what + ": priority " + std::to_string(m.priority));
  }
  xml_.open("contact").open("lateral_friction").attribute("value", first.friction).close();
  if (first.restitution != 0.0) xml_.open("restitution").attribute("value", first.restitution).close();
  xml_.close();
}

void UrdfWriter::write_shape(int index, const char* tag) {
  const Shape& shape = model_.shapes[index];
  const bool is_collision = std::string_view(tag) == "collision";
  if (shape.kind() == ShapeKind::ellipsoid || shape.kind() == ShapeKind::height_field) {
    if (is_collision) lose(quoted("shape", shape.name) + ": URDF has no " + std::string(to_string(shape.kind())));
    return;
  }
  if (is_collision && shape.kind() == ShapeKind::plane) {
    lose(quoted("shape", shape.name) + ": a plane is written as a box of " + number_text(plane_size) + " m");
  }
  if (is_collision && shape.kind() == ShapeKind::triangle_mesh) {
    lose(quoted("shape", shape.name) + ": whether a mesh collides by its surface or its hull is left to the reader");
  }
  Pose pose = outline_.on_outline(shape.body, shape.pose);
  if (shape.kind() == ShapeKind::plane) pose = pose * Pose(Vector3(0.0, 0.0, -0.5));
  xml_.open(tag).attribute("name", shape.name);
  write_origin(pose);
  xml_.open("geometry");
  write_geometry(shape);
  xml_.close();
  if (!is_collision) {
    xml_.open("material").attribute("name", shape.name + "_color");
    xml_.open("color").attribute("rgba", std::span<const double>(shape.color)).close().close();
  }
  xml_.close();
}

void UrdfWriter::write_geometry(const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape.geometry)) {
    xml_.open("box").attribute("size", Vector3(2.0 * box->half_size)).close();
  } else if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) {
    xml_.open("sphere").attribute("radius", sphere->radius).close();
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry)) {
    xml_.open("cylinder").attribute("radius", cylinder->radius).attribute("length", 2.0 * cylinder->half_length);
    xml_.close();
  } else if (const auto* capsule = std::get_if<Capsule>(&shape.geometry)) {
    xml_.open("capsule").attribute("radius", capsule->radius).attribute("length", 2.0 * capsule->half_length).close();
  } else if (shape.kind() == ShapeKind::plane) {
    xml_.open("box").attribute("size", Vector3(plane_size, plane_size, 1.0)).close();
  } else {
    xml_.open("mesh").attribute("filename", meshes_.name_of(shape)).close();
  }
}

void UrdfWriter::write_body(const OutlineBody& body) {
  const std::string parent = body.parent < 0 ? world_ : outline_.bodies[body.parent].name;
  write_link(body.name, &body);
  write_chain(body, parent);
  for (const OutlineFrame& fixed : body.fixed) write_fixed(fixed, body.name, false);
  for (const OutlineFrame& site : body.sites) write_fixed(site, body.name, true);
}

// Links of the chain stand as the body does, at the places of the joints.
void UrdfWriter::write_chain(const OutlineBody& body, std::string parent) {
  Pose origin = body.pose;            // of U in the link that the next joint hangs on
  Vector3 reached = Vector3::Zero();  // where on U that link is, after the first
  for (std::size_t k = 0; k < body.joints.size(); ++k) {
    const OutlineJoint& joint = body.joints[k];
    const Body& b = model_.bodies[joint.body];
    const Vector3 at = b.joint == JointType::free ? Vector3(Vector3::Zero()) : joint.frame.position;
    const Pose place = k == 0 ? origin * Pose(at) : Pose(Vector3(at - reached));
    const bool is_last = k + 1 == body.joints.size() && at.isZero(0.0);
    if (joint.is_part) lose(quoted("joint", joint.name) + ": written as a joint of its own, being a part of another");
    if (b.joint == JointType::ball) {
      const std::string end = write_ball(joint, parent, place);
      reached = at, parent = end;
      if (k + 1 == body.joints.size()) {
        open_joint(body.name + "_fixed", "fixed", parent, body.name, Pose(Vector3(-at)));
        xml_.close();
      }
      continue;
    }
    const std::string child = is_last ? body.name : unique(joint.name + "_link");
    const Dof& dof = model_.dofs[b.first_velocity];
    const bool has_limits = dof.lower != -no_limit || dof.upper != no_limit;
    const char* type = b.joint == JointType::free        ? "floating"
                       : b.joint == JointType::prismatic ? "prismatic"
                       : has_limits                      ? "revolute"
                                                         : "continuous";
    if (!is_last) write_link(child, nullptr);
    open_joint(joint.name, type, parent, child, place);
    if (b.joint != JointType::free) xml_.open("axis").attribute("xyz", Vector3(joint.frame.rotation.col(2))).close();
    write_terms(joint);
    xml_.close();
    if (k + 1 == body.joints.size() && !is_last) {
      open_joint(body.name + "_fixed", "fixed", child, body.name, Pose(Vector3(-at)));
      xml_.close();
    }
    reached = at, parent = child;
  }
}

// Three revolute joints about x, y, z of the joint frame; returns the last link.
std::string UrdfWriter::write_ball(const OutlineJoint& joint, const std::string& first, Pose origin) {
  lose(quoted("joint", joint.name) + ": a ball joint is written as three revolute joints");
  std::string parent = first;
  const char* endings[] = {"_x", "_y", "_z"};
  for (int k = 0; k < 3; ++k) {
    const std::string child = unique(joint.name + endings[k] + "_link");
    write_link(child, nullptr);
    open_joint(joint.name + endings[k], "continuous", parent, child, origin);
    xml_.open("axis").attribute("xyz", Vector3(joint.frame.rotation.col(k))).close();
    write_terms(joint);
    xml_.close();
    parent = child, origin = Pose();
  }
  return parent;
}

void UrdfWriter::write_terms(const OutlineJoint& joint) {
  const Body& body = model_.bodies[joint.body];
  const Dof& dof = model_.dofs[body.first_velocity];
  const std::string what = quoted("joint", joint.name);
  const bool is_scalar = body.joint == JointType::revolute || body.joint == JointType::prismatic;
  const bool has_limits = is_scalar && (dof.lower != -no_limit || dof.upper != no_limit);
  if (dof.armature != 0.0) lose(what + ": armature " + number_text(dof.armature));
  if (dof.stiffness != 0.0) lose(what + ": spring of stiffness " + number_text(dof.stiffness));
  if (has_limits || body.joint == JointType::prismatic || dof.effort_limit != no_limit ||
      dof.velocity_limit != no_limit) {
    xml_.open("limit");
    if (has_limits || body.joint == JointType::prismatic)
      xml_.attribute("lower", dof.lower).attribute("upper", dof.upper);
    xml_.attribute("effort", dof.effort_limit).attribute("velocity", dof.velocity_limit).close();
  }
  if (dof.damping != 0.0 || dof.dry_friction != 0.0) {
    xml_.open("dynamics").attribute("damping", dof.damping).attribute("friction", dof.dry_friction).close();
  }
  if (is_scalar) write_mimic(body.first_velocity);
}

void UrdfWriter::write_mimic(int dof) {
  bool written = false;
  for (const Loop& loop : model_.loops) {
    if (loop.kind != LoopKind::joint_equality || loop.dof_a != dof) continue;
    const auto& c = loop.coefficients;
    if (written || loop.dof_b < 0 || c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0) {
      lose(quoted("loop", loop.name) + ": a mimic joint follows one joint by a factor and an offset");
      continue;
    }
    xml_.open("mimic").attribute("joint", outline_.joint_of(loop.dof_b)).attribute("multiplier", c[1]);
    xml_.attribute("offset", c[0]).close();
    written = true;
  }
}

void UrdfWriter::write_transmissions() {
  std::set<int> driven;
  for (const Actuator& a : model_.actuators) {
    if (a.dof < 0) continue;  // lose_transmissions
    const std::string what = quoted("actuator", a.name), joint = outline_.joint_of(a.dof);
    if (!driven.insert(a.dof).second) {
      lose(what + ": a second actuator on joint '" + joint + "'");
      continue;
    }
    if (a.kind != ActuatorKind::torque) lose(what + ": gains of the " + std::string(to_string(a.kind)) + " servo");
    if (a.control_lower != -no_limit || a.control_upper != no_limit) lose(what + ": range of its control");
    const double bound = model_.dofs[a.dof].effort_limit / std::abs(a.gear);
    const bool limited = a.force_lower != -no_limit || a.force_upper != no_limit;
    if (limited && !(a.force_upper == bound && a.force_lower == -bound)) lose(what + ": range of its force");
    xml_.open("transmission").attribute("name", a.name + "_transmission");
    xml_.text_element("type", "transmission_interface/SimpleTransmission");
    xml_.open("joint").attribute("name", joint).close();
    xml_.open("actuator").attribute("name", a.name).text_element("mechanicalReduction", a.gear).close();
    xml_.close();
  }
}

void UrdfWriter::lose_rest() {
  for (const Loop& loop : model_.loops) {
    if (loop.kind != LoopKind::joint_equality) lose(quoted("loop", loop.name) + ": URDF is a tree");
  }
  lose_transmissions(model_, written_.lost);
  lose_kinematic(model_, written_.lost);
  lose_keyframes(model_, written_.lost);
  lose_cameras(model_, written_.lost);
  lose_sensors(model_, written_.lost);
  lose_initial_positions(model_, written_.lost);
  lose_filters(model_, written_.lost);
  lose_friction_rule(model_, FrictionRule::geometric_mean, written_.lost);
  const Model standard;
  if (model_.gravity != standard.gravity) lose("gravity " + numbers_text(model_.gravity));
  if (model_.suggested_time_step != standard.suggested_time_step) {
    lose("time step " + number_text(model_.suggested_time_step) + " s");
  }
}

}  // namespace

WrittenModel write_urdf(const Model& model, const std::string& path) {
  return UrdfWriter(model, path).write();
}

}  // namespace stiction
