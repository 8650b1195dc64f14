// The room `model`: ModelBuilder, whose option structs are keyword arguments here.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "expose.h"
#include "fields.h"
#include "geometry.h"
#include "stiction/math/refuse.h"
#include "stiction/model/model_builder.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

#define STICTION_POSITION "numpy.typing.ArrayLike = (0, 0, 0)"
#define STICTION_ORIENTATION "numpy.typing.ArrayLike = (0, 0, 0, 1)"

// By to_string of the values in their order.
template <class Enum, int count>
void read_enum(const Argument& argument, Enum& to) {
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) names.emplace_back(to_string(static_cast<Enum>(k)));
  to = static_cast<Enum>(read_choice(argument, names));
}

void read(const Argument& argument, Pose& to) {
  if (!nb::try_cast(argument.value, to)) {
    throw nb::type_error((std::string(argument.name) + " is no Pose").c_str());
  }
}

// The setters of a pose that is a member: position, orientation, or both at once.
template <auto pose, class Options>
void set_position(Options& options, const Argument& argument) {
  python::read(argument, (options.*pose).position);
}
template <auto pose, class Options>
void set_orientation(Options& options, const Argument& argument) {
  read_orientation(argument, (options.*pose).rotation);
}
template <auto pose, class Options>
void set_pose(Options& options, const Argument& argument) {
  read(argument, options.*pose);
}

// ---- bodies

using J = JointOptions;

// What both forms of a joint have: `joint="revolute"` with keywords of add_body, and the dictionaries of `joints`.
const Fields<J>& joint_fields() {
  static const Fields<J> fields = {
      field<&J::axis>("axis", "numpy.typing.ArrayLike = (0, 0, 1)"),
      field<&J::axis_2>("axis_2", "numpy.typing.ArrayLike = (1, 0, 0)"),
      field<&J::reference>("reference", "float = 0.0"),
      field<&J::initial_position>("initial_position", "float = 0.0"),
      field<&J::armature>("armature", "float = 0.0"),
      field<&J::damping>("damping", "float = 0.0"),
      field<&J::stiffness>("stiffness", "float = 0.0"),
      field<&J::rest_position>("rest_position", "float = 0.0"),
      field<&J::dry_friction>("dry_friction", "float = 0.0"),
      field<&J::lower>("lower", "float = -inf"),
      field<&J::upper>("upper", "float = inf"),
      field<&J::effort_limit>("effort_limit", "float = inf"),
      field<&J::velocity_limit>("velocity_limit", "float = inf"),
  };
  return fields;
}

void set_kind(J& joint, const Argument& argument) {
  read_enum<JointKind, 8>(argument, joint.kind);
}

// A joint on its own.
const Fields<J>& whole_joint_fields() {
  static const Fields<J> fields = [] {
    Fields<J> all = {field<&J::name>("name", "str = ''"),
                     {"kind", "str = 'free'", &set_kind},
                     {"position", STICTION_POSITION, &set_position<&J::pose, J>},
                     {"orientation", STICTION_ORIENTATION, &set_orientation<&J::pose, J>}};
    all.insert(all.end(), joint_fields().begin(), joint_fields().end());
    return all;
  }();
  return fields;
}

struct BodyKeywords : BodyOptions {
  std::optional<double> mass;
  std::optional<Vector3> com;
  nb::object moment;
};
using B = BodyKeywords;

void set_joints(B& body, const Argument& argument) {
  for (const nb::handle item : argument.value) {
    if (!nb::isinstance<nb::dict>(item)) throw nb::type_error("joints wants dictionaries, one per joint");
    JointOptions joint;
    set_fields("joints", whole_joint_fields(), joint, nb::borrow<nb::dict>(item));
    body.joints.push_back(joint);
  }
}

