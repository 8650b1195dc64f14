#include "stiction/viewer/page.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "stiction/math/refuse.h"
#include "stiction/problem_files/output_place.h"
#include "stiction/viewer/frame_block.h"
#include "stiction/viewer/model_text.h"
#include "stiction/viewer/step_columns.h"

namespace stiction {
namespace {

using namespace viewer;

constexpr int page_format = 1;
constexpr int frames_per_block = 64;
constexpr std::size_t values_per_block = 1 << 18;  // a megabyte: decoded in a few milliseconds
constexpr std::int64_t steps_per_read = 64;
constexpr std::string_view data_marker = "<!--stiction:data-->";
constexpr std::string_view program_begin = "<script type=\"text/plain\" id=\"program\">", program_end = "</script>";

// Takes what comes before the mark off the text, and the mark.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::size_t place = text.find(mark);
  if (place == std::string_view::npos) throw std::logic_error("the built page has no " + std::string(mark));
  const std::string_view before = text.substr(0, place);
  text.remove_prefix(place + mark.size());
  return before;
}

void write_element(std::ostream& out, std::string_view id, std::string_view text) {
  out << "<script type=\"text/plain\" id=\"" << id << "\">" << text << "</script>\n";
}

void write_element(std::ostream& out, std::string_view id, std::span<const std::uint8_t> bytes) {
  write_element(out, id, to_base64(viewer::deflate(bytes)));
}

// Forces of contacts, thinned out where they are many: the page chooses the length of its arrows by them.
class ForceSample {
 public:
  void add(const Contact& contact) {
    const double force = contact.force.norm();
    if (!(force > 0.0) || !std::isfinite(force) || count_++ % stride_ != 0) return;
    values_.push_back(force);
    if (values_.size() < capacity) return;
    for (std::size_t i = 0; 2 * i < values_.size(); ++i) values_[i] = values_[2 * i];
    values_.resize(capacity / 2);
    stride_ *= 2;
  }
  // Most forces are below; 0: there are none.
  double typical() {
    if (values_.empty()) return 0.0;
    const auto place = values_.begin() + static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(values_.size() - 1));
    std::nth_element(values_.begin(), place, values_.end());
    return *place;
  }

 private:
  static constexpr std::size_t capacity = 1 << 16;
  std::vector<double> values_;
  std::int64_t count_ = 0, stride_ = 1;
};

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
        block_(*model_, time_step_) {}

  PageSummary write() {
    const std::int64_t num_steps = recording_.num_steps();
    for (std::int64_t first = 0; first < num_steps; first += steps_per_read) {
      add_steps(first, std::min(steps_per_read, num_steps - first));
      if (settings_.progress) settings_.progress(static_cast<double>(first) / static_cast<double>(num_steps));
    }
    write_block();
    write_element(out_, "steps", steps_.encode());
    write_model();
    return summary_;
  }

 private:
  void add_steps(std::int64_t first, std::int64_t count) {
    const std::vector<StepReport> reports = recording_.reports(first, count);
    const std::vector<std::int64_t> numbers = recording_.step_numbers(first, count);
    const RecordingReader::Rows q = recording_.positions(first, count), v = recording_.velocities(first, count);
    std::vector<std::int64_t> begin;
    const std::vector<Contact> contacts = recording_.contacts(first, count, begin);
    for (std::int64_t i = 0; i < count; ++i) {
      dissipated_ += reports[i].dissipated;
      const bool is_shown = (first + i) % settings_.every == 0 || first + i + 1 == recording_.num_steps();
      if (!is_shown && reports[i].certified()) continue;
      const std::span<const Contact> of_step(contacts.data() + begin[i], contacts.data() + begin[i + 1]);
      for (const Contact& contact : of_step) forces_.add(contact);
      block_.add(q.row(i).transpose(), v.row(i).transpose(), of_step);
      steps_.add(numbers[i], reports[i], dissipated_);
      ++summary_.num_frames;
      summary_.num_uncertified += reports[i].certified() ? 0 : 1;
      if (block_.num_frames() >= frames_per_block || block_.num_values() >= values_per_block) write_block();
    }
  }

  void write_block() {
    if (block_.num_frames() == 0) return;
    write_element(out_, "frames-" + std::to_string(block_sizes_.size()), block_.encode());
    block_sizes_.push_back(block_.num_frames());
    block_.clear();
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
    json.add("num_frames", static_cast<double>(summary_.num_frames)).add("blocks", block_sizes_);
    json.begin_array("step_columns");
    for (const std::string_view column : StepColumns::names()) json.add({}, column);
    json.end_array().add("typical_force", forces_.typical());
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
  FrameBlock block_;
  StepColumns steps_;
  ForceSample forces_;
  std::vector<double> block_sizes_;
  double dissipated_ = 0.0;
  PageSummary summary_;
};

}  // namespace

PageSummary write_page(const RecordingReader& recording, std::ostream& out, const PageSettings& settings) {
  if (settings.every < 1) refuse("every is ", settings.every, "; one or more is wanted");
  if (recording.num_steps() == 0) refuse(recording.path(), ": the recording has no complete step, nothing to show");
  std::string_view page = page_template();
  const auto begin = out.tellp();
  out << take_until(page, data_marker);
  PageSummary summary = PageWriter(recording, out, settings).write();
  out << take_until(page, program_begin);
  const std::string_view program = take_until(page, program_end);
  out << "<script type=\"text/plain\" id=\"program\" data-packed>"
      << to_base64(viewer::deflate({reinterpret_cast<const std::uint8_t*>(program.data()), program.size()}))
      << program_end << page;
  summary.num_bytes = out.tellp() - begin;
  return summary;
}

PageSummary save_page(const RecordingReader& recording, const std::string& path, const PageSettings& settings) {
  const OutputPlace place(path);
  const std::string part = place.target() + ".part";
  PageSummary summary;
  try {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    if (!out) throw std::runtime_error(path + ": cannot be written: " + std::strerror(errno));
    summary = write_page(recording, out, settings);
    if (!out.flush()) throw std::runtime_error(path + ": not everything could be written: " + std::strerror(errno));
    out.close();
    std::filesystem::rename(part, place.target());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
  return summary;
}

}  // namespace stiction
