// The room `model`: a model changed, copied and pickled.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <string>

#include "expose.h"
#include "fields.h"
#include "geometry.h"
#include "stiction/io/recording/model_storage.h"
#include "stiction/model/model_edit.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

double number(const nb::object& value, const char* name) {
  double x = 0.0;
  read({value, name}, x);
  return x;
}

// The keywords of one element. What is asked for once is used up; what is left over nobody knows.
class Values {
 public:
  Values(const nb::handle& values, std::string what) : what_(std::move(what)) {
    if (!nb::isinstance<nb::dict>(values)) throw nb::type_error((what_ + ": a dictionary is wanted").c_str());
    left_.update(nb::borrow<nb::dict>(values));
  }
  bool has(const char* name) const { return left_.contains(name); }
  nb::object take(const char* name) {
    known_ += std::string(" ") + name;
    if (!left_.contains(name)) return nb::none();
    const nb::object value = left_[name];
    nb::del(left_[name]);
    return value;
  }
  // The value, or what it is so far.
  double take(const char* name, double now) {
    const nb::object value = take(name);
    return value.is_none() ? now : number(value, name);
  }
  void take(const char* name, std::array<double, 3>& to) {
    if (const nb::object value = take(name); !value.is_none()) read({value, name}, to);
  }
  void end() const {
    if (left_.size() == 0) return;
    for (const auto& [key, value] : left_) refuse_keyword(what_.c_str(), nb::cast<std::string>(key).c_str(), known_);
  }

 private:
  std::string what_, known_;
  nb::dict left_;
};

void edit_body(ModelEdit& edit, const std::string& name, Values& values) {
  const nb::object inertia = values.take("inertia"), mass = values.take("mass");
  if (!inertia.is_none()) edit.set_inertia(name, nb::cast<const Inertia&>(inertia));
  if (!mass.is_none()) edit.set_mass(name, number(mass, "mass"));
  if (const nb::object share = values.take("gravity_compensation"); !share.is_none()) {
    edit.set_gravity_compensation(name, number(share, "gravity_compensation"));
  }
}

void edit_joint(ModelEdit& edit, const std::string& name, Values& values) {
  const Model& m = edit.model();
  const Dof dof =
      m.dofs[static_cast<std::size_t>(m.joints[static_cast<std::size_t>(m.find_joint(name))].first_velocity)];
  if (values.has("lower") || values.has("upper")) {
    const double lower = values.take("lower", dof.lower);
    edit.set_limits(name, lower, values.take("upper", dof.upper));
  }
  if (values.has("stiffness") || values.has("rest_position")) {
    const double stiffness = values.take("stiffness", dof.stiffness);
    edit.set_spring(name, stiffness, values.take("rest_position", dof.rest_position));
  }
  if (values.has("damping")) edit.set_damping(name, values.take("damping", 0.0));
  if (values.has("armature")) edit.set_armature(name, values.take("armature", 0.0));
  if (values.has("dry_friction")) edit.set_dry_friction(name, values.take("dry_friction", 0.0));
  if (values.has("effort_limit")) edit.set_effort_limit(name, values.take("effort_limit", 0.0));
}

Pose shape_pose(const Model& model, const std::string& name) {
  return model.shapes[static_cast<std::size_t>(model.find_shape(name))].pose;
}

