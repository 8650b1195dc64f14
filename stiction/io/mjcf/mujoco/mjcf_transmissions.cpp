// Tendons, and actuators on joints, tendons, sites and slider-cranks.
#include <algorithm>
#include <cmath>

#include "stiction/io/mjcf/mujoco/mjcf_reader.h"

namespace stiction {
namespace {

// Bits of actuator_ctrlspec of a PID: which setpoints it has, in this order.
constexpr int has_position = 1, has_velocity = 2;

bool any(const mjtNum* values, int count) {
  return std::any_of(values, values + count, [](mjtNum x) { return x != 0.0; });
}

}  // namespace

// A name for what has none, told apart from the names of the file.
std::string MjcfReader::name_or_number(int type, int id, int count, const char* base) const {
  const std::string own = name_of(type, id);
  if (!own.empty()) return options_.prefix + own;
  std::string name = base + std::to_string(id);
  const auto taken = [&] {
    for (int k = 0; k < count; ++k) {
      if (name_of(type, k) == name) return true;
    }
    return false;
  };
  while (taken()) name += "_";
  return options_.prefix + name;
}

std::string MjcfReader::site_name(int site) const {
  return name_or_number(mjOBJ_SITE, site, static_cast<int>(m_.nsite), "site");
}

std::string MjcfReader::tendon_name(int tendon) const {
  return name_or_number(mjOBJ_TENDON, tendon, static_cast<int>(m_.ntendon), "tendon");
}

// A tendon all of whose places stand in the world, as after BaseKind::fixed, has one length.
bool MjcfReader::moves_something(int tendon) const {
  for (int w = m_.tendon_adr[tendon]; w < m_.tendon_adr[tendon] + m_.tendon_num[tendon]; ++w) {
    const int object = m_.wrap_objid[w];
    switch (m_.wrap_type[w]) {
      case mjWRAP_JOINT:
        return true;
      case mjWRAP_SITE:
        if (carrier_of(m_.site_bodyid[object]) != 0) return true;
        break;
      case mjWRAP_SPHERE:
      case mjWRAP_CYLINDER:
        if (carrier_of(m_.geom_bodyid[object]) != 0) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

void MjcfReader::read_tendons() {
  for (int tendon = 0; tendon < m_.ntendon; ++tendon) {
    if (!moves_something(tendon)) {
      ignored_.add("tendon", label_of(mjOBJ_TENDON, tendon), "lies in the world and moves nothing");
      continue;
    }
    TendonOptions options;
    options.name = tendon_name(tendon);
    const int first = m_.tendon_adr[tendon], end = first + m_.tendon_num[tendon];
    for (int w = first; w < end; ++w) {
      if (m_.wrap_type[w] == mjWRAP_JOINT) {
        options.terms.push_back({joint_name(m_.wrap_objid[w]), m_.wrap_prm[w]});
      } else {
        options.path.push_back(tendon_point(w));
      }
    }
    set_tendon_terms(tendon, options);
    builder_.add_tendon(options);
  }
}

TendonPointOptions MjcfReader::tendon_point(int wrap) const {
  TendonPointOptions point;
  const int object = m_.wrap_objid[wrap], type = m_.wrap_type[wrap];
  if (type == mjWRAP_SITE) {
    point.site = site_name(object);
  } else if (type == mjWRAP_PULLEY) {
    point.kind = TendonPointKind::pulley;
    point.divisor = m_.wrap_prm[wrap];
  } else {
    point.kind = type == mjWRAP_SPHERE ? TendonPointKind::sphere : TendonPointKind::cylinder;
    const int body = m_.geom_bodyid[object];
    point.body = builder_body(body);
    point.pose = placed(body, pose(m_.geom_pos + 3 * object, m_.geom_quat + 4 * object));
    point.radius = m_.geom_size[3 * object];
    if (const int side = static_cast<int>(std::lround(m_.wrap_prm[wrap])); side >= 0) point.side_site = site_name(side);
  }
  return point;
}

void MjcfReader::set_tendon_terms(int tendon, TendonOptions& options) {
  const auto note = [&](bool present, const char* reason) {
    if (present) ignored_.add("tendon", label_of(mjOBJ_TENDON, tendon), reason);
  };
  if (!disabled(mjDSBL_SPRING)) options.stiffness = m_.tendon_stiffness[tendon];
  options.rest_lower = m_.tendon_lengthspring[2 * tendon];
  options.rest_upper = m_.tendon_lengthspring[2 * tendon + 1];
  options.damping = m_.tendon_damping[tendon];
  double armature = m_.tendon_armature[tendon];
  if (const int actuator = m_.tendon_actuatorid[tendon]; actuator >= 0) {
    const double gear = m_.actuator_gear[6 * m_.actuator_outadr[actuator]];
    options.damping += m_.actuator_damping[actuator] * gear * gear;
    armature += m_.actuator_armature[actuator] * gear * gear;
  }
  if (disabled(mjDSBL_DAMPER)) options.damping = 0.0;
  if (!without_constraint(mjDSBL_FRICTIONLOSS)) options.dry_friction = m_.tendon_frictionloss[tendon];
  if (m_.tendon_limited[tendon] && !without_constraint(mjDSBL_LIMIT)) {
    options.lower = m_.tendon_range[2 * tendon], options.upper = m_.tendon_range[2 * tendon + 1];
  }
  if (m_.tendon_actfrclimited[tendon]) {
    const double lower = m_.tendon_actfrcrange[2 * tendon], upper = m_.tendon_actfrcrange[2 * tendon + 1];
    options.effort_limit = std::max(0.0, std::min(-lower, upper));
    note(-lower != upper, "actuatorfrcrange that is not symmetric: the smaller of its bounds limits both directions");
  }
  note(armature != 0.0, "armature of a tendon");
  note(any(m_.tendon_stiffnesspoly + mjNPOLY * tendon, mjNPOLY) ||
           any(m_.tendon_dampingpoly + mjNPOLY * tendon, mjNPOLY),
       "stiffness or damping that is not linear");
  note(m_.tendon_springyield[tendon] != 0.0 && m_.tendon_plasticadr[tendon] >= 0, "spring that yields");
  note(m_.tendon_margin[tendon] != 0.0 && m_.tendon_limited[tendon], "margin of its limit");
}

bool MjcfReader::couples_known_tendons(int equality) const {
  const int b = m_.eq_obj2id[equality];
  return moves_something(m_.eq_obj1id[equality]) && (b < 0 || moves_something(b));
}

void MjcfReader::read_tendon_equality(int equality) {
  const int a = m_.eq_obj1id[equality], b = m_.eq_obj2id[equality];
  const mjtNum* data = m_.eq_data + mjNEQDATA * equality;
  LoopOptions options;
  options.name = prefixed(name_of(mjOBJ_EQUALITY, equality));
  options.kind = LoopKind::tendon_equality;
  options.tendon_a = tendon_name(a);
  if (b >= 0) {
    options.tendon_b = tendon_name(b);
    options.coefficients = expand_polynomial(data, m_.tendon_length0[b], m_.tendon_length0[a]);
  } else {
    options.coefficients = {data[0] + m_.tendon_length0[a], 0.0, 0.0, 0.0, 0.0};
  }
  builder_.add_loop(options);
}

// Why an actuator has no counterpart here; null: it has one.
const char* MjcfReader::why_no_actuator(int actuator) const {
  if (disabled(mjDSBL_ACTUATION)) return "the options of the file switch actuators off";
  const mjModel* m = &m_;  // of the macro
  if (mjACTUATORDISABLED(actuator)) return "the options of the file switch its group off (actuatorgroupdisable)";
  if (const char* reason = why_no_target(actuator)) return reason;
  if (m_.actuator_delay[actuator] != 0.0) return "acts with a delay";
  if (m_.actuator_plugin[actuator] >= 0) {
    return is_pid_plugin(m_.actuator_plugin[actuator]) ? why_no_pid_plugin(actuator) : "is a plugin of MuJoCo";
  }
  if (m_.actuator_gaintype[actuator] == mjGAIN_PID) return why_no_pid(actuator);
  if (m_.actuator_dyntype[actuator] > mjDYN_MUSCLE || m_.actuator_actnum[actuator] > 1) {
    return "has a state that is neither a filter, an integrator nor that of a muscle";
  }
  if (m_.actuator_ctrlnum[actuator] != 1) return "has more than one control";
  const int gain = m_.actuator_gaintype[actuator], bias = m_.actuator_biastype[actuator];
  if (gain == mjGAIN_MUSCLE && bias == mjBIAS_MUSCLE) return why_no_muscle(actuator);
  const bool is_affine =
      (gain == mjGAIN_FIXED || gain == mjGAIN_AFFINE) && (bias == mjBIAS_NONE || bias == mjBIAS_AFFINE);
  return is_affine ? nullptr : "has a gain or bias of a type that does not exist here";
}

// The same of what it acts on.
const char* MjcfReader::why_no_target(int actuator) const {
  const int first = m_.actuator_trnid[2 * actuator], second = m_.actuator_trnid[2 * actuator + 1];
  switch (m_.actuator_trntype[actuator]) {
    case mjTRN_BODY:
      return "is adhesion: it acts on the contacts of a body";
    case mjTRN_JOINT:
    case mjTRN_JOINTINPARENT: {
      const bool several = m_.jnt_type[first] == mjJNT_FREE || m_.jnt_type[first] == mjJNT_BALL;
      return several ? "acts on a joint of several degrees of freedom" : nullptr;
    }
    case mjTRN_TENDON:
      return moves_something(first) ? nullptr : "acts on a tendon that moves nothing";
    case mjTRN_SITE:
    case mjTRN_SLIDERCRANK: {
      const int carrier = carrier_of(m_.site_bodyid[first]);
      if (carrier != (second < 0 ? 0 : carrier_of(m_.site_bodyid[second]))) return nullptr;
      return carrier == 0 ? "moves nothing: what it acts on is a part of the world"
                          : "moves nothing: its two sites are on one rigid body";
    }
    default:
      return "acts neither on a joint, a tendon, a site nor a slider-crank";
  }
}

const char* MjcfReader::why_no_muscle(int actuator) const {
  const mjtNum* range = m_.actuator_lengthrange + 2 * m_.actuator_outadr[actuator];
  if (!(range[0] < range[1])) return "is a muscle without a range of lengths (lengthrange)";
  const mjtNum* prm = m_.actuator_gainprm + mjNGAIN * actuator;
  const bool same = std::equal(prm, prm + 9, m_.actuator_biasprm + mjNBIAS * actuator);
  return same ? nullptr : "is a muscle whose active and passive parts differ";
}

const char* MjcfReader::why_no_pid(int actuator) const {
  const int inputs = m_.actuator_ctrlspec[actuator];
  if (m_.actuator_dyntype[actuator] != mjDYN_NONE) return "is a PID with an integral part or a slew rate";
  if (inputs != has_position && inputs != (has_position | has_velocity)) return "is a PID with inputs of its own";
  if (inputs != has_position && m_.actuator_forcelimited[actuator]) {
    return "is a PID with two inputs and a limit of its force";
  }
  const mjtNum* bias = m_.actuator_biasprm + mjNBIAS * actuator;
  const bool is_servo =
      m_.actuator_biastype[actuator] == mjBIAS_AFFINE && bias[0] == 0.0 && bias[1] <= 0.0 && bias[2] <= 0.0;
  return is_servo ? nullptr : "is a PID whose gains are not those of a servo";
}

void MjcfReader::read_actuators() {
  sensor_scale_.assign(static_cast<std::size_t>(m_.nactuator), 0.0);
  for (int actuator = 0; actuator < m_.nactuator; ++actuator) {
    if (const char* reason = why_no_actuator(actuator)) {
      ignored_.add("actuator", label_of(mjOBJ_ACTUATOR, actuator), reason);
    } else if (m_.actuator_plugin[actuator] >= 0) {
      read_pid_plugin(actuator);
    } else if (m_.actuator_gaintype[actuator] == mjGAIN_PID) {
      read_pid(actuator);
    } else {
      read_actuator(actuator);
    }
  }
  note_effort_limits();
}

// Whether an actuator on a tendon, a site or a slider-crank pushes at a joint.
bool MjcfReader::reaches(int actuator, int joint) const {
  const auto carried = [&](int body) {
    for (int above = body; above > 0; above = m_.body_parentid[above]) {
      if (above == m_.jnt_bodyid[joint]) return true;
    }
    return false;
  };
  const int first = m_.actuator_trnid[2 * actuator], second = m_.actuator_trnid[2 * actuator + 1];
  const int type = m_.actuator_trntype[actuator];
  if (type == mjTRN_SITE || type == mjTRN_SLIDERCRANK) {
    return carried(m_.site_bodyid[first]) || (second >= 0 && carried(m_.site_bodyid[second]));
  }
  if (type != mjTRN_TENDON) return false;
  for (int w = m_.tendon_adr[first]; w < m_.tendon_adr[first] + m_.tendon_num[first]; ++w) {
    const int object = m_.wrap_objid[w];
    const bool found = m_.wrap_type[w] == mjWRAP_JOINT    ? object == joint
                       : m_.wrap_type[w] == mjWRAP_PULLEY ? false
                       : m_.wrap_type[w] == mjWRAP_SITE   ? carried(m_.site_bodyid[object])
                                                          : carried(m_.geom_bodyid[object]);
    if (found) return true;
  }
  return false;
}

// MuJoCo's range of a joint holds for all that pushes at it, ours for the actuators on the joint itself.
void MjcfReader::note_effort_limits() {
  for (int joint = 0; joint < m_.njnt; ++joint) {
    if (!m_.jnt_actfrclimited[joint]) continue;
    for (int actuator = 0; actuator < m_.nactuator; ++actuator) {
      if (why_no_actuator(actuator) || !reaches(actuator, joint)) continue;
      ignored_.add("joint", label_of(mjOBJ_JOINT, joint),
                   "actuatorfrcrange of forces through tendons and sites: it limits the actuators on the joint itself");
      break;
    }
  }
}

// Where it acts, its limits, its activation.
ActuatorOptions MjcfReader::actuator_target(int actuator) const {
  ActuatorOptions options;
  options.name = prefixed(name_of(mjOBJ_ACTUATOR, actuator));
  const int id = m_.actuator_trnid[2 * actuator], other = m_.actuator_trnid[2 * actuator + 1];
  const mjtNum* gear = m_.actuator_gear + 6 * m_.actuator_outadr[actuator];
  switch (m_.actuator_trntype[actuator]) {
    case mjTRN_TENDON:
      options.tendon = tendon_name(id);
      break;
    case mjTRN_SLIDERCRANK:
      options.site = site_name(id), options.slider_site = site_name(other);
      options.crank_length = m_.actuator_cranklength[actuator];
      break;
    case mjTRN_SITE:
      options.site = site_name(id);
      if (other >= 0) options.reference_site = site_name(other);
      std::copy_n(gear, 6, options.wrench.begin());
      break;
    default:
      options.joint = joint_name(id);
  }
  if (m_.actuator_trntype[actuator] != mjTRN_SITE) options.gear = gear[0];
  if (m_.actuator_forcelimited[actuator]) {
    options.force_lower = m_.actuator_forcerange[2 * actuator];
    options.force_upper = m_.actuator_forcerange[2 * actuator + 1];
  }
  options.activation = static_cast<ActivationKind>(m_.actuator_dyntype[actuator]);  // in the same order
  if (options.activation == ActivationKind::none) return options;
  std::copy_n(m_.actuator_dynprm + mjNDYN * actuator, 3, options.time_constants.begin());
  if (options.activation == ActivationKind::integrator) options.time_constants = {};
  if (m_.actuator_actlimited[actuator]) {
    options.activation_lower = m_.actuator_actrange[2 * actuator];
    options.activation_upper = m_.actuator_actrange[2 * actuator + 1];
  }
  options.acts_early = m_.actuator_actearly[actuator] != 0;
  return options;
}

void MjcfReader::add_actuator(int actuator, int control, ActuatorOptions& options) {
  if (m_.actuator_ctrllimited[control] && !disabled(mjDSBL_CLAMPCTRL)) {
    options.control_lower = m_.actuator_ctrlrange[2 * control];
    options.control_upper = m_.actuator_ctrlrange[2 * control + 1];
  }
  const int index = builder_.add_actuator(options);
  if (sensor_scale_[actuator] == 0.0) sensor_scale_[actuator] = 1.0;
  if (control_of_.empty()) first_actuator_ = index;
  control_of_.push_back(control);
  if (options.activation != ActivationKind::none) activation_of_.push_back(m_.actuator_actadr[actuator]);
}

// force = kp (u_1 − ℓ) + kv (u_2 − ℓ̇): two servos where the second input exists.
void MjcfReader::read_pid(int actuator) {
  const mjtNum* bias = m_.actuator_biasprm + mjNBIAS * actuator;
  const int control = m_.actuator_ctrladr[actuator];
  ActuatorOptions options = actuator_target(actuator);
  options.kind = ActuatorKind::position;
  options.kp = -bias[1];
  const bool follows_velocity = (m_.actuator_ctrlspec[actuator] & has_velocity) != 0;
  if (!follows_velocity) options.kd = -bias[2];
  add_actuator(actuator, control, options);
  if (!follows_velocity) return;
  options = actuator_target(actuator);
  if (!options.name.empty()) options.name += "_velocity";
  options.kind = ActuatorKind::velocity;
  options.kd = -bias[2];
  add_actuator(actuator, control + 1, options);
}

// MuJoCo: force = gain u + b₀ + b₁ l + b₂ l̇ within forcerange, l = gear q, τ = gear force; u the control or activation.
void MjcfReader::read_actuator(int actuator) {
  ActuatorOptions options = actuator_target(actuator);
  const mjtNum* gain = m_.actuator_gainprm + mjNGAIN * actuator;
  if (m_.actuator_gaintype[actuator] == mjGAIN_MUSCLE) {
    set_muscle(actuator, options);
    return add_actuator(actuator, m_.actuator_ctrladr[actuator], options);
  }
  const bool is_fixed = m_.actuator_gaintype[actuator] == mjGAIN_FIXED;
  options.gain = {gain[0], is_fixed ? 0.0 : gain[1], is_fixed ? 0.0 : gain[2]};
  if (m_.actuator_biastype[actuator] == mjBIAS_AFFINE) {
    std::copy_n(m_.actuator_biasprm + mjNBIAS * actuator, 3, options.bias.begin());
  }
  const auto [b0, b1, b2] = options.bias;
  const double g = options.gain[0];
  // What is no number stays a gain, for the builder to refuse by that name.
  const bool is_plain = options.gain[1] == 0.0 && options.gain[2] == 0.0 && b0 == 0.0 && std::isfinite(g);
  if (is_plain && b1 == 0.0 && b2 == 0.0 && g != 0.0) {
    options.kind = ActuatorKind::torque;  // the gain becomes part of the gear, and the limits those of u
    options.gear *= g;
    sensor_scale_[actuator] = g;
    options.force_lower /= g, options.force_upper /= g;
    if (g < 0.0) std::swap(options.force_lower, options.force_upper);
  } else if (is_plain && g > 0.0 && b1 == -g && b2 <= 0.0) {
    options.kind = ActuatorKind::position;
    options.kp = g, options.kd = -b2;
  } else if (is_plain && g > 0.0 && b1 == 0.0 && b2 == -g) {
    options.kind = ActuatorKind::velocity;
    options.kd = g;
  } else {
    options.kind = ActuatorKind::affine;
  }
  if (options.kind != ActuatorKind::affine) options.gain = {1.0, 0.0, 0.0}, options.bias = {};
  add_actuator(actuator, m_.actuator_ctrladr[actuator], options);
}

void MjcfReader::set_muscle(int actuator, ActuatorOptions& options) const {
  const mjtNum* prm = m_.actuator_gainprm + mjNGAIN * actuator;
  const int out = m_.actuator_outadr[actuator];
  Muscle& muscle = options.muscle;
  options.kind = ActuatorKind::muscle;
  muscle.range_lower = prm[0], muscle.range_upper = prm[1];
  // A negative force asks for one that accelerates by `scale`.
  muscle.force = prm[2] >= 0.0 ? prm[2] : prm[3] / std::max(mjMINVAL, m_.actuator_acc0[out]);
  muscle.lower = prm[4], muscle.upper = prm[5], muscle.speed = prm[6];
  muscle.passive = prm[7], muscle.stretched = prm[8];
  muscle.length_lower = m_.actuator_lengthrange[2 * out], muscle.length_upper = m_.actuator_lengthrange[2 * out + 1];
}

}  // namespace stiction
