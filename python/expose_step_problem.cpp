// The room `sim`: the contact problem of a step, and what its solver said.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.h"
#include "expose.h"
#include "shared_simulator.h"
#include "stiction/contact/least_impulse.h"

namespace stiction::python {
namespace {

using namespace nb::literals;
using Class = nb::class_<SharedSimulator>;

const char* name_of(ConstraintSource source) {
  static constexpr const char* names[] = {"contact", "lower_limit", "upper_limit", "dry_friction", "loop", "servo"};
  return names[static_cast<int>(source)];
}

void expose_problem(nb::module_& module) {
  nb::class_<StepProblem>(module, "StepProblem", "The contact problem of a step, with what its constraints are")
      .def_ro("problem", &StepProblem::problem)
      .def_ro("contacts", &StepProblem::contacts, "by constraint: index into contacts(), -1 where it is none")
      .def_prop_ro(
          "impulse", [](nb::handle_t<StepProblem> s) { return view_of(nb::cast<const StepProblem&>(s).impulse, s); },
          "of the step, N s")
      .def_prop_ro(
          "sources",
          [](const StepProblem& s) {
            std::vector<std::string> names;
            for (const ConstraintIdentity& id : s.identities) names.emplace_back(name_of(id.source));
            return names;
          },
          "by constraint: contact, lower_limit, upper_limit, dry_friction, loop or servo")
      .def_prop_ro("id", &StepProblem::short_identities,
                   "names each constraint across steps, three numbers each: what SequenceStep takes")
      .def("__repr__", [](const StepProblem& s) {
        return "StepProblem(" + std::to_string(s.problem.num_constraints()) + " constraints, " +
               std::to_string(s.problem.num_rows()) + " rows)";
      });
}

void expose_least_impulse(nb::module_& module) {
  nb::class_<LeastImpulse>(module, "LeastImpulse", "The least of all impulses that do the same and obey the same law")
      .def_prop_ro("impulse",
                   [](nb::handle_t<LeastImpulse> s) { return view_of(nb::cast<const LeastImpulse&>(s).impulse, s); })
      .def_prop_ro(
          "internal",
          [](nb::handle_t<LeastImpulse> s) { return view_of(nb::cast<const LeastImpulse&>(s).internal, s); },
          "what the given one squeezes beyond that")
      .def_ro("mismatch", &LeastImpulse::mismatch, "of the motion, relative to the largest free velocity")
      .def_ro("converged", &LeastImpulse::converged);
  module.def(
      "find_least_impulse",
      [](const ContactProblem& problem, const ArrayLike& impulse, double rank_tolerance) {
        const VectorX given = to_vector(impulse, "impulse");
        const nb::gil_scoped_release released;
        return find_least_impulse(problem, given, rank_tolerance);
      },
      "problem"_a, "impulse"_a, "rank_tolerance"_a = 1e-12,
      "Of all impulses with this motion that friction cones and the law allow, the one of least norm; dense");
}

}  // namespace

void expose_step_problem(nb::module_& module, Class& simulator) {
  expose_problem(module);
  expose_least_impulse(module);
  simulator
      .def(
          "contact_problem",
          [](SharedSimulator& s, std::optional<int> island) {
            const Turn turn(s);
            return island ? s.simulator.contact_problem(*island) : s.simulator.contact_problem();
          },
          "island"_a = nb::none(),
          "What the last step solved, or forward(): of all islands together, or of one of report.num_islands")
      .def(
          "solve_report",
          [](SharedSimulator& s, int island) {
            const Turn turn(s);
            return SolveReport(s.simulator.solve_report(island));
          },
          "island"_a = 0, "What the solver of an island said in the last step, its stages too")
      .def(
          "solve_history",
          [](SharedSimulator& s, int island) {
            const Turn turn(s);
            const auto entries = s.simulator.solve_history(island);
            return std::vector<HistoryEntry>(entries.begin(), entries.end());
          },
          "island"_a = 0, "Its iterations, where the solver option record_history is 1");
}

}  // namespace stiction::python
