#include "stiction/model/model_edit.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/refuse.h"
#include "stiction/model/builder/complete_model.h"
#include "stiction/model/builder/model_checks.h"
#include "stiction/model/geometry/solid.h"

namespace stiction {
namespace {

const Model& not_null(const std::shared_ptr<const Model>& model) {
  if (!model) refuse("edit: there is no model");
  return *model;
}

std::string named(const char* kind, std::string_view name) {
  return std::string(kind) + " '" + std::string(name) + "'";
}

// Effort limits may be infinite.
void check_limit(double value, std::string_view what, const char* field) {
  if (!(value >= 0.0)) refuse(what, ": ", field, " is ", value, "; it must not be negative");
}

int find_loop(const Model& model, std::string_view name) {
  for (std::size_t k = 0; k < model.loops.size(); ++k) {
    if (model.loops[k].name == name) return static_cast<int>(k);
  }
  refuse("no loop '", name, "' in the model; there are ", model.loops.size());
}

std::string pair_label(std::string_view a, std::string_view b) {
  return "material of the pair of shapes '" + std::string(a) + "' and '" + std::string(b) + "'";
}

std::string shape_label(const Model& model, int shape) {
  const std::string& name = model.shapes[static_cast<std::size_t>(shape)].name;
  return name.empty() ? "shape " + std::to_string(shape) : named("shape", name);
}

std::pair<int, int> find_pair(const Model& model, std::string_view a, std::string_view b) {
  const std::pair<int, int> found{model.find_shape(a), model.find_shape(b)};
  if (found.first == found.second) refuse(pair_label(a, b), ": a shape with itself");
  return found;
}

// Where it is, or where it belongs.
std::vector<ShapePair>::iterator find_own(std::vector<ShapePair>& pairs, const std::pair<int, int>& wanted) {
  return std::lower_bound(pairs.begin(), pairs.end(), wanted, [](const ShapePair& pair, const auto& other) {
    return std::pair(pair.shape_a, pair.shape_b) < other;
  });
}

// In all that a pair with a material of its own takes from there.
bool same_in_pairs(const Material& a, const Material& b) {
  const auto values = [](const Material& m) {
    return std::array{m.friction,         m.is_anisotropic() ? m.friction_2 : m.friction,
                      m.restitution,      m.compliance,
                      m.damping,          m.torsional_friction,
                      m.rolling_friction, static_cast<double>(m.priority)};
  };
  return values(a) == values(b);
}

// The frame of that body, which must be one that moves with inertia.
const Frame& movable_frame(const Model& model, std::string_view body) {
  const int carrier = model.find_body(body);
  if (carrier < 0) refuse("body '", body, "': it is part of the world, which has no inertia");
  if (!model.is_movable(carrier)) refuse("body '", body, "': it is kinematic, and has no inertia");
  for (const Frame& frame : model.frames) {
    if (frame.name == body && !frame.is_site) return frame;
  }
  return model.frames.front();  // find_body found it
}

}  // namespace

ModelEdit::ModelEdit(const std::shared_ptr<const Model>& model) : model_(not_null(model)) {}

void ModelEdit::set_gravity(const Vector3& gravity) {
  check_finite(gravity, "world", "gravity");
  model_.gravity = gravity;
}

void ModelEdit::set_fluid(const Fluid& fluid) {
  check_fluid(fluid, "world");
  model_.fluid = fluid;
}

void ModelEdit::set_friction_rule(FrictionRule rule) {
  if (static_cast<int>(rule) < 0 || static_cast<int>(rule) > 4) {
    refuse("world: friction rule is ", static_cast<int>(rule), "; it must be one of the enumeration");
  }
  model_.friction_rule = rule;
}

void ModelEdit::set_suggested_time_step(double seconds) {
  if (!(seconds > 0.0) || !std::isfinite(seconds)) {
    refuse("world: suggested time step is ", seconds, " s; it must be positive and finite");
  }
  model_.suggested_time_step = seconds;
}

void ModelEdit::set_mass(std::string_view body, double mass) {
  Body& b = model_.bodies[static_cast<std::size_t>(movable_frame(model_, body).body)];
  if (!(mass > 0.0) || !std::isfinite(mass)) {
    refuse(named("body", body), ": mass is ", mass, " kg; it must be positive and finite");
  }
  if (b.mass == 0.0)
    refuse(named("body", body), ": it has no mass so far, and so no shape of its inertia; set_inertia");
  const Inertia scaled{mass, b.com, b.inertia * (mass / b.mass)};
  check_inertia(scaled, named("body", body));
  for (CarriedWeight& weight : model_.carried_weights) {
    if (&model_.bodies[static_cast<std::size_t>(weight.body)] == &b) weight.mass *= mass / b.mass;
  }
  for (Sensor& sensor : model_.sensors) {  // what it carries is the same share
    const int on = sensor.frame < 0 ? -1 : model_.frames[static_cast<std::size_t>(sensor.frame)].body;
    if (on < 0 || &model_.bodies[static_cast<std::size_t>(on)] != &b) continue;
    sensor.part.inertia.mass *= mass / b.mass, sensor.part.inertia.moment *= mass / b.mass;
  }
  b.mass = mass;
  b.inertia = scaled.moment;
}

void ModelEdit::set_inertia(std::string_view body, const Inertia& inertia) {
  const Frame& frame = movable_frame(model_, body);
  check_inertia(inertia, named("body", body));
  const Inertia moved = inertia.in(frame.pose);
  for (const Sensor& sensor : model_.sensors) {
    const int on = sensor.frame < 0 ? -1 : model_.frames[static_cast<std::size_t>(sensor.frame)].body;
    if (on == frame.body && !sensor.part.is_whole) {
      refuse(named("body", body), ": sensor '", sensor.name, "' carries a part of it, whose share of the new inertia ",
             "is not known; set_mass scales both");
    }
  }
  Body& b = model_.bodies[static_cast<std::size_t>(frame.body)];
  for (CarriedWeight& weight : model_.carried_weights) {  // the same share of it
    if (weight.body != frame.body || b.mass == 0.0) continue;
    weight.mass *= moved.mass / b.mass;
    weight.center = moved.com;
  }
  b.mass = moved.mass, b.com = moved.com, b.inertia = moved.moment;
}

void ModelEdit::set_gravity_compensation(std::string_view body, double share) {
  const int index = movable_frame(model_, body).body;
  check_finite(share, named("body", body), "gravity_compensation");
  const Body& b = model_.bodies[static_cast<std::size_t>(index)];
  std::vector<CarriedWeight>& weights = model_.carried_weights;
  std::erase_if(weights, [&](const CarriedWeight& weight) { return weight.body == index; });
  if (share * b.mass == 0.0) return;
  const auto above = std::find_if(weights.begin(), weights.end(), [&](const auto& w) { return w.body > index; });
  weights.insert(above, {index, share * b.mass, b.com});
}

// Nothing is changed where one of them is refused.
template <class Change>
void ModelEdit::change_dofs(std::string_view name, const char* scalar_only, Change&& change) {
  const Joint& joint = model_.joints[static_cast<std::size_t>(model_.find_joint(name))];
  std::vector<Dof> changed;
  for (int k = 0; k < joint.num_velocities; ++k) {
    Dof dof = model_.dofs[static_cast<std::size_t>(joint.first_velocity + k)];
    const JointType type = model_.bodies[static_cast<std::size_t>(dof.body)].joint;
    if (scalar_only != nullptr && num_velocities_of(type) != 1) {
      refuse(named("joint", name), ": ", scalar_only, " do not apply to a ", joint.kind, " joint");
    }
    change(dof, named("joint", name));
    changed.push_back(dof);
  }
  std::copy(changed.begin(), changed.end(), model_.dofs.begin() + joint.first_velocity);
}

void ModelEdit::set_limits(std::string_view joint, double lower, double upper) {
  change_dofs(joint, "limits", [&](Dof& dof, const std::string& what) {
    check_range(lower, upper, what, "lower and upper");
    dof.lower = lower, dof.upper = upper;
  });
}

void ModelEdit::set_damping(std::string_view joint, double damping) {
  change_dofs(joint, nullptr, [&](Dof& dof, const std::string& what) {
    check_not_negative(damping, what, "damping");
    dof.damping = damping;
  });
}

void ModelEdit::set_armature(std::string_view joint, double armature) {
  change_dofs(joint, nullptr, [&](Dof& dof, const std::string& what) {
    check_not_negative(armature, what, "armature");
    dof.armature = armature;
  });
}

void ModelEdit::set_dry_friction(std::string_view joint, double largest) {
  change_dofs(joint, nullptr, [&](Dof& dof, const std::string& what) {
    check_not_negative(largest, what, "dry_friction");
    dof.dry_friction = largest;
  });
}

void ModelEdit::set_spring(std::string_view joint, double stiffness, double rest_position) {
  change_dofs(joint, "springs", [&](Dof& dof, const std::string& what) {
    check_not_negative(stiffness, what, "stiffness");
    check_finite(rest_position, what, "rest_position");
    dof.stiffness = stiffness, dof.rest_position = rest_position;
  });
}

void ModelEdit::set_effort_limit(std::string_view joint, double limit) {
  change_dofs(joint, nullptr, [&](Dof& dof, const std::string& what) {
    check_limit(limit, what, "effort_limit");
    dof.effort_limit = limit;
  });
}

void ModelEdit::set_friction(std::string_view shape, double friction) {
  Material material = model_.shapes[static_cast<std::size_t>(model_.find_shape(shape))].material;
  material.friction = friction;
  material.friction_2 = -1.0;
  set_material(shape, material);
}

void ModelEdit::set_material(std::string_view shape, const Material& material) {
  const int index = model_.find_shape(shape);
  check_material(material, named("shape", shape));
  Material& now = model_.shapes[static_cast<std::size_t>(index)].material;
  if (!same_in_pairs(now, material)) changed_materials_.insert(index);
  now = material;
}

void ModelEdit::set_pair_material(std::string_view shape_a, std::string_view shape_b, const PairMaterial& material) {
  const auto [a, b] = find_pair(model_, shape_a, shape_b);
  PairMaterial own = material;
  if (a > b && own.direction_of >= 0) own.direction_of = 1 - own.direction_of;
  check_pair_material(own, pair_label(shape_a, shape_b));
  const std::pair<int, int> pair = std::minmax(a, b);
  std::vector<ShapePair>& pairs = model_.pair_materials;
  const auto at = find_own(pairs, pair);
  if (at != pairs.end() && std::pair(at->shape_a, at->shape_b) == pair) {
    at->material = own;
  } else {
    pairs.insert(at, {pair.first, pair.second, own});
  }
  settled_pairs_.insert(pair);
}

void ModelEdit::clear_pair_material(std::string_view shape_a, std::string_view shape_b) {
  const auto [a, b] = find_pair(model_, shape_a, shape_b);
  const std::pair<int, int> pair = std::minmax(a, b);
  std::vector<ShapePair>& pairs = model_.pair_materials;
  const auto at = find_own(pairs, pair);
  if (at == pairs.end() || std::pair(at->shape_a, at->shape_b) != pair) {
    refuse(pair_label(shape_a, shape_b), " is not there: they have none of their own");
  }
  pairs.erase(at);
}

// A material that a pair would hide is not changed without a word.
void ModelEdit::check_pairs() const {
  for (const ShapePair& pair : model_.pair_materials) {
    if (settled_pairs_.contains({pair.shape_a, pair.shape_b})) continue;
    for (const int shape : {pair.shape_a, pair.shape_b}) {
      if (!changed_materials_.contains(shape)) continue;
      const int other = shape == pair.shape_a ? pair.shape_b : pair.shape_a;
      refuse(shape_label(model_, shape), ": its material is changed, but its contacts with ",
             shape_label(model_, other), " have a material of their own, friction ", pair.material.friction,
             ", which stays; say what the pair shall have (set_pair_material, clear_pair_material)");
    }
  }
}

// Nothing is changed where the new place or size is refused.
void ModelEdit::place_shape(Shape& shape, const Geometry& geometry, const Pose& pose) {
  const std::string what = named("shape", shape.name);
  check_geometry(geometry, what);
  const Pose checked = checked_pose(pose, what, "pose");
  const ShapeKind kind = Shape{.geometry = geometry}.kind();
  const bool is_endless = kind == ShapeKind::plane || kind == ShapeKind::height_field;
  if (shape.body >= 0 && (is_endless || kind == ShapeKind::triangle_mesh)) {
    refuse(what, ": a ", to_string(kind), " on a moving body; it may only be part of the world");
  }
  const BoundingSphere bound = bounding_sphere(geometry);
  const Vector3 center = checked * bound.center;
  if (!center.allFinite() || (!is_endless && !std::isfinite(bound.radius))) {
    refuse(what, ": its place or size is too large for a number");
  }
  shape.geometry = geometry;
  shape.pose = checked;
  shape.bound_center = center;
  shape.bound_radius = bound.radius;
}

void ModelEdit::set_geometry(std::string_view shape, const Geometry& geometry) {
  Shape& s = model_.shapes[static_cast<std::size_t>(model_.find_shape(shape))];
  place_shape(s, geometry, s.pose);
}

void ModelEdit::set_shape_pose(std::string_view shape, const Pose& pose) {
  Shape& s = model_.shapes[static_cast<std::size_t>(model_.find_shape(shape))];
  place_shape(s, Geometry(s.geometry), pose);
}

void ModelEdit::set_collision(std::string_view shape, std::uint32_t group, std::uint32_t mask) {
  Shape& s = model_.shapes[static_cast<std::size_t>(model_.find_shape(shape))];
  s.group = group, s.mask = mask;
}

void ModelEdit::set_color(std::string_view shape, const std::array<double, 4>& color) {
  const int index = model_.find_shape(shape);
  for (std::size_t k = 0; k < 4; ++k) {
    if (!(color[k] >= 0.0 && color[k] <= 1.0)) {
      refuse(named("shape", shape), ": color[", k, "] is ", color[k], "; it must lie in 0 … 1");
    }
  }
  model_.shapes[static_cast<std::size_t>(index)].color = color;
}

void ModelEdit::set_gains(std::string_view actuator, double kp, double kd) {
  Actuator& a = model_.actuators[static_cast<std::size_t>(model_.find_actuator(actuator))];
  check_not_negative(kp, named("actuator", actuator), "kp");
  check_not_negative(kd, named("actuator", actuator), "kd");
  if (a.kind == ActuatorKind::affine || a.kind == ActuatorKind::muscle) {
    refuse(named("actuator", actuator), ": kp and kd of a ", to_string(a.kind), " actuator, which has none");
  }
  a.kp = kp, a.kd = kd;
}

void ModelEdit::set_gear(std::string_view actuator, double gear) {
  Actuator& a = model_.actuators[static_cast<std::size_t>(model_.find_actuator(actuator))];
  check_finite(gear, named("actuator", actuator), "gear");
  a.gear = gear;
}

void ModelEdit::set_control_limits(std::string_view actuator, double lower, double upper) {
  Actuator& a = model_.actuators[static_cast<std::size_t>(model_.find_actuator(actuator))];
  check_range(lower, upper, named("actuator", actuator), "control_lower and control_upper");
  a.control_lower = lower, a.control_upper = upper;
}

void ModelEdit::set_force_limits(std::string_view actuator, double lower, double upper) {
  Actuator& a = model_.actuators[static_cast<std::size_t>(model_.find_actuator(actuator))];
  check_range(lower, upper, named("actuator", actuator), "force_lower and force_upper");
  a.force_lower = lower, a.force_upper = upper;
}

// Nothing is changed where the new values are refused.
template <class Change>
void ModelEdit::change_actuator(std::string_view name, Change&& change) {
  Actuator& now = model_.actuators[static_cast<std::size_t>(model_.find_actuator(name))];
  Actuator next = now;
  change(next, named("actuator", name));
  check_actuator_values(next, named("actuator", name));
  now = std::move(next);
}

void ModelEdit::set_affine(std::string_view actuator, const std::array<double, 3>& gain,
                           const std::array<double, 3>& bias) {
  change_actuator(actuator, [&](Actuator& a, const std::string& what) {
    if (a.kind != ActuatorKind::affine) {
      refuse(what, ": gain and bias of a ", to_string(a.kind), " actuator, which has none");
    }
    a.gain = gain, a.bias = bias;
  });
}

void ModelEdit::set_time_constants(std::string_view actuator, const std::array<double, 3>& seconds) {
  change_actuator(actuator, [&](Actuator& a, const std::string& what) {
    if (a.activation == ActivationKind::none || a.activation == ActivationKind::integrator) {
      refuse(what, ": time_constants of one whose activation is ", to_string(a.activation));
    }
    a.time_constants = seconds;
  });
}

void ModelEdit::set_activation_limits(std::string_view actuator, double lower, double upper) {
  change_actuator(actuator, [&](Actuator& a, const std::string& what) {
    if (a.activation == ActivationKind::none) refuse(what, ": limits of its activation, of which it has none");
    a.activation_lower = lower, a.activation_upper = upper;
  });
}

template <class Change>
void ModelEdit::change_tendon(std::string_view name, Change&& change) {
  Tendon& now = model_.tendons[static_cast<std::size_t>(model_.find_tendon(name))];
  Tendon next = now;
  change(next);
  check_tendon_values(next, named("tendon", name));
  now = std::move(next);
}

void ModelEdit::set_tendon_spring(std::string_view tendon, double stiffness, double rest_lower, double rest_upper) {
  change_tendon(tendon, [&](Tendon& t) {
    t.stiffness = stiffness;
    t.rest_lower = rest_lower, t.rest_upper = rest_upper;
  });
}

void ModelEdit::set_tendon_damping(std::string_view tendon, double damping) {
  change_tendon(tendon, [&](Tendon& t) { t.damping = damping; });
}

void ModelEdit::set_tendon_dry_friction(std::string_view tendon, double largest) {
  change_tendon(tendon, [&](Tendon& t) { t.dry_friction = largest; });
}

void ModelEdit::set_tendon_limits(std::string_view tendon, double lower, double upper) {
  change_tendon(tendon, [&](Tendon& t) { t.lower = lower, t.upper = upper; });
}

void ModelEdit::set_tendon_effort_limit(std::string_view tendon, double limit) {
  change_tendon(tendon, [&](Tendon& t) { t.effort_limit = limit; });
}

void ModelEdit::set_loop_compliance(std::string_view loop, double compliance) {
  const int index = find_loop(model_, loop);
  check_not_negative(compliance, named("loop", loop), "compliance");
  model_.loops[static_cast<std::size_t>(index)].compliance = compliance;
}

void ModelEdit::set_sensor_noise(std::string_view sensor, double deviation) {
  Sensor& s = model_.sensors[static_cast<std::size_t>(model_.find_sensor(sensor))];
  check_not_negative(deviation, named("sensor", sensor), "noise");
  s.noise = deviation;
}

void ModelEdit::set_sensor_delay(std::string_view sensor, double seconds) {
  Sensor& s = model_.sensors[static_cast<std::size_t>(model_.find_sensor(sensor))];
  check_not_negative(seconds, named("sensor", sensor), "delay");
  s.delay = seconds;
}

void ModelEdit::set_sensor_cutoff(std::string_view sensor, double bound) {
  Sensor& s = model_.sensors[static_cast<std::size_t>(model_.find_sensor(sensor))];
  check_not_negative(bound, named("sensor", sensor), "cutoff");
  s.cutoff = bound;
}

void ModelEdit::set_initial_position(VectorView q) {
  if (q.size() != model_.num_positions()) {
    refuse("initial_position has ", q.size(), " entries; the model has ", model_.num_positions());
  }
  VectorX next = q;
  for (const Body& body : model_.bodies) {
    if (num_velocities_of(body.joint) == 1) continue;
    const int first = body.first_position + (body.joint == JointType::free ? 3 : 0);
    const double length = next.segment<4>(first).stableNorm();
    if (!(length > 1e-100)) refuse("initial_position: the quaternion at q[", first, "] has length ", length);
    if (std::abs(length - 1.0) > 1e-15) next.segment<4>(first) /= length;
  }
  for (Eigen::Index k = 0; k < next.size(); ++k) {
    check_finite(next[k], "initial_position", "q[" + std::to_string(k) + "]");
  }
  model_.initial_position = std::move(next);
}

void ModelEdit::set_initial_velocity(VectorView v) {
  if (v.size() != model_.num_velocities()) {
    refuse("initial_velocity has ", v.size(), " entries; the model has ", model_.num_velocities());
  }
  for (Eigen::Index k = 0; k < v.size(); ++k) check_finite(v[k], "initial_velocity", "v[" + std::to_string(k) + "]");
  model_.initial_velocity = v;
}

std::shared_ptr<const Model> ModelEdit::build() const {
  check_pairs();
  Model parts = model_;
  add_inertia_boxes(parts);
  return complete_model(std::move(parts));
}

}  // namespace stiction
