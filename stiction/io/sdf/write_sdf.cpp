#include "stiction/io/sdf/write_sdf.h"

#include <cmath>
#include <filesystem>

#include "stiction/io/writers/lost_terms.h"
#include "stiction/io/writers/model_writer.h"

namespace stiction {
namespace {

constexpr double least_mass = 1e-9;     // kg; SDF wants some for every link
constexpr double least_inertia = 1e-9;  // kg·m²
constexpr double closed = 1e-9;         // m: farther open at zero of all joints, a loop cannot be drawn

class SdfWriter : private ModelWriter {
 public:
  SdfWriter(const Model& model, const std::string& path)
      : ModelWriter(model, zero_position(model), path, XmlWriter(true)) {}

  WrittenModel write();

 private:
  void place_bodies();
  void write_world();
  void write_body(int body);
  void write_link(const std::string& name, const Pose& pose, const OutlineBody* contents);
  void write_inertia(const OutlineBody* contents);
  void write_shape(int shape, const char* tag);
  void write_geometry(const Shape& shape);
  void write_surface(const Shape& shape);
  void write_frames(const OutlineBody& body, const std::string& link);
  void write_joint(const OutlineJoint& joint, const std::string& parent, const std::string& child, const Vector3& at);
  void write_axis(const OutlineJoint& joint);
  void write_mimic(int dof);
  void write_loops();
  void write_actuators();
  void write_pose(const Pose& pose);

  std::string link_of(int body) const {
    return body < 0 ? (has_world_link_ ? "world_link" : "world") : outline_.carrier(body).name;
  }
  Pose in_world(int body, const Pose& pose) const {
    return body < 0 ? pose : place_[outline_.of_body[body]] * outline_.on_outline(body, pose);
  }

