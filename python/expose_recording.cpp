// The room `io`: recordings.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>

#include "expose.h"
#include "fields.h"
#include "shared_simulator.h"
#include "stiction/io/recording/recording.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

// ---- writing

const Fields<RecordingSettings>& fields() {
  using R = RecordingSettings;
  static const Fields<R> all = {
      field<&R::steps_per_block>("steps_per_block", "int = 100"),
      field<&R::contacts>("contacts", "bool = True"),
      field<&R::compression>("compression", "int = 1"),
      field<&R::sync>("sync", "bool = False"),
  };
  return all;
}

// A writer with the simulator that it records.
struct PythonWriter {
  nb::object simulator;
  RecordingWriter writer;

  SharedSimulator& shared() const { return nb::cast<SharedSimulator&>(simulator); }
};

PythonWriter* record(const nb::object& simulator, const PathLike& path, bool continue_at_end,
                     const nb::kwargs& keywords) {
  RecordingSettings settings;
  set_fields("record", fields(), settings, keywords);
  SharedSimulator& shared = nb::cast<SharedSimulator&>(simulator);
  const std::string name = to_path(path);
  const Turn turn(shared);
  return new PythonWriter{simulator, continue_at_end
                                         ? RecordingWriter::continue_at_end(name, shared.simulator, settings)
                                         : RecordingWriter(name, shared.simulator, settings)};
}

void append(PythonWriter& w) {
  const Turn turn(w.shared());
  w.writer.append(w.shared().simulator, w.shared().simulator.report());
}

