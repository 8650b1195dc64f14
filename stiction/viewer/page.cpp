#include "stiction/viewer/page.h"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "stiction/math/refuse.h"
#include "stiction/math/save_file.h"
#include "stiction/viewer/model_text.h"
#include "stiction/viewer/page_file.h"
#include "stiction/viewer/run_elements.h"

namespace stiction {
namespace {

using namespace viewer;

constexpr std::int64_t steps_per_read = 64;

double time_step_of(const RecordingReader& recording) {
  const double set = recording.settings().time_step;
  return set > 0.0 ? set : recording.model()->suggested_time_step;
}

class PageWriter {
 public:
  PageWriter(const RecordingReader& recording, std::ostream& out, const PageSettings& settings)
      : recording_(recording),
        out_(out),
        settings_(settings),
        model_(recording.model()),
        time_step_(time_step_of(recording)),
        run_(*model_, time_step_, out) {}

  PageSummary write() {
    const std::int64_t num_steps = recording_.num_steps();
    for (std::int64_t first = 0; first < num_steps; first += steps_per_read) {
      add_steps(first, std::min(steps_per_read, num_steps - first));
      if (settings_.progress) settings_.progress(static_cast<double>(first) / static_cast<double>(num_steps));
    }
    run_.write_rest(out_);
    write_model();
    return {.num_frames = run_.num_frames(), .num_uncertified = run_.num_uncertified()};
  }

 private:
  void add_steps(std::int64_t first, std::int64_t count) {
    const std::vector<StepReport> reports = recording_.reports(first, count);
    const std::vector<std::int64_t> numbers = recording_.step_numbers(first, count);
    const RecordingReader::Rows q = recording_.positions(first, count), v = recording_.velocities(first, count);
    std::vector<std::int64_t> begin;
    const std::vector<Contact> contacts = recording_.contacts(first, count, begin);
    for (std::int64_t i = 0; i < count; ++i) {
      const bool is_shown = (first + i) % settings_.every == 0 || first + i + 1 == recording_.num_steps();
      if (!is_shown && reports[i].certified()) {
        run_.skip(reports[i]);
        continue;
      }
      const std::span<const Contact> of_step(contacts.data() + begin[i], contacts.data() + begin[i + 1]);
      run_.add(numbers[i], q.row(i).transpose(), v.row(i).transpose(), of_step, reports[i]);
    }
  }

  void write_model() {
    JsonText json;
    const SimulatorSettings& s = recording_.settings();
    const std::string name = std::filesystem::path(recording_.path()).filename().string();
    json.begin_object().add("format", static_cast<double>(page_format));
    json.add("title", settings_.title.empty() ? std::string_view(name) : std::string_view(settings_.title));
    json.add("stiction_version", std::string_view(recording_.stiction_version()));
    json.add("time_step", time_step_);
    json.add("solver", std::string_view(s.solver)).add("tolerance", s.tolerance);
    json.add("acceptable_tolerance", s.acceptable_tolerance).add("geometric_tolerance", s.geometric_tolerance);
    json.add("num_steps", static_cast<double>(recording_.num_steps()));
    run_.describe(json);
    json.begin_array("step_columns");
    for (const std::string_view column : StepColumns::names()) json.add({}, column);
    json.end_array();
    const Bytes meshes = add_model(*model_, json);
    json.end_object();
    write_element(out_, "meshes", meshes);
    write_element(out_, "model", json.text());
  }

  const RecordingReader& recording_;
  std::ostream& out_;
  const PageSettings& settings_;
  std::shared_ptr<const Model> model_;
  double time_step_;
  RunElements run_;
};

}  // namespace

void PageSettings::validate() const {
  require(every >= 1, "every", every, "at least 1");
}

PageSummary write_page(const RecordingReader& recording, std::ostream& out, const PageSettings& settings) {
  settings.validate();
  if (recording.num_steps() == 0) refuse(recording.path(), ": the recording has no complete step, nothing to show");
  PageSummary summary;
  const std::int64_t num_bytes =
      write_around(out, [&](std::ostream& data) { summary = PageWriter(recording, data, settings).write(); });
  summary.num_bytes = num_bytes;
  return summary;
}

PageSummary save_page(const RecordingReader& recording, const std::string& path, const PageSettings& settings) {
  PageSummary summary;
  save_file(path, [&](std::ostream& out) { summary = write_page(recording, out, settings); });
  return summary;
}

}  // namespace stiction
