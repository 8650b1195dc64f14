// The list of sensors, and sites for those that sit where the model has none.
#include <algorithm>
#include <cmath>

#include "stiction/io/mjcf/mjcf_writer.h"
#include "stiction/io/writers/lost_terms.h"

namespace stiction {
namespace {

constexpr double everywhere = 1e3;  // radius of a zone that holds all there is, m

// Null: MuJoCo has no such sensor.
const char* tag_of(SensorKind kind, bool is_ball) {
  switch (kind) {
    case SensorKind::joint_position:
      return is_ball ? "ballquat" : "jointpos";
    case SensorKind::joint_velocity:
      return is_ball ? "ballangvel" : "jointvel";
    case SensorKind::joint_effort:
      return "jointactuatorfrc";
    case SensorKind::tendon_length:
      return "tendonpos";
    case SensorKind::tendon_velocity:
      return "tendonvel";
    case SensorKind::actuator_position:
      return "actuatorpos";
    case SensorKind::actuator_velocity:
      return "actuatorvel";
    case SensorKind::actuator_force:
      return "actuatorfrc";
    case SensorKind::accelerometer:
      return "accelerometer";
    case SensorKind::gyro:
      return "gyro";
    case SensorKind::velocimeter:
      return "velocimeter";
    case SensorKind::magnetometer:
      return "magnetometer";
    case SensorKind::force:
      return "force";
    case SensorKind::torque:
      return "torque";
    case SensorKind::touch:
      return "touch";
    case SensorKind::rangefinder:
      return "rangefinder";
    case SensorKind::frame_position:
      return "framepos";
    case SensorKind::frame_orientation:
      return "framequat";
    case SensorKind::frame_x_axis:
      return "framexaxis";
    case SensorKind::frame_y_axis:
      return "frameyaxis";
    case SensorKind::frame_z_axis:
      return "framezaxis";
    case SensorKind::frame_linear_velocity:
      return "framelinvel";
    case SensorKind::frame_angular_velocity:
      return "frameangvel";
    case SensorKind::frame_linear_acceleration:
      return "framelinacc";
    case SensorKind::frame_angular_acceleration:
      return "frameangacc";
    case SensorKind::subtree_center:
      return "subtreecom";
    case SensorKind::subtree_velocity:
      return "subtreelinvel";
    case SensorKind::subtree_angular_momentum:
      return "subtreeangmom";
    case SensorKind::clock:
      return "clock";
    case SensorKind::contact_force:
      return nullptr;
  }
  return nullptr;
}

bool is_subtree(SensorKind kind) {
  return kind >= SensorKind::subtree_center && kind <= SensorKind::subtree_angular_momentum;
}

bool is_identity(const Pose& pose) {
  return pose.position.isZero(0.0) && pose.rotation.isIdentity(0.0);
}

// Types and sizes of MuJoCo's sites.
std::pair<const char*, std::vector<double>> zone_of(const Geometry& region) {
  if (const auto* g = std::get_if<Capsule>(&region)) return {"capsule", {g->radius, g->half_length}};
  if (const auto* g = std::get_if<Cylinder>(&region)) return {"cylinder", {g->radius, g->half_length}};
  if (const auto* g = std::get_if<Ellipsoid>(&region)) return {"ellipsoid", {g->radii[0], g->radii[1], g->radii[2]}};
  if (const auto* g = std::get_if<Box>(&region)) return {"box", {g->half_size[0], g->half_size[1], g->half_size[2]}};
  return {"sphere", {std::get<Sphere>(region).radius}};
}

}  // namespace

// Why a sensor is not written; null: it is.
const char* MjcfWriter::why_no_sensor(const Sensor& sensor) const {
  const bool of_joint = object_of(sensor.kind) == SensorObject::joint;
  const Joint* joint = of_joint ? &model_.joints[static_cast<std::size_t>(sensor.element)] : nullptr;
  const bool is_ball = joint != nullptr && joint->kind == "ball";
  if (tag_of(sensor.kind, is_ball) == nullptr) return "MuJoCo has no such sensor";
  const bool is_angle = joint != nullptr && joint->num_velocities == 1;
  if (of_joint && !is_angle && !(is_ball && sensor.kind != SensorKind::joint_effort)) {
    return "of a joint of several degrees of freedom";
  }
  const bool carries = sensor.kind == SensorKind::force || sensor.kind == SensorKind::torque || is_subtree(sensor.kind);
  if (carries && !sensor.part.is_whole) return "carries a part of a body, whose inertia is written as one";
  if (sensor.scale != 1.0) return "has a scale";
  return nullptr;
}

std::string MjcfWriter::sensor_site(const Sensor& sensor, bool is_reference) const {
  return sensor.name + (is_reference ? "_reference" : "_place");
}

// A site of its own, unless it sits on one as it is, or is a subtree's.
void MjcfWriter::add_sensor_sites() {
  const auto add = [&](const Sensor& sensor, bool is_reference) {
    const int frame = is_reference ? sensor.reference_frame : sensor.frame;
    const Pose& pose = is_reference ? sensor.reference_pose : sensor.pose;
    const bool is_site = frame >= 0 && model_.frames[static_cast<std::size_t>(frame)].is_site;
    if (is_site && is_identity(pose) && sensor.kind != SensorKind::touch) return;
    const Frame on = frame < 0 ? Frame{} : model_.frames[static_cast<std::size_t>(frame)];
    OutlineBody& body =
        on.body < 0 ? outline_.world : outline_.bodies[static_cast<std::size_t>(outline_.of_body[on.body])];
    const std::string name = sensor_site(sensor, is_reference);
    body.sites.push_back({name, outline_.on_outline(on.body, on.pose * pose)});
    own_sites_.insert(name);
    if (sensor.kind == SensorKind::touch) {
      zones_[name] = sensor.region ? *sensor.region : Geometry(Sphere{everywhere});
      if (!sensor.region) note(quoted("sensor", sensor.name) + " feels in a zone of " + number_text(everywhere) + " m");
    }
  };
  for (const Sensor& sensor : model_.sensors) {
    if (object_of(sensor.kind) != SensorObject::frame || why_no_sensor(sensor) || is_subtree(sensor.kind)) continue;
    add(sensor, false);
    if (sensor.has_reference) add(sensor, true);
  }
}

void MjcfWriter::write_zone(const std::string& site) {
  const auto zone = zones_.find(site);
  if (zone == zones_.end()) return;
  const auto [type, size] = zone_of(zone->second);
  xml_.attribute("type", type).attribute("size", std::span<const double>(size));
}

void MjcfWriter::write_sensors() {
  if (model_.sensors.empty()) return;
  xml_.open("sensor");
  for (const Sensor& sensor : model_.sensors) {
    if (const char* reason = why_no_sensor(sensor)) {
      lose(quoted("sensor", sensor.name) + ": " + reason);
    } else {
      write_sensor(sensor);
    }
  }
  xml_.close();
}

void MjcfWriter::write_sensor(const Sensor& sensor) {
  const auto index = static_cast<std::size_t>(sensor.element);
  const SensorObject object = object_of(sensor.kind);
  const bool is_ball = object == SensorObject::joint && model_.joints[index].kind == "ball";
  xml_.open(tag_of(sensor.kind, is_ball)).attribute("name", sensor.name);
  const auto place = [&](bool is_reference) {
    const std::string own = sensor_site(sensor, is_reference);
    return own_sites_.contains(own) ? own : frame_name(is_reference ? sensor.reference_frame : sensor.frame);
  };
  if (object == SensorObject::joint) xml_.attribute("joint", model_.joints[index].name);
  if (object == SensorObject::tendon) xml_.attribute("tendon", model_.tendons[index].name);
  if (object == SensorObject::actuator) xml_.attribute("actuator", model_.actuators[index].name);
  if (is_subtree(sensor.kind)) {
    xml_.attribute("body", frame_name(sensor.frame));
  } else if (object == SensorObject::frame && sensor.kind >= SensorKind::frame_position) {
    xml_.attribute("objtype", "site").attribute("objname", place(false));
    if (sensor.has_reference) xml_.attribute("reftype", "site").attribute("refname", place(true));
  } else if (object == SensorObject::frame) {
    xml_.attribute("site", place(false));
  }
  if (sensor.cutoff > 0.0) xml_.attribute("cutoff", sensor.cutoff);
  if (sensor.noise > 0.0) xml_.attribute("noise", sensor.noise);
  if (sensor.delay > 0.0) {
    const int samples = static_cast<int>(std::min(1e6, std::ceil(sensor.delay / model_.suggested_time_step))) + 2;
    xml_.attribute("delay", sensor.delay).attribute("nsample", samples);
  }
  xml_.close();
}

// One field for all of them.
void MjcfWriter::write_magnetic_field() {
  const Sensor* first = nullptr;
  for (const Sensor& sensor : model_.sensors) {
    if (sensor.kind != SensorKind::magnetometer) continue;
    if (first != nullptr && first->field != sensor.field) {
      lose(quoted("sensor", sensor.name) + ": its field; MuJoCo has one, that of '" + first->name + "'");
    }
    if (first == nullptr) first = &sensor;
  }
  if (first != nullptr) xml_.attribute("magnetic", first->field);
}

}  // namespace stiction
