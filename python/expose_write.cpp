// The room `io`: robot files of every format, written.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "expose.h"
#include "stiction/io/mjcf/write_mjcf.h"
#include "stiction/io/sdf/write_sdf.h"
#include "stiction/io/urdf/write_urdf.h"
#include "stiction/io/write_model.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using Writer = WrittenModel (*)(const Model& model, const std::string& path);

template <Writer writer>
void expose_writer(nb::module_& module, const char* name, const char* text) {
  module.def(
      name,
      [](const Model& model, const PathLike& path) {
        const std::string file = to_path(path);
        const nb::gil_scoped_release released;
        return writer(model, file);
      },
      "model"_a, "path"_a, text);
}

}  // namespace

void expose_write(nb::module_& module) {
  nb::class_<WrittenModel>(module, "WrittenModel", "What a writer of model files returns")
      .def_ro("files", &WrittenModel::files, "the model file first, then its meshes")
      .def_ro("lost", &WrittenModel::lost, "what is in the model and not, or not exactly, in the file")
      .def_ro("notes", &WrittenModel::notes, "what stands otherwise in the file and means the same")
      .def("__repr__", [](const WrittenModel& w) {
        return "WrittenModel('" + w.files.front() + "', " + std::to_string(w.lost.size()) + " things lost)";
      });
  expose_writer<write_model>(module, "save",
                             "Writes a model as MJCF (.xml, .mjcf), URDF (.urdf) or SDF (.sdf), by the ending of the "
                             "name; meshes as OBJ files into a folder beside it. What the format cannot say is in "
                             ".lost. (write_model in C++)");
  expose_writer<write_mjcf>(module, "write_mjcf", "Writes a model as MJCF, whatever the name ends in; see save");
  expose_writer<write_urdf>(module, "write_urdf", "Writes a model as URDF, whatever the name ends in; see save");
  expose_writer<write_sdf>(module, "write_sdf", "Writes a model as SDF, whatever the name ends in; see save");
}

}  // namespace stiction::python
