// The room `model`: the model that a builder or a file has made.
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <sstream>

#include "expose.h"
#include "geometry.h"
#include "stiction/model/describe.h"
#include "stiction/model/model.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

template <class Element>
std::vector<std::string> names_of(const std::vector<Element>& elements) {
  std::vector<std::string> names;
  names.reserve(elements.size());
  for (const Element& element : elements) names.push_back(element.name);
  return names;
}

std::string repr(const Model& m) {
  std::ostringstream out;
  out << "Model(" << m.num_bodies() << (m.num_bodies() == 1 ? " body, " : " bodies, ") << m.num_positions()
      << " positions, " << m.num_velocities() << " velocities, " << m.shapes.size() << " shapes, " << m.actuators.size()
      << " actuators)";
  return out.str();
}

void expose_bodies(nb::module_& module) {
  nb::class_<Body>(module, "Body", "A rigid body of the forest and the joint on which it hangs")
      .def_ro("name", &Body::name, "of the user's body on the joint; empty for the inner bodies of a chain")
      .def_ro("parent", &Body::parent, "-1: the world")
      .def_ro("tree", &Body::tree)
      .def_ro("is_kinematic", &Body::is_kinematic, "moved by set_body_velocity, by no force")
      .def_prop_ro(
          "joint", [](const Body& b) { return to_string(b.joint); }, "free, ball, revolute or prismatic")
      .def_ro("first_position", &Body::first_position, "in q")
      .def_ro("first_velocity", &Body::first_velocity, "in v")
      .def_ro("placement", &Body::placement, "joint frame in the parent's frame")
      .def_ro("mass", &Body::mass, "kg")
      .def_prop_ro("com", view_of_member(&Body::com), "centre of mass in the body's frame, m")
      .def_prop_ro("inertia", view_of_member(&Body::inertia), "about the centre of mass, body axes, kg m^2")
      .def("__repr__", [](const Body& b) {
        return nb::str("Body('{}', {}, {:.6g} kg)")
            .format(b.name, b.is_kinematic ? "kinematic" : to_string(b.joint), b.mass);
      });
  nb::class_<Dof>(module, "Dof", "One degree of freedom: one entry of v")
      .def_ro("body", &Dof::body)
      .def_ro("parent", &Dof::parent, "next degree of freedom towards the root; -1 at the root")
      .def_ro("depth", &Dof::depth)
      .def_ro("armature", &Dof::armature, "kg m^2 or kg")
      .def_ro("damping", &Dof::damping, "N m s/rad or N s/m")
      .def_ro("stiffness", &Dof::stiffness, "N m/rad or N/m")
      .def_ro("rest_position", &Dof::rest_position, "rad or m")
      .def_ro("dry_friction", &Dof::dry_friction, "N m or N")
      .def_ro("lower", &Dof::lower, "rad or m")
      .def_ro("upper", &Dof::upper, "rad or m")
      .def_ro("effort_limit", &Dof::effort_limit, "N m or N")
      .def_ro("velocity_limit", &Dof::velocity_limit, "for information; not enforced");
  nb::class_<Joint>(module, "Joint", "A joint as the user named it: consecutive degrees of freedom")
      .def_ro("name", &Joint::name)
      .def_ro("kind", &Joint::kind)
      .def_ro("first_body", &Joint::first_body)
      .def_ro("num_bodies", &Joint::num_bodies)
      .def_ro("first_position", &Joint::first_position, "in q")
      .def_ro("num_positions", &Joint::num_positions)
      .def_ro("first_velocity", &Joint::first_velocity, "in v")
      .def_ro("num_velocities", &Joint::num_velocities)
      .def("__repr__", [](const Joint& j) {
        return nb::str("Joint('{}', {}, q[{}:{}], v[{}:{}])")
            .format(j.name, j.kind, j.first_position, j.first_position + j.num_positions, j.first_velocity,
                    j.first_velocity + j.num_velocities);
      });
  nb::class_<Frame>(module, "Frame", "A named frame: every body of the user, every site")
      .def_ro("name", &Frame::name)
      .def_ro("body", &Frame::body, "-1: the world")
      .def_ro("pose", &Frame::pose, "in the body's frame")
      .def_ro("is_site", &Frame::is_site)
      .def("__repr__", [](const Frame& f) {
        return nb::str("Frame('{}', {}, {})").format(f.name, f.is_site ? "site" : "body", f.body);
      });
}

