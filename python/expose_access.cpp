// The rooms `sim`, `collision` and `dynamics`: joints by name, bodies that are moved, questions to the world, inverse
// kinematics, and simulators copied and pickled.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "expose.h"
#include "fields.h"
#include "geometry.h"
#include "shared_simulator.h"
#include "stiction/collision/world_queries.h"
#include "stiction/dynamics/inverse_kinematics.h"
#include "stiction/math/refuse.h"
#include "stiction/sim/joint_handle.h"
#include "watched.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using Class = nb::class_<SharedSimulator>;

// ---- joints

// Keeps its simulator alive.
struct NamedJoint {
  nb::object owner;
  SharedSimulator& shared;
  int index;

  JointHandle handle() const { return JointHandle(shared.simulator, index); }
  const Joint& joint() const { return shared.simulator.model().joints[static_cast<std::size_t>(index)]; }
};

nb::object number_or_array(const VectorX& values, int degrees) {
  if (degrees == 1) return nb::cast(values[0]);
  return copy_to_numpy(values);
}

VectorX numbers_of(const nb::object& value, const char* name, int degrees) {
  if (degrees != 1) return to_vector(value, name);
  VectorX one(1);
  read({value, name}, one[0]);
  return one;
}

void expose_joint(nb::module_& module) {
  nb::class_<NamedJoint>(module, "JointHandle",
                         "One joint of a simulator, by name: position and velocity, read and set")
      .def_prop_ro("name", [](const NamedJoint& j) { return j.joint().name; })
      .def_prop_ro("kind", [](const NamedJoint& j) { return j.joint().kind; })
      .def_ro("index", &NamedJoint::index, "in model.joints")
      .def_prop_rw(
          "position",
          [](const NamedJoint& j) {
            const Turn turn(j.shared);
            return number_or_array(j.handle().positions(), j.joint().num_velocities);
          },
          [](NamedJoint& j, const nb::object& value) {
            const VectorX values = numbers_of(value, "position", j.joint().num_velocities);
            const Turn turn(j.shared);
            j.handle().set_positions(values);
          },
          nb::for_getter(nb::sig("def position(self) -> float | numpy.typing.NDArray[numpy.float64]")),
          "rad or m; an array for joints of several degrees of freedom. Setting it forgets warm starts and caches")
      .def_prop_rw(
          "velocity",
          [](const NamedJoint& j) {
            const Turn turn(j.shared);
            return number_or_array(j.handle().velocities(), j.joint().num_velocities);
          },
          [](NamedJoint& j, const nb::object& value) {
            const VectorX values = numbers_of(value, "velocity", j.joint().num_velocities);
            const Turn turn(j.shared);
            j.handle().set_velocities(values);
          },
          nb::for_getter(nb::sig("def velocity(self) -> float | numpy.typing.NDArray[numpy.float64]")),
          "rad/s or m/s; an array for joints of several degrees of freedom")
      .def("__repr__", [](const NamedJoint& j) {
        const Turn turn(j.shared);
        return nb::str("JointHandle('{}', {}, position={}, velocity={})")
            .format(j.joint().name, j.joint().kind, number_or_array(j.handle().positions(), j.joint().num_velocities),
                    number_or_array(j.handle().velocities(), j.joint().num_velocities));
      });
}

void expose_joints_of(Class& simulator) {
  simulator.def(
      "joint",
      [](nb::handle_t<SharedSimulator> self, const std::string& name) {
        auto& shared = nb::cast<SharedSimulator&>(self);
        return NamedJoint{nb::borrow(self), shared, shared.simulator.model().find_joint(name)};
      },
      "name"_a, "A joint by name: simulator.joint('knee').position");
}

// ---- bodies

int movable_body(const SharedSimulator& s, const nb::object& body) {
  return to_body(s.simulator.model(), body);
}