  std::vector<Pose> place_;  // X_WU of every body of the outline
  bool has_world_link_ = false;
};

WrittenModel SdfWriter::write() {
  place_bodies();
  xml_.open("sdf").attribute("version", "1.9");
  xml_.open("model").attribute("name", std::filesystem::path(path_).stem().string());
  xml_.text_element("self_collide",
                    "true");  // else the links of a model pass through each other, and through world_link
  write_world();
  for (std::size_t k = 0; k < outline_.bodies.size(); ++k) write_body(static_cast<int>(k));
  write_loops();
  xml_.close().close();
  write_actuators();
  lose_transmissions(model_, written_.lost);
  lose_kinematic(model_, written_.lost);
  lose_keyframes(model_, written_.lost);
  lose_cameras(model_, written_.lost);
  lose_sensors(model_, written_.lost);
  lose_initial_positions(model_, written_.lost);
  lose_filters(model_, written_.lost);
  lose_friction_rule(model_, FrictionRule::minimum, written_.lost);
  const Model standard;
  if (model_.gravity != standard.gravity) lose("gravity " + numbers_text(model_.gravity));
  if (model_.suggested_time_step != standard.suggested_time_step) {
    lose("time step " + number_text(model_.suggested_time_step) + " s");
  }
  return finish();
}

void SdfWriter::place_bodies() {
  for (const OutlineBody& body : outline_.bodies) {
    place_.push_back(body.parent < 0 ? body.pose : place_[body.parent] * body.pose);
    names_.insert(body.name);
  }
  has_world_link_ = !outline_.world.shapes.empty() || !outline_.world.fixed.empty() || !outline_.world.sites.empty();
  names_.insert("world_link");
}

void SdfWriter::write_pose(const Pose& pose) {
  if (pose.position.isZero(0.0) && pose.rotation.isIdentity(0.0)) return;
  const Vector3 rpy = pose.rotation.isIdentity(0.0) ? Vector3(Vector3::Zero()) : roll_pitch_yaw(pose.rotation);
  xml_.text_element("pose", numbers_text(pose.position) + " " + numbers_text(rpy));
}

void SdfWriter::write_world() {
  if (!has_world_link_) return;
  write_link("world_link", Pose(), &outline_.world);
  xml_.open("joint").attribute("name", unique("world_joint")).attribute("type", "fixed");
  xml_.text_element("parent", "world").text_element("child", "world_link").close();
  write_frames(outline_.world, "world_link");
}

void SdfWriter::write_frames(const OutlineBody& body, const std::string& link) {
  for (const auto* frames : {&body.fixed, &body.sites}) {
    for (const OutlineFrame& frame : *frames) {
      xml_.open("frame").attribute("name", unique(frame.name)).attribute("attached_to", link);
      write_pose(frame.pose);
      xml_.close();
    }
  }
}

void SdfWriter::write_body(int index) {
  const OutlineBody& body = outline_.bodies[index];
  write_link(body.name, place_[index], &body);
  write_frames(body, body.name);
  std::string parent = body.parent < 0 ? "world" : outline_.bodies[body.parent].name;
  for (std::size_t k = 0; k < body.joints.size(); ++k) {
    const OutlineJoint& joint = body.joints[k];
    if (model_.bodies[joint.body].joint == JointType::free) {
      if (joint.name != body.name) written_.notes.push_back(quoted("joint", joint.name) + ": a free link has none");
      return;
    }
    const bool is_last = k + 1 == body.joints.size();
    const std::string child = is_last ? body.name : unique(joint.name + "_link");
    if (joint.is_part) lose(quoted("joint", joint.name) + ": written as a joint of its own, being a part of another");
    if (!is_last) {
      lose(quoted("link", child) + " between the joints of body '" + body.name + "' has " + number_text(least_mass) +
           " kg, SDF having no links without mass");
      write_link(child, place_[index], nullptr);
    }
    write_joint(joint, parent, child, joint.frame.position);
    parent = child;
  }
}

void SdfWriter::write_inertia(const OutlineBody* contents) {
  const bool has_mass = contents && contents->mass > 0.0;
  if (contents && !has_mass && contents != &outline_.world) {
    lose(quoted("link", contents->name) + " has no mass; it is written with " + number_text(least_mass) + " kg");
  }
  const double mass = has_mass ? contents->mass : contents == &outline_.world ? 1.0 : least_mass;
  const Matrix3 i = has_mass                      ? contents->inertia
                    : contents == &outline_.world ? Matrix3(Matrix3::Identity())
                                                  : Matrix3(least_inertia * Matrix3::Identity());
  xml_.open("inertial");
  if (has_mass) write_pose(Pose(contents->com));
  xml_.text_element("mass", mass).open("inertia");
  xml_.text_element("ixx", i(0, 0)).text_element("ixy", i(0, 1)).text_element("ixz", i(0, 2));
  xml_.text_element("iyy", i(1, 1)).text_element("iyz", i(1, 2)).text_element("izz", i(2, 2));
  xml_.close().close();
}

void SdfWriter::write_link(const std::string& name, const Pose& pose, const OutlineBody* contents) {
  xml_.open("link").attribute("name", name);
  write_pose(pose);
  write_inertia(contents);
  if (contents) {
    for (const int shape : contents->shapes) {
      write_shape(shape, "collision");
      write_shape(shape, "visual");
    }
  }
  xml_.close();
}

void SdfWriter::write_shape(int index, const char* tag) {
  const Shape& shape = model_.shapes[index];
  const bool is_collision = std::string_view(tag) == "collision";
  const std::string what = quoted("shape", shape.name);
  if (shape.kind() == ShapeKind::height_field) {
    if (is_collision) lose(what + ": a height field is an image in SDF");
    return;
  }
  if (is_collision && shape.kind() == ShapeKind::triangle_mesh) {
    lose(what + ": whether a mesh collides by its surface or its hull is left to the reader");
  }
  xml_.open(tag).attribute("name", shape.name);
  write_pose(outline_.on_outline(shape.body, shape.pose));
  xml_.open("geometry");
  write_geometry(shape);
  xml_.close();
  if (is_collision) {
    write_surface(shape);
  } else {
    const std::string color = numbers_text(std::span<const double>(shape.color));
    xml_.open("material").text_element("ambient", color).text_element("diffuse", color).close();
  }
  xml_.close();
}

void SdfWriter::write_geometry(const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape.geometry)) {
    xml_.open("box").text_element("size", numbers_text(Vector3(2.0 * box->half_size))).close();
  } else if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) {
    xml_.open("sphere").text_element("radius", sphere->radius).close();
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry)) {
    xml_.open("cylinder").text_element("radius", cylinder->radius);
    xml_.text_element("length", 2.0 * cylinder->half_length).close();
  } else if (const auto* capsule = std::get_if<Capsule>(&shape.geometry)) {
    xml_.open("capsule").text_element("radius", capsule->radius);
    xml_.text_element("length", 2.0 * capsule->half_length).close();
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape.geometry)) {
    xml_.open("ellipsoid").text_element("radii", numbers_text(ellipsoid->radii)).close();
  } else if (shape.kind() == ShapeKind::plane) {
    xml_.open("plane").text_element("normal", "0 0 1").text_element("size", "100 100").close();
  } else {
    xml_.open("mesh").text_element("uri", meshes_.name_of(shape)).close();
  }
}

void SdfWriter::write_surface(const Shape& shape) {
  const Material& m = shape.material;
  const std::string what = quoted("shape", shape.name);
  xml_.open("surface").open("friction").open("ode").text_element("mu", m.friction);
  xml_.text_element("mu2", m.is_anisotropic() ? m.friction_2 : m.friction);
  if (m.is_anisotropic()) xml_.text_element("fdir1", "1 0 0");
  xml_.close().close();
  if (m.restitution != 0.0) xml_.open("bounce").text_element("restitution_coefficient", m.restitution).close();
  xml_.close();
  if (m.compliance != 0.0) lose(what + ": compliance " + number_text(m.compliance) + " m/N and its damping");
  if (m.priority != 0) lose(what + ": priority " + std::to_string(m.priority));
}

