#include "cli/verb_compare.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "cli/compare_outputs.h"
#include "cli/compare_plot.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "stiction/math/near_names.h"
#include "stiction/math/refuse.h"
#include "stiction/sim/comparison_history.h"
#include "stiction/solvers/solver.h"
#include "stiction/viewer/comparison_page.h"

namespace stiction::cli {
namespace {

constexpr std::int64_t most_frames = 1000;  // of a page, where --every is not given

void check_solver(const std::string& name) {
  std::vector<std::string> known;
  for (const std::string_view one : solver_names()) known.emplace_back(one);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  refuse(unknown_name("solver", name, known, "see: stiction list solvers"));
}

// The solver that stands for a contact model.
std::string solver_for(const std::string& model, const std::string& reference) {
  if (make_solver(reference)->traits().model == ContactModel::ncp && model == to_string(ContactModel::ncp)) {
    return reference;
  }
  std::vector<std::string> known;
  for (const std::string& solver : solver_of_each_model()) {
    known.emplace_back(to_string(make_solver(solver)->traits().model));
    if (known.back() == model) return solver;
  }
  refuse(unknown_name("contact model", model, known));
}

// In the order of the table: the reference, then the solvers named, then those of the models.
std::vector<std::string> solvers_to_compare(const CompareOptions& options) {
  check_solver(options.reference);
  std::vector<std::string> chosen = {options.reference};
  const auto add = [&](const std::string& name) {
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) chosen.push_back(name);
  };
  for (const std::string& name : options.solvers) {
    if (name == "all") {
      for (const std::string_view one : solver_names()) add(std::string(one));
      continue;
    }
    check_solver(name);
    add(name);
  }
  const bool is_open = options.solvers.empty() && options.models.empty();
  for (const std::string& name : is_open ? std::vector<std::string>{"all"} : options.models) {
    if (name == "all") {
      for (const std::string& one : solver_of_each_model()) {
        const std::string_view model = to_string(make_solver(one)->traits().model);
        add(solver_for(std::string(model), options.reference));
      }
      continue;
    }
    add(solver_for(name, options.reference));
  }
  if (chosen.size() < 2) refuse("there is nothing to compare: ", options.reference, " is the only solver named");
  return chosen;
}

ComparisonSettings settings_of(const CompareOptions& options) {
  ComparisonSettings settings;
  settings.solvers = solvers_to_compare(options);
  settings.parting_distance = options.parting_distance;
  settings.simulator.time_step = options.time_step;
  settings.simulator.tolerance = options.tolerance;
  settings.simulator.acceptable_tolerance = std::max(options.tolerance, settings.simulator.acceptable_tolerance);
  settings.simulator.max_iterations = options.max_iterations;
  settings.simulator.threads = options.threads;
  settings.validate();
  settings.simulator.validate();
  return settings;
}

// What can be refused before time goes into reading the scene and before any file is touched.
ComparisonSettings check_options(const CompareOptions& options) {
  ComparisonSettings settings = settings_of(options);
  check_start(options.start);
  std::vector<std::string> inputs;
  for (const std::string& file : options.model.files) inputs.push_back(parse_model_file(file).path);
  check_outputs({{"--csv", options.csv_path, false},
                 {"--report", options.report_path, false},
                 {"--png", options.png_path},
                 {"--html", options.page_path}},
                inputs);
  return settings;
}

State start_of(const CompareOptions& options, std::shared_ptr<const Model> model, SimulatorSettings settings) {
  settings.solver = options.reference;
  Simulator simulator(std::move(model), settings);
  set_start(options.start, simulator);
  return simulator.state();
}

// A file that cannot be written is told on standard error; the others are written all the same.
class Files {
 public:
  template <class Write>
  void write(const std::string& path, const Write& write) {
    if (path.empty()) return;
    try {
      write();
      written_.push_back(path);
    } catch (const std::exception& error) {
      std::cerr << "stiction: " << error.what() << '\n';
      failed_ = true;
    }
  }
  bool failed() const { return failed_; }
  void list(std::ostream& out) const {
    for (const std::string& path : written_) {
      const bool is_page = std::filesystem::path(path).extension() == ".html";
      out << path << (is_page ? ": open it in a browser\n" : "\n");
    }
  }

 private:
  std::vector<std::string> written_;
  bool failed_ = false;
};

struct Recorders {
  std::unique_ptr<ComparisonHistory> history;
  std::unique_ptr<ComparisonPage> page;
  std::unique_ptr<ComparisonReport> report;

