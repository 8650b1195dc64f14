// Sensors: what they are mounted on by name, and what of a body they carry or feel.
#include <algorithm>
#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/model/builder/model_checks.h"
#include "stiction/model/builder/model_draft.h"

namespace stiction {
namespace {

bool has_region(SensorKind kind) {
  return kind == SensorKind::touch || kind == SensorKind::contact_force;
}

// Kinds that ask what a part of a body carries, or which shapes are its own.
bool has_part(SensorKind kind) {
  return kind == SensorKind::force || kind == SensorKind::torque || has_region(kind) ||
         (kind >= SensorKind::subtree_center && kind <= SensorKind::subtree_angular_momentum);
}

int num_values_of(const Sensor& sensor, const Model& model) {
  switch (object_of(sensor.kind)) {
    case SensorObject::joint: {
      const Joint& joint = model.joints[static_cast<std::size_t>(sensor.element)];
      return sensor.kind == SensorKind::joint_position ? joint.num_positions : joint.num_velocities;
    }
    case SensorObject::tendon:
    case SensorObject::actuator:
    case SensorObject::none:
      return 1;
    case SensorObject::frame:
      break;
  }
  if (sensor.kind == SensorKind::touch || sensor.kind == SensorKind::rangefinder) return 1;
  return sensor.kind == SensorKind::frame_orientation ? 4 : 3;
}

void number_values(Model& model) {
  int next = 0;
  for (Sensor& sensor : model.sensors) {
    sensor.first_value = next;
    sensor.num_values = num_values_of(sensor, model);
    next += sensor.num_values;
  }
}

template <class S>
void check_sensor_numbers(const S& sensor, std::string_view what) {
  if (static_cast<int>(sensor.kind) < 0 || static_cast<int>(sensor.kind) >= num_sensor_kinds) {
    refuse(what, ": kind is ", static_cast<int>(sensor.kind), "; it must be one of the enumeration");
  }
  check_finite(sensor.field, what, "field");
  check_finite(sensor.scale, what, "scale");
  check_not_negative(sensor.cutoff, what, "cutoff");
  check_not_negative(sensor.noise, what, "noise");
  check_not_negative(sensor.delay, what, "delay");
  if (!sensor.region) return;
  if (!has_region(sensor.kind)) refuse(what, ": a region is given to a ", to_string(sensor.kind), " sensor");
  check_geometry(*sensor.region, what);
  const auto kind = static_cast<ShapeKind>(sensor.region->index());
  if (kind == ShapeKind::plane || kind > ShapeKind::box) {
    refuse(what, ": the region is a ", to_string(kind), "; it must be a sphere, capsule, cylinder, ellipsoid or box");
  }
}

template <class Elements>
int index_of(const Elements& elements, const std::string& name, const std::string& what, const char* field) {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (elements[k].name == name) return static_cast<int>(k);
  }
  refuse(what, ": ", field, " is '", name, "', but there is no such ", field);
}

struct Mount {
  int user = -1;   // body of the draft; −1: the world
  int frame = -1;  // of the model
};

// Frames of the model are the bodies of the draft, then its sites.
Mount mount_on(const ModelDraft& draft, const std::string& site, int body, const std::string& what) {
  if (site.empty()) return {body, body};
  const int index = index_of(draft.sites, site, what, "site");
  return {draft.sites[static_cast<std::size_t>(index)].body, static_cast<int>(draft.bodies.size()) + index};
}

class SensorLayout {
 public:
  SensorLayout(const ModelDraft& draft, const std::vector<BodyPlace>& place, const Model& model)
      : draft_(draft), place_(place), model_(model) {}

  Sensor make(const SensorOptions& options, const KeptSensor* kept) const;

 private:
  SensorPart part_of(int user, SensorKind kind, const std::string& what) const;
  SensorPart kept_part(const KeptSensor& kept) const;
  std::vector<bool> fixed_together(int user) const;
  std::vector<int> children_of(const std::vector<bool>& members) const;
  std::vector<int> shapes_of(const std::vector<bool>& members, bool with_world) const;
  int body_of(int user) const { return user < 0 ? -1 : place_[static_cast<std::size_t>(user)].body; }

  const ModelDraft& draft_;
  const std::vector<BodyPlace>& place_;
  const Model& model_;
};

// The body and what is fixed to it further away from the root; of the world, all that does not move.
std::vector<bool> SensorLayout::fixed_together(int user) const {
  std::vector<bool> members(draft_.bodies.size(), false);
  if (user < 0) {
    for (std::size_t k = 0; k < members.size(); ++k) members[k] = place_[k].body < 0;
    return members;
  }
  members[static_cast<std::size_t>(user)] = true;
  for (bool changed = true; changed;) {  // a parent may come after its child
    changed = false;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const int parent = draft_.bodies[k].parent;
      if (members[k] || parent < 0 || !members[static_cast<std::size_t>(parent)] || place_[k].first >= 0) continue;
      members[k] = changed = true;
    }
  }
  return members;
}

