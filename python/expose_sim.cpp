// The room `sim`: Simulator.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "expose.h"
#include "fields.h"
#include "geometry.h"
#include "progress.h"
#include "shared_simulator.h"
#include "stiction/io/load.h"
#include "stiction/math/refuse.h"
#include "stiction/model/control_name.h"
#include "watched.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

// ---- stepping

// Ctrl-C is looked for between steps, every tenth of a second, and within them.
StepReport step_many(SharedSimulator& shared, int count, const nb::object& tell) {
  StepReport report;
  const int all = count;
  if (!tell.is_none() && count > 0) tell(0, all);
  std::unique_lock<std::mutex> lock(shared.mutex, std::defer_lock);
  do {
    try {
      const nb::gil_scoped_release released;
      if (!lock) lock.lock();
      const WatchedSimulator watched(shared.simulator);
      if (count <= 0) shared.simulator.step(count);  // refuses what is negative
      for (double passed = 0.0; count > 0 && passed < 0.1; --count) {
        for (const double seconds : shared.step().seconds) passed += seconds;
      }
      report = shared.simulator.report();
    } catch (const StepInterrupted&) {
      throw nb::python_error();
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!tell.is_none() && all > 0) tell(all - count, all);
  } while (count > 0);
  return report;
}

StepReport step(SharedSimulator& shared, int count, nb::handle progress) {
  const nb::object tell = teller(progress, "step");
  if (count != 1 || !tell.is_none()) return step_many(shared, count, tell);
  try {
    const nb::gil_scoped_release released;
    const std::lock_guard turn(shared.mutex);
    const WatchedSimulator watched(shared.simulator);
    return shared.step();
  } catch (const StepInterrupted&) {
    throw nb::python_error();
  }
}

// ---- contacts as arrays

template <class Number, class Get>
nb::object numbers_of(std::span<const Contact> contacts, Get&& get) {
  auto [array, data] = new_array<Number>({contacts.size()});
  for (const Contact& c : contacts) *data++ = static_cast<Number>(get(c));
  return array;
}

template <class Get>
nb::object vectors_of(std::span<const Contact> contacts, Get&& get) {
  auto [array, data] = new_array<double>({contacts.size(), 3});
  for (const Contact& c : contacts) {
    Eigen::Map<Vector3>{data} = get(c);
    data += 3;
  }
  return array;
}

nb::object frames_of(std::span<const Contact> contacts) {
  auto [array, data] = new_array<double>({contacts.size(), 3, 3});
  for (const Contact& c : contacts) {
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>{data} = c.frame;
    data += 9;
  }
  return array;
}

nb::dict contact_arrays(std::span<const Contact> contacts) {
  using Integer = std::int32_t;
  nb::dict arrays;
  arrays["shape_a"] = numbers_of<Integer>(contacts, [](const Contact& c) { return c.point.id.shape_a; });
  arrays["shape_b"] = numbers_of<Integer>(contacts, [](const Contact& c) { return c.point.id.shape_b; });
  arrays["feature"] = numbers_of<std::uint64_t>(contacts, [](const Contact& c) { return c.point.id.feature; });
  arrays["body_a"] = numbers_of<Integer>(contacts, [](const Contact& c) { return c.body_a; });
  arrays["body_b"] = numbers_of<Integer>(contacts, [](const Contact& c) { return c.body_b; });
  arrays["position"] = vectors_of(contacts, [](const Contact& c) { return c.point.position; });
  arrays["normal"] = vectors_of(contacts, [](const Contact& c) { return c.point.normal; });
  arrays["gap"] = numbers_of<double>(contacts, [](const Contact& c) { return c.point.gap; });
  arrays["frame"] = frames_of(contacts);
  arrays["impulse"] = vectors_of(contacts, [](const Contact& c) { return c.impulse; });
  arrays["force"] = vectors_of(contacts, [](const Contact& c) { return c.force; });
  arrays["torque"] = vectors_of(contacts, [](const Contact& c) { return c.torque; });
  arrays["velocity"] = vectors_of(contacts, [](const Contact& c) { return c.velocity; });
  arrays["law_velocity"] = vectors_of(contacts, [](const Contact& c) { return c.law_velocity; });
  arrays["friction"] = numbers_of<double>(contacts, [](const Contact& c) { return c.friction; });
  arrays["regime"] = numbers_of<Integer>(contacts, [](const Contact& c) { return static_cast<int>(c.regime); });
  return arrays;
}

