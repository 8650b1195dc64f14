// The immutable description of a world: a forest of bodies with joints, shapes, loops, actuators, and the flat layout
// that the kernels run on. Made by ModelBuilder, which validates; never changed afterwards, so that any number of
// simulators and threads share one.
//
// Forest. Bodies are in depth-first order, parents before children. Every body hangs on its parent by one elementary
// joint: free, ball, revolute or prismatic; a joint of more parts (planar, universal, cylindrical, the several joints
// of an MJCF body) is a chain of bodies of which only the last has mass. Bodies that are fixed to their parent are
// merged into it and live on as frames. Axes of revolute and prismatic joints are the z axis of the body's frame: the
// builder turns frames so, and `frames` tell where the frames of the user are.
//
// Configuration. q holds, body by body: free: position (3, world), orientation quaternion (x, y, z, w); ball:
// quaternion of the joint frame (x, y, z, w); revolute: angle, rad; prismatic: length, m.
// Velocity. v holds: free: velocity of the frame's origin in world axes (m/s), angular velocity in the body's axes
// (rad/s); ball: angular velocity in the body's axes; revolute: rad/s; prismatic: m/s.
// (Linear velocity in world axes lets a spinning body fly straight to the last bit; angular velocity in body axes keeps
// the inertia constant.)
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stiction/math/pose.h"
#include "stiction/model/fluid.h"
#include "stiction/model/geometry/shape.h"
#include "stiction/model/mounted_camera.h"
#include "stiction/model/sensor.h"
#include "stiction/model/tendon.h"