void expose_surfaces(nb::module_& module) {
  nb::class_<Material>(module, "Material", "What a surface is made of")
      .def_ro("friction", &Material::friction)
      .def_ro("friction_2", &Material::friction_2, "across the shape's x axis; negative: isotropic")
      .def_ro("restitution", &Material::restitution)
      .def_ro("compliance", &Material::compliance, "m/N; zero is rigid")
      .def_ro("damping", &Material::damping, "N s/m")
      .def_ro("priority", &Material::priority)
      .def_ro("torsional_friction", &Material::torsional_friction, "m: torque about the normal per normal force")
      .def_ro("rolling_friction", &Material::rolling_friction, "m: torque against rolling per normal force")
      .def_prop_ro("surface_velocity", view_of_member(&Material::surface_velocity),
                   "of a conveyor, in the shape's axes, m/s")
      .def_prop_ro("surface_spin", view_of_member(&Material::surface_spin),
                   "of a turntable, in the shape's axes, rad/s");
  nb::class_<PairMaterial>(module, "PairMaterial", "Of the contacts of two shapes")
      .def_ro("friction", &PairMaterial::friction)
      .def_ro("friction_2", &PairMaterial::friction_2, "equal to friction unless anisotropic")
      .def_ro("direction_of", &PairMaterial::direction_of,
              "whose x axis friction is along: 0 the first, 1 the second shape, -1: it has no direction")
      .def_ro("restitution", &PairMaterial::restitution)
      .def_ro("compliance", &PairMaterial::compliance, "m/N; zero is rigid")
      .def_ro("damping", &PairMaterial::damping, "N s/m")
      .def_ro("torsional_friction", &PairMaterial::torsional_friction, "m")
      .def_ro("rolling_friction", &PairMaterial::rolling_friction, "m");
  nb::class_<Shape>(module, "Shape")
      .def_ro("name", &Shape::name)
      .def_ro("body", &Shape::body, "-1: the world")
      .def_prop_ro("kind", [](const Shape& s) { return to_string(s.kind()); })
      .def_ro("pose", &Shape::pose, "in the body's frame")
      .def_prop_ro(
          "geometry", [](const Shape& s) { return from_geometry(s.geometry); },
          nb::sig("def geometry(self) -> Plane | Sphere | Capsule | Cylinder | Ellipsoid | Box | ConvexHull | "
                  "TriangleMesh | HeightField"))
      .def_ro("material", &Shape::material)
      .def_ro("group", &Shape::group)
      .def_ro("mask", &Shape::mask)
      .def_ro("color", &Shape::color, "red, green, blue, opacity")
      .def("__repr__", [](const Shape& s) {
        return nb::str("Shape('{}', {}, body={})").format(s.name, to_string(s.kind()), s.body);
      });
}