// ---- the class

using Class = nb::class_<SharedSimulator>;

// A vector of the state, as an array of its own that cannot be written: writing to it would be lost on the simulator.
template <VectorX State::* member>
NumpyArray state_vector(SharedSimulator& s) {
  const Turn turn(s);
  const NumpyArray array = copy_to_numpy(s.simulator.state().*member);
  make_read_only(array);
  return array;
}

void reset(SharedSimulator& s, const nb::object& keyframe) {
  const Turn turn(s);
  if (keyframe.is_none()) return s.simulator.reset();
  const Model& model = s.simulator.model();
  s.simulator.reset(
      index_or_name(keyframe, "keyframe", [&](const std::string& name) { return model.find_keyframe(name); }));
}

void expose_state_access(Class& simulator) {
  simulator
      .def_prop_rw(
          "state",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return State(s.simulator.state());
          },
          [](SharedSimulator& s, const State& state) {
            const Turn turn(s);
            s.simulator.set_state(state);
          },
          nb::for_getter(nb::rv_policy::move),
          "A copy of the whole state; assigning copies it in. Changing the copy does not change the simulator.")
      .def_prop_ro("q", &state_vector<&State::q>, "positions now, a read-only array of its own")
      .def_prop_ro("v", &state_vector<&State::v>, "velocities now, a read-only array of its own")
      .def_prop_ro("control", &state_vector<&State::control>, "control now, a read-only array of its own")
      .def_prop_ro(
          "time",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return s.simulator.state().time;
          },
          "s")
      .def(
          "set_state",
          [](SharedSimulator& s, const State& state) {
            const Turn turn(s);
            s.simulator.set_state(state);
          },
          "state"_a)
      .def("reset", &reset, "keyframe"_a = nb::none(),
           nb::sig("def reset(self, keyframe: int | str | None = None) -> None"),
           "The model's initial state, or a keyframe by index or name")
      .def(
          "set_position",
          [](SharedSimulator& s, const ArrayLike& q) {
            const VectorArgument vector(q, "q");
            const Turn turn(s);
            s.simulator.set_position(vector.view());
          },
          "q"_a, "Warm starts and caches are forgotten")
      .def(
          "set_velocity",
          [](SharedSimulator& s, const ArrayLike& v) {
            const VectorArgument vector(v, "v");
            const Turn turn(s);
            s.simulator.set_velocity(vector.view());
          },
          "v"_a, "Warm starts and caches are forgotten");
}

// All or nothing: a name that does not exist changes none.
void set_named_control(SharedSimulator& s, const nb::dict& values) {
  const Turn turn(s);
  VectorX control = s.simulator.state().control;
  for (const auto& [key, value] : values) {
    const std::string name = nb::cast<std::string>(key);
    double& to = control[find_control(s.simulator.model(), name)];
    read({nb::borrow<nb::object>(value), name.c_str()}, to);
  }
  s.simulator.set_control(control);
}

// What a simulator is made of.
LoadedModel model_of(const nb::object& value) {
  if (nb::isinstance<Model>(value)) return {nb::cast<std::shared_ptr<const Model>>(value), {}};
  if (nb::isinstance<LoadedModel>(value)) return nb::cast<LoadedModel>(value);
  const std::string path = to_path(value);
  const nb::gil_scoped_release released;
  return load_model(path, {});
}