const Fields<B>& body_fields() {
  static const Fields<B> fields = {
      {"name", "str = ''", [](B& b, const Argument& a) { python::read(a, b.name); }},
      {"parent", "int = -1", [](B& b, const Argument& a) { python::read(a, b.parent); }},
      {"position", STICTION_POSITION, [](B& b, const Argument& a) { python::read(a, b.pose.position); }},
      {"orientation", STICTION_ORIENTATION, [](B& b, const Argument& a) { read_orientation(a, b.pose.rotation); }},
      {"pose", "Pose | None = None", [](B& b, const Argument& a) { read(a, b.pose); }},
      {"mass", "float | None = None",
       [](B& b, const Argument& a) {
         double mass = 0.0;
         python::read(a, mass);
         b.mass = mass;
       }},
      {"inertia", "Inertia | numpy.typing.ArrayLike | None = None",
       [](B& b, const Argument& a) { b.moment = a.value; }},
      {"com", "numpy.typing.ArrayLike = (0, 0, 0)",
       [](B& b, const Argument& a) { b.com = to_vector3(a.value, a.name); }},
      {"joint", "str = 'free'", [](B& b, const Argument& a) { set_kind(b.joint, a); }},
      {"gravity_compensation", "float = 0.0", [](B& b, const Argument& a) { python::read(a, b.gravity_compensation); }},
      {"joint_name", "str = ''", [](B& b, const Argument& a) { python::read(a, b.joint.name); }},
      {"joint_position", STICTION_POSITION, [](B& b, const Argument& a) { python::read(a, b.joint.pose.position); }},
      {"joint_orientation", STICTION_ORIENTATION,
       [](B& b, const Argument& a) { read_orientation(a, b.joint.pose.rotation); }},
      {"joints", "collections.abc.Sequence[dict[str, typing.Any]] = ()", &set_joints},
      {"is_kinematic", "bool = False", [](B& b, const Argument& a) { python::read(a, b.is_kinematic); }},
  };
  return fields;
}

// `inertia` is an Inertia, or with `mass` the moment: a matrix or its diagonal.
void settle_inertia(B& body) {
  const std::string what = "body '" + body.name + "': ";
  if (body.moment.is_valid() && nb::isinstance<Inertia>(body.moment)) {
    if (body.mass || body.com) refuse(what, "inertia is an Inertia, which holds mass and com already");
    body.inertia = nb::cast<Inertia>(body.moment);
  } else if (body.moment.is_valid() && !body.moment.is_none()) {
    if (!body.mass) refuse(what, "inertia without mass");
    const nb::handle make = nb::type<Inertia>();
    body.inertia = nb::cast<Inertia>(make(*body.mass, body.moment));
    if (body.com) body.inertia->com = *body.com;
  } else if (body.mass || body.com) {
    refuse(what, "mass and com want inertia; or give its shapes mass or density");
  }
}

int add_body(ModelBuilder& builder, const nb::kwargs& keywords) {
  B body;
  for (const auto& [key, value] : keywords) {
    const std::string name = nb::cast<std::string>(key);
    const Argument argument{nb::borrow<nb::object>(value), name.c_str()};
    if (set_field(body_fields(), body, argument) || set_field(joint_fields(), body.joint, argument)) continue;
    refuse_keyword("add_body", name.c_str(), list_of(body_fields()) + list_of(joint_fields()));
  }
  settle_inertia(body);
  return builder.add_body(body);
}

// ---- shapes

using S = ShapeOptions;

const Fields<S>& shape_fields() {
  static const Fields<S> fields = {
      field<&S::name>("name", "str = ''"),
      {"position", STICTION_POSITION, &set_position<&S::pose, S>},
      {"orientation", STICTION_ORIENTATION, &set_orientation<&S::pose, S>},
      {"pose", "Pose | None = None", &set_pose<&S::pose, S>},
      {"friction", "float = 1.0", [](S& s, const Argument& a) { python::read(a, s.material.friction); }},
      {"friction_2", "float = -1.0", [](S& s, const Argument& a) { python::read(a, s.material.friction_2); }},
      {"restitution", "float = 0.0", [](S& s, const Argument& a) { python::read(a, s.material.restitution); }},
      {"compliance", "float = 0.0", [](S& s, const Argument& a) { python::read(a, s.material.compliance); }},
      {"damping", "float = 0.0", [](S& s, const Argument& a) { python::read(a, s.material.damping); }},
      {"priority", "int = 0", [](S& s, const Argument& a) { python::read(a, s.material.priority); }},
      {"torsional_friction", "float = 0.0",
       [](S& s, const Argument& a) { python::read(a, s.material.torsional_friction); }},
      {"rolling_friction", "float = 0.0",
       [](S& s, const Argument& a) { python::read(a, s.material.rolling_friction); }},
      {"surface_velocity", "numpy.typing.ArrayLike = (0, 0, 0)",
       [](S& s, const Argument& a) { python::read(a, s.material.surface_velocity); }},
      {"surface_spin", "numpy.typing.ArrayLike = (0, 0, 0)",
       [](S& s, const Argument& a) { python::read(a, s.material.surface_spin); }},
      field<&S::mass>("mass", "float = 0.0"),
      field<&S::density>("density", "float = 0.0"),
      field<&S::group>("group", "int = 1"),
      field<&S::mask>("mask", "int = 1"),
      field<&S::color>("color", "numpy.typing.ArrayLike = (0.7, 0.7, 0.7, 1)"),
  };
  return fields;
}

