#include "stiction/io/mjcf/write_mjcf.h"

#include <cmath>
#include <filesystem>
#include <numbers>

#include "stiction/io/mjcf/mjcf_writer.h"
#include "stiction/io/writers/lost_terms.h"
#include "stiction/math/dense.h"
#include "stiction/model/geometry/height_field.h"

namespace stiction {
namespace {

constexpr double far_away = 1e10;     // in place of an infinite bound, where MuJoCo wants two
constexpr double least_mass = 1e-14;  // MuJoCo refuses moving bodies below 1e-15 kg
constexpr double default_color[] = {0.5, 0.5, 0.5, 1.0};

}  // namespace

WrittenModel write_mjcf(const Model& model, const std::string& path) {
  return MjcfWriter(model, path).write();
}

WrittenModel MjcfWriter::write() {
  for (OutlineBody& body : outline_.bodies) {
    if (body.name != "world") continue;
    body.name = "world_";
    lose("the name of body 'world', which MuJoCo keeps for its own: it is called 'world_'");
  }
  add_sensor_sites();
  find_pairs();
  for (const Shape& shape : model_.shapes) {
    const Material& m = shape.material;
    has_torques_ = has_torques_ || m.torsional_friction > 0.0 || m.rolling_friction > 0.0;
  }
  xml_.open("mujoco").attribute("model", std::filesystem::path(path_).stem().string());
  write_options();
  write_assets();
  write_world();
  write_pairs();
  write_tendons();
  write_loops();
  write_actuators();
  write_sensors();
  write_keyframes();
  xml_.close();
  lose_kinematic(model_, written_.lost);
  note_materials();
  return finish();
}

void MjcfWriter::note(const std::string& what) {
  for (const std::string& known : written_.notes) {
    if (known == what) return;
  }
  written_.notes.push_back(what);
}

void MjcfWriter::pose_attributes(const Pose& pose) {
  if (!pose.position.isZero(0.0)) xml_.attribute("pos", pose.position);
  if (pose.rotation.isIdentity(0.0)) return;
  const Quaternion r(pose.rotation);
  const double wxyz[] = {r.w(), r.x(), r.y(), r.z()};
  xml_.attribute("quat", std::span(wxyz));
}

// Nothing where both bounds are infinite.
void MjcfWriter::range_attribute(const char* name, double lower, double upper, const std::string& what) {
  if (lower == -no_limit && upper == no_limit) return;
  if (lower == -no_limit || upper == no_limit) {
    note(what + ": " + name + " without a bound on one side is written with " + number_text(far_away));
  }
  const double range[] = {std::max(lower, -far_away), std::min(upper, far_away)};
  xml_.attribute(name, std::span(range));
  if (range[0] >= range[1]) lose(what + ": " + name + " of no width; MuJoCo wants the lower below the upper");
}

void MjcfWriter::write_options() {
  xml_.open("compiler").attribute("angle", "radian").attribute("inertiafromgeom", "false").close();
  xml_.open("option").attribute("timestep", model_.suggested_time_step).attribute("gravity", model_.gravity);
  write_medium();
  write_magnetic_field();
  if (!parents_filtered_) xml_.open("flag").attribute("filterparent", "disable").close();
  xml_.close();
}

void MjcfWriter::write_assets() {
  bool any = false;
  for (const Shape& shape : model_.shapes) {
    const bool needs = shape.kind() == ShapeKind::convex_hull || shape.kind() == ShapeKind::triangle_mesh ||
                       shape.kind() == ShapeKind::height_field;
    if (!needs) continue;
    if (!any) xml_.open("asset");
    any = true;
    if (shape.kind() == ShapeKind::height_field) {
      write_height_field(shape);
    } else {
      write_hull(shape);
    }
  }
  if (any) xml_.close();
}

void MjcfWriter::write_hull(const Shape& shape) {
  const void* key = std::visit(
      [](const auto& g) -> const void* {
        if constexpr (requires { g.get(); }) return g.get();
        return nullptr;
      },
      shape.geometry);
  if (assets_.contains(key)) return;
  assets_[key] = shape.name;
  xml_.open("mesh").attribute("name", shape.name).attribute("file", meshes_.name_of(shape));
  if (shape.kind() == ShapeKind::convex_hull) xml_.attribute("inertia", "convex");
  xml_.close();
  note("vertices of meshes: MuJoCo keeps single precision");
}

// Heights are written in units of their range, from 0 to 1: MuJoCo scales whatever it is given to that. Its text begins
// with the row of largest y, as an image does.
void MjcfWriter::write_height_field(const Shape& shape) {
  const HeightField& field = *std::get<std::shared_ptr<const HeightField>>(shape.geometry);
  if (assets_.contains(&field)) return;
  assets_[&field] = shape.name;
  const double range = field.upper().z() - field.lower().z(), scale = range > 0.0 ? range : 1.0;
  std::vector<double> heights;
  for (int j = field.num_y() - 1; j >= 0; --j) {
    for (int i = 0; i < field.num_x(); ++i) heights.push_back((field.height(i, j) - field.lower().z()) / scale);
  }
  const double size[] = {field.upper().x(), field.upper().y(), scale, std::max(0.1, 0.1 * scale)};
  xml_.open("hfield").attribute("name", shape.name).attribute("nrow", field.num_y()).attribute("ncol", field.num_x());
  xml_.attribute("size", std::span(size)).attribute("elevation", std::span<const double>(heights)).close();
  note("heights of height fields: MuJoCo keeps single precision");
}

void MjcfWriter::write_world() {
  xml_.open("worldbody");
  write_tendon_solids(-1);
  write_contents(outline_.world);
  xml_.close();
}

void MjcfWriter::write_body(const OutlineBody& body) {
  xml_.open("body").attribute("name", body.name);
  pose_attributes(body.pose);
  write_gravity_compensation(body, body.joints.back().body);
  write_inertia(body, body.joints.back().body);
  for (const OutlineJoint& joint : body.joints) write_joint(joint);
  write_ellipsoids(body.joints.back().body);
  write_tendon_solids(body.joints.back().body);
  write_contents(body);
  xml_.close();
}

std::string MjcfWriter::frame_name(int frame) const {
  if (frame < 0) return "world";
  const std::string& name = model_.frames[frame].name;
  return name == "world" ? "world_" : name;
}

// Those on a body of the file, or on the world.
void MjcfWriter::write_cameras(const std::string& body) {
  static constexpr const char* modes[] = {"fixed", "track", "trackcom", "targetbody", "targetbodycom"};
  for (const MountedCamera& camera : model_.cameras) {
    if (frame_name(camera.frame) != body) continue;
    xml_.open("camera").attribute("name", camera.name);
    pose_attributes(camera.pose);
    xml_.attribute("fovy", camera.field_of_view * 180.0 / std::numbers::pi);
    if (camera.mode != CameraMode::fixed) xml_.attribute("mode", modes[static_cast<int>(camera.mode)]);
    const bool turns = camera.mode == CameraMode::target || camera.mode == CameraMode::target_com;
    if (turns) xml_.attribute("target", frame_name(camera.target));
    xml_.close();
  }
}

void MjcfWriter::write_placed(const char* tag, const std::string& name, const Pose& pose) {
  xml_.open(tag).attribute("name", name);
  pose_attributes(pose);
  if (std::string_view(tag) == "site") write_zone(name);
  if (std::string_view(tag) == "body") write_cameras(name);
  xml_.close();
}

void MjcfWriter::write_contents(const OutlineBody& body) {
  for (const int shape : body.shapes) {
    if (!carried_apart_.contains(shape)) write_shape(shape);
  }
  for (const OutlineFrame& site : body.sites) write_placed("site", site.name, site.pose);
  write_cameras(&body == &outline_.world ? "world" : body.name);
  // "world" is the name of MuJoCo's own first body, but a site may have it.
  for (const OutlineFrame& fixed : body.fixed) {
    write_placed(fixed.name == "world" ? "site" : "body", fixed.name, fixed.pose);
  }
  for (const int shape : body.shapes) {
    if (!carried_apart_.contains(shape)) continue;
    xml_.open("body").attribute("name", model_.shapes[shape].name + "_carrier");
    write_shape(shape);
    xml_.close();
    note(quoted("shape", model_.shapes[shape].name) +
         " stands in a body of its own: MuJoCo filters contacts by bodies");
  }
  for (const int child : body.children) write_body(outline_.bodies[child]);
}

// Principal axes are computed here: those of MuJoCo stop at 1e-12.
void MjcfWriter::write_inertia(const OutlineBody& body, int last_body) {
  double mass = body.mass;
  Vector3 moments = Vector3::Constant(least_mass);
  Pose axes(body.com);
  if (mass > 0.0) {
    const PrincipalAxes principal = principal_axes(0.5 * (body.inertia + body.inertia.transpose()));
    moments = principal.moments;
    axes.rotation = principal.axes;
    if (axes.rotation.determinant() < 0.0) axes.rotation.col(0) *= -1.0;
    if (const FluidForm* box = box_of(last_body)) {  // of several principal axes those of the box
      const Matrix3 own = outline_.on_outline(last_body, box->pose).rotation;
      const Matrix3 seen = own.transpose() * body.inertia * own;
      if ((seen - Matrix3(seen.diagonal().asDiagonal())).cwiseAbs().maxCoeff() <= 1e-12 * seen.maxCoeff()) {
        axes.rotation = own, moments = seen.diagonal();
      }
    }
    const Matrix3 diagonal = moments.asDiagonal();
    if (body.inertia == diagonal || (body.inertia - Matrix3(body.inertia.diagonal().asDiagonal())).isZero(0.0)) {
      moments = body.inertia.diagonal(), axes.rotation = Matrix3::Identity();
    }
    int largest = 0;
    moments.maxCoeff(&largest);
    const double others = moments.sum() - moments[largest];
    if (moments[largest] > others) {  // a flat body, by rounding: MuJoCo allows none
      if (moments[largest] > others * (1.0 + 1e-12)) {
        lose(quoted("body", body.name) + ": largest moment of inertia reduced to the sum of the others");
      }
      moments[largest] = others;
    }
  } else {
    mass = least_mass;
    lose(quoted("body", body.name) + " has no mass; it is written with " + number_text(least_mass) + " kg");
  }
  xml_.open("inertial").attribute("pos", axes.position).attribute("mass", mass);
  if (!axes.rotation.isIdentity(0.0)) {
    const Quaternion r(axes.rotation);
    const double wxyz[] = {r.w(), r.x(), r.y(), r.z()};
    xml_.attribute("quat", std::span(wxyz));
  }
  xml_.attribute("diaginertia", moments).close();
  check_boxes(body, last_body, moments, axes);
}

void MjcfWriter::write_joint(const OutlineJoint& joint) {
  static constexpr const char* types[] = {"free", "ball", "hinge", "slide"};
  const Body& body = model_.bodies[joint.body];
  const bool is_scalar = body.joint == JointType::revolute || body.joint == JointType::prismatic;
  if (joint.is_part) lose(quoted("joint", joint.name) + ": written as a joint of its own, being a part of another");
  if (body.joint == JointType::ball && !joint.frame.rotation.isIdentity(1e-12)) {
    lose(quoted("joint", joint.name) + ": its orientation is told in the axes of its body, q and v change with it");
  }
  xml_.open("joint").attribute("name", joint.name).attribute("type", types[static_cast<int>(body.joint)]);
  if (body.joint != JointType::free && !joint.frame.position.isZero(0.0)) {
    xml_.attribute("pos", joint.frame.position);
  }
  if (is_scalar) xml_.attribute("axis", Vector3(joint.frame.rotation.col(2)));
  write_joint_terms(joint, model_.dofs[body.first_velocity]);
  xml_.close();
}

void MjcfWriter::write_joint_terms(const OutlineJoint& joint, const Dof& dof) {
  const Body& body = model_.bodies[joint.body];
  const std::string what = quoted("joint", joint.name);
  const auto number = [&](const char* name, double value, double standard) {
    if (value != standard) xml_.attribute(name, value);
  };
  number("armature", dof.armature, 0.0);
  number("damping", dof.damping, 0.0);
  number("frictionloss", dof.dry_friction, 0.0);
  if (dof.velocity_limit != no_limit) lose(what + ": velocity limit " + number_text(dof.velocity_limit));
  const bool is_scalar = body.joint == JointType::revolute || body.joint == JointType::prismatic;
  if (!is_scalar) {
    if (dof.effort_limit != no_limit) lose(what + ": effort limit " + number_text(dof.effort_limit));
    return;
  }
  number("ref", model_.initial_position[body.first_position], 0.0);
  number("stiffness", dof.stiffness, 0.0);
  number("springref", dof.rest_position, 0.0);
  range_attribute("range", dof.lower, dof.upper, what);
  if (dof.effort_limit != no_limit) range_attribute("actuatorfrcrange", -dof.effort_limit, dof.effort_limit, what);
}

void MjcfWriter::write_shape(int index) {
  const Shape& shape = model_.shapes[index];
  const std::string what = quoted("shape", shape.name);
  Pose pose = outline_.on_outline(shape.body, shape.pose);
  xml_.open("geom").attribute("name", shape.name);
  write_geometry(shape, pose);
  pose_attributes(pose);
  const bool is_seen_only = shape.kind() == ShapeKind::triangle_mesh;
  const std::int64_t group = is_seen_only ? 0 : shape.group, mask = is_seen_only ? 0 : shape.mask;
  if (is_seen_only) lose(what + ": a surface of triangles is only to be seen in MuJoCo, which collides with its hull");
  if (group > 0x7fffffff || mask > 0x7fffffff) lose(what + ": bit 31 of group and mask");
  if (group != 1) xml_.attribute("contype", static_cast<int>(group & 0x7fffffff));
  if (mask != 1) xml_.attribute("conaffinity", static_cast<int>(mask & 0x7fffffff));
  if (group == 0 && mask == 0 && !is_seen_only) note(what + " meets nothing by its group and mask");
  write_friction(shape.material);
  if (shape.material.priority != 0) xml_.attribute("priority", shape.material.priority);
  if (!std::equal(shape.color.begin(), shape.color.end(), default_color)) {
    xml_.attribute("rgba", std::span<const double>(shape.color));
  }
  xml_.close();
}

// Where any surface has torques, every one says how large its own are: MuJoCo's defaults are not zero.
void MjcfWriter::write_friction(const Material& m) {
  const bool turns = m.torsional_friction > 0.0, rolls = m.rolling_friction > 0.0;
  if (turns || rolls) xml_.attribute("condim", rolls ? 6 : 4);
  if (has_torques_) {
    const double friction[] = {m.friction, m.torsional_friction, m.rolling_friction};
    xml_.attribute("friction", std::span<const double>(friction));
  } else {
    xml_.attribute("friction", m.friction);
  }
  if (m.has_moving_surface()) {
    const Vector3 &v = m.surface_velocity, &w = m.surface_spin;
    const double surface[] = {v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
    xml_.attribute("surfacevel", std::span<const double>(surface));
  }
}

void MjcfWriter::write_geometry(const Shape& shape, Pose& pose) {
  const auto sized = [&](const char* type, std::initializer_list<double> size) {
    xml_.attribute("type", type).attribute("size", std::span<const double>(size.begin(), size.size()));
  };
  std::visit(
      [&](const auto& g) {
        using T = std::decay_t<decltype(g)>;
        if constexpr (std::is_same_v<T, Plane>) {
          sized("plane", {0.0, 0.0, 1.0});
        } else if constexpr (std::is_same_v<T, Sphere>) {
          sized("sphere", {g.radius});
        } else if constexpr (std::is_same_v<T, Capsule>) {
          sized("capsule", {g.radius, g.half_length});
        } else if constexpr (std::is_same_v<T, Cylinder>) {
          sized("cylinder", {g.radius, g.half_length});
        } else if constexpr (std::is_same_v<T, Ellipsoid>) {
          sized("ellipsoid", {g.radii[0], g.radii[1], g.radii[2]});
        } else if constexpr (std::is_same_v<T, Box>) {
          sized("box", {g.half_size[0], g.half_size[1], g.half_size[2]});
        } else if constexpr (std::is_same_v<T, std::shared_ptr<const HeightField>>) {
          xml_.attribute("type", "hfield").attribute("hfield", assets_.at(g.get()));
          pose = pose * Pose(Vector3(0.0, 0.0, g->lower().z()));
        } else {
          xml_.attribute("type", "mesh").attribute("mesh", assets_.at(g.get()));
        }
      },
      shape.geometry);
}

}  // namespace stiction
