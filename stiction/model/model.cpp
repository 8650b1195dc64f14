#include "stiction/model/model.h"

#include <algorithm>

#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

// The nearest names; without any near, all of them as far as they fit.
[[noreturn]] void refuse_name(const std::vector<std::string>& known, std::string_view name, const char* kind) {
  if (!near_names(name, known).empty()) refuse("no ", kind, " '", name, "' in the model; ", name_hint(name, known));
  constexpr std::size_t most = 20;
  std::string names;
  for (std::size_t k = 0; k < std::min(most, known.size()); ++k) names += (k == 0 ? "'" : ", '") + known[k] + "'";
  if (known.size() > most) names += " and " + std::to_string(known.size() - most) + " more";
  refuse("no ", kind, " '", name, "' in the model; there ", known.size() == 1 ? "is " : "are ",
         names.empty() ? "none" : names);
}

// Index of the element of that name; the message lists what there is, as far as it fits.
template <class Elements>
int find_by_name(const Elements& elements, std::string_view name, const char* kind) {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (elements[k].name == name) return static_cast<int>(k);
  }
  refuse_name(names_of(elements), name, kind);
}

bool contains(const std::vector<std::pair<int, int>>& sorted, std::pair<int, int> pair) {
  return std::binary_search(sorted.begin(), sorted.end(), pair);
}

}  // namespace

std::string_view to_string(JointType type) {
  switch (type) {
    case JointType::free:
      return "free";
    case JointType::ball:
      return "ball";
    case JointType::revolute:
      return "revolute";
    case JointType::prismatic:
      return "prismatic";
  }
  return "?";
}

std::string_view to_string(LoopKind kind) {
  switch (kind) {
    case LoopKind::point:
      return "point";
    case LoopKind::hinge:
      return "hinge";
    case LoopKind::weld:
      return "weld";
    case LoopKind::joint_equality:
      return "joint_equality";
    case LoopKind::tendon_equality:
      return "tendon_equality";
  }
  return "?";
}

std::string_view to_string(ActuatorKind kind) {
  switch (kind) {
    case ActuatorKind::torque:
      return "torque";
    case ActuatorKind::position:
      return "position";
    case ActuatorKind::velocity:
      return "velocity";
    case ActuatorKind::affine:
      return "affine";
    case ActuatorKind::muscle:
      return "muscle";
  }
  return "?";
}

std::string_view to_string(TendonKind kind) {
  return kind == TendonKind::fixed ? "fixed" : "spatial";
}

std::string_view to_string(TendonPointKind kind) {
  constexpr std::string_view names[] = {"site", "sphere", "cylinder", "pulley"};
  return static_cast<std::size_t>(kind) < std::size(names) ? names[static_cast<std::size_t>(kind)] : "?";
}

std::string_view to_string(TransmissionKind kind) {
  constexpr std::string_view names[] = {"joint", "tendon", "site", "slider_crank"};
  return static_cast<std::size_t>(kind) < std::size(names) ? names[static_cast<std::size_t>(kind)] : "?";
}

std::string_view to_string(ActivationKind kind) {
  constexpr std::string_view names[] = {"none", "integrator", "filter", "filter_exact", "muscle"};
  return static_cast<std::size_t>(kind) < std::size(names) ? names[static_cast<std::size_t>(kind)] : "?";
}

std::string_view to_string(SensorKind kind) {
  constexpr std::string_view names[] = {"joint_position",
                                        "joint_velocity",
                                        "joint_effort",
                                        "tendon_length",
                                        "tendon_velocity",
                                        "actuator_position",
                                        "actuator_velocity",
                                        "actuator_force",
                                        "accelerometer",
                                        "gyro",
                                        "velocimeter",
                                        "magnetometer",
                                        "force",
                                        "torque",
                                        "touch",
                                        "rangefinder",
                                        "frame_position",
                                        "frame_orientation",
                                        "frame_x_axis",
                                        "frame_y_axis",
                                        "frame_z_axis",
                                        "frame_linear_velocity",
                                        "frame_angular_velocity",
                                        "frame_linear_acceleration",
                                        "frame_angular_acceleration",
                                        "subtree_center",
                                        "subtree_velocity",
                                        "subtree_angular_momentum",
                                        "contact_force",
                                        "clock"};
  static_assert(std::size(names) == num_sensor_kinds);
  return static_cast<std::size_t>(kind) < std::size(names) ? names[static_cast<std::size_t>(kind)] : "?";
}