void edit_shape(ModelEdit& edit, const std::string& name, Values& values) {
  const Model& m = edit.model();
  const Shape& shape = m.shapes[static_cast<std::size_t>(m.find_shape(name))];
  Material material = shape.material;
  if (values.has("friction") && !values.has("friction_2")) material.friction_2 = -1.0;
  material.friction = values.take("friction", material.friction);
  material.friction_2 = values.take("friction_2", material.friction_2);
  material.restitution = values.take("restitution", material.restitution);
  material.compliance = values.take("compliance", material.compliance);
  material.damping = values.take("damping", material.damping);
  material.torsional_friction = values.take("torsional_friction", material.torsional_friction);
  material.rolling_friction = values.take("rolling_friction", material.rolling_friction);
  for (auto [key, vector] :
       {std::pair{"surface_velocity", &material.surface_velocity}, std::pair{"surface_spin", &material.surface_spin}}) {
    if (const nb::object value = values.take(key); !value.is_none()) read({value, key}, *vector);
  }
  if (const nb::object priority = values.take("priority"); !priority.is_none()) {
    read({priority, "priority"}, material.priority);
  }
  std::uint32_t group = shape.group, mask = shape.mask;
  if (const nb::object value = values.take("group"); !value.is_none()) read({value, "group"}, group);
  if (const nb::object value = values.take("mask"); !value.is_none()) read({value, "mask"}, mask);
  edit.set_material(name, material);
  if (const nb::object geometry = values.take("geometry"); !geometry.is_none()) {
    if (!is_geometry(geometry.ptr())) {
      throw nb::type_error(("edited: shapes '" + name + "': geometry: a shape is wanted, Box, Sphere, …").c_str());
    }
    edit.set_geometry(name, to_geometry(geometry));
  }
  if (values.has("position") || values.has("orientation")) {
    Pose pose = shape_pose(m, name);
    if (const nb::object at = values.take("position"); !at.is_none()) pose.position = to_vector3(at, "position");
    if (const nb::object turned = values.take("orientation"); !turned.is_none()) {
      read_orientation({turned, "orientation"}, pose.rotation);
    }
    edit.set_shape_pose(name, pose);
  }
  edit.set_collision(name, group, mask);
  if (const nb::object color = values.take("color"); !color.is_none()) {
    std::array<double, 4> rgba{};
    read({color, "color"}, rgba);
    edit.set_color(name, rgba);
  }
}

void edit_actuator(ModelEdit& edit, const std::string& name, Values& values) {
  const Model& m = edit.model();
  const Actuator a = m.actuators[static_cast<std::size_t>(m.find_actuator(name))];
  if (values.has("kp") || values.has("kd")) {
    const double kp = values.take("kp", a.kp);
    edit.set_gains(name, kp, values.take("kd", a.kd));
  }
  if (values.has("gain") || values.has("bias")) {
    std::array<double, 3> gain = a.gain, bias = a.bias;
    values.take("gain", gain), values.take("bias", bias);
    edit.set_affine(name, gain, bias);
  }
  if (values.has("gear")) edit.set_gear(name, values.take("gear", a.gear));
  if (values.has("control_lower") || values.has("control_upper")) {
    const double lower = values.take("control_lower", a.control_lower);
    edit.set_control_limits(name, lower, values.take("control_upper", a.control_upper));
  }
  if (values.has("force_lower") || values.has("force_upper")) {
    const double lower = values.take("force_lower", a.force_lower);
    edit.set_force_limits(name, lower, values.take("force_upper", a.force_upper));
  }
  if (values.has("time_constants")) {
    std::array<double, 3> seconds = a.time_constants;
    values.take("time_constants", seconds);
    edit.set_time_constants(name, seconds);
  }
  if (values.has("activation_lower") || values.has("activation_upper")) {
    const double lower = values.take("activation_lower", a.activation_lower);
    edit.set_activation_limits(name, lower, values.take("activation_upper", a.activation_upper));
  }
}

void edit_tendon(ModelEdit& edit, const std::string& name, Values& values) {
  const Model& m = edit.model();
  const Tendon t = m.tendons[static_cast<std::size_t>(m.find_tendon(name))];
  if (values.has("stiffness") || values.has("rest_lower") || values.has("rest_upper")) {
    const double stiffness = values.take("stiffness", t.stiffness), lower = values.take("rest_lower", t.rest_lower);
    edit.set_tendon_spring(name, stiffness, lower, values.take("rest_upper", t.rest_upper));
  }
  if (values.has("damping")) edit.set_tendon_damping(name, values.take("damping", 0.0));
  if (values.has("dry_friction")) edit.set_tendon_dry_friction(name, values.take("dry_friction", 0.0));
  if (values.has("lower") || values.has("upper")) {
    const double lower = values.take("lower", t.lower);
    edit.set_tendon_limits(name, lower, values.take("upper", t.upper));
  }
  if (values.has("effort_limit")) edit.set_tendon_effort_limit(name, values.take("effort_limit", 0.0));
}