int add_shape(ModelBuilder& builder, int body, const GeometryLike& geometry, const nb::kwargs& keywords) {
  ShapeOptions shape;
  shape.body = body;
  shape.geometry = to_geometry(geometry);
  set_fields("add_shape", shape_fields(), shape, keywords);
  return builder.add_shape(shape);
}

// ---- loops, actuators, keyframes

using L = LoopOptions;

const Fields<L>& loop_fields() {
  static const Fields<L> fields = {
      field<&L::name>("name", "str = ''"),
      {"kind", "str = 'point'", [](L& l, const Argument& a) { read_enum<LoopKind, 5>(a, l.kind); }},
      field<&L::body_a>("body_a", "int = -1"),
      field<&L::body_b>("body_b", "int = -1"),
      {"position_a", STICTION_POSITION, &set_position<&L::pose_a, L>},
      {"orientation_a", STICTION_ORIENTATION, &set_orientation<&L::pose_a, L>},
      {"pose_a", "Pose | None = None", &set_pose<&L::pose_a, L>},
      {"position_b", STICTION_POSITION, &set_position<&L::pose_b, L>},
      {"orientation_b", STICTION_ORIENTATION, &set_orientation<&L::pose_b, L>},
      {"pose_b", "Pose | None = None", &set_pose<&L::pose_b, L>},
      field<&L::joint_a>("joint_a", "str = ''"),
      field<&L::joint_b>("joint_b", "str = ''"),
      field<&L::tendon_a>("tendon_a", "str = ''"),
      field<&L::tendon_b>("tendon_b", "str = ''"),
      field<&L::coefficients>("coefficients", "numpy.typing.ArrayLike = (0, 1, 0, 0, 0)"),
      field<&L::compliance>("compliance", "float = 0.0"),
  };
  return fields;
}

using T = TendonOptions;
using P = TendonPointOptions;

const Fields<P>& tendon_point_fields() {
  static const Fields<P> fields = {
      {"kind", "str = 'site'", [](P& p, const Argument& a) { read_enum<TendonPointKind, 4>(a, p.kind); }},
      field<&P::site>("site", "str = ''"),
      field<&P::body>("body", "int = -1"),
      {"position", STICTION_POSITION, &set_position<&P::pose, P>},
      {"orientation", STICTION_ORIENTATION, &set_orientation<&P::pose, P>},
      field<&P::radius>("radius", "float = 0.0"),
      field<&P::side_site>("side_site", "str = ''"),
      field<&P::divisor>("divisor", "float = 1.0"),
  };
  return fields;
}

// {joint name: coefficient}
void set_terms(T& tendon, const Argument& argument) {
  if (!nb::isinstance<nb::dict>(argument.value)) {
    throw nb::type_error("joints wants a dictionary: coefficients by the names of joints");
  }
  for (const auto& [joint, coefficient] : nb::borrow<nb::dict>(argument.value)) {
    TendonTermOptions term;
    python::read({nb::borrow<nb::object>(joint), "name of a joint"}, term.joint);
    python::read({nb::borrow<nb::object>(coefficient), "coefficient"}, term.coefficient);
    tendon.terms.push_back(term);
  }
}