namespace stiction {

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

enum class JointType : std::uint8_t { free, ball, revolute, prismatic };
std::string_view to_string(JointType type);
inline constexpr int num_positions_of(JointType type) {
  return type == JointType::free ? 7 : type == JointType::ball ? 4 : 1;
}
inline constexpr int num_velocities_of(JointType type) {
  return type == JointType::free ? 6 : type == JointType::ball ? 3 : 1;
}

struct Body {
  int parent = -1;  // −1: the world
  int tree = 0;
  JointType joint = JointType::free;
  int first_position = 0;  // in q
  int first_velocity = 0;  // in v
  Pose placement{};   // X_PJ: joint frame in the parent's frame; the body's frame at q = 0. Not used by free joints.
  double mass = 0.0;  // kg; 0 for the inner bodies of a chain
  Vector3 com = Vector3::Zero();      // centre of mass in the body's frame, m
  Matrix3 inertia = Matrix3::Zero();  // about the centre of mass, body axes, kg·m²
  // Moved by whoever sets its velocity, and by no force: free, alone in its tree, mass and inertia zero, M⁻¹ = 0.
  bool is_kinematic = false;
  std::string name{};  // of the user's body that hangs on the joint; empty for the inner bodies of a chain
};

// What of a body's weight something carries: a mass (of any sign) at a point of it on which gravity does not act.
struct CarriedWeight {
  int body = -1;
  double mass = 0.0;                 // kg
  Vector3 center = Vector3::Zero();  // in the body's frame, m
};

struct Tree {
  int first_body = 0, num_bodies = 0;
  int first_velocity = 0, num_velocities = 0;
  // One free body without armature, and in no fluid, whose centre of mass is its origin: M = diag(m, m, m, inertia).
  bool is_single_free_body = false;
};

// One degree of freedom.
struct Dof {
  int body = 0;
  int parent = -1;                             // next degree of freedom towards the root; −1 at the root
  int depth = 0;                               // number of ancestors
  double armature = 0.0;                       // rotor inertia seen at the joint, kg·m² or kg
  double damping = 0.0;                        // N·m·s/rad or N·s/m
  double stiffness = 0.0;                      // N·m/rad or N/m; revolute and prismatic only
  double rest_position = 0.0;                  // rad or m
  double dry_friction = 0.0;                   // largest friction torque or force, N·m or N
  double lower = -no_limit, upper = no_limit;  // position limits, rad or m; revolute and prismatic only
  double effort_limit = no_limit;              // of all actuators together, N·m or N
  double velocity_limit = no_limit;            // for information; not enforced
};

// A joint as the user named it: consecutive degrees of freedom.
struct Joint {
  std::string name{}, kind{};  // kind: free, ball, revolute, prismatic, planar, universal, cylindrical
  int first_body = 0, num_bodies = 1;
  int first_position = 0, num_positions = 0;
  int first_velocity = 0, num_velocities = 0;
};

// A named frame on a body: every body of the user (also those merged into their parent), every site.
struct Frame {
  std::string name{};
  int body = -1;         // −1: the world
  Pose pose{};           // X_BF
  bool is_site = false;  // not a body of the user
};

enum class LoopKind : std::uint8_t {
  point,            // the origins of two frames coincide: 3 rows
  hinge,            // and their z axes are parallel: 5 rows
  weld,             // the frames coincide: 6 rows
  joint_equality,   // q_a = Σ c_k q_b^k, or q_a = c_0 without b: 1 row; mimic joints
  tendon_equality,  // the same for the lengths of tendons
};
std::string_view to_string(LoopKind kind);

struct Loop {
  std::string name{};
  LoopKind kind = LoopKind::point;
  int body_a = -1, body_b = -1;      // −1: the world
  Pose pose_a{}, pose_b{};           // X_AF, X_BF
  int dof_a = -1, dof_b = -1;        // joint equality
  int tendon_a = -1, tendon_b = -1;  // tendon equality
  std::array<double, 5> coefficients{};
  double compliance = 0.0;  // m/N (rad/(N·m) for turning rows); zero is rigid
};

enum class ActuatorKind : std::uint8_t {
  torque,    // τ = gear u
  position,  // τ = gear (kp (u − gear q) − kd gear v)
  velocity,  // τ = gear kd (u − gear v)
  affine,    // τ = gear ((g_0 + g_1 ℓ + g_2 ℓ̇) u + b_0 + b_1 ℓ + b_2 ℓ̇), ℓ = gear q
  muscle,    // τ = gear F(ℓ, ℓ̇, u): see Muscle
};
std::string_view to_string(ActuatorKind kind);

// Hill's muscle as MuJoCo has it: F = −force (FL(L) FV(V) u + FP(L)), L and V scaled to the optimal length.
struct Muscle {
  double range_lower = 0.75, range_upper = 1.05;  // L at the ends of the length range
  double force = 0.0;                             // peak force, N
  double lower = 0.5, upper = 1.6;                // L at which it exerts nothing
  double speed = 1.5;                             // V at which it exerts nothing, optimal lengths per second
  double passive = 1.3, stretched = 1.2;          // peak passive force; force when it is stretched quickly; of `force`
  double length_lower = 0.0, length_upper = 1.0;  // range of ℓ
};

struct Actuator {
  std::string name{};
  ActuatorKind kind = ActuatorKind::torque;
  TransmissionKind transmission = TransmissionKind::joint;
  int dof = 0;                           // joint; −1: another transmission
  int tendon = -1;                       // tendon
  int frame = -1, reference_frame = -1;  // site, and what it is measured from (−1: nothing); crank and slider
  double crank_length = 0.0;             // of the rod, m
  std::array<double, 6> wrench{};        // site: force and torque of u = 1 in its axes, where gear is 1
  double gear = 1.0;
  double kp = 0.0, kd = 0.0;  // N·m/rad, N·m·s/rad (N/m, N·s/m)
  double control_lower = -no_limit, control_upper = no_limit;
  double force_lower = -no_limit, force_upper = no_limit;  // of the actuator, before gear
  std::array<double, 3> gain{1.0, 0.0, 0.0}, bias{};       // affine
  Muscle muscle{};
  ActivationKind activation = ActivationKind::none;  // none: u is the control
  int first_activation = -1;                         // in State::activation; −1: none
  std::array<double, 3> time_constants{};            // s: filter: T; muscle: T_1, T_2, and the width in u of the change
  double activation_lower = -no_limit, activation_upper = no_limit;
  bool acts_early = false;  // force by the activation at the end of the step
};

struct Keyframe {
  std::string name{};
  double time = 0.0;
  VectorX q{}, v{}, control{}, activation{};
};

// Velocities cut into nodes of at most six, never across a branching point: two chains part at the end of a node, and
// only the last node of a body's chain may be used in part. The factored form of contact problems is cut the same way.
struct VelocityNode {
  int first_velocity = 0, size = 0;
  int parent = -1;  // next node towards the root
};

struct Model {
  Vector3 gravity{0.0, 0.0, -9.81};  // m/s²
  FrictionRule friction_rule = FrictionRule::geometric_mean;
  double suggested_time_step = 1e-3;  // s; what the file asks for