void expose_bodies(Class& simulator) {
  simulator
      .def(
          "set_body_pose",
          [](SharedSimulator& s, const FrameLike& body, const ArrayLike& position, const ArrayLike& orientation) {
            Pose pose(to_vector3(position, "position"));
            read_orientation({orientation, "orientation"}, pose.rotation);
            const Turn turn(s);
            s.simulator.set_body_pose(movable_body(s, body), pose);
          },
          "body"_a, "position"_a, "orientation"_a = nb::make_tuple(0.0, 0.0, 0.0, 1.0),
          "Where a free or kinematic body is from now on; warm starts and caches are forgotten")
      .def(
          "set_body_velocity",
          [](SharedSimulator& s, const FrameLike& body, const ArrayLike& linear, const ArrayLike& angular) {
            const Vector3 v = to_vector3(linear, "linear"), w = to_vector3(angular, "angular");
            const Turn turn(s);
            s.simulator.set_body_velocity(movable_body(s, body), v, w);
          },
          "body"_a, "linear"_a, "angular"_a = nb::make_tuple(0.0, 0.0, 0.0),
          "Of a free or kinematic body, world axes, m/s and rad/s. A kinematic body moves on at it, whatever pushes it")
      .def(
          "move_body_to",
          [](SharedSimulator& s, const FrameLike& body, const ArrayLike& position, const ArrayLike& orientation) {
            Pose pose(to_vector3(position, "position"));
            read_orientation({orientation, "orientation"}, pose.rotation);
            const Turn turn(s);
            s.simulator.move_body_to(movable_body(s, body), pose);
          },
          "body"_a, "position"_a, "orientation"_a = nb::make_tuple(0.0, 0.0, 0.0, 1.0),
          "The velocity with which a kinematic body is there after the next step");
}

// ---- contacts

void expose_contacts(nb::module_& module, Class& simulator) {
  nb::class_<ContactForce>(module, "ContactForce", "What contacts do to a body")
      .def_prop_ro("force", view_of_member(&ContactForce::force), "on the body asked for, world axes, N")
      .def_prop_ro("torque", view_of_member(&ContactForce::torque),
                   "about the origin of the body's frame where the contacts are, world axes, N m")
      .def_ro("num_contacts", &ContactForce::num_contacts, "that carry an impulse")
      .def("__repr__", [](const ContactForce& f) {
        return nb::str("ContactForce(({:.6g}, {:.6g}, {:.6g}) N, {} contacts)")
            .format(f.force[0], f.force[1], f.force[2], f.num_contacts);
      });
  simulator
      .def(
          "forward",
          [](SharedSimulator& s) {
            const Turn turn(s);
            const auto contacts = watched(s.simulator, [&] { return s.simulator.forward(); });
            return std::vector<Contact>(contacts.begin(), contacts.end());
          },
          "The contacts of the step that would come now, with the forces that it would find; nothing moves, and going "
          "on gives the same bits. contacts() and contact_force() then tell of them")
      .def(
          "contact_force",
          [](SharedSimulator& s, const FrameLike& body, const nb::object& other) {
            const Turn turn(s);
            const int on = to_body(s.simulator.model(), body);
            return other.is_none() ? s.simulator.contact_force(on)
                                   : s.simulator.contact_force(on, to_body(s.simulator.model(), other));
          },
          "body"_a, "other"_a = nb::none(),
          nb::sig("def contact_force(self, body: int | str, other: int | str | None = None) -> ContactForce"),
          "What all contacts of the last step do to a body, or only those with another one (-1: the world)")
      .def(
          "acceleration",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return copy_to_numpy(s.simulator.acceleration());
          },
          "(v+ - v)/dt of the last step, by velocity; zero before the first");
}

// ---- questions to the world

std::vector<Pose> body_poses(SharedSimulator& s) {
  std::vector<Pose> poses;
  for (int b = 0; b < s.simulator.model().num_bodies(); ++b) poses.push_back(s.simulator.body_pose(b));
  return poses;
}