void expose_links(nb::module_& module) {
  nb::class_<Loop>(module, "Loop", "A constraint that closes a loop")
      .def_ro("name", &Loop::name)
      .def_prop_ro(
          "kind", [](const Loop& l) { return to_string(l.kind); },
          "point, hinge, weld, joint_equality or tendon_equality")
      .def_ro("body_a", &Loop::body_a)
      .def_ro("body_b", &Loop::body_b)
      .def_ro("pose_a", &Loop::pose_a)
      .def_ro("pose_b", &Loop::pose_b)
      .def_ro("dof_a", &Loop::dof_a)
      .def_ro("dof_b", &Loop::dof_b)
      .def_ro("tendon_a", &Loop::tendon_a)
      .def_ro("tendon_b", &Loop::tendon_b)
      .def_ro("coefficients", &Loop::coefficients)
      .def_ro("compliance", &Loop::compliance, "m/N");
  nb::class_<Actuator>(module, "Actuator")
      .def_ro("name", &Actuator::name)
      .def_prop_ro(
          "kind", [](const Actuator& a) { return to_string(a.kind); }, "torque, position, velocity, affine or muscle")
      .def_prop_ro(
          "transmission", [](const Actuator& a) { return to_string(a.transmission); },
          "joint, tendon, site or slider_crank")
      .def_ro("dof", &Actuator::dof, "-1: it acts on no joint")
      .def_ro("tendon", &Actuator::tendon, "-1: it acts on none")
      .def_ro("frame", &Actuator::frame, "site; -1: none")
      .def_ro("reference_frame", &Actuator::reference_frame, "what the site is measured from, or the slider; -1: none")
      .def_ro("crank_length", &Actuator::crank_length, "m")
      .def_ro("wrench", &Actuator::wrench, "force and torque of one unit in the axes of the site")
      .def_ro("gear", &Actuator::gear)
      .def_ro("kp", &Actuator::kp)
      .def_ro("kd", &Actuator::kd)
      .def_ro("control_lower", &Actuator::control_lower)
      .def_ro("control_upper", &Actuator::control_upper)
      .def_ro("force_lower", &Actuator::force_lower)
      .def_ro("force_upper", &Actuator::force_upper)
      .def_ro("gain", &Actuator::gain, "of an affine one")
      .def_ro("bias", &Actuator::bias, "of an affine one")
      .def_prop_ro(
          "activation", [](const Actuator& a) { return to_string(a.activation); },
          "none, integrator, filter, filter_exact or muscle")
      .def_ro("first_activation", &Actuator::first_activation, "index into State.activation; -1: none")
      .def_ro("time_constants", &Actuator::time_constants, "s")
      .def_ro("activation_lower", &Actuator::activation_lower)
      .def_ro("activation_upper", &Actuator::activation_upper)
      .def_ro("acts_early", &Actuator::acts_early)
      .def("__repr__", [](const Actuator& a) {
        return nb::str("Actuator('{}', {}, dof={})").format(a.name, to_string(a.kind), a.dof);
      });
  nb::class_<Tendon>(module, "Tendon", "A length that several joints share")
      .def_ro("name", &Tendon::name)
      .def_prop_ro(
          "kind", [](const Tendon& t) { return to_string(t.kind); }, "fixed or spatial")
      .def_prop_ro(
          "terms",
          [](const Tendon& t) {
            nb::typed<nb::list, nb::object> terms;
            for (const TendonTerm& term : t.terms) terms.append(nb::make_tuple(term.dof, term.coefficient));
            return terms;
          },
          "of a fixed one: (dof, coefficient)")
      .def_prop_ro("num_places", [](const Tendon& t) { return t.path.size(); })
      .def_ro("offset", &Tendon::offset)
      .def_ro("stiffness", &Tendon::stiffness, "N/m")
      .def_ro("rest_lower", &Tendon::rest_lower, "the spring is slack from here ...")
      .def_ro("rest_upper", &Tendon::rest_upper, "... to here")
      .def_ro("damping", &Tendon::damping, "N s/m")
      .def_ro("dry_friction", &Tendon::dry_friction, "N")
      .def_ro("lower", &Tendon::lower)
      .def_ro("upper", &Tendon::upper)
      .def_ro("effort_limit", &Tendon::effort_limit, "of all actuators on it together, N")
      .def("__repr__", [](const Tendon& t) { return nb::str("Tendon('{}', {})").format(t.name, to_string(t.kind)); });
  nb::class_<Keyframe>(module, "Keyframe")
      .def_ro("name", &Keyframe::name)
      .def_ro("time", &Keyframe::time, "s")
      .def_prop_ro("q", view_of_member(&Keyframe::q))
      .def_prop_ro("v", view_of_member(&Keyframe::v))
      .def_prop_ro("control", view_of_member(&Keyframe::control))
      .def_prop_ro("activation", view_of_member(&Keyframe::activation))
      .def("__repr__", [](const Keyframe& k) { return nb::str("Keyframe('{}')").format(k.name); });
}

void expose_cameras(nb::module_& module) {
  nb::class_<MountedCamera>(module, "MountedCamera", "A camera that belongs to the world; it looks along -z, y upwards")
      .def_ro("name", &MountedCamera::name)
      .def_ro("frame", &MountedCamera::frame, "in model.frames; -1: the world")
      .def_ro("pose", &MountedCamera::pose, "in that frame")
      .def_prop_ro(
          "mode", [](const MountedCamera& c) { return to_string(c.mode); },
          "fixed, track, track_com, target or target_com")
      .def_ro("target", &MountedCamera::target, "in model.frames; of target and target_com")
      .def_ro("field_of_view", &MountedCamera::field_of_view, "vertical, rad")
      .def("__repr__",
           [](const MountedCamera& c) { return nb::str("MountedCamera('{}', {})").format(c.name, to_string(c.mode)); });
}