  std::vector<Body> bodies;
  std::vector<Tree> trees;
  std::vector<Dof> dofs;  // one per velocity
  std::vector<Joint> joints;
  std::vector<Frame> frames;
  std::vector<Shape> shapes;
  std::vector<Loop> loops;
  std::vector<Actuator> actuators;
  std::vector<Keyframe> keyframes;
  std::vector<MountedCamera> cameras;
  std::vector<std::pair<int, int>> excluded_pairs;  // of shapes, first < second, sorted; parents and children included
  std::vector<std::pair<int, int>> forced_pairs;    // of shapes that may meet whatever group and mask say; sorted
  VectorX initial_position{};                       // q of the reset state
  VectorX initial_velocity{};                       // v of the reset state

  // Packed rows of M and of its factor: row j holds the couplings of velocity j with its ancestors by depth, entry
  // depth[j] being the diagonal; rows start at multiples of four.
  std::vector<int> row_begin;     // num_velocities + 1
  std::vector<int> row_ancestor;  // velocity index of every entry; 0 in the padding
  std::vector<VelocityNode> nodes;
  std::vector<int> node_of;  // node of every velocity

  std::vector<Tendon> tendons;
  std::vector<CarriedWeight> carried_weights;  // gravity compensation; ascending bodies, each once
  std::vector<Sensor> sensors;
  std::vector<ShapePair> pair_materials;  // pairs with a material of their own; sorted, each once
  Fluid fluid{};
  std::vector<FluidForm> fluid_forms;  // ascending bodies; in a fluid every body with mass has one

  int num_bodies() const { return static_cast<int>(bodies.size()); }
  int num_positions() const { return static_cast<int>(initial_position.size()); }
  int num_velocities() const { return static_cast<int>(dofs.size()); }
  int num_activations() const;  // of actuators with a state of their own
  int num_sensor_values() const { return sensors.empty() ? 0 : sensors.back().first_value + sensors.back().num_values; }
  // Last degree of freedom of the chain of a body; −1 for the world.
  int last_dof(int body) const {
    return body < 0 ? -1 : bodies[body].first_velocity + num_velocities_of(bodies[body].joint) - 1;
  }
  // Whether impulses move it: not the world (−1), no kinematic body.
  bool is_movable(int body) const { return body >= 0 && !bodies[body].is_kinematic; }
  // Whether two shapes may touch: masks, exclusions, same body, neither of a body that impulses move.
  bool may_collide(int shape_a, int shape_b) const;

  // Of a contact between two shapes, shape_a < shape_b.
  PairMaterial pair_material(int shape_a, int shape_b) const;

  // Indices by name; throw std::invalid_argument naming what there is.
  int find_body(std::string_view name) const;  // that carries the user's body of this name; −1: it is part of the world
  int find_frame(std::string_view name) const;
  int find_joint(std::string_view name) const;
  int find_shape(std::string_view name) const;
  int find_actuator(std::string_view name) const;
  int find_tendon(std::string_view name) const;
  int find_keyframe(std::string_view name) const;
  int find_camera(std::string_view name) const;
  int find_sensor(std::string_view name) const;
};

// q ⊕ Δt v on the configuration manifold; quaternions stay of length one.
void integrate(const Model& model, VectorView q, VectorView v, double time_step, VectorOut q_next);
// v with integrate(q, v, 1) = q_other.
void difference(const Model& model, VectorView q, VectorView q_other, VectorOut v);

}  // namespace stiction
