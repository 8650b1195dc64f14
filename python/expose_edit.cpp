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
  const double kp = values.take("kp", a.kp), kd = values.take("kd", a.kd);
  edit.set_gains(name, kp, kd);
  edit.set_gear(name, values.take("gear", a.gear));
  const double lower = values.take("control_lower", a.control_lower),
               upper = values.take("control_upper", a.control_upper);
  edit.set_control_limits(name, lower, upper);
  const double least = values.take("force_lower", a.force_lower), most = values.take("force_upper", a.force_upper);
  edit.set_force_limits(name, least, most);
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

std::shared_ptr<const Model> edited(const Model& model, const nb::kwargs& keywords) {
  ModelEdit edit(model);
  Values values(keywords, "edited");
  if (const nb::object gravity = values.take("gravity"); !gravity.is_none()) {
    edit.set_gravity(to_vector3(gravity, "gravity"));
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
  edit_elements(edit, "actuators", values.take("actuators"), &edit_actuator);
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
              "None, actuators: dict[str, dict[str, float]] | None = None, loops: dict[str, dict[str, float]] | None "
              "= None, sensors: dict[str, dict[str, float]] | None = None, initial_position: numpy.typing.ArrayLike | "
              "None = None, initial_velocity: "
              "numpy.typing.ArrayLike | None = None) -> Model"),
          "A new model with other values, elements by name: bodies mass, inertia; joints lower, upper, damping, "
          "armature, dry_friction, stiffness, rest_position, effort_limit; shapes the material, geometry, position and "
          "orientation in the frame of the body, group, mask, color; actuators gains, gear and limits; loops "
          "compliance; sensors noise, delay, cutoff. ValueError names element, field and value, and this "
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