  void append(const Comparison& comparison) {
    if (history) history->append(comparison);
    if (page) page->append(comparison);
    if (report) report->add(comparison);
  }
};

std::string progress_line(long done, long steps, const Comparison& comparison) {
  std::ostringstream out;
  out << bar(static_cast<double>(done) / static_cast<double>(steps)) << " step " << done << " of " << steps << ", "
      << comparison.runs().size() << " runs";
  const ComparedRun* farthest = nullptr;
  for (const ComparedRun& run : comparison.runs()) {
    if (run.parting_step >= 0 && (!farthest || run.distance > farthest->distance)) farthest = &run;
  }
  out.precision(3);
  if (farthest) out << "; " << farthest->solver << " is " << farthest->distance << " m away";
  return out.str();
}

// Steps until the end, a signal, or a reference that fails. Returns the signal.
int run_steps(Comparison& comparison, long steps, Recorders& recorders) {
  Interrupt interrupt;
  comparison.set_interrupt(&interrupt.for_solvers());
  Progress progress;
  for (long done = 0; done < steps && interrupt.signal() == 0; ++done) {
    try {
      if (!comparison.step()) break;
    } catch (const StepInterrupted&) {
      break;
    }
    recorders.append(comparison);
    if (progress.due()) progress.show(progress_line(done + 1, steps, comparison));
  }
  comparison.set_interrupt(nullptr);
  return interrupt.signal();
}

std::string title_of(const CompareOptions& options) {
  if (!options.title.empty()) return options.title;
  return std::filesystem::path(parse_model_file(options.model.files[0]).path).stem().string();
}

Recorders make_recorders(const CompareOptions& options, const Comparison& comparison, long steps) {
  Recorders recorders;
  if (!options.png_path.empty()) recorders.history = std::make_unique<ComparisonHistory>(comparison);
  if (!options.page_path.empty()) {
    const std::int64_t every =
        options.every > 0 ? std::min<std::int64_t>(options.every, steps) : (steps + most_frames - 1) / most_frames;
    recorders.page = std::make_unique<ComparisonPage>(
        comparison, ComparisonPageSettings{.title = title_of(options), .every = every});
  }
  if (!options.report_path.empty()) recorders.report = std::make_unique<ComparisonReport>(options.report_path);
  return recorders;
}

void print_result(const CompareOptions& options, const LoadedModel& loaded, const Comparison& comparison,
                  const Files& files) {
  if (options.json) {
    std::cout << comparison_to_json(comparison, options.model.files, loaded.ignored) << '\n';
    return;
  }
  for (const IgnoredElement& ignored : loaded.ignored) std::cout << "ignored: " << to_line(ignored) << '\n';
  std::cout << title_of(options) << ", " << comparison.runs()[0].steps << " steps of "
            << comparison.simulator(0).time_step() * 1e3
            << " ms, judged by the exact law; the largest of all steps:\n\n"
            << comparison.to_text() << '\n';
  files.list(std::cout);
}

}  // namespace

int compare_scene(const CompareOptions& options) {
  const ComparisonSettings settings = check_options(options);
  const LoadedModel loaded = load_model_files(options.model);
  Comparison comparison(loaded.model, settings, start_of(options, loaded.model, settings.simulator));
  const long steps = steps_to_do(options.steps, options.time, comparison.simulator(0).time_step());
  Recorders recorders = make_recorders(options, comparison, steps);

  int signal = 0;
  Files files;
  try {
    signal = run_steps(comparison, steps, recorders);
  } catch (const std::runtime_error& error) {  // the report cannot be written any more
    std::cerr << "stiction: " << error.what() << '\n';
    std::cout << comparison.to_text();
    return exit_misuse;
  }
  files.write(options.report_path, [&] { recorders.report->close(); });
  files.write(options.csv_path, [&] {
    write_output(options.csv_path, [&](std::ostream& out) { out << comparison_to_csv(comparison); });
  });
  files.write(options.png_path,
              [&] { plot_comparison(comparison, *recorders.history, title_of(options)).save(options.png_path); });
  files.write(options.page_path, [&] { recorders.page->save(options.page_path, comparison); });
  print_result(options, loaded, comparison, files);

  if (signal != 0) return 128 + signal;  // also where it came before the first frame of a page, which is told then
  if (files.failed()) return exit_misuse;
  const bool is_good = comparison.runs()[0].failure.empty() && comparison.simulator(0).num_failed_steps() == 0;
  return is_good ? exit_success : exit_failed;
}

}  // namespace stiction::cli
