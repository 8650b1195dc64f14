#include "stiction/viewer/comparison_page.h"

#include <algorithm>
#include <sstream>

#include "stiction/math/refuse.h"
#include "stiction/math/save_file.h"
#include "stiction/version.h"
#include "stiction/viewer/model_text.h"
#include "stiction/viewer/page_file.h"
#include "stiction/viewer/run_elements.h"

namespace stiction {

using namespace viewer;

void ComparisonPageSettings::validate() const {
  require(every >= 1, "every", every, "at least 1");
}

// The frames of one run, packed.
struct ComparisonPage::Run {
  Run(const Simulator& simulator, const std::string& before)
      : model(simulator.shared_model()), prefix(before), elements(*model, simulator.time_step(), text, before) {}

  void append(const Simulator& simulator, double away, std::int64_t every) {
    const StepReport& report = simulator.report();
    if (++steps % every != 0) return elements.skip(report);
    const State& state = simulator.state();
    elements.add(state.step, state.q, state.v, simulator.contacts(), report);
    distance.push_back(static_cast<float>(away));
  }

  std::shared_ptr<const Model> model;
  std::string prefix;
  std::ostringstream text;
  RunElements elements;
  std::vector<float> distance;  // of each frame
  long steps = 0;
};

ComparisonPage::ComparisonPage(const Comparison& comparison, const ComparisonPageSettings& settings)
    : settings_(settings) {
  settings_.validate();
  for (int k = 0; k < static_cast<int>(comparison.runs().size()); ++k) {
    runs_.push_back(std::make_unique<Run>(comparison.simulator(k), "run-" + std::to_string(k) + "-"));
  }
}
ComparisonPage::~ComparisonPage() = default;
ComparisonPage::ComparisonPage(ComparisonPage&&) noexcept = default;
ComparisonPage& ComparisonPage::operator=(ComparisonPage&&) noexcept = default;

void ComparisonPage::append(const Comparison& comparison) {
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    const ComparedRun& run = comparison.runs()[k];
    if (run.steps == runs_[k]->steps) continue;  // it has failed
    runs_[k]->append(comparison.simulator(static_cast<int>(k)), run.distance, settings_.every);
  }
}

namespace {

// The frame that shows the step of this number, counted from 0, or the next one shown; −1: none does.
double frame_of(long step, std::int64_t every, std::int64_t num_frames) {
  if (step < 0) return -1.0;
  const std::int64_t frame = step / every;  // the first that shows step every (frame + 1) - 1 or later
  return frame < num_frames ? static_cast<double>(frame) : -1.0;
}

void add_table(const ComparedRun& run, JsonText& json) {
  const Residuals& r = run.residuals;
  json.add("solver", std::string_view(run.solver)).add("law", to_string(run.model));
  json.add("steps", static_cast<double>(run.steps)).add("certified_steps", static_cast<double>(run.certified_steps));
  json.add("eps_nat", r.eps_nat).add("signorini", r.signorini_complementarity).add("separation", r.normal_separation);
  json.add("coulomb", r.coulomb).add("dissipation", r.dissipation).add("energy_error", run.energy_error);
  json.add("energy_gain", run.energy_gain);
  json.add("largest_distance", run.largest_distance).add("largest_penetration", run.largest_penetration);
  json.add("steps_per_second", run.steps_per_second()).add("failure", std::string_view(run.failure));
}

std::string model_text(const Comparison& comparison, const ComparisonPageSettings& page, Bytes& meshes) {
  const Simulator& first = comparison.simulator(0);
  const SimulatorSettings& s = first.settings();
  JsonText json;
  json.begin_object().add("format", static_cast<double>(page_format));
  json.add("title", page.title.empty() ? std::string_view("Comparison") : std::string_view(page.title));
  json.add("stiction_version", STICTION_VERSION).add("time_step", first.time_step());
  json.add("tolerance", s.tolerance).add("acceptable_tolerance", s.acceptable_tolerance);
  json.add("geometric_tolerance", s.geometric_tolerance);
  json.begin_array("step_columns");
  for (const std::string_view column : StepColumns::names()) json.add({}, column);
  json.end_array();
  meshes = add_model(first.model(), json);
  json.end_object();
  return json.text();
}

}  // namespace

ComparisonPageSummary ComparisonPage::write(std::ostream& out, const Comparison& comparison) const {
  const std::int64_t num_frames = runs_[0]->elements.num_frames();
  if (num_frames == 0) refuse("the comparison has no step to show; every is ", settings_.every);
  JsonText json;
  json.begin_object().add("parting_distance", comparison.settings().parting_distance);
  json.add("judged_by", to_string(*comparison.settings().simulator.judge_model)).begin_array("runs");
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    const ComparedRun& run = comparison.runs()[k];
    const RunElements& elements = runs_[k]->elements;
    json.begin_object();
    add_table(run, json);
    json.add("num_steps", static_cast<double>(run.steps));
    json.add("parting_step", static_cast<double>(run.parting_step));
    json.add("parting_frame", frame_of(run.parting_step, settings_.every, elements.num_frames()));
    elements.describe(json);
    json.end_object();
  }
  json.end_array().end_object();
  Bytes meshes;
  const std::string model = model_text(comparison, settings_, meshes);
  const auto write_data = [&](std::ostream& to) {
    for (const auto& run : runs_) {
      to << run->text.view();
      run->elements.write_rest(to);
      std::vector<std::int32_t> before(run->distance.size());
      for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<std::int32_t>(i) - 1;
      Bytes distance;
      append_column(run->distance, before, distance);
      write_element(to, run->prefix + "distance", distance);
    }
    write_element(to, "meshes", meshes);
    write_element(to, "comparison", json.text());
    write_element(to, "model", model);
  };
  return {.num_frames = num_frames, .num_bytes = write_around(out, write_data)};
}

ComparisonPageSummary ComparisonPage::save(const std::string& path, const Comparison& comparison) const {
  ComparisonPageSummary summary;
  save_file(path, [&](std::ostream& out) { summary = write(out, comparison); });
  return summary;
}

}  // namespace stiction