int to_shape(const Model& model, const nb::object& shape) {
  return index_or_name(shape, "shape", [&](const std::string& name) { return model.find_shape(name); });
}

nb::object ray(SharedSimulator& s, const ArrayLike& origin, const ArrayLike& direction, double max_distance,
               const nb::object& without_body, std::uint32_t mask) {
  const Vector3 from = to_vector3(origin, "origin"), along = to_vector3(direction, "direction");
  const Turn turn(s);
  const Model& model = s.simulator.model();
  RayOptions options{.max_distance = max_distance, .mask = mask};
  if (!without_body.is_none()) options.without_body = to_body(model, without_body);
  const std::vector<Pose> poses = body_poses(s);
  const WorldRayHit hit = cast_ray({model, poses}, from, along, options);
  return hit ? nb::cast(hit) : nb::none();
}

void expose_query_results(nb::module_& module) {
  nb::class_<WorldRayHit>(module, "RayHit", "Where a ray first meets a shape")
      .def_ro("distance", &WorldRayHit::distance, "from the origin, m; 0: it starts inside")
      .def_prop_ro(
          "position", [](const WorldRayHit& h) { return copy_to_numpy(h.position); }, "world, m")
      .def_prop_ro(
          "normal", [](const WorldRayHit& h) { return copy_to_numpy(h.normal); }, "of the surface, against the ray")
      .def_ro("shape", &WorldRayHit::shape)
      .def_ro("body", &WorldRayHit::body, "-1: the world")
      .def("__repr__", [](const WorldRayHit& h) {
        return nb::str("RayHit(shape={}, distance={:.6g})").format(h.shape, h.distance);
      });
  nb::class_<Distance>(module, "Distance", "How far two shapes are apart")
      .def_ro("distance", &Distance::distance, "m; negative: depth, the shortest way apart")
      .def_prop_ro("point_a", view_of_member(&Distance::point_a), "nearest or deepest point, world, m")
      .def_prop_ro("point_b", view_of_member(&Distance::point_b))
      .def_prop_ro("normal", view_of_member(&Distance::normal), "from b to a")
      .def_ro("shape_a", &Distance::shape_a)
      .def_ro("shape_b", &Distance::shape_b)
      .def("__repr__", [](const Distance& d) {
        return nb::str("Distance({:.6g} m, shapes {} and {})").format(d.distance, d.shape_a, d.shape_b);
      });
}

void expose_queries(nb::module_& module, Class& simulator) {
  expose_query_results(module);
  simulator
      .def(
          "cast_ray", &ray, "origin"_a, "direction"_a, "max_distance"_a = std::numeric_limits<double>::infinity(),
          "without_body"_a = nb::none(), "mask"_a = 0xffffffffU,
          nb::sig("def cast_ray(self, origin: numpy.typing.ArrayLike, direction: numpy.typing.ArrayLike, max_distance: "
                  "float = float('inf'), without_body: int | str | None = None, mask: int = 4294967295) -> RayHit | "
                  "None"),
          "What a ray meets first, by closed forms; None: nothing within max_distance. Shapes of `without_body`, and "
          "those whose group has no bit of the mask, are gone through")
      .def(
          "shape_distance",
          [](SharedSimulator& s, const FrameLike& a, const FrameLike& b) {
            const Turn turn(s);
            const Model& model = s.simulator.model();
            const std::vector<Pose> poses = body_poses(s);
            return shape_distance({model, poses}, to_shape(model, a), to_shape(model, b));
          },
          "shape_a"_a, "shape_b"_a, "Of two shapes, by index or name, now; filters of contacts do not matter")
      .def(
          "body_distance",
          [](SharedSimulator& s, const FrameLike& a, const FrameLike& b) {
            const Turn turn(s);
            const Model& model = s.simulator.model();
            const std::vector<Pose> poses = body_poses(s);
            return body_distance({model, poses}, to_body(model, a), to_body(model, b));
          },
          "body_a"_a, "body_b"_a, "The least over the shapes of two bodies (-1: the world)")
      .def(
          "overlapping_shapes",
          [](SharedSimulator& s, const GeometryLike& geometry, const ArrayLike& position, const ArrayLike& orientation,
             double margin) {
            Pose pose(to_vector3(position, "position"));
            read_orientation({orientation, "orientation"}, pose.rotation);
            const Turn turn(s);
            const std::vector<Pose> poses = body_poses(s);
            return overlapping_shapes({s.simulator.model(), poses}, to_geometry(geometry), pose, margin);
          },
          "geometry"_a, "position"_a, "orientation"_a = nb::make_tuple(0.0, 0.0, 0.0, 1.0), "margin"_a = 0.0,
          "Indices of the shapes that a geometry somewhere touches or overlaps, or that are nearer than the margin. A "
          "point is Sphere(0)");
}

