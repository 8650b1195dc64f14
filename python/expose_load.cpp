// The room `io`: robot files of every format, read.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "arrays.h"
#include "expose.h"
#include "fields.h"
#include "stiction/io/load.h"
#include "stiction/io/mjcf/mjcf.h"
#include "stiction/io/sdf/sdf.h"
#include "stiction/io/urdf/urdf.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using O = LoadOptions;

void read_roots(O& options, const Argument& argument) {
  if (nb::isinstance<nb::str>(argument.value)) throw nb::type_error("package_roots is a list of folders, not a string");
  for (const nb::handle& root : nb::cast<nb::iterable>(argument.value)) {
    options.package_roots.push_back(to_path(nb::borrow<nb::object>(root)));
  }
}

const Fields<O>& load_fields() {
  static const Fields<O> fields = {
      {"base", "str = 'as_in_file'",
       [](O& o, const Argument& a) {
         o.base = static_cast<BaseKind>(read_choice(a, {"as_in_file", "fixed", "floating"}));
       }},
      {"package_roots", "collections.abc.Iterable[str | os.PathLike[str]] = ()", &read_roots},
      {"pose", "Pose | None = None",
       [](O& o, const Argument& a) {
         if (a.value.is_none()) return;
         if (!nb::try_cast(a.value, o.pose)) throw nb::type_error("pose is no Pose");
       }},
      {"position", "numpy.typing.ArrayLike = (0, 0, 0)",
       [](O& o, const Argument& a) { python::read(a, o.pose.position); }},
      {"orientation", "numpy.typing.ArrayLike = (0, 0, 0, 1)",
       [](O& o, const Argument& a) { read_orientation(a, o.pose.rotation); }},
      field<&O::prefix>("prefix", "str = ''"),
      field<&O::sandbox>("sandbox", "bool = False"),
      field<&O::repair_inertia>("repair_inertia", "bool = False"),
      field<&O::meshes_as_terrain>("meshes_as_terrain", "bool = False"),
      field<&O::servo_kp>("servo_kp", "float = 0.0"),
      field<&O::servo_kd>("servo_kd", "float = 0.0"),
  };
  return fields;
}

// A path, or a path with a dictionary of the options of load().
ModelPart part_of(const nb::handle& item) {
  if (!nb::isinstance<nb::tuple>(item)) return {to_path(nb::borrow<nb::object>(item)), {}};
  const nb::tuple pair = nb::cast<nb::tuple>(item);
  if (pair.size() != 2 || !nb::isinstance<nb::dict>(pair[1])) {
    throw nb::type_error("a part is a path, or a path and a dictionary of the options of load()");
  }
  ModelPart part{to_path(nb::borrow<nb::object>(pair[0])), {}};
  set_fields("load_models", load_fields(), part.options, nb::cast<nb::dict>(pair[1]));
  return part;
}

void expose_results(nb::module_& module) {
  nb::class_<IgnoredElement>(module, "IgnoredElement", "Something of a file that has no counterpart in the model")
      .def_ro("file", &IgnoredElement::file)
      .def_ro("line", &IgnoredElement::line, "of the first such element; 0: unknown")
      .def_ro("element", &IgnoredElement::element)
      .def_ro("reason", &IgnoredElement::reason)
      .def("__repr__", [](const IgnoredElement& i) {
        const std::string line = i.line > 0 ? ":" + std::to_string(i.line) : "";
        return (i.file.empty() ? "" : i.file + line + ": ") + i.element + ": " + i.reason;
      });
  nb::class_<LoadedModel>(module, "LoadedModel", "What a reader of model files returns")
      .def_ro("model", &LoadedModel::model)
      .def_ro("ignored", &LoadedModel::ignored, "everything of the file that has no counterpart in the model")
      .def("__repr__", [](const LoadedModel& l) {
        return "LoadedModel(" + std::to_string(l.model->num_bodies()) + " bodies, " + std::to_string(l.ignored.size()) +
               " kinds of elements ignored)";
      });
}

using FileReader = LoadedModel (*)(const std::string& path, const O& options);