void expose_sensor_class(nb::module_& module) {
  nb::class_<Sensor>(module, "Sensor", "What a robot measures; Simulator.sensor(name) reads it")
      .def_ro("name", &Sensor::name)
      .def_prop_ro("kind", [](const Sensor& s) { return to_string(s.kind); })
      .def_ro("element", &Sensor::element, "joint, tendon or actuator; -1: none")
      .def_ro("frame", &Sensor::frame, "in model.frames; -1: the world, or nothing")
      .def_ro("pose", &Sensor::pose, "in that frame")
      .def_ro("has_reference", &Sensor::has_reference)
      .def_ro("reference_frame", &Sensor::reference_frame, "in model.frames; -1: the world")
      .def_ro("reference_pose", &Sensor::reference_pose)
      .def_prop_ro("field", view_of_member(&Sensor::field), "of a magnetometer, T")
      .def_ro("scale", &Sensor::scale)
      .def_ro("cutoff", &Sensor::cutoff, "bound of its numbers; 0: none")
      .def_ro("noise", &Sensor::noise, "standard deviation")
      .def_ro("delay", &Sensor::delay, "s")
      .def_ro("first_value", &Sensor::first_value, "index into Simulator.sensor_data()")
      .def_ro("num_values", &Sensor::num_values)
      .def("__repr__", [](const Sensor& s) {
        return nb::str("Sensor('{}', {}, num_values={})").format(s.name, to_string(s.kind), s.num_values);
      });
}

void expose_fluid(nb::module_& module) {
  nb::class_<Fluid>(module, "Fluid", "What fills a world and acts on its bodies by drag and lift")
      .def_ro("density", &Fluid::density, "kg/m^3")
      .def_ro("viscosity", &Fluid::viscosity, "Pa s")
      .def_prop_ro("wind", view_of_member(&Fluid::wind), "its velocity, m/s")
      .def_prop_ro("is_there", &Fluid::is_there, "density or viscosity is not zero")
      .def("__repr__", [](const Fluid& f) {
        return nb::str("Fluid({:.6g} kg/m^3, {:.6g} Pa s, wind ({:.6g}, {:.6g}, {:.6g}) m/s)")
            .format(f.density, f.viscosity, f.wind[0], f.wind[1], f.wind[2]);
      });
  nb::class_<FluidForm>(module, "FluidForm", "What a fluid sees of a body")
      .def_ro("body", &FluidForm::body)
      .def_prop_ro(
          "kind", [](const FluidForm& f) { return to_string(f.kind); }, "box or ellipsoid")
      .def_ro("pose", &FluidForm::pose, "centre and axes in the body's frame")
      .def_prop_ro("half_axes", view_of_member(&FluidForm::half_axes), "m")
      .def_ro("blunt_drag", &FluidForm::blunt_drag)
      .def_ro("slender_drag", &FluidForm::slender_drag)
      .def_ro("angular_drag", &FluidForm::angular_drag)
      .def_ro("kutta_lift", &FluidForm::kutta_lift)
      .def_ro("magnus_lift", &FluidForm::magnus_lift)
      .def("__repr__",
           [](const FluidForm& f) { return nb::str("FluidForm({}, body={})").format(to_string(f.kind), f.body); });
}

VectorX sized(const nb::object& value, const char* name, int size) {
  VectorX vector = to_vector(value, name);
  if (vector.size() != size) {
    throw nb::value_error((std::string(name) + " has " + std::to_string(vector.size()) + " entries but the model has " +
                           std::to_string(size))
                              .c_str());
  }
  return vector;
}

}  // namespace

