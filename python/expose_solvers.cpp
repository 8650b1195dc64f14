// The room `solvers`: the registry, solver objects, solutions and reports.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <string>

#include "arrays.h"
#include "expose.h"
#include "stiction/solvers/pivoting/linear_complementarity.h"
#include "stiction/solvers/solver.h"
#include "watched.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

// A solver that several Python threads may share: they take turns. The lock is only ever waited for without the GIL.
struct SharedSolver {
  std::unique_ptr<ContactSolver> solver;
  std::mutex mutex;
};

// A vector that becomes a NumPy array when Python first looks at it: a warm solve of a robot takes a microsecond, and
// making arrays takes longer. What Python has seen is never written again, so that views stay valid after a solve.
class LazyArray {
 public:
  LazyArray() = default;
  explicit LazyArray(nb::object array) : array_(std::move(array)) {}

  void keep(VectorX&& values) {
    values_ = std::move(values);
    array_ = nb::object();
  }
  const nb::object& array() {
    if (!array_.is_valid()) array_ = nb::cast(to_numpy(std::move(values_)));
    return array_;
  }
  VectorX values(const char* name) const { return array_.is_valid() ? to_vector(array_, name) : values_; }

 private:
  nb::object array_ = nb::none();  // invalid while values_ are newer
  VectorX values_;
};

struct SharedSolution {
  LazyArray impulse, velocity, dual;
  double penalty_exponent = std::numeric_limits<double>::quiet_NaN();
};

void set_option(ContactSolver& solver, const std::string& name, nb::handle value) {
  double number = 0.0;
  if (!nb::try_cast(nb::borrow<nb::object>(value), number)) {
    throw nb::type_error(("option " + name + " wants a number").c_str());
  }
  solver.set_option(name, number);
}

nb::object option_value(const SolverOption& option) {
  return std::visit([](auto* value) { return nb::cast(*value); }, option.value);
}

// Releasing the GIL costs more than `auto` takes for a few contacts.
constexpr int quick_rows = 12;

SolveReport solve(SharedSolver& shared, const ContactProblem& problem, SharedSolution& kept) {
  ContactSolution solution;
  solution.impulse = kept.impulse.values("impulse");
  solution.memory.rows = kept.dual.values("dual");
  solution.memory.number = kept.penalty_exponent;
  SolveReport report;
  std::unique_lock turn(shared.mutex, std::try_to_lock);
  if (turn.owns_lock() && problem.num_rows() <= quick_rows) {
    report = shared.solver->solve(problem, solution);
    turn.unlock();
  } else {
    if (turn.owns_lock()) turn.unlock();
    Watched watched;
    {
      const nb::gil_scoped_release released;
      turn.lock();
      report = shared.solver->solve(problem, solution, {.interrupt = watched.interrupt()});
      turn.unlock();
    }
    watched.raise();  // what is kept is then that of before
  }
  kept.impulse.keep(std::move(solution.impulse));
  kept.velocity.keep(std::move(solution.velocity));
  kept.dual = LazyArray();
  if (solution.memory.rows.size()) kept.dual.keep(std::move(solution.memory.rows));
  kept.penalty_exponent = solution.memory.number;
  return report;
}