void expose_forces(Class& simulator) {
  simulator
      .def(
          "set_solver_option",
          [](SharedSimulator& s, const std::string& name, double value) {
            const Turn turn(s);
            s.simulator.set_solver_option(name, value);
          },
          "name"_a, "value"_a, "A setting of the contact solver, for every island")
      .def(
          "set_control",
          [](SharedSimulator& s, const ArrayLike& control) {
            if (nb::isinstance<nb::dict>(control)) return set_named_control(s, nb::borrow<nb::dict>(control));
            const VectorArgument vector(control, "control");
            const Turn turn(s);
            s.simulator.set_control(vector.view());
          },
          "control"_a, nb::sig("def set_control(self, control: numpy.typing.ArrayLike | dict[str, float]) -> None"),
          "One entry per actuator, or some by name: of an actuator, or of a joint with exactly one; stays until set "
          "again")
      .def(
          "set_joint_force",
          [](SharedSimulator& s, const ArrayLike& force) {
            const VectorArgument vector(force, "force");
            const Turn turn(s);
            s.simulator.set_joint_force(vector.view());
          },
          "force"_a, "One entry per velocity, N m or N; stays until set again")
      .def(
          "add_external_force",
          [](SharedSimulator& s, const FrameLike& body, const ArrayLike& force, const ArrayLike& point,
             const ArrayLike& torque) {
            const Vector3 f = to_vector3(force, "force"), p = to_vector3(point, "point");
            const Vector3 t = to_vector3(torque, "torque");
            const Turn turn(s);
            s.simulator.add_external_force(to_body(s.simulator.model(), body), f, p, t);
          },
          "body"_a, "force"_a, "point"_a, "torque"_a = nb::make_tuple(0.0, 0.0, 0.0),
          "Force (N) at a point, and torque (N m), all in world coordinates, on a body; stay until cleared")
      .def("clear_external_forces",
           [](SharedSimulator& s) {
             const Turn turn(s);
             s.simulator.clear_external_forces();
           })
      .def_prop_ro(
          "joint_force",
          [](SharedSimulator& s) {
            const Turn turn(s);
            const NumpyArray array = copy_to_numpy(s.simulator.joint_force());
            make_read_only(array);
            return array;
          },
          "as it was set last, N m or N; a read-only array of its own")
      .def_prop_ro(
          "external_forces",
          [](SharedSimulator& s) {
            const Turn turn(s);
            const auto forces = s.simulator.external_forces();
            return std::vector<BodyWrench>(forces.begin(), forces.end());
          },
          "that were added and not cleared")
      .def(
          "constraint_impulse",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return copy_to_numpy(s.simulator.constraint_impulse());
          },
          "Of the last step, by velocity: J' l of all constraints, without servos, N s or N m s")
      .def(
          "actuator_force",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return copy_to_numpy(s.simulator.actuator_force());
          },
          "What actuators exerted in the last step, after limits, by velocity, N m or N")
      .def(
          "actuator_forces",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return copy_to_numpy(s.simulator.actuator_forces());
          },
          "What actuators exerted in the last step, after limits, by actuator, before gear, N m or N")
      .def(
          "tendon_lengths",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return copy_to_numpy(s.simulator.tendon_lengths());
          },
          "At the current state, one entry per tendon")
      .def(
          "tendon_velocities",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return copy_to_numpy(s.simulator.tendon_velocities());
          },
          "Their rates")
      .def(
          "joint_wrench",
          [](SharedSimulator& s, const FrameLike& body) {
            const Turn turn(s);
            const auto [force, torque] = s.simulator.joint_wrench(to_body(s.simulator.model(), body));
            return nb::make_tuple(copy_to_numpy(force), copy_to_numpy(torque));
          },
          "body"_a,
          nb::sig("def joint_wrench(self, body: int | str) -> tuple[numpy.typing.NDArray[numpy.float64], "
                  "numpy.typing.NDArray[numpy.float64]]"),
          "Force (N) and torque (N m) by which the parent holds a body in the last step, world axes, about its origin");
}

void expose_results(Class& simulator) {
  simulator
      .def_prop_ro(
          "report",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return StepReport(s.simulator.report());
          },
          nb::rv_policy::move, "of the last step")
      .def_prop_ro(
          "worst_residual",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return s.simulator.worst_residual();
          },
          "largest eps_nat since construction or reset")
      .def_prop_ro(
          "num_failed_steps",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return s.simulator.num_failed_steps();
          },
          "steps not even accepted since construction or reset")
      .def_prop_ro(
          "num_uncertified_steps",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return s.simulator.num_uncertified_steps();
          },
          "steps not certified for whatever reason since construction or reset, the failed ones among them")
      .def_prop_ro(
          "num_law_uncertified_steps",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return s.simulator.num_law_uncertified_steps();
          },
          "steps whose residual is beyond the tolerance")
      .def_prop_ro(
          "num_geometry_uncertified_steps",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return s.simulator.num_geometry_uncertified_steps();
          },
          "steps whose end differs from what their rows promised by more than geometric_tolerance")
      .def_prop_ro(
          "num_energy_uncertified_steps",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return s.simulator.num_energy_uncertified_steps();
          },
          "steps that gained more energy than energy_tolerance allows")
      .def(
          "contacts",
          [](SharedSimulator& s) {
            const Turn turn(s);
            const auto contacts = s.simulator.contacts();
            return std::vector<Contact>(contacts.begin(), contacts.end());
          },
          "Contacts of the last step")
      .def(
          "contact_arrays",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return contact_arrays(s.simulator.contacts());
          },
          nb::sig("def contact_arrays(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "Contacts of the last step, an array per attribute of Contact; regime: 0 open, 1 sticking, 2 sliding")
      .def(
          "body_pose",
          [](SharedSimulator& s, const FrameLike& body) {
            const Turn turn(s);
            // A name is that of the user's frame, which need not be the frame of the forest's body.
            if (nb::isinstance<nb::str>(body)) return s.simulator.frame_pose(to_frame(s.simulator.model(), body));
            return s.simulator.body_pose(to_body(s.simulator.model(), body));
          },
          "body"_a, "Where a body is: by index into model.bodies, or by the name that the builder gave it")
      .def(
          "frame_pose",
          [](SharedSimulator& s, const FrameLike& frame) {
            const Turn turn(s);
            return s.simulator.frame_pose(to_frame(s.simulator.model(), frame));
          },
          "frame"_a, "Where a frame is, by index or name");
}