std::vector<int> SensorLayout::children_of(const std::vector<bool>& members) const {
  std::vector<int> children;
  for (std::size_t k = 0; k < draft_.bodies.size(); ++k) {
    const int parent = draft_.bodies[k].parent;
    const bool is_on_member = parent < 0 ? false : members[static_cast<std::size_t>(parent)];
    if (place_[k].first >= 0 && is_on_member) children.push_back(place_[k].first);
  }
  std::sort(children.begin(), children.end());
  return children;
}

std::vector<int> SensorLayout::shapes_of(const std::vector<bool>& members, bool with_world) const {
  std::vector<int> shapes;
  for (std::size_t k = 0; k < draft_.shapes.size(); ++k) {
    const int on = draft_.shapes[k].body;
    if (on < 0 ? with_world : members[static_cast<std::size_t>(on)]) shapes.push_back(static_cast<int>(k));
  }
  return shapes;
}

SensorPart SensorLayout::part_of(int user, SensorKind kind, const std::string& what) const {
  std::vector<bool> members = fixed_together(user);
  const bool is_carrier = user >= 0 && place_[static_cast<std::size_t>(user)].first >= 0;
  if (user >= 0 && !is_carrier && body_of(user) >= 0 && draft_.kept_bodies.contains(user)) {
    refuse(what, ": body '", draft_.bodies[static_cast<std::size_t>(user)].name,
           "' was fixed to another one in the model it came from, and what was its own is not known any more");
  }
  SensorPart part;
  part.is_whole = is_carrier;
  if (!is_carrier) {
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (!members[k] || draft_.kept_bodies.contains(static_cast<int>(k))) continue;
      Inertia own = draft_.bodies[k].inertia.value_or(Inertia{});
      for (const ShapeOptions& shape : draft_.shapes) {
        const bool counts = shape.body == static_cast<int>(k) && !draft_.bodies[k].inertia;
        if (counts && (shape.mass > 0.0 || shape.density > 0.0)) own = own + shape_inertia(shape);
      }
      if (own.mass > 0.0) part.inertia = part.inertia + own.in(place_[k].pose);
    }
    part.children = children_of(members);
    if (user < 0) {
      for (int k = 0; k < model_.num_bodies(); ++k) {
        const bool is_root = model_.bodies[static_cast<std::size_t>(k)].parent < 0;
        if (is_root && !std::binary_search(part.children.begin(), part.children.end(), k)) part.children.push_back(k);
      }
      std::sort(part.children.begin(), part.children.end());
    }
  }
  if (kind == SensorKind::touch) {  // a body alone, as files have it
    std::fill(members.begin(), members.end(), false);
    if (user >= 0) members[static_cast<std::size_t>(user)] = true;
  }
  part.shapes = shapes_of(members, user < 0);
  return part;
}

SensorPart SensorLayout::kept_part(const KeptSensor& kept) const {
  SensorPart part = kept.part;
  for (int& child : part.children) child = place_[static_cast<std::size_t>(child)].first;
  std::erase(part.children, -1);  // it lost its joint
  std::sort(part.children.begin(), part.children.end());
  const Pose carrier = placed_on(kept.body, kept.on_carrier, Pose(), place_).pose;
  const bool stays = carrier.rotation == Matrix3::Identity() && carrier.position == Vector3::Zero();
  if (part.inertia.mass > 0.0 && !stays) part.inertia = part.inertia.in(carrier);
  return part;
}

Sensor SensorLayout::make(const SensorOptions& options, const KeptSensor* kept) const {
  const std::string what = "sensor '" + options.name + "'";
  Sensor sensor{.name = options.name, .kind = options.kind};
  sensor.region = options.region, sensor.field = options.field, sensor.scale = options.scale;
  sensor.cutoff = options.cutoff, sensor.noise = options.noise, sensor.delay = options.delay;
  const SensorObject object = object_of(options.kind);
  if (object == SensorObject::joint) sensor.element = index_of(model_.joints, options.joint, what, "joint");
  if (object == SensorObject::tendon) sensor.element = index_of(model_.tendons, options.tendon, what, "tendon");
  if (object == SensorObject::actuator) sensor.element = index_of(model_.actuators, options.actuator, what, "actuator");
  if (object != SensorObject::frame) return sensor;
  const Mount mount = mount_on(draft_, options.site, options.body, what);
  sensor.frame = mount.frame;
  sensor.pose = options.pose;
  if (!options.reference_site.empty() || options.reference_body != SensorOptions::no_body) {
    sensor.has_reference = true;
    sensor.reference_frame = mount_on(draft_, options.reference_site, options.reference_body, what).frame;
    sensor.reference_pose = options.reference_pose;
  }
  sensor.has_other = options.other_body != SensorOptions::no_body;
  if (!has_part(options.kind)) return sensor;
  if (kept != nullptr) {
    sensor.part = kept_part(*kept);
    sensor.other_shapes = kept->other_shapes;
    return sensor;
  }
  sensor.part = part_of(mount.user, options.kind, what);
  if (sensor.has_other) {
    const SensorPart other = part_of(options.other_body, options.kind, what);
    sensor.other_shapes = other.shapes;
    std::vector<int> common;
    std::set_intersection(other.shapes.begin(), other.shapes.end(), sensor.part.shapes.begin(),
                          sensor.part.shapes.end(), std::back_inserter(common));
    if (!common.empty()) refuse(what, ": body and other_body are parts of one rigid body, or the same");
  }
  return sensor;
}