// Names of sites, and dictionaries for what is no site.
void set_path(T& tendon, const Argument& argument) {
  for (const nb::handle item : argument.value) {
    TendonPointOptions point;
    if (nb::isinstance<nb::str>(item)) {
      point.site = nb::cast<std::string>(item);
    } else if (nb::isinstance<nb::dict>(item)) {
      set_fields("path", tendon_point_fields(), point, nb::borrow<nb::dict>(item));
    } else {
      throw nb::type_error("path wants names of sites, and dictionaries for spheres, cylinders and pulleys");
    }
    tendon.path.push_back(point);
  }
}

const Fields<T>& tendon_fields() {
  static const Fields<T> fields = {
      field<&T::name>("name", "str = ''"),
      {"joints", "dict[str, float] = {}", &set_terms},
      field<&T::offset>("offset", "float = 0.0"),
      {"path", "collections.abc.Sequence[str | dict[str, typing.Any]] = ()", &set_path},
      field<&T::stiffness>("stiffness", "float = 0.0"),
      field<&T::rest_lower>("rest_lower", "float = 0.0"),
      field<&T::rest_upper>("rest_upper", "float = 0.0"),
      field<&T::damping>("damping", "float = 0.0"),
      field<&T::dry_friction>("dry_friction", "float = 0.0"),
      field<&T::lower>("lower", "float = -inf"),
      field<&T::upper>("upper", "float = inf"),
      field<&T::effort_limit>("effort_limit", "float = inf"),
  };
  return fields;
}

const Fields<Muscle>& muscle_fields() {
  static const Fields<Muscle> fields = {
      field<&Muscle::range_lower>("range_lower", "float = 0.75"),
      field<&Muscle::range_upper>("range_upper", "float = 1.05"),
      field<&Muscle::force>("force", "float = 0.0"),
      field<&Muscle::lower>("lower", "float = 0.5"),
      field<&Muscle::upper>("upper", "float = 1.6"),
      field<&Muscle::speed>("speed", "float = 1.5"),
      field<&Muscle::passive>("passive", "float = 1.3"),
      field<&Muscle::stretched>("stretched", "float = 1.2"),
      field<&Muscle::length_lower>("length_lower", "float = 0.0"),
      field<&Muscle::length_upper>("length_upper", "float = 1.0"),
  };
  return fields;
}

using A = ActuatorOptions;

const Fields<A>& actuator_fields() {
  static const Fields<A> fields = {
      field<&A::name>("name", "str = ''"),
      field<&A::joint>("joint", "str = ''"),
      {"kind", "str = 'torque'", [](A& o, const Argument& a) { read_enum<ActuatorKind, 5>(a, o.kind); }},
      field<&A::gear>("gear", "float = 1.0"),
      field<&A::kp>("kp", "float = 0.0"),
      field<&A::kd>("kd", "float = 0.0"),
      field<&A::control_lower>("control_lower", "float = -inf"),
      field<&A::control_upper>("control_upper", "float = inf"),
      field<&A::force_lower>("force_lower", "float = -inf"),
      field<&A::force_upper>("force_upper", "float = inf"),
      field<&A::tendon>("tendon", "str = ''"),
      field<&A::site>("site", "str = ''"),
      field<&A::reference_site>("reference_site", "str = ''"),
      field<&A::slider_site>("slider_site", "str = ''"),
      field<&A::wrench>("wrench", "numpy.typing.ArrayLike = (0, 0, 0, 0, 0, 0)"),
      field<&A::crank_length>("crank_length", "float = 0.0"),
      field<&A::gain>("gain", "numpy.typing.ArrayLike = (1, 0, 0)"),
      field<&A::bias>("bias", "numpy.typing.ArrayLike = (0, 0, 0)"),
      {"muscle", "dict[str, float] = {}",
       [](A& o, const Argument& a) { set_fields("muscle", muscle_fields(), o.muscle, nb::cast<nb::dict>(a.value)); }},
      {"activation", "str = 'none'", [](A& o, const Argument& a) { read_enum<ActivationKind, 5>(a, o.activation); }},
      field<&A::time_constants>("time_constants", "numpy.typing.ArrayLike = (0, 0, 0)"),
      field<&A::activation_lower>("activation_lower", "float = -inf"),
      field<&A::activation_upper>("activation_upper", "float = inf"),
      field<&A::acts_early>("acts_early", "bool = False"),
  };
  return fields;
}