std::string describe(SharedSimulator& s) {
  const Turn turn(s);
  const Model& m = s.simulator.model();
  return nb::cast<std::string>(
      nb::str("Simulator({} bodies, {} velocities, time_step={:.6g}, solver='{}', time={:.6g})")
          .format(m.num_bodies(), m.num_velocities(), s.simulator.time_step(), s.simulator.settings().solver,
                  s.simulator.state().time));
}

}  // namespace

int to_frame(const Model& model, const nb::object& frame) {
  const int index = index_or_name(frame, "frame", [&](const std::string& name) { return model.find_frame(name); });
  if (index < 0 || index >= static_cast<int>(model.frames.size())) {
    refuse("frame ", index, " does not exist; the model has ", model.frames.size());
  }
  return index;
}

int to_body(const Model& model, const nb::object& body) {
  return index_or_name(body, "body",
                       [&](const std::string& name) { return model.frames[model.find_frame(name)].body; });
}

void expose_sim(nb::module_& module) {
  expose_step_results(module);
  Class simulator(module, "Simulator",
                  "Steps a world and certifies every step. The settings are those of SimulatorSettings, "
                  "ConstraintSettings and CollisionSettings, by name; dt is short for time_step.");
  simulator
      .def(
          "__init__",
          [](SharedSimulator* self, const nb::object& model, const nb::kwargs& keywords) {
            const SimulatorSettings settings = to_settings(keywords);
            LoadedModel loaded = model_of(model);
            new (self) SharedSimulator(std::move(loaded.model), settings);
            self->ignored = std::move(loaded.ignored);
          },
          "model"_a, "settings"_a,
          nb::sig(keep_text("def __init__(self, model: Model | LoadedModel | str | os.PathLike[str], *, dt: float = "
                            "0.0, " +
                            settings_stub() + ") -> None")),
          "Of a model, of what load() returns, or of a file: URDF, SDF, MJCF")
      .def_prop_ro(
          "ignored", [](SharedSimulator& s) { return s.ignored; },
          "what the file has and the model has not, where the simulator was made of a file")
      .def("step", &step, "n"_a = 1, nb::kw_only(), "progress"_a = false,
           nb::sig(
               "def step(self, n: int = 1, *, progress: bool | collections.abc.Callable[[int, int], object] = False) "
               "-> StepReport"),
           "Makes n steps; the report of the last. The GIL is released; Ctrl-C ends a step, which is then undone. "
           "`progress`: True shows a line on standard error, a function is told (steps done, n) some times a second.")
      .def_prop_ro("model", [](SharedSimulator& s) { return s.simulator.shared_model(); })
      .def_prop_ro(
          "settings", [](SharedSimulator& s) { return settings_of(s.simulator.settings()); },
          nb::sig("def settings(self) -> dict[str, typing.Any]"),
          "by name: Simulator(model, **simulator.settings) is another one of the same kind")
      .def_prop_ro(
          "time_step", [](SharedSimulator& s) { return s.simulator.time_step(); }, "s")
      .def("__repr__", &describe);
  expose_state_access(simulator);
  expose_forces(simulator);
  expose_results(simulator);
  expose_dynamics(module, simulator);
  expose_access(module, simulator);
  expose_step_problem(module, simulator);
}

}  // namespace stiction::python
