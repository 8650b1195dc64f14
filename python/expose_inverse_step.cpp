// The room `sim`: inverse dynamics with contact.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "expose.h"
#include "fields.h"
#include "shared_simulator.h"
#include "stiction/sim/inverse_step.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using S = InverseStepSettings;
using Result = InverseStepResult;

const std::vector<std::string> methods = {"exact", "least_squares"};
const std::vector<std::string> models = {"ncp", "ccp"};

const Fields<S>& fields() {
  static const Fields<S> all = {
      {"method", "str = 'exact'",
       [](S& s, const Argument& a) { s.method = static_cast<InverseMethod>(read_choice(a, methods)); }},
      {"contact_model", "str = 'ncp'",
       [](S& s, const Argument& a) {
         s.contact_model = read_choice(a, models) == 0 ? ContactModel::ncp : ContactModel::ccp;
       }},
      field<&S::proximal>("proximal", "float = 1e-8"),
      field<&S::tolerance>("tolerance", "float = 1e-6"),
      field<&S::max_iterations>("max_iterations", "int = 100"),
      field<&S::from_last_step>("from_last_step", "bool = True"),
      field<&S::unactuated_share>("unactuated_share", "float = 0.0"),
      {"unactuated", "Sequence[int] = ()",
       [](S& s, const Argument& a) {
         if (!nb::try_cast(a.value, s.unactuated)) throw nb::type_error("unactuated: a list of velocities is wanted");
       }},
  };
  return all;
}

Result inverse(SharedSimulator& shared, const ArrayLike& v_ref, const nb::kwargs& keywords) {
  S settings;
  set_fields("inverse_step", fields(), settings, keywords);
  const VectorArgument wanted(v_ref, "v_ref");
  const Turn turn(shared);
  return inverse_step(shared.simulator, wanted.view(), settings);
}

}  // namespace

void expose_inverse_step(nb::module_& module) {
  nb::class_<Result>(module, "InverseStepResult", "Joint forces and impulses with which a step ends as asked")
      .def_prop_ro("joint_force", view_of_member(&Result::joint_force),
                   "by velocity, N m or N; for Simulator.set_joint_force()")
      .def_prop_ro("velocity", view_of_member(&Result::velocity), "that the step ends with")
      .def_prop_ro("unactuated_force", view_of_member(&Result::unactuated_force),
                   "what joint_force asks of velocities that no actuator drives; zero elsewhere")
      .def_ro("unactuated_norm", &Result::unactuated_norm)
      .def_ro("velocity_defect", &Result::velocity_defect, "norm of velocity - v_ref")
      .def_prop_ro("impulse", view_of_member(&Result::impulse), "by row, N s; contacts as (t1, t2, n)")
      .def_prop_ro("constraint_velocity", view_of_member(&Result::constraint_velocity), "s = R l + J v + gamma, by row")
      .def_prop_ro("constraint_impulse", view_of_member(&Result::constraint_impulse), "J' l by velocity, N m s")
      .def_prop_ro(
          "constraints", [](const Result& r) { return r.constraints; }, "laws and rows")
      .def_prop_ro(
          "status", [](const Result& r) { return to_string(r.status); }, "converged, unreachable or iteration_limit")
      .def_prop_ro("converged", &Result::converged)
      .def_ro("iterations", &Result::iterations)
      .def_ro("residuals", &Result::residuals, "by the judge")
      .def_ro("impulse_history", &Result::impulse_history, "norm of the impulse before and after each iteration, N s")
      .def_ro("residual_history", &Result::residual_history, "the judge's eps_abs likewise")
      .def("__repr__", [](const Result& r) {
        return nb::str("InverseStepResult({}, {} iterations, eps_abs={:.3g}, unactuated_norm={:.3g})")
            .format(to_string(r.status), r.iterations, r.residuals.eps_abs, r.unactuated_norm);
      });
  const std::string signature = "def inverse_step(simulator: Simulator, v_ref: numpy.typing.ArrayLike, *, " +
                                stub_of(fields()) + ") -> InverseStepResult";
  module.def("inverse_step", &inverse, "simulator"_a, "v_ref"_a, "settings"_a, nb::sig(keep_text(signature)),
             "Inverse dynamics with contact: the joint forces and impulses with which the next step ends with v_ref. "
             "What no actuator can give is reported as unactuated_force; method='least_squares' gives way in v_ref "
             "instead.");
}

}  // namespace stiction::python
