// Options, bodies, joints and sites.
#include <algorithm>
#include <cmath>

#include "stiction/io/mjcf/mujoco/mjcf_reader.h"

namespace stiction {

void MjcfReader::read() {
  read_options();
  read_bodies();
  read_sites();
  read_cameras();
  read_fluid();
  read_shapes();
  read_pairs();
  read_tendons();
  read_equalities();
  read_actuators();
  read_sensors();
  read_keyframes();
  note_options();
  note_bodies();
  note_joints();
  note_geoms();
  note_rest();
}

std::string MjcfReader::name_of(int type, int id) const {
  const char* name = MujocoLibrary::get().id_to_name(&m_, type, id);
  return name ? name : "";
}

std::string MjcfReader::label_of(int type, int id) const {
  const std::string name = name_of(type, id);
  return name.empty() ? std::to_string(id) : "'" + name + "'";
}

// Equalities and actuators ask for joints by name, so every joint has one: its own, else that of its body, else a
// number; underscores keep it apart from the names of the file.
std::string MjcfReader::joint_name(int joint) const {
  const std::string own = name_of(mjOBJ_JOINT, joint);
  if (!own.empty()) return options_.prefix + own;
  const int body = m_.jnt_bodyid[joint];
  std::string name = m_.body_jntnum[body] == 1 ? name_of(mjOBJ_BODY, body) : "";
  if (name.empty()) name = "joint" + std::to_string(joint);
  const auto taken = [&](const std::string& candidate) {
    for (int k = 0; k < m_.njnt; ++k) {
      if (name_of(mjOBJ_JOINT, k) == candidate) return true;
    }
    return false;
  };
  while (taken(name)) name += "_";
  return options_.prefix + name;
}

void MjcfReader::read_options() {
  builder_.set_gravity(disabled(mjDSBL_GRAVITY) ? Vector3(Vector3::Zero()) : vector3(m_.opt.gravity));
  builder_.set_suggested_time_step(m_.opt.timestep);
  builder_.set_friction_rule(FrictionRule::maximum);
  builder_.set_parents_collide(disabled(mjDSBL_FILTERPARENT));
}

// Bodies moved by motion capture are kinematic here, unless something hangs on them by a joint: such a one stands
// still.
void MjcfReader::find_kinematic() {
  is_kinematic_.assign(m_.nbody, false);
  for (int body = 1; body < m_.nbody; ++body) is_kinematic_[body] = m_.body_mocapid[body] >= 0;
  for (int body = 1; body < m_.nbody; ++body) {
    if (m_.body_jntnum[body] == 0) continue;
    for (int above = m_.body_parentid[body]; above > 0; above = m_.body_parentid[above]) is_kinematic_[above] = false;
  }
}

void MjcfReader::read_bodies() {
  find_kinematic();
  choose_bases();
  body_of_.assign(m_.nbody, -1);
  for (int body = 1; body < m_.nbody; ++body) body_of_[body] = builder_.add_body(body_options(body));
}

// BaseKind::fixed takes free joints away; floating gives one to what stands in the world and carries joints: the base
// of an arm, not the table beside it.
void MjcfReader::choose_bases() {
  is_freed_.assign(m_.nbody, false);
  is_held_.assign(m_.nbody, false);
  for (int joint = 0; joint < m_.njnt; ++joint) {
    const int body = m_.jnt_bodyid[joint];
    if (m_.jnt_type[joint] == mjJNT_FREE) is_held_[body] = options_.base == BaseKind::fixed;
    if (options_.base != BaseKind::floating) continue;
    const int root = m_.body_rootid[body];
    if (m_.body_jntnum[root] == 0 && m_.body_mocapid[root] < 0) is_freed_[root] = true;
  }
}

// The body that moves and carries this one, after LoadOptions::base; 0: it stands in the world.
int MjcfReader::carrier_of(int body) const {
  for (int above = body; above > 0; above = m_.body_parentid[above]) {
    if (is_kinematic_[above]) return above;
  }
  const int weld = m_.body_weldid[body], root = m_.body_rootid[body];
  if (weld == 0 && is_freed_[root]) return root;
  return is_held_[weld] ? 0 : weld;
}

BodyOptions MjcfReader::body_options(int body) {
  BodyOptions options;
  options.name = prefixed(name_of(mjOBJ_BODY, body));
  options.parent = builder_body(m_.body_parentid[body]);
  options.pose = placed(m_.body_parentid[body], pose(m_.body_pos + 3 * body, m_.body_quat + 4 * body));
  for (int k = 0; k < m_.body_jntnum[body] && !is_held_[body]; ++k) {
    options.joints.push_back(joint_options(m_.body_jntadr[body] + k));
  }
  options.is_kinematic = is_kinematic_[body];
  if (options.joints.empty() && !is_freed_[body] && !is_kinematic_[body]) options.joint.kind = JointKind::fixed;
  Inertia inertia;
  inertia.mass = m_.body_mass[body];
  inertia.com = vector3(m_.body_ipos + 3 * body);
  const Matrix3 principal_axes = quaternion(m_.body_iquat + 4 * body).normalized().toRotationMatrix();
  const Matrix3 moment = principal_axes * vector3(m_.body_inertia + 3 * body).asDiagonal() * principal_axes.transpose();
  inertia.moment = 0.5 * (moment + moment.transpose());
  options.inertia = inertia;
  options.gravity_compensation = m_.body_gravcomp[body];
  return options;
}

JointOptions MjcfReader::joint_options(int joint) {
  static constexpr JointKind kinds[] = {JointKind::free, JointKind::ball, JointKind::prismatic, JointKind::revolute};
  const int dof = m_.jnt_dofadr[joint], position = m_.jnt_qposadr[joint];
  JointOptions options;
  options.name = joint_name(joint);
  options.kind = kinds[m_.jnt_type[joint]];
  if (options.kind != JointKind::free) options.pose = Pose(vector3(m_.jnt_pos + 3 * joint));
  options.armature = m_.dof_armature[dof];
  options.damping = m_.dof_damping[dof];
  if (const int actuator = m_.jnt_actuatorid[joint]; actuator >= 0) {  // it may bring a rotor and friction of its own
    const double gear = m_.actuator_gear[6 * m_.actuator_outadr[actuator]];
    options.armature += m_.actuator_armature[actuator] * gear * gear;
    options.damping += m_.actuator_damping[actuator] * gear * gear;
  }
  if (disabled(mjDSBL_DAMPER)) options.damping = 0.0;
  options.dry_friction = without_constraint(mjDSBL_FRICTIONLOSS) ? 0.0 : m_.dof_frictionloss[dof];
  const bool has_scalar_position = options.kind == JointKind::prismatic || options.kind == JointKind::revolute;
  if (!has_scalar_position) return options;
  options.axis = vector3(m_.jnt_axis + 3 * joint);
  options.reference = options.initial_position = m_.qpos0[position];
  if (!disabled(mjDSBL_SPRING)) options.stiffness = m_.jnt_stiffness[joint];
  options.rest_position = m_.qpos_spring[position];
  set_joint_limits(joint, options);
  return options;
}

void MjcfReader::set_joint_limits(int joint, JointOptions& options) {
  if (m_.jnt_limited[joint] && !without_constraint(mjDSBL_LIMIT)) {
    options.lower = m_.jnt_range[2 * joint], options.upper = m_.jnt_range[2 * joint + 1];
  }
  if (!m_.jnt_actfrclimited[joint]) return;
  const double lower = m_.jnt_actfrcrange[2 * joint], upper = m_.jnt_actfrcrange[2 * joint + 1];
  options.effort_limit = std::max(0.0, std::min(-lower, upper));
  if (-lower != upper) {
    ignored_.add("joint", label_of(mjOBJ_JOINT, joint),
                 "actuatorfrcrange that is not symmetric: the smaller of its bounds limits both directions");
  }
}

void MjcfReader::read_sites() {
  for (int site = 0; site < m_.nsite; ++site) {
    const int body = m_.site_bodyid[site];
    builder_.add_site(site_name(site), builder_body(body),
                      placed(body, pose(m_.site_pos + 3 * site, m_.site_quat + 4 * site)));
  }
}

}  // namespace stiction