// ---- inverse kinematics

FrameTarget target_of(const Model& model, const nb::handle& frame, const nb::handle& wanted) {
  FrameTarget target;
  target.frame = to_frame(model, nb::borrow<nb::object>(frame));
  if (nb::isinstance<Pose>(wanted)) {
    target.pose = nb::cast<Pose>(wanted);
  } else {  // a position; any orientation will do
    target.pose.position = to_vector3(nb::borrow<nb::object>(wanted), "target");
    target.orientation_weight = 0.0;
  }
  return target;
}

InverseKinematics solve_kinematics(const Model& model, const ArrayLike& q, const nb::dict& targets,
                                   const nb::kwargs& keywords) {
  using S = InverseKinematicsSettings;
  static const Fields<S> fields = {
      field<&S::position_tolerance>("position_tolerance", "float = 1e-6"),
      field<&S::orientation_tolerance>("orientation_tolerance", "float = 1e-6"),
      field<&S::max_iterations>("max_iterations", "int = 200"),
      field<&S::max_restarts>("max_restarts", "int = 30"),
      {"seed", "int = 1",
       [](S& s, const Argument& a) {
         int seed = 0;
         read(a, seed);
         s.seed = static_cast<std::uint64_t>(seed);
       }},
  };
  S settings;
  nb::dict plain;
  for (const auto& [key, value] : keywords) {
    if (nb::cast<std::string>(key) != "joints") {
      plain[key] = value;
      continue;
    }
    for (const nb::handle joint : value) {
      settings.joints.push_back(index_or_name(nb::borrow<nb::object>(joint), "joint",
                                              [&](const std::string& name) { return model.find_joint(name); }));
    }
  }
  set_fields("inverse_kinematics", fields, settings, plain);
  std::vector<FrameTarget> list;
  for (const auto& [frame, wanted] : targets) list.push_back(target_of(model, frame, wanted));
  const VectorX start = to_vector(q, "q");
  const nb::gil_scoped_release released;
  return inverse_kinematics(model, start, list, settings);
}

void expose_inverse_kinematics(nb::module_& module) {
  nb::class_<InverseKinematics>(module, "InverseKinematics", "What inverse_kinematics() found")
      .def_prop_ro("q", view_of_member(&InverseKinematics::q), "the best position that was met")
      .def_prop_ro("reached", &InverseKinematics::reached)
      .def_prop_ro(
          "status", [](const InverseKinematics& k) { return std::string(to_string(k.status)); },
          "reached, out_of_reach or limit")
      .def_ro("position_error", &InverseKinematics::position_error, "largest of all targets, m")
      .def_ro("orientation_error", &InverseKinematics::orientation_error, "rad")
      .def_ro("iterations", &InverseKinematics::iterations)
      .def_ro("restarts", &InverseKinematics::restarts)
      .def("__repr__", [](const InverseKinematics& k) {
        return nb::str("InverseKinematics({}, off by {:.3g} m and {:.3g} rad, {} iterations, {} restarts)")
            .format(std::string(to_string(k.status)), k.position_error, k.orientation_error, k.iterations, k.restarts);
      });
  module.def(
      "inverse_kinematics", &solve_kinematics, "model"_a, "q"_a, "targets"_a, "settings"_a,
      nb::sig("def inverse_kinematics(model: Model, q: numpy.typing.ArrayLike, targets: dict[int | str, Pose | "
              "numpy.typing.ArrayLike], *, position_tolerance: float = 1e-6, orientation_tolerance: float = 1e-6, "
              "max_iterations: int = 200, max_restarts: int = 30, seed: int = 1, joints: "
              "collections.abc.Iterable[int | str] = ()) -> InverseKinematics"),
      "Positions of joints, within their limits, that bring frames to where they are wanted: each a Pose, or a "
      "position "
      "with any orientation. joints: those that may move (none: all but free ones)");
}