void expose_model(nb::module_& module) {
  expose_bodies(module);
  expose_surfaces(module);
  expose_links(module);
  expose_cameras(module);
  expose_sensor_class(module);
  expose_fluid(module);
  nb::class_<Model>(module, "Model", "A world, described once and shared by any number of simulators; never changes")
      .def_prop_ro("num_bodies", &Model::num_bodies)
      .def_prop_ro("num_positions", &Model::num_positions, "entries of q")
      .def_prop_ro("num_velocities", &Model::num_velocities, "entries of v")
      .def_prop_ro("num_actuators", [](const Model& m) { return m.actuators.size(); })
      .def_prop_ro("num_activations", &Model::num_activations, "entries of State.activation")
      .def_prop_ro("gravity", view_of_member(&Model::gravity), "m/s^2")
      .def_prop_ro("friction_rule", [](const Model& m) { return to_string(m.friction_rule); })
      .def_ro("suggested_time_step", &Model::suggested_time_step, "s")
      .def_ro("fluid", &Model::fluid)
      .def_ro("fluid_forms", &Model::fluid_forms, "what it sees of the bodies")
      .def_ro("bodies", &Model::bodies)
      .def_ro("dofs", &Model::dofs, "one per entry of v")
      .def_ro("joints", &Model::joints)
      .def_ro("frames", &Model::frames)
      .def_ro("shapes", &Model::shapes)
      .def_ro("loops", &Model::loops)
      .def_ro("tendons", &Model::tendons)
      .def_ro("actuators", &Model::actuators)
      .def_ro("keyframes", &Model::keyframes)
      .def_ro("cameras", &Model::cameras)
      .def_ro("sensors", &Model::sensors)
      .def_prop_ro("num_sensor_values", &Model::num_sensor_values, "entries of Simulator.sensor_data()")
      .def_prop_ro(
          "pair_materials",
          [](const Model& m) {
            nb::dict out;
            for (const ShapePair& pair : m.pair_materials) {
              out[nb::make_tuple(pair.shape_a, pair.shape_b)] = nb::cast(pair.material);
            }
            return out;
          },
          nb::sig("def pair_materials(self) -> dict[tuple[int, int], PairMaterial]"),
          "of pairs of shapes with a material of their own")
      .def(
          "pair_material",
          [](const Model& m, int shape_a, int shape_b) {
            const int count = static_cast<int>(m.shapes.size());
            for (const int shape : {shape_a, shape_b}) {
              if (shape < 0 || shape >= count) {
                throw std::invalid_argument("pair_material: shape " + std::to_string(shape) +
                                            " does not exist; the model has " + std::to_string(count));
              }
            }
            return m.pair_material(std::min(shape_a, shape_b), std::max(shape_a, shape_b));
          },
          "shape_a"_a, "shape_b"_a, "Of the contacts of two shapes")
      .def_prop_ro(
          "body_names",
          [](const Model& m) {
            std::vector<std::string> names;
            for (const Frame& frame : m.frames) {
              if (!frame.is_site) names.push_back(frame.name);
            }
            return names;
          },
          "of the user's bodies, also of those merged into another")
      .def_prop_ro("joint_names", [](const Model& m) { return names_of(m.joints); })
      .def_prop_ro("frame_names", [](const Model& m) { return names_of(m.frames); })
      .def_prop_ro("shape_names", [](const Model& m) { return names_of(m.shapes); })
      .def_prop_ro("tendon_names", [](const Model& m) { return names_of(m.tendons); })
      .def_prop_ro("actuator_names", [](const Model& m) { return names_of(m.actuators); })
      .def_prop_ro("keyframe_names", [](const Model& m) { return names_of(m.keyframes); })
      .def_prop_ro("sensor_names", [](const Model& m) { return names_of(m.sensors); })
      .def_prop_ro("camera_names", [](const Model& m) { return names_of(m.cameras); })
      .def_prop_ro("initial_position", view_of_member(&Model::initial_position), "q of the reset state")
      .def_prop_ro("initial_velocity", view_of_member(&Model::initial_velocity), "v of the reset state")
      .def("find_body", &Model::find_body, "name"_a,
           "Index of the body that carries the user's body of this name; -1: it is part of the world")
      .def("find_frame", &Model::find_frame, "name"_a, "Index by name; ValueError tells what there is")
      .def("find_joint", &Model::find_joint, "name"_a)
      .def("find_shape", &Model::find_shape, "name"_a)
      .def("find_tendon", &Model::find_tendon, "name"_a)
      .def("find_actuator", &Model::find_actuator, "name"_a)
      .def("find_keyframe", &Model::find_keyframe, "name"_a)
      .def("find_camera", &Model::find_camera, "name"_a)
      .def("find_sensor", &Model::find_sensor, "name"_a)
      .def(
          "may_collide",
          [](const Model& m, int a, int b) {
            const int n = static_cast<int>(m.shapes.size());
            if (a < 0 || b < 0 || a >= n || b >= n) throw nb::index_error("shape outside the model");
            return m.may_collide(a, b);
          },
          "shape_a"_a, "shape_b"_a)
      .def("__repr__", &repr)
      .def("__str__", [](const Model& m) { return describe(m); });
  module.def(
      "integrate",
      [](const Model& m, const ArrayLike& q, const ArrayLike& v, double time_step) {
        VectorX next(m.num_positions());
        integrate(m, sized(q, "q", m.num_positions()), sized(v, "v", m.num_velocities()), time_step, next);
        return copy_to_numpy(next);
      },
      "model"_a, "q"_a, "v"_a, "time_step"_a = 1.0, "q moved by v for a time, on the configuration manifold");
  module.def(
      "difference",
      [](const Model& m, const ArrayLike& q, const ArrayLike& q_other) {
        VectorX v(m.num_velocities());
        difference(m, sized(q, "q", m.num_positions()), sized(q_other, "q_other", m.num_positions()), v);
        return copy_to_numpy(v);
      },
      "model"_a, "q"_a, "q_other"_a, "v with integrate(model, q, v) = q_other");
}

}  // namespace stiction::python