StepReport step(PythonWriter& w, int count) {
  if (count < 0) throw nb::value_error("count is negative");
  SharedSimulator& shared = w.shared();
  for (int k = 0; k < count; ++k) {
    if (k % 64 == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
    const nb::gil_scoped_release released;
    const std::lock_guard lock(shared.mutex);
    const StepReport& report = shared.step();
    w.writer.append(shared.simulator, report);
  }
  const Turn turn(shared);
  return shared.simulator.report();
}

void expose_writer(nb::module_& module) {
  nb::class_<PythonWriter>(module, "RecordingWriter", "What `record` returns; a context manager that closes the file")
      .def("append", &append, "The last step of the simulator; after every step that shall be in the file")
      .def("step", &step, "count"_a = 1, "Steps the simulator and appends every step; the report of the last")
      .def(
          "flush", [](PythonWriter& w) { w.writer.flush(); }, "Completes the block: what was appended is in the file")
      .def(
          "close", [](PythonWriter& w) { w.writer.close(); }, "Completes the file: tables at their size, compressed")
      .def_prop_ro("num_steps", [](const PythonWriter& w) { return w.writer.num_steps(); })
      .def_prop_ro("path", [](const PythonWriter& w) { return w.writer.path(); })
      .def("__enter__",
           [](nb::handle_t<PythonWriter> self) { return nb::borrow<nb::typed<nb::object, PythonWriter>>(self); })
      .def(
          "__exit__", [](PythonWriter& w, nb::handle, nb::handle, nb::handle) { w.writer.close(); }, nb::arg().none(),
          nb::arg().none(), nb::arg().none());
  const std::string signature =
      "def record(simulator: Simulator, path: str | os.PathLike[str], *, continue_at_end: bool = False, " +
      stub_of(fields()) + ") -> RecordingWriter";
  module.def("record", &record, "simulator"_a, "path"_a, nb::kw_only(), "continue_at_end"_a = false, "settings"_a,
             nb::sig(keep_text(signature)), nb::rv_policy::take_ownership,
             "Begins a recording of the simulator in an HDF5 file, in place of any file of that name; or, with "
             "continue_at_end, goes on with one whose end the simulator stands at (Recording.resume()). A process that "
             "is killed leaves a file that is readable up to its last complete block.");
}

// ---- reading

nb::object array_of(const RecordingReader::Rows& rows) {
  auto [array, data] =
      new_array<double>({static_cast<std::size_t>(rows.rows()), static_cast<std::size_t>(rows.cols())});
  if (rows.size() > 0) std::memcpy(data, rows.data(), sizeof(double) * static_cast<std::size_t>(rows.size()));
  return array;
}

template <RecordingReader::Rows (RecordingReader::*read)(std::int64_t, std::int64_t) const>
nb::object rows(const RecordingReader& r, std::int64_t first, std::int64_t count) {
  RecordingReader::Rows values;
  {
    const nb::gil_scoped_release released;
    values = (r.*read)(first, count);
  }
  return array_of(values);
}

SharedSimulator* resume(const RecordingReader& reader, std::optional<std::int64_t> after) {
  auto shared = std::make_unique<SharedSimulator>(reader.model(), reader.settings());
  shared->simulator = after ? reader.resume(*after) : reader.resume();
  return shared.release();
}

void expose_reader(nb::module_& module) {
  const auto range = [](const char* name, const char* type) {
    return keep_text(std::string("def ") + name + "(self, first: int = 0, count: int = -1) -> " + type);
  };
  const char* const array = "numpy.typing.NDArray[numpy.float64]";
  nb::class_<RecordingReader>(module, "Recording",
                              "A recording: complete, left behind by a killed process, or growing. Steps count from 0; "
                              "arrays are of the steps from `first` on, `count` of them (-1: all that follow).")
      .def(
          "__init__", [](RecordingReader* self, const PathLike& path) { new (self) RecordingReader(to_path(path)); },
          "path"_a)
      .def_prop_ro("path", &RecordingReader::path)
      .def_prop_ro("model", &RecordingReader::model)
      .def_prop_ro("settings", [](const RecordingReader& r) { return settings_of(r.settings()); })
      .def_prop_ro("solver_options", &RecordingReader::solver_options)
      .def_prop_ro("stiction_version", &RecordingReader::stiction_version, "that began it")
      .def_prop_ro("num_steps", &RecordingReader::num_steps, "complete when the file was last looked at")
      .def("__len__", &RecordingReader::num_steps)
      .def("refresh", &RecordingReader::refresh, "Looks again, for a file that grows")
      .def(
          "times",
          [](const RecordingReader& r, std::int64_t first, std::int64_t count) {
            return to_numpy(r.times(first, count));
          },
          "first"_a = 0, "count"_a = -1, "At the end of each step, s")
      .def("positions", &rows<&RecordingReader::positions>, "first"_a = 0, "count"_a = -1,
           nb::sig(range("positions", array)), "q, one row per step")
      .def("velocities", &rows<&RecordingReader::velocities>, "first"_a = 0, "count"_a = -1,
           nb::sig(range("velocities", array)), "v, one row per step")
      .def("controls", &rows<&RecordingReader::controls>, "first"_a = 0, "count"_a = -1,
           nb::sig(range("controls", array)), "control, one row per step")
      .def("joint_forces", &rows<&RecordingReader::joint_forces>, "first"_a = 0, "count"_a = -1,
           nb::sig(range("joint_forces", array)), "set_joint_force() as it was in the step, one row per step")
      .def("external_forces", &RecordingReader::external_forces, "step"_a,
           "Forces on bodies that were set in one step, as Simulator.external_forces")
      .def("step_numbers", &RecordingReader::step_numbers, "first"_a = 0, "count"_a = -1, "State.step of each")
      .def("reports", &RecordingReader::reports, "first"_a = 0, "count"_a = -1)
      .def(
          "contacts", [](const RecordingReader& r, std::int64_t step) { return r.contacts(step); }, "step"_a,
          "The contacts of one step")
      .def_prop_ro("saved_steps", &RecordingReader::saved_steps,
                   "After how many recorded steps there is a full state; 0 is the start")
      .def("saved_state", &RecordingReader::saved_state, "after"_a, "A full state, after so many recorded steps")
      .def("resume", &resume, "after"_a = nb::none(), nb::rv_policy::take_ownership,
           nb::sig("def resume(self, after: int | None = None) -> Simulator"),
           "A simulator that stands at a full state, by default the last; it goes on with the same bits. Forces on "
           "joints and bodies are those that were set then.")
      .def("__repr__", [](const RecordingReader& r) {
        return nb::str("Recording({!r}, {} steps)").format(r.path(), r.num_steps());
      });
}

}  // namespace

void expose_recording(nb::module_& module) {
  expose_writer(module);
  expose_reader(module);
}

}  // namespace stiction::python