void expose_report(nb::module_& module) {
  nb::enum_<SolveStatus>(module, "SolveStatus")
      .value("converged", SolveStatus::converged, "the stopping test was met")
      .value("acceptable", SolveStatus::acceptable, "it was not, but the residual is within acceptable_tolerance")
      .value("iteration_limit", SolveStatus::iteration_limit, "the best iterate so far came back")
      .value("interrupted", SolveStatus::interrupted, "the caller asked to stop; the best iterate so far came back")
      .value("stalled", SolveStatus::stalled, "no progress although iterations were left")
      .value("regularised", SolveStatus::regularised, "solved with an R of the method's own, which the problem has not")
      .value("rounding", SolveStatus::rounding, "what is left is rounding: further digits do not exist")
      .value("ray", SolveStatus::ray, "a pivoting method ended on a ray")
      .value("no_solution", SolveStatus::no_solution, "proved: no admissible impulse makes the velocities admissible")
      .value("numerical_error", SolveStatus::numerical_error, "the best finite iterate came back");

  nb::class_<SolveReport>(module, "SolveReport")
      .def_ro("status", &SolveReport::status)
      .def_prop_ro("converged", [](const SolveReport& r) { return r.status == SolveStatus::converged; })
      .def_ro("iterations", &SolveReport::iterations)
      .def_ro("factorisations", &SolveReport::factorisations)
      .def_ro("rounds", &SolveReport::rounds,
              "problems solved: more than one where bounds of torsional and rolling friction were looked for")
      .def_ro("residual", &SolveReport::residual, "the solver's own stopping value; quote the judge instead")
      .def_ro("symmetrised", &SolveReport::symmetrised, "G was not symmetric and the method used (G + G')/2")
      .def_prop_ro(
          "stages",
          [](const SolveReport& r) {
            nb::typed<nb::dict, nb::str, int> stages;
            for (const std::string_view name : r.stages.names) {
              if (r.stages.of(name) > 0) stages[nb::cast(name)] = r.stages.of(name);
            }
            return stages;
          },
          "`auto`: islands (or problems) finished by each stage; stages that finished none are left out")
      .def("__repr__", [](const SolveReport& r) {
        return nb::str("SolveReport({}, iterations={}, factorisations={}, residual={:.3g})")
            .format(to_string(r.status), r.iterations, r.factorisations, r.residual);
      });

  nb::class_<HistoryEntry>(module, "HistoryEntry")
      .def_ro("iteration", &HistoryEntry::iteration)
      .def_ro("residual", &HistoryEntry::residual)
      .def_ro("penalty", &HistoryEntry::penalty)
      .def_ro("factorisations", &HistoryEntry::factorisations);

  nb::class_<SharedSolution>(module, "ContactSolution",
                             "The guess on entry of a solve (None or zeros: cold), the best iterate on exit")
      .def(
          "__init__",
          [](SharedSolution* self, const ArrayLike& impulse) {
            new (self) SharedSolution{LazyArray(impulse), LazyArray(), LazyArray()};
          },
          "impulse"_a = nb::none())
      .def_prop_rw(
          "impulse", [](SharedSolution& s) { return s.impulse.array(); },
          [](SharedSolution& s, const ArrayLike& value) { s.impulse = LazyArray(value); },
          nb::sig("def impulse(self) -> typing.Any"),
          nb::for_setter(nb::sig("def impulse(self, value: numpy.typing.ArrayLike | None) -> None")),
          nb::for_setter(nb::arg("value").none()), "l, N s; None before a solve without a guess")
      .def_prop_ro(
          "velocity", [](SharedSolution& s) { return s.velocity.array(); }, nb::sig("def velocity(self) -> typing.Any"),
          "(G + R) l + g, m/s; None before a solve")
      .def_prop_rw(
          "dual", [](SharedSolution& s) { return s.dual.array(); },
          [](SharedSolution& s, const ArrayLike& value) { s.dual = LazyArray(value); },
          nb::sig("def dual(self) -> typing.Any"),
          nb::for_setter(nb::sig("def dual(self, value: numpy.typing.ArrayLike | None) -> None")),
          nb::for_setter(nb::arg("value").none()), "ADMM: z")
      .def_rw("penalty_exponent", &SharedSolution::penalty_exponent, "ADMM: p of the spectral rule; NaN: unknown");
}

void expose_solver(nb::module_& module) {
  nb::class_<SolverTraits>(module, "SolverTraits", "What a method can do")
      .def_ro("name", &SolverTraits::name)
      .def_ro("model", &SolverTraits::model, "the law its tolerance refers to")
      .def_ro("summary", &SolverTraits::summary)
      .def_ro("needs_symmetry", &SolverTraits::needs_symmetry, "solves (G + G')/2 when G is not symmetric")
      .def_ro("needs_compliance", &SolverTraits::needs_compliance,
              "R > 0 on every row; substitutes its own where R = 0")
      .def_ro("warm_starts", &SolverTraits::warm_starts)
      .def_ro("takes_viscous", &SolverTraits::takes_viscous);

  nb::class_<SharedSolver>(module, "ContactSolver", "solve(problem, solution) -> report; made by make_solver")
      .def("solve", &solve, "problem"_a, "solution"_a,
           "Solves from the guess in `solution` and leaves the best iterate there. The GIL is released for more than a "
           "few "
           "contacts.")
      .def_prop_ro("traits", [](const SharedSolver& s) { return s.solver->traits(); })
      .def_prop_ro(
          "options",
          [](SharedSolver& s) {
            nb::dict values;
            for (const SolverOption& option : s.solver->options()) values[nb::cast(option.name)] = option_value(option);
            return values;
          },
          nb::sig("def options(self) -> dict[str, float | int | bool]"), "all settings by name")
      .def_prop_ro("option_descriptions",
                   [](SharedSolver& s) {
                     nb::typed<nb::dict, nb::str, nb::str> texts;
                     for (const SolverOption& option : s.solver->options()) {
                       texts[nb::cast(option.name)] = nb::cast(option.description);
                     }
                     return texts;
                   })
      .def(
          "set_option",
          [](SharedSolver& s, const std::string& name, nb::object value) {
            std::unique_lock<std::mutex> turn(s.mutex, std::defer_lock);
            {
              const nb::gil_scoped_release released;
              turn.lock();
            }
            set_option(*s.solver, name, value);
          },
          "name"_a, "value"_a, nb::sig("def set_option(self, name: str, value: float) -> None"))
      .def_prop_ro(
          "history", [](const SharedSolver& s) { return s.solver->history(); },
          "one entry per iteration of the last solve, with the option record_history");

  module.def("solver_names", &solver_names, "All solvers of the registry, the default first");
  module.def(
      "make_solver",
      [](const std::string& name, const nb::kwargs& options) {
        auto shared = std::make_unique<SharedSolver>();
        shared->solver = make_solver(name);
        for (const auto& [option, value] : options) set_option(*shared->solver, nb::cast<std::string>(option), value);
        return shared.release();
      },
      "name"_a, "options"_a, nb::rv_policy::take_ownership,
      nb::sig("def make_solver(name: str, **options: float) -> ContactSolver"),
      "A solver by name, its options set by keyword");
  module.def("solver_traits", [](const std::string& name) { return make_solver(name)->traits(); }, "name"_a);
}

