// Robot files of every format: load and load_models.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "arrays.h"
#include "expose.h"
#include "fields.h"
#include "stiction/io/load.h"

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

}  // namespace

void expose_load(nb::module_& module) {
  module.def(
      "load",
      [](const PathLike& path, const nb::kwargs& keywords) {
        O options;
        set_fields("load", load_fields(), options, keywords);
        const std::string name = to_path(path);
        const nb::gil_scoped_release released;
        return load_model(name, options);
      },
      "path"_a, "keywords"_a,
      nb::sig(keep_text("def load(path: str | os.PathLike[str], *, " + stub_of(load_fields()) + ") -> LoadedModel")),
      "A model from a URDF, SDF or MJCF file: .model, and .ignored with everything that the file has and the model has "
      "not. base: as_in_file, fixed or floating; package_roots: folders in which package://name is looked for; prefix: "
      "put before all names; repair_inertia: mend impossible inertias in place of refusing them.");
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