// What the two have together so far is where it begins; friction alone is meant in all directions.
void edit_pair(ModelEdit& edit, const std::string& a, const std::string& b, Values& values) {
  const Model& m = edit.model();
  const int i = m.find_shape(a), j = m.find_shape(b);
  PairMaterial material = m.pair_material(std::min(i, j), std::max(i, j));
  if (i > j && material.direction_of >= 0) material.direction_of = 1 - material.direction_of;
  if (values.has("friction")) {
    material.friction = material.friction_2 = values.take("friction", 0.0);
    material.direction_of = -1;
  }
  material.restitution = values.take("restitution", material.restitution);
  material.compliance = values.take("compliance", material.compliance);
  material.damping = values.take("damping", material.damping);
  material.torsional_friction = values.take("torsional_friction", material.torsional_friction);
  material.rolling_friction = values.take("rolling_friction", material.rolling_friction);
  edit.set_pair_material(a, b, material);
}

void edit_sensor(ModelEdit& edit, const std::string& name, Values& values) {
  if (values.has("noise")) edit.set_sensor_noise(name, values.take("noise", 0.0));
  if (values.has("delay")) edit.set_sensor_delay(name, values.take("delay", 0.0));
  if (values.has("cutoff")) edit.set_sensor_cutoff(name, values.take("cutoff", 0.0));
}

void edit_loop(ModelEdit& edit, const std::string& name, Values& values) {
  if (values.has("compliance")) edit.set_loop_compliance(name, values.take("compliance", 0.0));
}

using EditElement = void (*)(ModelEdit&, const std::string&, Values&);

// {name: {field: value}}
void edit_elements(ModelEdit& edit, const char* kind, const nb::object& elements, EditElement change) {
  if (elements.is_none()) return;
  if (!nb::isinstance<nb::dict>(elements)) {
    throw nb::type_error((std::string("edited: ") + kind + " is a dictionary by name").c_str());
  }
  for (const auto& [key, value] : nb::borrow<nb::dict>(elements)) {
    const std::string name = nb::cast<std::string>(key);
    Values values(value, std::string("edited: ") + kind + " '" + name + "'");
    change(edit, name, values);
    values.end();
  }
}

// {(name, name): {field: value}}, or None for a pair that shall have nothing of its own.
void edit_pairs(ModelEdit& edit, const nb::object& pairs) {
  if (pairs.is_none()) return;
  if (!nb::isinstance<nb::dict>(pairs)) throw nb::type_error("edited: pairs is a dictionary by two names of shapes");
  for (const auto& [key, value] : nb::borrow<nb::dict>(pairs)) {
    if (!nb::isinstance<nb::tuple>(key) || nb::len(key) != 2) {
      throw nb::type_error("edited: pairs: a key is a tuple of two names of shapes");
    }
    const auto name = [&](int k) { return nb::cast<std::string>(nb::borrow<nb::object>(key)[k]); };
    const std::string a = name(0), b = name(1);
    if (value.is_none()) {
      edit.clear_pair_material(a, b);
      continue;
    }
    Values values(value, "edited: pairs '" + a + "', '" + b + "'");
    edit_pair(edit, a, b, values);
    values.end();
  }
}