// The joint stands on its child, with the axes of the child.
void SdfWriter::write_joint(const OutlineJoint& joint, const std::string& parent, const std::string& child,
                            const Vector3& at) {
  const Body& body = model_.bodies[joint.body];
  const Dof& dof = model_.dofs[body.first_velocity];
  const bool has_limits = dof.lower != -no_limit || dof.upper != no_limit;
  const char* type = body.joint == JointType::ball        ? "ball"
                     : body.joint == JointType::prismatic ? "prismatic"
                     : has_limits                         ? "revolute"
                                                          : "continuous";
  const std::string name = unique(joint.name);
  if (name != joint.name) lose(quoted("joint", joint.name) + ": called '" + name + "', its name being that of a link");
  xml_.open("joint").attribute("name", name).attribute("type", type);
  write_pose(body.joint == JointType::ball ? joint.frame : Pose(at));
  xml_.text_element("parent", parent).text_element("child", child);
  if (body.joint != JointType::ball) write_axis(joint);
  xml_.close();
  if (dof.armature != 0.0) lose(quoted("joint", joint.name) + ": armature " + number_text(dof.armature));
  if (body.joint == JointType::ball && (dof.damping != 0.0 || dof.dry_friction != 0.0)) {
    lose(quoted("joint", joint.name) + ": damping and dry friction of a ball joint");
  }
}

void SdfWriter::write_axis(const OutlineJoint& joint) {
  const Dof& dof = model_.dofs[model_.bodies[joint.body].first_velocity];
  xml_.open("axis").text_element("xyz", numbers_text(Vector3(joint.frame.rotation.col(2))));
  xml_.open("limit");
  if (dof.lower != -no_limit || dof.upper != no_limit) {
    xml_.text_element("lower", dof.lower).text_element("upper", dof.upper);
  }
  if (dof.effort_limit != no_limit) xml_.text_element("effort", dof.effort_limit);
  if (dof.velocity_limit != no_limit) xml_.text_element("velocity", dof.velocity_limit);
  xml_.close();
  if (dof.damping != 0.0 || dof.dry_friction != 0.0 || dof.stiffness != 0.0) {
    xml_.open("dynamics").text_element("damping", dof.damping).text_element("friction", dof.dry_friction);
    if (dof.stiffness != 0.0) {
      xml_.text_element("spring_reference", dof.rest_position).text_element("spring_stiffness", dof.stiffness);
    }
    xml_.close();
  }
  write_mimic(model_.bodies[joint.body].first_velocity);
  xml_.close();
}

void SdfWriter::write_mimic(int dof) {
  bool written = false;
  for (const Loop& loop : model_.loops) {
    if (loop.kind != LoopKind::joint_equality || loop.dof_a != dof) continue;
    const auto& c = loop.coefficients;
    if (written || loop.dof_b < 0 || c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0) {
      lose(quoted("loop", loop.name) + ": a mimic joint follows one joint by a factor and an offset");
      continue;
    }
    xml_.open("mimic").attribute("joint", outline_.joint_of(loop.dof_b)).attribute("axis", "axis");
    xml_.text_element("multiplier", c[1]).text_element("offset", c[0]).text_element("reference", 0.0).close();
    written = true;
  }
}

void SdfWriter::write_loops() {
  static constexpr const char* types[] = {"ball", "continuous", "fixed"};
  for (const Loop& loop : model_.loops) {
    if (loop.kind == LoopKind::joint_equality) continue;
    const Pose a = in_world(loop.body_a, loop.pose_a), b = in_world(loop.body_b, loop.pose_b);
    if ((a.position - b.position).norm() > closed) {
      lose(quoted("loop", loop.name) + ": open where all joints are at zero");
      continue;
    }
    // The child of a joint is a link; the world may only be the parent.
    const bool swapped = loop.body_b < 0;
    const int parent = swapped ? loop.body_b : loop.body_a, child = swapped ? loop.body_a : loop.body_b;
    xml_.open("joint").attribute("name", unique(loop.name)).attribute("type", types[static_cast<int>(loop.kind)]);
    write_pose(outline_.on_outline(child, swapped ? loop.pose_a : loop.pose_b));
    xml_.text_element("parent", link_of(parent)).text_element("child", link_of(child));
    if (loop.kind == LoopKind::hinge) xml_.open("axis").text_element("xyz", "0 0 1").close();
    xml_.close();
    if (loop.compliance != 0.0) lose(quoted("loop", loop.name) + ": compliance " + number_text(loop.compliance));
  }
}

// Readers give every joint a torque.
void SdfWriter::write_actuators() {
  for (const Actuator& a : model_.actuators) {
    if (a.dof < 0) continue;  // lose_transmissions
    const bool plain = a.kind == ActuatorKind::torque && a.gear == 1.0 && a.name == outline_.joint_of(a.dof) &&
                       a.control_lower == -no_limit && a.control_upper == no_limit;
    if (!plain)
      lose(quoted("actuator", a.name) + ": " + std::string(to_string(a.kind)) + " of joint '" +
           outline_.joint_of(a.dof) + "'");
  }
}

}  // namespace

WrittenModel write_sdf(const Model& model, const std::string& path) {
  return SdfWriter(model, path).write();
}

}  // namespace stiction