void check_index_list(const std::vector<int>& list, std::size_t count, const std::string& what, const char* field) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k] < 0 || list[k] >= static_cast<int>(count) || (k > 0 && list[k] <= list[k - 1])) {
      refuse(what, ": ", field, " holds ", list[k], ", out of order or beyond ", count);
    }
  }
}

void check_stored_sensor(const Model& model, const Sensor& sensor) {
  const std::string what = "model: sensor '" + sensor.name + "'";
  check_sensor_numbers(sensor, what);
  const auto within = [&](int value, std::size_t count, const char* field, int lowest) {
    if (value < lowest || value >= static_cast<int>(count))
      refuse(what, ": ", field, " is ", value, "; there are ", count);
  };
  const SensorObject object = object_of(sensor.kind);
  if (object == SensorObject::joint) within(sensor.element, model.joints.size(), "joint", 0);
  if (object == SensorObject::tendon) within(sensor.element, model.tendons.size(), "tendon", 0);
  if (object == SensorObject::actuator) within(sensor.element, model.actuators.size(), "actuator", 0);
  within(sensor.frame, model.frames.size(), "frame", -1);
  within(sensor.reference_frame, model.frames.size(), "reference_frame", -1);
  static_cast<void>(checked_pose(sensor.pose, what, "pose"));
  static_cast<void>(checked_pose(sensor.reference_pose, what, "reference_pose"));
  check_index_list(sensor.part.children, model.bodies.size(), what, "children");
  check_index_list(sensor.part.shapes, model.shapes.size(), what, "shapes");
  check_index_list(sensor.other_shapes, model.shapes.size(), what, "other_shapes");
  check_semi_inertia(sensor.part.inertia, what);
  if (object == SensorObject::frame && sensor.part.is_whole && has_part(sensor.kind) &&
      (sensor.frame < 0 || model.frames[static_cast<std::size_t>(sensor.frame)].body < 0)) {
    refuse(what, ": the world as a whole carries nothing");
  }
}

}  // namespace

void check_sensor(const SensorOptions& options, std::string_view what) {
  check_sensor_numbers(options, what);
  const auto mounts = [&](bool given, SensorObject wanted, const char* field) {
    const bool wants = object_of(options.kind) == wanted;
    if (given == wants) return;
    refuse(what, ": a ", to_string(options.kind), " sensor ", wants ? "needs a " : "is on no ", field);
  };
  const bool has_site = !options.site.empty(), has_body = options.body != SensorOptions::no_body;
  mounts(!options.joint.empty(), SensorObject::joint, "joint");
  mounts(!options.tendon.empty(), SensorObject::tendon, "tendon");
  mounts(!options.actuator.empty(), SensorObject::actuator, "actuator");
  mounts(has_site || has_body, SensorObject::frame, "site or body");
  if (has_site && has_body) refuse(what, ": site '", options.site, "' and body ", options.body, "; give one of them");
  const bool has_reference = !options.reference_site.empty() || options.reference_body != SensorOptions::no_body;
  if (has_reference && !takes_reference(options.kind)) {
    refuse(what, ": a ", to_string(options.kind), " sensor has no reference");
  }
  if (!options.reference_site.empty() && options.reference_body != SensorOptions::no_body) {
    refuse(what, ": reference_site '", options.reference_site, "' and reference_body ", options.reference_body,
           "; give one of them");
  }
  if (options.other_body != SensorOptions::no_body && options.kind != SensorKind::contact_force) {
    refuse(what, ": other_body is given to a ", to_string(options.kind), " sensor");
  }
}

void lay_out_sensors(const ModelDraft& draft, const std::vector<BodyPlace>& place, Model& model) {
  const SensorLayout layout(draft, place, model);
  for (std::size_t k = 0; k < draft.sensors.size(); ++k) {
    const auto kept = draft.kept_sensors.find(static_cast<int>(k));
    model.sensors.push_back(layout.make(draft.sensors[k], kept == draft.kept_sensors.end() ? nullptr : &kept->second));
  }
  number_values(model);
}

void check_stored_sensors(Model& model) {
  for (const Sensor& sensor : model.sensors) check_stored_sensor(model, sensor);
  number_values(model);
}

}  // namespace stiction
