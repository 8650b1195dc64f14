// Comparisons (room `sim`) and their pages (room `viewer`).
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <sstream>

#include "expose.h"
#include "fields.h"
#include "notebook_page.h"
#include "shared_simulator.h"
#include "stiction/math/refuse.h"
#include "stiction/sim/comparison_history.h"
#include "stiction/viewer/comparison_page.h"
#include "watched.h"

namespace stiction::python {
namespace {

using namespace nb::literals;

// A comparison with what is kept of its steps; several threads may use it, in turns.
struct SharedComparison {
  SharedComparison(const std::shared_ptr<const Model>& model, const ComparisonSettings& settings,
                   const std::optional<State>& start, const std::optional<ComparisonPageSettings>& page_settings)
      : comparison(model, settings, start ? *start : State::initial(*model)), history(comparison) {
    if (page_settings) page.emplace(comparison, *page_settings);
  }

  Comparison comparison;
  ComparisonHistory history;
  std::optional<ComparisonPage> page;  // where frames are kept
  std::mutex mutex;
};

class ComparisonTurn {
 public:
  explicit ComparisonTurn(SharedComparison& shared) : lock_(shared.mutex, std::try_to_lock) {
    if (lock_) return;
    const nb::gil_scoped_release released;
    lock_.lock();
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

// Between steps and within them Ctrl-C is looked for.
bool step(SharedComparison& shared, long count) {
  if (count < 0) refuse("count is ", count, "; it must not be negative");
  try {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(shared.mutex);
    const WatchedStepper watched(shared.comparison);
    for (long k = 0; k < count; ++k) {
      if (k % 64 == 0 && Watched::is_signalled()) throw StepInterrupted("interrupted");
      if (!shared.comparison.step()) return false;
      shared.history.append(shared.comparison);
      if (shared.page) shared.page->append(shared.comparison);
    }
    return true;
  } catch (const StepInterrupted&) {
    throw nb::python_error();
  }
}

int to_run(const SharedComparison& shared, int run) {
  const int count = static_cast<int>(shared.comparison.runs().size());
  if (run < 0 || run >= count) refuse("run is ", run, "; there are ", count);
  return run;
}

nb::dict history_of(SharedComparison& shared, int run) {
  const ComparisonTurn turn(shared);
  const ComparedSeries& series = shared.history.run(to_run(shared, run));
  nb::dict arrays;
  const auto add = [&](const char* name, const std::vector<double>& values) {
    auto [array, data] = new_array<double>({values.size()});
    std::copy(values.begin(), values.end(), data);
    arrays[name] = array;
  };
  add("time", series.time);
  add("distance", series.distance);
  add("energy", series.energy);
  add("energy_error", series.energy_error);
  add("eps_nat", series.eps_nat);
  add("signorini", series.signorini);
  add("separation", series.separation);
  add("coulomb", series.coulomb);
  add("dissipation", series.dissipation);
  add("penetration", series.penetration);
  return arrays;
}

const ComparisonPage& page_of(const SharedComparison& shared) {
  if (!shared.page) refuse("the comparison was made with every=0, so that no frames are kept for a page");
  return *shared.page;
}

std::string save(SharedComparison& shared, const PathLike& path) {
  const std::string name = to_path(path);
  const nb::gil_scoped_release released;
  const std::lock_guard lock(shared.mutex);
  page_of(shared).save(name, shared.comparison);
  return name;
}

NotebookPage show(SharedComparison& shared, int height) {
  const nb::gil_scoped_release released;
  const std::lock_guard lock(shared.mutex);
  std::ostringstream out;
  page_of(shared).write(out, shared.comparison);
  return {std::move(out).str(), height};
}

std::string text_of(SharedComparison& shared) {
  const ComparisonTurn turn(shared);
  return shared.comparison.to_text();
}

void make(SharedComparison* self, const std::shared_ptr<const Model>& model, const std::vector<std::string>& solvers,
          const std::optional<State>& start, double parting_distance, const std::string& title, std::int64_t every,
          const nb::kwargs& keywords) {
  ComparisonSettings settings;
  settings.solvers = solvers;
  settings.parting_distance = parting_distance;
  for (const char* fixed : {"solver", "on_failure", "judge"}) {
    if (!keywords.contains(fixed)) continue;
    throw nb::type_error(
        (std::string("Comparison has no argument ") + fixed + "; solvers names what is compared").c_str());
  }
  settings.simulator = to_settings(keywords);
  if (every < 0) refuse("every is ", every, "; it must not be negative");
  std::optional<ComparisonPageSettings> page;
  if (every > 0) page = ComparisonPageSettings{.title = title, .every = every};
  new (self) SharedComparison(model, settings, start, page);
}

void expose_run(nb::module_& module) {
  using R = ComparedRun;
  nb::class_<R>(module, "ComparedRun", "One run of a comparison, and what it broke of the common law")
      .def_ro("solver", &R::solver)
      .def_ro("model", &R::model, "the law that it solves")
      .def_ro("steps", &R::steps, "done; fewer than the others' where it failed")
      .def_ro("converged_steps", &R::converged_steps, "by the solver's own law")
      .def_ro("residuals", &R::residuals, "the largest of each over all steps, by the common law")
      .def_ro("certified_steps", &R::certified_steps, "by the common law")
      .def_ro("energy_error", &R::energy_error, "J; what no account explains, of all steps; gains are positive")
      .def_ro("energy_gain", &R::energy_gain, "J; work of constraints in steps in which they gave energy")
      .def_ro("largest_penetration", &R::largest_penetration, "m")
      .def_ro("distance", &R::distance, "m; of the body that is farthest from where it is in the first run")
      .def_ro("largest_distance", &R::largest_distance, "m; of all steps")
      .def_ro("parting_step", &R::parting_step, "the first at which distance exceeded parting_distance; -1: none")
      .def_ro("seconds", &R::seconds, "wall time of its steps")
      .def_ro("failure", &R::failure, "why it does not go on; empty: it does")
      .def_prop_ro("steps_per_second", &R::steps_per_second)
      .def("__repr__", [](const R& r) {
        return nb::str("ComparedRun({!r}, steps={}, certified_steps={}, largest_distance={:.3g}, parting_step={})")
            .format(r.solver, r.steps, r.certified_steps, r.largest_distance, r.parting_step);
      });
}

void expose_comparison(nb::module_& module) {
  using C = SharedComparison;
  const std::string signature =
      "def __init__(self, model: Model, solvers: collections.abc.Sequence[str] = ['auto'], *, start: State | None = "
      "None, parting_distance: float = 1e-3, title: str = '', every: int = 1, dt: float = 0.0, " +
      settings_stub() + ") -> None";
  nb::class_<C>(module, "Comparison",
                "The same world from the same start under several contact solvers, step beside step, all judged by the "
                "exact law (or judge_model). str() is the table. The first run is what the others are compared with; "
                "`every` steps are one frame of the page (0: no page). Settings are those of Simulator.")
      .def("__init__", &make, "model"_a, "solvers"_a, nb::kw_only(), "start"_a = nb::none(),
           "parting_distance"_a = ComparisonSettings{}.parting_distance, "title"_a = "", "every"_a = 1, "settings"_a,
           nb::sig(keep_text(signature)))
      .def("step", &step, "count"_a = 1, "Steps every run that has not failed; False: the first one failed")
      .def_prop_ro(
          "runs",
          [](C& c) {
            const ComparisonTurn turn(c);
            return std::vector<ComparedRun>(c.comparison.runs());
          },
          "What became of each run, as it is now")
      .def_prop_ro(
          "time_step", [](const C& c) { return c.comparison.simulator(0).time_step(); }, "s")
      .def_prop_ro(
          "parting_distance", [](const C& c) { return c.comparison.settings().parting_distance; }, "m")
      .def(
          "set_control",
          [](C& c, const ArrayLike& control) {
            const VectorArgument vector(control, "control");
            const ComparisonTurn turn(c);
            c.comparison.set_control(vector.view());
          },
          "control"_a, "Of every run; one entry per actuator, stays until set again")
      .def(
          "state",
          [](C& c, int run) {
            const ComparisonTurn turn(c);
            return State(c.comparison.simulator(to_run(c, run)).state());
          },
          "run"_a, nb::rv_policy::move, "A copy of the state of a run")
      .def(
          "report",
          [](C& c, int run) {
            const ComparisonTurn turn(c);
            return StepReport(c.comparison.simulator(to_run(c, run)).report());
          },
          "run"_a, nb::rv_policy::move, "The report of the last step of a run")
      .def("history", &history_of, "run"_a,
           nb::sig("def history(self, run: int) -> dict[str, numpy.typing.NDArray[numpy.float64]]"),
           "A run over time: time, distance, energy, energy_error, eps_nat, signorini, separation, coulomb, "
           "dissipation, penetration. Beyond 4096 steps a sample stands for 2, 4, 8 … of them.")
      .def("save_page", &save, "path"_a,
           "Writes the runs side by side as one HTML file that opens from disk, without network; its path")
      .def("show", &show, nb::kw_only(), "height"_a = 760, "The page in a notebook")
      .def("to_text", &text_of, "The table")
      .def("__str__", &text_of)
      .def("__repr__", [](C& c) {
        const ComparisonTurn turn(c);
        return nb::str("Comparison({} runs, {} steps)")
            .format(c.comparison.runs().size(), c.comparison.runs()[0].steps);
      });
}

}  // namespace

void expose_compare(nb::module_& module) {
  module.def("solver_of_each_model", &solver_of_each_model,
             "One solver for every contact model, the exact law's first");
  expose_run(module);
  expose_comparison(module);
}

}  // namespace stiction::python
