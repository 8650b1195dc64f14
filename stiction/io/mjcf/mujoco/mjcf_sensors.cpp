// The list of sensors.
#include <algorithm>

#include "stiction/io/mjcf/mujoco/mjcf_reader.h"

namespace stiction {
namespace {

struct KindPair {
  int theirs;
  SensorKind ours;
};

constexpr KindPair kinds[] = {
    {mjSENS_TOUCH, SensorKind::touch},
    {mjSENS_ACCELEROMETER, SensorKind::accelerometer},
    {mjSENS_VELOCIMETER, SensorKind::velocimeter},
    {mjSENS_GYRO, SensorKind::gyro},
    {mjSENS_FORCE, SensorKind::force},
    {mjSENS_TORQUE, SensorKind::torque},
    {mjSENS_MAGNETOMETER, SensorKind::magnetometer},
    {mjSENS_RANGEFINDER, SensorKind::rangefinder},
    {mjSENS_JOINTPOS, SensorKind::joint_position},
    {mjSENS_JOINTVEL, SensorKind::joint_velocity},
    {mjSENS_TENDONPOS, SensorKind::tendon_length},
    {mjSENS_TENDONVEL, SensorKind::tendon_velocity},
    {mjSENS_ACTUATORPOS, SensorKind::actuator_position},
    {mjSENS_ACTUATORVEL, SensorKind::actuator_velocity},
    {mjSENS_ACTUATORFRC, SensorKind::actuator_force},
    {mjSENS_JOINTACTFRC, SensorKind::joint_effort},
    {mjSENS_BALLQUAT, SensorKind::joint_position},
    {mjSENS_BALLANGVEL, SensorKind::joint_velocity},
    {mjSENS_FRAMEPOS, SensorKind::frame_position},
    {mjSENS_FRAMEQUAT, SensorKind::frame_orientation},
    {mjSENS_FRAMEXAXIS, SensorKind::frame_x_axis},
    {mjSENS_FRAMEYAXIS, SensorKind::frame_y_axis},
    {mjSENS_FRAMEZAXIS, SensorKind::frame_z_axis},
    {mjSENS_FRAMELINVEL, SensorKind::frame_linear_velocity},
    {mjSENS_FRAMEANGVEL, SensorKind::frame_angular_velocity},
    {mjSENS_FRAMELINACC, SensorKind::frame_linear_acceleration},
    {mjSENS_FRAMEANGACC, SensorKind::frame_angular_acceleration},
    {mjSENS_SUBTREECOM, SensorKind::subtree_center},
    {mjSENS_SUBTREELINVEL, SensorKind::subtree_velocity},
    {mjSENS_SUBTREEANGMOM, SensorKind::subtree_angular_momentum},
    {mjSENS_CLOCK, SensorKind::clock},
};

const KindPair* pair_of(int theirs) {
  const auto found = std::find_if(std::begin(kinds), std::end(kinds), [=](KindPair p) { return p.theirs == theirs; });
  return found == std::end(kinds) ? nullptr : found;
}

// What of the simulator tells what such a sensor would.
const char* query_for(int sensor) {
  switch (sensor) {
    case mjSENS_JOINTLIMITPOS:
    case mjSENS_JOINTLIMITVEL:
    case mjSENS_JOINTLIMITFRC:
      return "no such sensor here: compare state().q with Dof::lower, upper; ask Simulator::constraint_impulse()";
    case mjSENS_TENDONACTFRC:
      return "no such sensor here: ask Simulator::actuator_forces()";
    case mjSENS_GEOMDIST:
    case mjSENS_GEOMNORMAL:
    case mjSENS_GEOMFROMTO:
      return "no such sensor here: ask shape_distance()";
    case mjSENS_CONTACT:
      return "no such sensor here: add one of kind contact_force, or ask Simulator::contacts()";
    case mjSENS_E_POTENTIAL:
    case mjSENS_E_KINETIC:
      return "no such sensor here: ask StepReport::potential_energy, kinetic_energy";
    case mjSENS_PLUGIN:
      return "is a plugin of MuJoCo";
    default:
      return "nothing here tells it";
  }
}

Geometry zone_of(int type, const mjtNum* size) {
  switch (type) {
    case mjGEOM_CAPSULE:
      return Capsule{size[0], size[1]};
    case mjGEOM_CYLINDER:
      return Cylinder{size[0], size[1]};
    case mjGEOM_ELLIPSOID:
      return Ellipsoid{vector3(size)};
    case mjGEOM_BOX:
      return Box{vector3(size)};
    default:
      return Sphere{size[0]};
  }
}

}  // namespace

// Why a sensor has no counterpart here; null: it has one.
const char* MjcfReader::why_no_sensor(int sensor) const {
  const int type = m_.sensor_type[sensor], id = m_.sensor_objid[sensor];
  if (pair_of(type) == nullptr) return query_for(type);
  const bool of_actuator = type >= mjSENS_ACTUATORPOS && type <= mjSENS_ACTUATORFRC;
  if (of_actuator && sensor_scale_[id] == 0.0) return "is of an actuator that is ignored";
  const bool of_tendon = type == mjSENS_TENDONPOS || type == mjSENS_TENDONVEL;
  if (of_tendon && !moves_something(id)) return "is of a tendon that is ignored";
  if (type == mjSENS_ACTUATORFRC && m_.actuator_ctrlnum[id] > 1) return "is of an actuator that becomes two here";
  if (type == mjSENS_RANGEFINDER && m_.sensor_intprm[mjNSENS * sensor] != (1 << mjRAYDATA_DIST)) {
    return "tells more than a distance";
  }
  const bool is_site_sensor = type <= mjSENS_RANGEFINDER;
  if (is_site_sensor && m_.sensor_objtype[sensor] != mjOBJ_SITE) return "is on a camera";
  const auto follows = [&](int object, int k) { return object == mjOBJ_CAMERA && m_.cam_mode[k] != mjCAMLIGHT_FIXED; };
  if (follows(m_.sensor_objtype[sensor], id) || follows(m_.sensor_reftype[sensor], m_.sensor_refid[sensor])) {
    return "is on a camera that does not move with its body";
  }
  return nullptr;
}

// A body's frame, its inertial frame, a geom, a site or a camera as a place on a builder's body, or a site.
void MjcfReader::place_sensor(int object, int id, std::string& site, int& body, Pose& on) const {
  if (object == mjOBJ_SITE) {
    site = site_name(id);
    return;
  }
  int theirs = id;
  Pose local;
  if (object == mjOBJ_BODY) {
    local = pose(m_.body_ipos + 3 * id, m_.body_iquat + 4 * id);
  } else if (object == mjOBJ_GEOM) {
    theirs = m_.geom_bodyid[id];
    local = pose(m_.geom_pos + 3 * id, m_.geom_quat + 4 * id);
  } else if (object == mjOBJ_CAMERA) {
    theirs = m_.cam_bodyid[id];
    local = pose(m_.cam_pos + 3 * id, m_.cam_quat + 4 * id);
  }
  body = builder_body(theirs);
  on = placed(theirs, local);
}

void MjcfReader::read_sensors() {
  for (int k = 0; k < m_.nsensor; ++k) {
    const std::string label = label_of(mjOBJ_SENSOR, k);
    if (const char* reason = why_no_sensor(k)) {
      ignored_.add("sensor", label, reason);
      continue;
    }
    builder_.add_sensor(sensor_options(k));
    if (m_.sensor_interval[2 * k] > 0.0) ignored_.add("sensor", label, "interval: it is read in every step");
    if (m_.sensor_delay[k] > 0.0 && m_.sensor_history[2 * k + 1] != 0) {
      ignored_.add("sensor", label, "interpolation of what it read with a delay: the last reading that is old enough");
    }
  }
}

SensorOptions MjcfReader::sensor_options(int sensor) const {
  const int type = m_.sensor_type[sensor], id = m_.sensor_objid[sensor];
  SensorOptions options;
  options.name = prefixed(name_of(mjOBJ_SENSOR, sensor));
  options.kind = pair_of(type)->ours;
  options.cutoff = m_.sensor_cutoff[sensor];
  options.noise = m_.sensor_noise[sensor];
  options.delay = m_.sensor_delay[sensor];
  switch (object_of(options.kind)) {
    case SensorObject::joint:
      options.joint = joint_name(id);
      break;
    case SensorObject::tendon:
      options.tendon = tendon_name(id);
      break;
    case SensorObject::actuator:
      options.actuator = prefixed(name_of(mjOBJ_ACTUATOR, id));
      options.scale = type == mjSENS_ACTUATORFRC ? sensor_scale_[id] : 1.0 / sensor_scale_[id];
      break;
    case SensorObject::frame: {
      const bool is_subtree = type >= mjSENS_SUBTREECOM && type <= mjSENS_SUBTREEANGMOM;
      place_sensor(is_subtree ? mjOBJ_XBODY : m_.sensor_objtype[sensor], id, options.site, options.body, options.pose);
      break;
    }
    case SensorObject::none:
      break;
  }
  if (takes_reference(options.kind) && m_.sensor_refid[sensor] >= 0) {
    place_sensor(m_.sensor_reftype[sensor], m_.sensor_refid[sensor], options.reference_site, options.reference_body,
                 options.reference_pose);
  }
  if (type == mjSENS_TOUCH) options.region = zone_of(m_.site_type[id], m_.site_size + 3 * id);
  if (type == mjSENS_MAGNETOMETER) options.field = vector3(m_.opt.magnetic);
  return options;
}

}  // namespace stiction