void expose_pivoting(nb::module_& module) {
  nb::enum_<LcpStatus>(module, "LcpStatus")
      .value("solved", LcpStatus::solved)
      .value("ray", LcpStatus::ray, "Lemke: a secondary ray; Dantzig: the problem has no solution")
      .value("iteration_limit", LcpStatus::iteration_limit)
      .value("numerical_error", LcpStatus::numerical_error)
      .value("interrupted", LcpStatus::interrupted, "the caller asked to stop");
  nb::class_<LcpReport>(module, "LcpReport")
      .def_ro("status", &LcpReport::status)
      .def_ro("pivots", &LcpReport::pivots)
      .def_ro("rebuilds", &LcpReport::rebuilds);

  const auto answer = nb::sig(
      "def solve_lemke(problem: LinearComplementarityProblem, max_pivots: int = 0) -> "
      "tuple[numpy.typing.NDArray[numpy.float64], LcpReport]");
  module.def(
      "solve_lemke",
      [](const LinearComplementarityProblem& problem, int max_pivots) {
        VectorX unknown;
        LcpReport report;
        Watched watched;
        {
          const nb::gil_scoped_release released;
          LcpSettings settings;
          settings.max_pivots = max_pivots;
          settings.interrupt = watched.interrupt();
          report = LinearComplementarity().solve_lemke(problem, unknown, settings);
        }
        watched.raise();
        return nb::make_tuple(to_numpy(std::move(unknown)), report);
      },
      "problem"_a, "max_pivots"_a = 0, answer, "z and a report, by complementary pivoting with a covering vector");
  const auto bounded = nb::sig(
      "def solve_dantzig(problem: LinearComplementarityProblem, "
      "lower: numpy.typing.ArrayLike | None = None, "
      "upper: numpy.typing.ArrayLike | None = None, max_pivots: int = 0) -> "
      "tuple[numpy.typing.NDArray[numpy.float64], LcpReport]");
  module.def(
      "solve_dantzig",
      [](const LinearComplementarityProblem& problem, const ArrayLike& lower, const ArrayLike& upper, int max_pivots) {
        // No bounds given is the plain problem: 0 below, nothing above.
        VectorX l = to_vector(lower, "lower"), u = to_vector(upper, "upper"), unknown;
        if (lower.is_none()) l.setZero(problem.size());
        if (upper.is_none()) u.setConstant(problem.size(), std::numeric_limits<double>::infinity());
        LcpReport report;
        Watched watched;
        {
          const nb::gil_scoped_release released;
          LcpSettings settings;
          settings.max_pivots = max_pivots;
          settings.interrupt = watched.interrupt();
          report = LinearComplementarity().solve_dantzig(problem, l, u, unknown, settings);
        }
        watched.raise();
        return nb::make_tuple(to_numpy(std::move(unknown)), report);
      },
      "problem"_a, "lower"_a = nb::none(), "upper"_a = nb::none(), "max_pivots"_a = 0, bounded,
      "z and a report, by principal pivoting; M symmetric and positive semidefinite, lower <= 0 <= upper");
}

}  // namespace

void expose_solvers(nb::module_& module) {
  expose_report(module);
  expose_solver(module);
  expose_pivoting(module);
}

}  // namespace stiction::python