// ---- copies

nb::tuple parts_of(SharedSimulator& s) {
  const Turn turn(s);
  const Simulator& simulator = s.simulator;
  nb::list options, forces;
  for (const auto& [name, value] : simulator.solver_options()) options.append(nb::make_tuple(name, value));
  for (const BodyWrench& w : simulator.external_forces()) {
    forces.append(nb::make_tuple(w.body, copy_to_numpy(w.force), copy_to_numpy(w.point), copy_to_numpy(w.torque)));
  }
  return nb::make_tuple(simulator.shared_model(), settings_of(simulator.settings()), options, State(simulator.state()),
                        copy_to_numpy(simulator.joint_force()), forces);
}

void make_of_parts(SharedSimulator* self, const nb::tuple& parts) {
  if (parts.size() != 6) refuse("simulator: these are not the parts of one");
  new (self)
      SharedSimulator(nb::cast<std::shared_ptr<const Model>>(parts[0]), to_settings(nb::borrow<nb::kwargs>(parts[1])));
  Simulator& simulator = self->simulator;
  for (const nb::handle option : parts[2]) {
    simulator.set_solver_option(nb::cast<std::string>(option[0]), nb::cast<double>(option[1]));
  }
  simulator.set_joint_force(to_vector(nb::borrow<nb::object>(parts[4]), "joint_force"));
  const auto vector = [](const nb::handle& of, int index, const char* name) {
    return to_vector3(nb::borrow<nb::object>(of[index]), name);
  };
  for (const nb::handle force : parts[5]) {
    simulator.add_external_force(nb::cast<int>(force[0]), vector(force, 1, "force"), vector(force, 2, "point"),
                                 vector(force, 3, "torque"));
  }
  simulator.set_state(nb::cast<const State&>(parts[3]));
}

void expose_copies(Class& simulator) {
  const auto copy = [](nb::handle_t<SharedSimulator> self) {
    const nb::object type = nb::borrow(self.type());
    const nb::object twin = type.attr("__new__")(type);
    twin.attr("__setstate__")(parts_of(nb::cast<SharedSimulator&>(self)));
    return twin;
  };
  simulator
      .def("copy", copy, nb::sig("def copy(self) -> Simulator"),
           "Another simulator of the same model, with settings, state and forces of this one; both go on with the same "
           "bits. Counts begin anew")
      .def("__copy__", copy, nb::sig("def __copy__(self) -> Simulator"))
      .def(
          "__deepcopy__", [copy](nb::handle_t<SharedSimulator> self, nb::handle) { return copy(self); }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: object) -> Simulator"))
      .def("__getstate__", &parts_of)
      .def("__setstate__", [](SharedSimulator& s, const nb::tuple& parts) { make_of_parts(&s, parts); });
}

}  // namespace

void expose_access(nb::module_& module, Class& simulator) {
  expose_joint(module);
  expose_joints_of(simulator);
  expose_bodies(simulator);
  expose_contacts(module, simulator);
  expose_queries(module, simulator);
  expose_inverse_kinematics(module);
  expose_copies(simulator);
}

}  // namespace stiction::python