using C = MountedCamera;

const Fields<C>& camera_fields() {
  static const Fields<C> fields = {
      field<&C::name>("name", "str = ''"),
      field<&C::frame>("body", "int = -1"),
      {"position", STICTION_POSITION, &set_position<&C::pose, C>},
      {"orientation", STICTION_ORIENTATION, &set_orientation<&C::pose, C>},
      {"pose", "Pose | None = None", &set_pose<&C::pose, C>},
      {"mode", "str = 'fixed'", [](C& c, const Argument& a) { read_enum<CameraMode, 5>(a, c.mode); }},
      field<&C::target>("target", "int = -1"),
      field<&C::field_of_view>("field_of_view", "float = 0.785"),
  };
  return fields;
}

using F = FluidForm;

const Fields<F>& fluid_form_fields() {
  static const Fields<F> fields = {
      field<&F::body>("body", "int = -1"),
      {"kind", "str = 'box'", [](F& f, const Argument& a) { read_enum<FluidFormKind, 2>(a, f.kind); }},
      {"position", STICTION_POSITION, &set_position<&F::pose, F>},
      {"orientation", STICTION_ORIENTATION, &set_orientation<&F::pose, F>},
      {"pose", "Pose | None = None", &set_pose<&F::pose, F>},
      field<&F::half_axes>("half_axes", "numpy.typing.ArrayLike = (0, 0, 0)"),
      field<&F::blunt_drag>("blunt_drag", "float = 0.5"),
      field<&F::slender_drag>("slender_drag", "float = 0.25"),
      field<&F::angular_drag>("angular_drag", "float = 1.5"),
      field<&F::kutta_lift>("kutta_lift", "float = 1.0"),
      field<&F::magnus_lift>("magnus_lift", "float = 1.0"),
  };
  return fields;
}

const Fields<Keyframe>& keyframe_fields() {
  static const Fields<Keyframe> fields = {
      field<&Keyframe::name>("name", "str = ''"),
      field<&Keyframe::time>("time", "float = 0.0"),
      field<&Keyframe::q>("q", "numpy.typing.ArrayLike | None = None"),
      field<&Keyframe::v>("v", "numpy.typing.ArrayLike | None = None"),
      field<&Keyframe::control>("control", "numpy.typing.ArrayLike | None = None"),
      field<&Keyframe::activation>("activation", "numpy.typing.ArrayLike | None = None"),
  };
  return fields;
}

// "def name(self, *, fields) -> int", with inf as the stubs can write it.
nb::sig signature(const std::string& head, const std::string& fields) {
  std::string text = "def " + head + fields + ") -> int";
  for (std::size_t at = 0; (at = text.find("inf", at)) != std::string::npos;) {
    const bool is_default = at > 2 && (text.compare(at - 2, 2, "= ") == 0 || text.compare(at - 3, 3, "= -") == 0);
    if (is_default) text.replace(at, 3, "float('inf')");
    at += is_default ? 12 : 3;
  }
  return nb::sig(keep_text(std::move(text)));
}

