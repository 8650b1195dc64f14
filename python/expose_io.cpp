// The room `io`: FCLIB and LCP files, stored sequences of problems.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "arrays.h"
#include "expose.h"
#include "stiction/problem_files/fclib.h"
#include "stiction/problem_files/lcp.h"
#include "stiction/problem_files/sequence.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

void expose_fclib(nb::module_& module) {
  nb::enum_<FclibGlobal>(module, "FclibGlobal", "What becomes of a global problem (M, H)")
      .value("factored", FclibGlobal::factored)
      .value("condensed", FclibGlobal::condensed);

  nb::class_<FclibSolution>(module, "FclibSolution", "A stored answer, rows ordered as in the problem")
      .def(
          "__init__",
          [](FclibSolution* self, const ArrayLike& impulse, const ArrayLike& velocity) {
            new (self) FclibSolution{to_vector(impulse, "impulse"), to_vector(velocity, "velocity")};
          },
          "impulse"_a, "velocity"_a = nb::none())
      .def_prop_ro("impulse",
                   [](nb::handle_t<FclibSolution> s) { return view_of(nb::cast<const FclibSolution&>(s).impulse, s); })
      .def_prop_ro("velocity", [](nb::handle_t<FclibSolution> s) {
        return view_of(nb::cast<const FclibSolution&>(s).velocity, s);
      });

  nb::class_<FclibProblem>(module, "FclibProblem", "What an FCLIB file holds")
      .def(
          "__init__",
          [](FclibProblem* self, const ContactProblem& problem, const std::string& title,
             const std::string& description) {
            new (self) FclibProblem;
            self->problem = problem;
            self->title = title;
            self->description = description;
          },
          "problem"_a, "title"_a = "", "description"_a = "")
      .def_ro("problem", &FclibProblem::problem)
      .def_rw("title", &FclibProblem::title)
      .def_rw("description", &FclibProblem::description)
      .def_rw("math_info", &FclibProblem::math_info)
      .def_rw("degrees_of_freedom", &FclibProblem::degrees_of_freedom, "-1: the file does not say")
      .def_prop_rw(
          "guesses", [](const FclibProblem& f) { return f.guesses; },
          [](FclibProblem& f, std::vector<FclibSolution> guesses) { f.guesses = std::move(guesses); })
      .def_prop_rw(
          "solution", [](const FclibProblem& f) { return f.solution; },
          [](FclibProblem& f, std::optional<FclibSolution> solution) { f.solution = std::move(solution); },
          nb::for_setter(nb::arg("solution").none()));

  module.def(
      "read_fclib",
      [](const PathLike& path, FclibGlobal global) {
        const std::string name = to_path(path);
        const nb::gil_scoped_release released;
        return read_fclib(name, global);
      },
      "path"_a, "global_form"_a = FclibGlobal::factored,
      "A friction-contact problem; the normal is permuted from first to last");
  module.def(
      "write_fclib",
      [](const PathLike& path, const FclibProblem& contents) {
        const std::string name = to_path(path);
        const nb::gil_scoped_release released;
        write_fclib(name, contents);
      },
      "path"_a, "contents"_a, "The local form; refuses what the format cannot hold");
}

void expose_sequence(nb::module_& module) {
  nb::class_<SequenceStep>(module, "SequenceStep", "A problem of a sequence: Simulator.contact_problem() has its parts")
      .def(
          "__init__",
          [](SequenceStep* self, const ContactProblem& problem, std::vector<SequenceIdentity> id,
             const ArrayLike& reference) {
            new (self) SequenceStep{problem, std::move(id), to_vector(reference, "reference")};
          },
          "problem"_a, "id"_a, "reference"_a)
      .def_ro("problem", &SequenceStep::problem)
      .def_ro("id", &SequenceStep::id, "names each constraint across steps")
      .def_prop_ro(
          "reference",
          [](nb::handle_t<SequenceStep> s) { return view_of(nb::cast<const SequenceStep&>(s).reference, s); },
          "stored impulse, N s");
  nb::class_<Sequence>(module, "Sequence", "Contact problems of a running simulation, every step in order")
      .def(
          "__init__",
          [](Sequence* self, const std::string& name, double time_step, std::vector<SequenceStep> steps,
             const std::string& description) { new (self) Sequence{name, description, time_step, std::move(steps)}; },
          "name"_a, "time_step"_a, "steps"_a, "description"_a = "")
      .def_ro("name", &Sequence::name)
      .def_ro("description", &Sequence::description)
      .def_ro("time_step", &Sequence::time_step, "s")
      .def("__len__", [](const Sequence& s) { return s.steps.size(); })
      .def(
          "__getitem__",
          [](const Sequence& s, std::ptrdiff_t k) -> const SequenceStep& {
            const auto n = static_cast<std::ptrdiff_t>(s.steps.size());
            if (k < -n || k >= n) throw nb::index_error("step outside the sequence");
            return s.steps[k < 0 ? k + n : k];
          },
          "k"_a, nb::rv_policy::reference_internal);
  module.def(
      "read_sequence",
      [](const PathLike& path) {
        const std::string name = to_path(path);
        const nb::gil_scoped_release released;
        return read_sequence(name);
      },
      "path"_a);
  module.def(
      "write_sequence",
      [](const PathLike& path, const Sequence& sequence) {
        const std::string name = to_path(path);
        const nb::gil_scoped_release released;
        write_sequence(name, sequence);
      },
      "path"_a, "sequence"_a, "What read_sequence reads: contacts and one-sided rows, no compliance");
  module.def(
      "carry_over",
      [](const SequenceStep& before, const ArrayLike& impulse_before, const SequenceStep& now) {
        VectorX guess;
        carry_over(before.id, before.problem, to_vector(impulse_before, "impulse_before"), now.id, now.problem, guess);
        return to_numpy(std::move(guess));
      },
      "before"_a, "impulse_before"_a, "now"_a,
      "A guess for the step `now`: constraints with the same identity keep their impulse, new ones start from zero");
}

void expose_lcp(nb::module_& module) {
  nb::class_<LcpFile>(module, "LcpFile", "What a file of a linear complementarity problem holds")
      .def_ro("problem", &LcpFile::problem)
      .def_ro("source", &LcpFile::source);
  module.def(
      "read_lcp",
      [](const PathLike& path) {
        const std::string name = to_path(path);
        const nb::gil_scoped_release released;
        return read_lcp(name);
      },
      "path"_a);
}

}  // namespace

void expose_io(nb::module_& module) {
  expose_fclib(module);
  expose_lcp(module);
  expose_sequence(module);
}

}  // namespace stiction::python
