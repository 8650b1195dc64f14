// The rooms `model` and `sim`: sensors put into a builder, and read from a simulator.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>

#include "expose.h"
#include "fields.h"
#include "geometry.h"
#include "shared_simulator.h"
#include "stiction/model/model_builder.h"
#include "stiction/sim/sensor_handle.h"
#include "watched.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using S = SensorOptions;

template <Pose S::* pose>
void set_pose(S& sensor, const Argument& argument) {
  if (!nb::try_cast(argument.value, sensor.*pose)) {
    throw nb::type_error((std::string(argument.name) + " is no Pose").c_str());
  }
}

void set_sensor_kind(S& sensor, const Argument& argument) {
  std::vector<std::string> names;
  for (int k = 0; k < num_sensor_kinds; ++k) names.emplace_back(to_string(static_cast<SensorKind>(k)));
  sensor.kind = static_cast<SensorKind>(read_choice(argument, names));
}

void set_region(S& sensor, const Argument& argument) {
  if (!argument.value.is_none()) sensor.region = to_geometry(argument.value);
}

const Fields<S>& sensor_fields() {
  static const Fields<S> fields = {
      field<&S::name>("name", "str = ''"),
      {"kind", "str = 'clock'", &set_sensor_kind},
      field<&S::joint>("joint", "str = ''"),
      field<&S::tendon>("tendon", "str = ''"),
      field<&S::actuator>("actuator", "str = ''"),
      field<&S::site>("site", "str = ''"),
      field<&S::body>("body", "int = -2"),
      {"position", "numpy.typing.ArrayLike = (0, 0, 0)", [](S& s, const Argument& a) { read(a, s.pose.position); }},
      {"orientation", "numpy.typing.ArrayLike = (0, 0, 0, 1)",
       [](S& s, const Argument& a) { read_orientation(a, s.pose.rotation); }},
      {"pose", "Pose | None = None", &set_pose<&S::pose>},
      field<&S::reference_site>("reference_site", "str = ''"),
      field<&S::reference_body>("reference_body", "int = -2"),
      {"reference_pose", "Pose | None = None", &set_pose<&S::reference_pose>},
      field<&S::other_body>("other_body", "int = -2"),
      {"region", "Sphere | Capsule | Cylinder | Ellipsoid | Box | None = None", &set_region},
      field<&S::field>("field", "numpy.typing.ArrayLike = (0, 0, 0)"),
      field<&S::scale>("scale", "float = 1.0"),
      field<&S::cutoff>("cutoff", "float = 0.0"),
      field<&S::noise>("noise", "float = 0.0"),
      field<&S::delay>("delay", "float = 0.0"),
  };
  return fields;
}

void expose_in_builder(nb::module_& module) {
  nb::borrow<nb::class_<ModelBuilder>>(module.attr("ModelBuilder"))
      .def(
          "add_sensor",
          [](ModelBuilder& b, const nb::kwargs& keywords) {
            SensorOptions sensor;
            set_fields("add_sensor", sensor_fields(), sensor, keywords);
            return b.add_sensor(sensor);
          },
          "keywords"_a, nb::sig(keep_text("def add_sensor(self, *, " + stub_of(sensor_fields()) + ") -> int")),
          "On a joint, a tendon, an actuator, a site or a body (-1: the world; -2: none). docs/sensors.md lists the "
          "kinds; read it by Simulator.sensor(name).value or Simulator.sensor_data()");
}

// Keeps its simulator alive.
struct NamedSensor {
  nb::object owner;
  SharedSimulator& shared;
  int index;

  const Sensor& sensor() const { return shared.simulator.model().sensors[static_cast<std::size_t>(index)]; }
  nb::object value() const {
    const Turn turn(shared);
    const VectorX values = watched(shared.simulator, [&] { return shared.simulator.sensor_values(index); });
    if (values.size() == 1) return nb::cast(values[0]);
    return copy_to_numpy(values);
  }
};

void expose_handle(nb::module_& module) {
  nb::class_<NamedSensor>(module, "SensorHandle", "One sensor of a simulator, by name")
      .def_prop_ro("name", [](const NamedSensor& s) { return s.sensor().name; })
      .def_prop_ro("kind", [](const NamedSensor& s) { return to_string(s.sensor().kind); })
      .def_ro("index", &NamedSensor::index, "in model.sensors")
      .def_prop_ro("value", &NamedSensor::value,
                   nb::for_getter(nb::sig("def value(self) -> float | numpy.typing.NDArray[numpy.float64]")),
                   "What it reads; an array where it has several numbers. Forces and accelerations are those of the "
                   "last step, or of forward() where the state was set")
      .def("__repr__", [](const NamedSensor& s) {
        return nb::str("SensorHandle('{}', {}, value={})")
            .format(s.sensor().name, to_string(s.sensor().kind), s.value());
      });
}

void expose_in_simulator(nb::module_& module) {
  nb::borrow<nb::class_<SharedSimulator>>(module.attr("Simulator"))
      .def(
          "sensor",
          [](nb::handle_t<SharedSimulator> self, const std::string& name) {
            auto& shared = nb::cast<SharedSimulator&>(self);
            return NamedSensor{nb::borrow(self), shared, shared.simulator.model().find_sensor(name)};
          },
          "name"_a, "A sensor by name: simulator.sensor('imu').value")
      .def(
          "sensor_data",
          [](SharedSimulator& s) {
            const Turn turn(s);
            return copy_to_numpy(watched(s.simulator, [&] { return s.simulator.sensor_data(); }));
          },
          "What all sensors read, one after another as Sensor.first_value says. Reading changes no bit of what "
          "follows");
}

}  // namespace

void expose_sensors(nb::module_& module) {
  expose_in_builder(module);
  expose_handle(module);
  expose_in_simulator(module);
}

}  // namespace stiction::python