void expose_adding(nb::class_<ModelBuilder>& builder) {
  builder
      .def("add_body", &add_body, "keywords"_a,
           signature("add_body(self, *, ", stub_of(body_fields()) + ", " + stub_of(joint_fields())),
           "A body on its parent (-1: the world), by one joint (fixed, free, ball, revolute, prismatic, planar, "
           "universal, cylindrical) with the keywords of a joint, or by several `joints` in sequence. Returns its "
           "index, for the other calls of this builder.")
      .def(
          "add_shape",
          [](ModelBuilder& b, const GeometryLike& geometry, const nb::kwargs& keywords) {
            return add_shape(b, -1, geometry, keywords);
          },
          "geometry"_a, "keywords"_a,
          signature("add_shape(self, geometry: Plane | Sphere | Capsule | Cylinder | Ellipsoid | Box | ConvexHull | "
                    "TriangleMesh | HeightField, *, ",
                    stub_of(shape_fields())),
          "A shape of the world")
      .def("add_shape", &add_shape, "body"_a, "geometry"_a, "keywords"_a,
           signature("add_shape(self, body: int, geometry: Plane | Sphere | Capsule | Cylinder | Ellipsoid | Box | "
                     "ConvexHull | TriangleMesh | HeightField, *, ",
                     stub_of(shape_fields())),
           "A shape on a body")
      .def(
          "add_site",
          [](ModelBuilder& b, const std::string& name, int body, const ArrayLike& position,
             const ArrayLike& orientation) {
            Pose pose(to_vector3(position, "position"));
            read_orientation({orientation, "orientation"}, pose.rotation);
            return b.add_site(name, body, pose);
          },
          "name"_a, "body"_a, "position"_a = nb::make_tuple(0.0, 0.0, 0.0),
          "orientation"_a = nb::make_tuple(0.0, 0.0, 0.0, 1.0), "A named frame on a body")
      .def(
          "add_loop",
          [](ModelBuilder& b, const nb::kwargs& keywords) {
            LoopOptions loop;
            set_fields("add_loop", loop_fields(), loop, keywords);
            return b.add_loop(loop);
          },
          "keywords"_a, signature("add_loop(self, *, ", stub_of(loop_fields())),
          "point, hinge and weld hold two frames together; joint_equality: q_a = sum of c_k q_b^k; "
          "tendon_equality: the same for the lengths of tendons")
      .def(
          "add_tendon",
          [](ModelBuilder& b, const nb::kwargs& keywords) {
            TendonOptions tendon;
            set_fields("add_tendon", tendon_fields(), tendon, keywords);
            return b.add_tendon(tendon);
          },
          "keywords"_a, signature("add_tendon(self, *, ", stub_of(tendon_fields())),
          "fixed: length = offset + sum of coefficients times positions of `joints`; spatial: the way along `path`, "
          "names of sites and {'kind': 'sphere' | 'cylinder' | 'pulley', ...}")
      .def(
          "add_actuator",
          [](ModelBuilder& b, const nb::kwargs& keywords) {
            ActuatorOptions actuator;
            set_fields("add_actuator", actuator_fields(), actuator, keywords);
            return b.add_actuator(actuator);
          },
          "keywords"_a, signature("add_actuator(self, *, ", stub_of(actuator_fields())),
          "On a joint, a tendon, a site or a slider-crank. torque: gear u; position: gear (kp (u - gear q) - kd gear "
          "v); "
          "velocity: gear kd (u - gear v); affine: gear ((g0 + g1 l + g2 dl) u + b0 + b1 l + b2 dl), l = gear q; "
          "muscle")
      .def(
          "add_camera",
          [](ModelBuilder& b, const nb::kwargs& keywords) {
            MountedCamera camera;
            set_fields("add_camera", camera_fields(), camera, keywords);
            return b.add_camera(camera);
          },
          "keywords"_a, signature("add_camera(self, *, ", stub_of(camera_fields())),
          "A camera on a body, or -1: in the world. It looks along -z of its frame, y upwards; fixed, track, "
          "track_com, "
          "target or target_com say how it goes with its body, and which body it looks at")
      .def(
          "add_fluid_form",
          [](ModelBuilder& b, const nb::kwargs& keywords) {
            FluidForm form;
            set_fields("add_fluid_form", fluid_form_fields(), form, keywords);
            return b.add_fluid_form(form);
          },
          "keywords"_a, signature("add_fluid_form(self, *, ", stub_of(fluid_form_fields())),
          "What a fluid sees of a body: a box (drag) or an ellipsoid (drag and lift); a body may have several. Bodies "
          "without one are the boxes of their inertia")
      .def(
          "add_keyframe",
          [](ModelBuilder& b, const nb::kwargs& keywords) {
            Keyframe keyframe;
            set_fields("add_keyframe", keyframe_fields(), keyframe, keywords);
            return b.add_keyframe(keyframe);
          },
          "keywords"_a, signature("add_keyframe(self, *, ", stub_of(keyframe_fields())),
          "A state to reset to; what is not given is that of the initial state");
}

}  // namespace