template <FileReader reader>
void expose_file_reader(nb::module_& module, const char* name, const char* text) {
  module.def(
      name,
      [name](const PathLike& path, const nb::kwargs& keywords) {
        O options;
        set_fields(name, load_fields(), options, keywords);
        const std::string file = to_path(path);
        const nb::gil_scoped_release released;
        return reader(file, options);
      },
      "path"_a, "options"_a,
      nb::sig(keep_text("def " + std::string(name) + "(path: str | os.PathLike[str], *, " + stub_of(load_fields()) +
                        ") -> LoadedModel")),
      text);
}

using TextReader = LoadedModel (*)(const std::string& xml, const O& options, const std::string& folder);

template <TextReader reader>
void expose_text_reader(nb::module_& module, const char* name, const char* text) {
  module.def(
      name,
      [name](const std::string& xml, const PathLike& folder, const nb::kwargs& keywords) {
        O options;
        set_fields(name, load_fields(), options, keywords);
        const std::string place = to_path(folder);
        const nb::gil_scoped_release released;
        return reader(xml, options, place);
      },
      "xml"_a, "folder"_a = ".", "options"_a,
      nb::sig(keep_text("def " + std::string(name) + "(xml: str, folder: str | os.PathLike[str] = '.', *, " +
                        stub_of(load_fields()) + ") -> LoadedModel")),
      text);
}

}  // namespace

void expose_load(nb::module_& module) {
  expose_results(module);
  expose_file_reader<load_model>(
      module, "load",
      "A model from a URDF, SDF or MJCF file: .model, and .ignored with everything that the file has and the model has "
      "not. base: as_in_file, fixed or floating; package_roots: folders in which package://name is looked for; prefix: "
      "put before all names; sandbox: refuse files outside the folder of the model and package_roots; repair_inertia: "
      "mend impossible inertias in place of refusing them; meshes_as_terrain: meshes of the world stay surfaces; "
      "servo_kp, servo_kd: gains of what ros2_control commands by position or velocity.");
  expose_file_reader<load_urdf>(module, "load_urdf", "A model from a URDF file, whatever its name ends in; see load");
  expose_file_reader<load_sdf>(module, "load_sdf", "A model from an SDF file, whatever its name ends in; see load");
  expose_file_reader<load_mjcf>(module, "load_mjcf",
                                "A model from an MJCF file, by MuJoCo's own parser and compiler; see load");
  expose_text_reader<load_urdf_string>(
      module, "load_urdf_string",
      "A model from URDF text; files that it names are looked for as if it stood in folder");
  expose_text_reader<load_sdf_string>(
      module, "load_sdf_string", "A model from SDF text; files that it names are looked for as if it stood in folder");
  module.def(
      "load_mjcf_string",
      [](const std::string& xml, const nb::kwargs& keywords) {
        O options;
        set_fields("load_mjcf_string", load_fields(), options, keywords);
        const nb::gil_scoped_release released;
        return load_mjcf_string(xml, options);
      },
      "xml"_a, "options"_a,
      nb::sig(keep_text("def load_mjcf_string(xml: str, *, " + stub_of(load_fields()) + ") -> LoadedModel")),
      "A model from MJCF text; files that it names are looked for in the working directory");
  module.def("has_mjcf", &has_mjcf, "Whether load_mjcf can work: built with MuJoCo, and its library is found");
  module.def("mujoco_version", &mujoco_version,
             "The MuJoCo that load_mjcf reads with, '4.0.1'; empty: built without. The user's own may be any other");
  module.def(
      "load_models",
      [](const nb::iterable& parts) {
        std::vector<ModelPart> list;
        for (const nb::handle& item : parts) list.push_back(part_of(item));
        const nb::gil_scoped_release released;
        return load_models(list);
      },
      "parts"_a,
      nb::sig("def load_models(parts: collections.abc.Iterable[str | os.PathLike[str] | tuple[str | os.PathLike[str], "
              "dict[str, typing.Any]]]) -> LoadedModel"),
      "Several files in one world: each a path, or a path and a dictionary of the options of load()");
}

}  // namespace stiction::python
