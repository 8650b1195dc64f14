// The room `sim`: positions in which loops are closed and limits are kept.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "expose.h"
#include "fields.h"
#include "stiction/sim/assembly.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using S = AssemblySettings;

const Fields<S>& fields() {
  static const Fields<S> all = {
      field<&S::tolerance>("tolerance", "float = 1e-7"),
      field<&S::largest_move>("largest_move", "float = 0.1"),
      field<&S::limit_inset>("limit_inset", "float = 0.02"),
      field<&S::max_iterations>("max_iterations", "int = 200"),
  };
  return all;
}

S settings_from(const char* function, const nb::kwargs& keywords) {
  S settings;
  set_fields(function, fields(), settings, keywords);
  return settings;
}

VectorX position_of(const Model& model, const nb::object& q) {
  return q.is_none() ? model.initial_position : to_vector(q, "q");
}

}  // namespace

void expose_assembly(nb::module_& module) {
  nb::class_<Assembly>(module, "Assembly", "What `assemble` found")
      .def_prop_ro(
          "q", [](const Assembly& a) { return copy_to_numpy(a.q); }, "the best position that was met")
      .def_ro("error", &Assembly::error, "the largest error of a loop or limit there, m or rad")
      .def_ro("iterations", &Assembly::iterations)
      .def_ro("converged", &Assembly::converged)
      .def("__repr__", [](const Assembly& a) {
        return nb::str("Assembly({}, error={:.3g}, {} iterations)")
            .format(a.converged ? "converged" : "not converged", a.error, a.iterations);
      });
  module.def(
      "assembly_error",
      [](const std::shared_ptr<const Model>& model, const ArrayLike& q) {
        return assembly_error(model, position_of(*model, q));
      },
      "model"_a, "q"_a = nb::none(),
      nb::sig("def assembly_error(model: Model, q: numpy.typing.ArrayLike | None = None) -> float"),
      "Largest error of the loops and limits of a rigid mechanism at q (the initial position), m or rad");
  module.def(
      "assemble",
      [](const std::shared_ptr<const Model>& model, const ArrayLike& q, const nb::kwargs& keywords) {
        const S settings = settings_from("assemble", keywords);
        const VectorX start = position_of(*model, q);
        const nb::gil_scoped_release released;
        return assemble(model, start, settings);
      },
      "model"_a, "q"_a = nb::none(), "settings"_a,
      nb::sig(keep_text("def assemble(model: Model, q: numpy.typing.ArrayLike | None = None, *, " + stub_of(fields()) +
                        ") -> Assembly")),
      "The position nearest to q (the initial position) in which loops are closed and limits are kept");
  module.def(
      "assembled",
      [](const std::shared_ptr<const Model>& model, const nb::kwargs& keywords) {
        const S settings = settings_from("assembled", keywords);
        const nb::gil_scoped_release released;
        return assembled(model, settings);
      },
      "model"_a, "settings"_a, nb::sig(keep_text("def assembled(model: Model, *, " + stub_of(fields()) + ") -> Model")),
      "The model, starting from such a position; the same object where nothing was to do");
}

}  // namespace stiction::python