SensorObject object_of(SensorKind kind) {
  if (kind <= SensorKind::joint_effort) return SensorObject::joint;
  if (kind <= SensorKind::tendon_velocity) return SensorObject::tendon;
  if (kind <= SensorKind::actuator_force) return SensorObject::actuator;
  return kind == SensorKind::clock ? SensorObject::none : SensorObject::frame;
}

bool is_of_step(SensorKind kind) {
  using K = SensorKind;
  return kind == K::joint_effort || kind == K::actuator_force || kind == K::accelerometer || kind == K::force ||
         kind == K::torque || kind == K::touch || kind == K::frame_linear_acceleration ||
         kind == K::frame_angular_acceleration || kind == K::contact_force;
}

bool takes_reference(SensorKind kind) {
  return kind >= SensorKind::frame_position && kind <= SensorKind::frame_angular_velocity;
}

std::string_view to_string(CameraMode mode) {
  switch (mode) {
    case CameraMode::fixed:
      return "fixed";
    case CameraMode::track:
      return "track";
    case CameraMode::track_com:
      return "track_com";
    case CameraMode::target:
      return "target";
    case CameraMode::target_com:
      return "target_com";
  }
  return "?";
}

std::string_view to_string(ShapeKind kind) {
  constexpr std::string_view names[] = {"plane", "sphere",      "capsule",       "cylinder",    "ellipsoid",
                                        "box",   "convex_hull", "triangle_mesh", "height_field"};
  static_assert(std::size(names) == std::variant_size_v<Geometry>);
  return static_cast<std::size_t>(kind) < std::size(names) ? names[static_cast<std::size_t>(kind)] : "?";
}

bool Model::may_collide(int shape_a, int shape_b) const {
  const Shape &a = shapes[shape_a], &b = shapes[shape_b];
  if (a.body == b.body || !(is_movable(a.body) || is_movable(b.body))) return false;
  const std::pair<int, int> pair = std::minmax(shape_a, shape_b);
  if (contains(forced_pairs, pair)) return true;
  if (((a.group & b.mask) | (b.group & a.mask)) == 0) return false;
  return !contains(excluded_pairs, pair);
}

PairMaterial Model::pair_material(int shape_a, int shape_b) const {
  const auto before = [](const ShapePair& pair, const std::pair<int, int>& wanted) {
    return std::pair(pair.shape_a, pair.shape_b) < wanted;
  };
  const auto own = std::lower_bound(pair_materials.begin(), pair_materials.end(), std::pair(shape_a, shape_b), before);
  if (own != pair_materials.end() && own->shape_a == shape_a && own->shape_b == shape_b) return own->material;
  return combine(shapes[shape_a].material, shapes[shape_b].material, friction_rule);
}

int Model::find_body(std::string_view name) const {
  for (const Frame& frame : frames) {
    if (frame.name == name && !frame.is_site) return frame.body;
  }
  std::vector<std::string> names;
  for (const Frame& frame : frames) {
    if (!frame.is_site) names.push_back(frame.name);
  }
  refuse_name(names, name, "body");
}
int Model::find_frame(std::string_view name) const {
  return find_by_name(frames, name, "frame");
}
int Model::find_joint(std::string_view name) const {
  return find_by_name(joints, name, "joint");
}
int Model::find_shape(std::string_view name) const {
  return find_by_name(shapes, name, "shape");
}
int Model::find_actuator(std::string_view name) const {
  return find_by_name(actuators, name, "actuator");
}
int Model::find_tendon(std::string_view name) const {
  return find_by_name(tendons, name, "tendon");
}
int Model::num_activations() const {
  return static_cast<int>(std::count_if(actuators.begin(), actuators.end(),
                                        [](const Actuator& a) { return a.activation != ActivationKind::none; }));
}
int Model::find_sensor(std::string_view name) const {
  return find_by_name(sensors, name, "sensor");
}
int Model::find_keyframe(std::string_view name) const {
  return find_by_name(keyframes, name, "keyframe");
}
int Model::find_camera(std::string_view name) const {
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    if (cameras[k].name == name) return static_cast<int>(k);
  }
  if (cameras.empty()) refuse("unknown camera \"", name, "\"; the model has no cameras");
  refuse(unknown_name("camera", name, names_of(cameras)));
}

}  // namespace stiction
