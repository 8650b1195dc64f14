// Changes values of a model that is there, and makes a new one of it:
//
//     ModelEdit edit(model);
//     edit.set_gravity({0, 0, -1.62});
//     edit.set_mass("hand", 0.8);
//     edit.set_friction("left_foot", 0.4);
//     std::shared_ptr<const Model> on_the_moon = edit.build();
//
// Elements are asked for by name. Every call checks what it is given and throws std::invalid_argument naming element,
// field and value; it then has changed nothing. build() checks the whole, as ModelBuilder::build() does. The model that
// is edited stays as it is, and meshes, hulls and height fields are shared with it; simulators that run on it go on.
// Adding and removing bodies is ModelBuilder::from_model().
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "stiction/model/geometry/inertia.h"
#include "stiction/model/model.h"

namespace stiction {

class ModelEdit {
 public:
  explicit ModelEdit(const std::shared_ptr<const Model>& model);
  explicit ModelEdit(const Model& model) : model_(model) {}

  void set_gravity(const Vector3& gravity);  // m/s²
  void set_fluid(const Fluid& fluid);        // bodies without a form get their inertia boxes; forms stay with any mass
  void set_friction_rule(FrictionRule rule);
  void set_suggested_time_step(double seconds);

  // ---- bodies. One that others were fixed to has the inertia of all of them, under any of their names.
  void set_mass(std::string_view body, double mass);  // kg; the moment of inertia goes with it, the centre stays
  void set_inertia(std::string_view body, const Inertia& inertia);  // in the frame of that name
  // What share of its weight something carries; 1: gravity does nothing to it, 0: all.
  void set_gravity_compensation(std::string_view body, double share);

  // ---- joints: every degree of freedom of the joint
  void set_limits(std::string_view joint, double lower, double upper);  // revolute, prismatic; rad or m
  void set_damping(std::string_view joint, double damping);
  void set_armature(std::string_view joint, double armature);
  void set_dry_friction(std::string_view joint, double largest);
  void set_spring(std::string_view joint, double stiffness, double rest_position);  // revolute, prismatic
  void set_effort_limit(std::string_view joint, double limit);

  // ---- shapes. Pairs with a material of their own (Model::pair_materials) do not follow the materials of their
  // shapes: build() refuses a changed material of a shape in such a pair unless the pair is named here, too. Velocities
  // of surfaces hold everywhere.
  void set_friction(std::string_view shape, double friction);  // in all directions
  void set_material(std::string_view shape, const Material& material);
  // Of contacts between the two; direction_of counts shape_a as the first.
  void set_pair_material(std::string_view shape_a, std::string_view shape_b, const PairMaterial& material);
  void clear_pair_material(std::string_view shape_a, std::string_view shape_b);  // what theirs make holds again
  // Another size or kind; the body's mass stays. Refused on a moving body where ModelBuilder refuses it.
  void set_geometry(std::string_view shape, const Geometry& geometry);
  void set_shape_pose(std::string_view shape, const Pose& pose);  // as Shape::pose, in the frame of its body
  void set_collision(std::string_view shape, std::uint32_t group, std::uint32_t mask);
  void set_color(std::string_view shape, const std::array<double, 4>& color);

  // ---- actuators, tendons and loops
  void set_gains(std::string_view actuator, double kp, double kd);  // torque, position, velocity
  // gain and bias: of an affine one, factors of (1, ℓ, ℓ̇).
  void set_affine(std::string_view actuator, const std::array<double, 3>& gain, const std::array<double, 3>& bias);
  void set_gear(std::string_view actuator, double gear);
  void set_control_limits(std::string_view actuator, double lower, double upper);
  void set_force_limits(std::string_view actuator, double lower, double upper);
  // As Actuator::time_constants, s, and the limits of the activation; refused where it has none.
  void set_time_constants(std::string_view actuator, const std::array<double, 3>& seconds);
  void set_activation_limits(std::string_view actuator, double lower, double upper);
  void set_tendon_spring(std::string_view tendon, double stiffness, double rest_lower, double rest_upper);
  void set_tendon_damping(std::string_view tendon, double damping);
  void set_tendon_dry_friction(std::string_view tendon, double largest);
  void set_tendon_limits(std::string_view tendon, double lower, double upper);
  void set_tendon_effort_limit(std::string_view tendon, double limit);
  void set_loop_compliance(std::string_view loop, double compliance);

  // ---- sensors
  void set_sensor_noise(std::string_view sensor, double deviation);
  void set_sensor_delay(std::string_view sensor, double seconds);
  void set_sensor_cutoff(std::string_view sensor, double bound);  // 0: none

  // ---- the reset state, in the layout of the model; quaternions are made of length one
  void set_initial_position(VectorView q);
  void set_initial_velocity(VectorView v);

  const Model& model() const { return model_; }  // as it is edited so far
  std::shared_ptr<const Model> build() const;

 private:
  void place_shape(Shape& shape, const Geometry& geometry, const Pose& pose);
  void check_pairs() const;
  template <class Change>
  void change_tendon(std::string_view tendon, Change&& change);
  template <class Change>
  void change_actuator(std::string_view actuator, Change&& change);
  template <class Change>
  void change_dofs(std::string_view joint, const char* scalar_only, Change&& change);

  Model model_;
  std::set<int> changed_materials_;              // shapes
  std::set<std::pair<int, int>> settled_pairs_;  // pairs that this edit has named
};

}  // namespace stiction