std::shared_ptr<const Model> edited(const Model& model, const nb::kwargs& keywords) {
  ModelEdit edit(model);
  Values values(keywords, "edited");
  if (const nb::object gravity = values.take("gravity"); !gravity.is_none()) {
    edit.set_gravity(to_vector3(gravity, "gravity"));
  }
  if (const nb::object given = values.take("fluid"); !given.is_none()) {
    Fluid fluid = edit.model().fluid;
    Values fields(given, "edited: fluid");
    fluid.density = fields.take("density", fluid.density);
    fluid.viscosity = fields.take("viscosity", fluid.viscosity);
    if (const nb::object wind = fields.take("wind"); !wind.is_none()) fluid.wind = to_vector3(wind, "wind");
    fields.end();
    edit.set_fluid(fluid);
  }
  if (const nb::object rule = values.take("friction_rule"); !rule.is_none()) {
    std::vector<std::string> names;
    for (int k = 0; k < 5; ++k) names.emplace_back(to_string(static_cast<FrictionRule>(k)));
    edit.set_friction_rule(static_cast<FrictionRule>(read_choice({rule, "friction_rule"}, names)));
  }
  if (const nb::object step = values.take("suggested_time_step"); !step.is_none()) {
    edit.set_suggested_time_step(number(step, "suggested_time_step"));
  }
  edit_elements(edit, "bodies", values.take("bodies"), &edit_body);
  edit_elements(edit, "joints", values.take("joints"), &edit_joint);
  edit_elements(edit, "shapes", values.take("shapes"), &edit_shape);
  edit_pairs(edit, values.take("pairs"));
  edit_elements(edit, "actuators", values.take("actuators"), &edit_actuator);
  edit_elements(edit, "tendons", values.take("tendons"), &edit_tendon);
  edit_elements(edit, "loops", values.take("loops"), &edit_loop);
  edit_elements(edit, "sensors", values.take("sensors"), &edit_sensor);
  if (const nb::object q = values.take("initial_position"); !q.is_none()) {
    edit.set_initial_position(to_vector(q, "initial_position"));
  }
  if (const nb::object v = values.take("initial_velocity"); !v.is_none()) {
    edit.set_initial_velocity(to_vector(v, "initial_velocity"));
  }
  values.end();
  return edit.build();
}

}  // namespace

void expose_edit(nb::module_& module) {
  auto model = nb::borrow<nb::class_<Model>>(module.attr("Model"));
  model
      .def(
          "edited", &edited, "changes"_a,
          nb::sig(
              "def edited(self, *, gravity: numpy.typing.ArrayLike | None = None, friction_rule: str | None = None, "
              "suggested_time_step: float | None = None, bodies: dict[str, dict[str, typing.Any]] | None = None, "
              "joints: dict[str, dict[str, float]] | None = None, shapes: dict[str, dict[str, typing.Any]] | None = "
              "None, pairs: dict[tuple[str, str], dict[str, float] | None] | None = None, "
              "actuators: dict[str, dict[str, typing.Any]] | None = None, tendons: dict[str, dict[str, float]] | None "
              "= None, loops: dict[str, dict[str, float]] | None "
              "= None, sensors: dict[str, dict[str, float]] | None = None, initial_position: numpy.typing.ArrayLike | "
              "None = None, initial_velocity: "
              "numpy.typing.ArrayLike | None = None) -> Model"),
          "A new model with other values, elements by name: bodies mass, inertia, gravity_compensation; joints lower, "
          "upper, damping, "
          "armature, dry_friction, stiffness, rest_position, effort_limit; shapes the material, geometry, position and "
          "orientation in the frame of the body, group, mask, color; pairs, by two shapes, the material of their "
          "contacts, or None: what the shapes' materials make; actuators gains, gear, limits, time_constants; tendons "
          "stiffness, rest_lower, rest_upper, damping, dry_friction, lower, upper, effort_limit; loops compliance; "
          "sensors noise, delay, cutoff. ValueError names element, field and value, and this "
          "model never changes.")
      .def(
          "to_bytes",
          [](const Model& m) {
            const std::vector<std::byte> bytes = model_to_bytes(m);
            return nb::bytes(bytes.data(), bytes.size());
          },
          "All of it, equal to the last bit when it is read")
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            return model_from_bytes({static_cast<const std::byte*>(bytes.data()), bytes.size()});
          },
          "bytes"_a, "ValueError where the bytes are damaged")
      .def("__copy__", [](nb::handle_t<Model> self) { return nb::borrow(self); })
      .def(
          "__deepcopy__", [](nb::handle_t<Model> self, nb::handle) { return nb::borrow(self); }, "memo"_a)
      .def("__getstate__",
           [](const Model& m) {
             const std::vector<std::byte> bytes = model_to_bytes(m);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__", [](Model& m, const nb::bytes& bytes) {
        new (&m) Model(*model_from_bytes({static_cast<const std::byte*>(bytes.data()), bytes.size()}));
      });
}

}  // namespace stiction::python