void expose_builder(nb::module_& module) {
  nb::class_<ModelBuilder> builder(module, "ModelBuilder",
                                   "Describes a world piece by piece and makes a Model of it. Bad values raise "
                                   "ValueError naming element, field and value. -1 is the world.");
  builder.def(nb::init<>());
  expose_adding(builder);
  builder
      .def(
          "set_gravity", [](ModelBuilder& b, const ArrayLike& g) { b.set_gravity(to_vector3(g, "gravity")); },
          "gravity"_a, "m/s^2")
      .def(
          "set_fluid",
          [](ModelBuilder& b, double density, double viscosity, const ArrayLike& wind) {
            b.set_fluid({density, viscosity, to_vector3(wind, "wind")});
          },
          "density"_a = 0.0, "viscosity"_a = 0.0, "wind"_a = nb::make_tuple(0.0, 0.0, 0.0),
          "What fills the world: kg/m^3, Pa s, m/s; it acts on all bodies with mass")
      .def(
          "set_friction_rule",
          [](ModelBuilder& b, const std::string& rule) {
            FrictionRule chosen{};
            read_enum<FrictionRule, 5>({nb::cast(rule), "rule"}, chosen);
            b.set_friction_rule(chosen);
          },
          "rule"_a, "geometric_mean, minimum, maximum, arithmetic_mean or product")
      .def("set_suggested_time_step", &ModelBuilder::set_suggested_time_step, "seconds"_a)
      .def("set_parents_collide", &ModelBuilder::set_parents_collide, "collide"_a)
      .def("exclude_bodies", &ModelBuilder::exclude_bodies, "body_a"_a, "body_b"_a)
      .def("exclude_shapes", &ModelBuilder::exclude_shapes, "shape_a"_a, "shape_b"_a)
      .def("force_pair", &ModelBuilder::force_pair, "shape_a"_a, "shape_b"_a,
           "Contact whatever group, mask and kinship say")
      .def(
          "set_pair_material",
          [](ModelBuilder& b, int shape_a, int shape_b, double friction, double restitution, double compliance,
             double damping, double torsional_friction, double rolling_friction) {
            b.set_pair_material(shape_a, shape_b,
                                {.friction = friction,
                                 .friction_2 = friction,
                                 .restitution = restitution,
                                 .compliance = compliance,
                                 .damping = damping,
                                 .torsional_friction = torsional_friction,
                                 .rolling_friction = rolling_friction});
          },
          "shape_a"_a, "shape_b"_a, nb::kw_only(), "friction"_a = 1.0, "restitution"_a = 0.0, "compliance"_a = 0.0,
          "damping"_a = 0.0, "torsional_friction"_a = 0.0, "rolling_friction"_a = 0.0,
          "The material of contacts between two shapes, in place of what theirs make")
      .def_static("from_model", &ModelBuilder::from_model, "model"_a,
                  "A builder that has described this model: build() gives it again, and anything may be added")
      .def(
          "attach",
          [](ModelBuilder& b, const Model& model, const std::string& prefix, int parent, const ArrayLike& position,
             const ArrayLike& orientation, const std::string& base) {
            AttachOptions options{.prefix = prefix, .parent = parent, .pose = Pose(to_vector3(position, "position"))};
            read_orientation({orientation, "orientation"}, options.pose.rotation);
            options.is_base_fixed = read_choice({nb::cast(base), "base"}, {"as_is", "fixed"}) == 1;
            return b.attach(model, options);
          },
          "model"_a, "prefix"_a = "", "parent"_a = -1, "position"_a = nb::make_tuple(0.0, 0.0, 0.0),
          "orientation"_a = nb::make_tuple(0.0, 0.0, 0.0, 1.0), "base"_a = "as_is",
          "Puts a whole model on a body (-1: the world) under a prefix; base='fixed' takes free joints away. Returns "
          "the "
          "index of its first body")
      .def("remove_body", &ModelBuilder::remove_body, "body"_a,
           "Takes a body out with all that hangs on it; other indices stay")
      .def(
          "find_body", [](const ModelBuilder& b, const std::string& name) { return b.find_body(name); }, "name"_a,
          "Index of a body by name, for the other calls of this builder")
      .def("build", &ModelBuilder::build, "Checks the whole and makes the model; the builder may go on");
}

}  // namespace stiction::python
