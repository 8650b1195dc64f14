// Describes a world piece by piece and makes a Model of it.
//
//     ModelBuilder builder;
//     builder.add_shape({.geometry = Plane{}});
//     const int box = builder.add_body({.name = "box", .pose = Pose(Vector3(0, 0, 1))});
//     builder.add_shape({.body = box, .geometry = Box{{0.1, 0.1, 0.1}}, .density = 1000});
//     std::shared_ptr<const Model> model = builder.build();
//
// Every add_… checks what it is given and throws std::invalid_argument naming element, field and value; build() checks
// what concerns the whole (masses below every joint, names, loops). Indices that add_… returns are the builder's own
// and serve its other calls; the model is asked by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiction/model/geometry/inertia.h"
#include "stiction/model/model.h"

namespace stiction {

enum class JointKind { fixed, free, ball, revolute, prismatic, planar, universal, cylindrical };
std::string_view to_string(JointKind kind);

struct JointOptions {
  std::string name{};  // empty: the name of the body
  JointKind kind = JointKind::free;
  Pose pose{};                        // X_BJ: joint frame in the body's frame; the body turns about its origin
  Vector3 axis = Vector3::UnitZ();    // revolute, prismatic, cylindrical; normal of planar; first of universal
  Vector3 axis_2 = Vector3::UnitX();  // second axis of universal
  double reference = 0.0;             // position at which the body stands as `BodyOptions::pose` says, rad or m
  double initial_position = 0.0;      // of the reset state; revolute and prismatic
  // For every degree of freedom of the joint; units as in Dof.
  double armature = 0.0, damping = 0.0, stiffness = 0.0, rest_position = 0.0, dry_friction = 0.0;
  double lower = -no_limit, upper = no_limit, effort_limit = no_limit, velocity_limit = no_limit;
};

struct BodyOptions {
  std::string name{};  // empty: "body<index>"
  int parent = -1;     // builder index; −1: the world
  Pose pose{};         // X_PB: body in its parent at the reference position; of a free body: where it starts
  JointOptions joint{};
  // Several joints in sequence, in place of `joint`, as in MJCF: each turns about its own frame on the body.
  std::vector<JointOptions> joints{};
  std::optional<Inertia> inertia{};  // none: the sum of the shapes with mass or density
  // Moved by Simulator::set_body_velocity() and set_body_pose(), by no force (MJCF calls it mocap): a free joint on the
  // world, nothing hangs on it by a joint, and its inertia does not count.
  bool is_kinematic = false;
  double gravity_compensation = 0.0;  // of its weight: 1: it is carried, and gravity does nothing to it
};

struct ShapeOptions {
  std::string name{};
  int body = -1;  // builder index; −1: the world
  Pose pose{};    // X_BS
  Geometry geometry = Sphere{};
  Material material{};
  double mass = 0.0;     // kg; counts where the body gives no inertia
  double density = 0.0;  // kg/m³; used where mass is 0
  std::uint32_t group = 1, mask = 1;
  std::array<double, 4> color{0.7, 0.7, 0.7, 1.0};
};

struct LoopOptions {
  std::string name{};
  LoopKind kind = LoopKind::point;
  int body_a = -1, body_b = -1;        // builder indices; −1: the world
  Pose pose_a{}, pose_b{};             // X_AF, X_BF
  std::string joint_a{}, joint_b{};    // joint equality: joints of one degree of freedom; joint_b may be empty
  std::string tendon_a{}, tendon_b{};  // tendon equality; tendon_b may be empty
  std::array<double, 5> coefficients{0.0, 1.0, 0.0, 0.0, 0.0};
  double compliance = 0.0;
};

struct TendonTermOptions {
  std::string joint{};  // of one degree of freedom
  double coefficient = 1.0;
};

// A place on the way: a site by its name; or a sphere or cylinder on a body; or a pulley.
struct TendonPointOptions {
  TendonPointKind kind = TendonPointKind::site;
  std::string site{};
  int body = -1;  // builder index; −1: the world
  Pose pose{};    // X_BP
  double radius = 0.0;
  std::string side_site{};
  double divisor = 1.0;
};

struct TendonOptions {
  std::string name{};
  std::vector<TendonTermOptions> terms{};  // fixed; else `path`
  double offset = 0.0;
  std::vector<TendonPointOptions> path{};
  double stiffness = 0.0, rest_lower = 0.0, rest_upper = 0.0, damping = 0.0, dry_friction = 0.0;
  double lower = -no_limit, upper = no_limit, effort_limit = no_limit;
};

// Acts on one of: a joint, a tendon, a site (from reference_site, where there is one), a slider-crank (`site` is the
// crank's, `slider_site` that along whose z axis the slider moves).
struct ActuatorOptions {
  std::string name{};   // empty: the name of the joint
  std::string joint{};  // of one degree of freedom
  ActuatorKind kind = ActuatorKind::torque;
  double gear = 1.0, kp = 0.0, kd = 0.0;
  double control_lower = -no_limit, control_upper = no_limit, force_lower = -no_limit, force_upper = no_limit;
  std::string tendon{}, site{}, reference_site{}, slider_site{};
  std::array<double, 6> wrench{};  // site
  double crank_length = 0.0;
  std::array<double, 3> gain{1.0, 0.0, 0.0}, bias{};  // affine
  Muscle muscle{};
  ActivationKind activation = ActivationKind::none;
  std::array<double, 3> time_constants{};  // as in Actuator
  double activation_lower = -no_limit, activation_upper = no_limit;
  bool acts_early = false;
};

// Mounted, as its kind asks for, on one of: a joint, a tendon, an actuator, a site, a body (its frame).
struct SensorOptions {
  std::string name{};  // empty: the kind, with a number
  SensorKind kind = SensorKind::clock;
  std::string joint{}, tendon{}, actuator{}, site{};
  int body = no_body;  // builder index; −1: the world
  Pose pose{};         // X_S on the site or body
  std::string reference_site{};
  int reference_body = no_body;
  Pose reference_pose{};     // on the reference
  int other_body = no_body;  // contact_force: of this one alone
  std::optional<Geometry> region{};
  Vector3 field = Vector3::Zero();
  double scale = 1.0, cutoff = 0.0, noise = 0.0, delay = 0.0;  // as in Sensor

  static constexpr int no_body = -2;
};

// How a model is put into another one.
struct AttachOptions {
  std::string prefix{};        // of all its names
  int parent = -1;             // builder index of the body that it is fixed to; −1: the world
  Pose pose{};                 // of its world on that body
  bool is_base_fixed = false;  // bodies with a free joint lose it and stay where the initial state has them
};

// Which part of the model a keyframe speaks of: bodies and actuators first … end − 1 of the builder, for files that are
// read into one world; −1: to the last. The rest is in the initial state.
struct KeyframeScope {
  int first_body = 0, end_body = -1, first_actuator = 0, end_actuator = -1;
};

class ModelBuilder {
 public:
  ModelBuilder();
  ~ModelBuilder();
  ModelBuilder(ModelBuilder&&) noexcept;
  ModelBuilder& operator=(ModelBuilder&&) noexcept;

  // A builder that has described this model: build() gives it again, equal to the last bit, and anything may be added.
  // Bodies are those of the user, with the names and in the order of the model's frames. (ModelEdit changes values.)
  static ModelBuilder from_model(const Model& model);
  // All of a model as a part of this world: bodies, shapes, loops, actuators, keyframes and filters, under a prefix.
  // Its gravity, fluid, friction rule and time step are not taken. Returns the builder index of its first body; those
  // of the others follow in the order of its frames. Throws std::invalid_argument, and changes nothing, where a free
  // joint would hang on a body that moves (is_base_fixed) or the model has bodies without a frame.
  int attach(const Model& model, const AttachOptions& options = {});
  // Takes a body out, with all that hangs on it or is fixed to it: shapes, sites, loops, actuators, filters, its part
  // of keyframes. Indices of the others stay. Refused for what was fixed to another body in a model that was attached:
  // there the inertias of the two are one.
  void remove_body(int body);
  int find_body(std::string_view name) const;  // builder index; throws std::invalid_argument naming what there is

  void set_gravity(const Vector3& gravity);
  void set_friction_rule(FrictionRule rule);
  void set_fluid(const Fluid& fluid);  // acts on all bodies with mass: on their forms, else on their inertia boxes
  void set_suggested_time_step(double seconds);

  int add_body(const BodyOptions& options);
  int add_shape(const ShapeOptions& options);
  int add_site(const std::string& name, int body, const Pose& pose);
  int add_loop(const LoopOptions& options);
  int add_tendon(const TendonOptions& options);
  int add_actuator(const ActuatorOptions& options);
  int add_sensor(const SensorOptions& options);
  int add_fluid_form(const FluidForm& form);    // FluidForm::body: a builder index
  int add_camera(const MountedCamera& camera);  // its frame and target: builder indices of bodies
  // q and v in the layout of the model, or of the part that `scope` names; empty for the initial state. Checked by
  // build().
  int add_keyframe(const Keyframe& keyframe, const KeyframeScope& scope = {});

  void exclude_bodies(int body_a, int body_b);  // no contact between any of their shapes
  void exclude_shapes(int shape_a, int shape_b);
  void force_pair(int shape_a, int shape_b);  // contact whatever group, mask and kinship say
  // The material of contacts between two shapes, in place of what theirs make. direction_of counts shape_a as the
  // first.
  void set_pair_material(int shape_a, int shape_b, const PairMaterial& material);
  // Shapes of a body and of its parent do not meet unless this is set (bodies fixed to the world do).
  void set_parents_collide(bool collide);

  std::shared_ptr<const Model> build() const;

 private:
  struct Draft;
  std::unique_ptr<Draft> draft_;
};

}  // namespace stiction
