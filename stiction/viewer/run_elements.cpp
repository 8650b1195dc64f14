#include "stiction/viewer/run_elements.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace stiction::viewer {
namespace {

constexpr int frames_per_block = 64;
constexpr std::size_t values_per_block = 1 << 18;  // a megabyte: decoded in a few milliseconds

}  // namespace

void write_element(std::ostream& out, std::string_view id, std::string_view text) {
  out << "<script type=\"text/plain\" id=\"" << id << "\">" << text << "</script>\n";
}

void write_element(std::ostream& out, std::string_view id, std::span<const std::uint8_t> bytes) {
  write_element(out, id, to_base64(viewer::deflate(bytes)));
}

void ForceSample::add(const Contact& contact) {
  const double force = contact.force.norm();
  if (!(force > 0.0) || !std::isfinite(force) || count_++ % stride_ != 0) return;
  values_.push_back(force);
  if (values_.size() < capacity) return;
  for (std::size_t i = 0; 2 * i < values_.size(); ++i) values_[i] = values_[2 * i];
  values_.resize(capacity / 2);
  stride_ *= 2;
}

double ForceSample::typical() const {
  if (values_.empty()) return 0.0;
  std::vector<double> sorted = values_;
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(sorted.size() - 1));
  std::nth_element(sorted.begin(), place, sorted.end());
  return *place;
}

RunElements::RunElements(const Model& model, double time_step, std::ostream& out, std::string prefix)
    : out_(out), prefix_(std::move(prefix)), block_(model, time_step) {}

void RunElements::add(std::int64_t number, VectorView q, VectorView v, std::span<const Contact> contacts,
                      const StepReport& report) {
  dissipated_ += report.dissipated;
  for (const Contact& contact : contacts) forces_.add(contact);
  block_.add(q, v, contacts);
  steps_.add(number, report, dissipated_);
  ++num_frames_;
  num_uncertified_ += report.certified() ? 0 : 1;
  if (block_.num_frames() < frames_per_block && block_.num_values() < values_per_block) return;
  write_block(out_);
  block_sizes_.push_back(block_.num_frames());
  block_.clear();
}

void RunElements::write_block(std::ostream& out) const {
  write_element(out, prefix_ + "frames-" + std::to_string(block_sizes_.size()), block_.encode());
}

void RunElements::write_rest(std::ostream& out) const {
  if (block_.num_frames() > 0) write_block(out);
  write_element(out, prefix_ + "steps", steps_.encode());
}

void RunElements::describe(JsonText& json) const {
  std::vector<double> blocks = block_sizes_;
  if (block_.num_frames() > 0) blocks.push_back(block_.num_frames());
  json.add("num_frames", static_cast<double>(num_frames_)).add("blocks", blocks);
  json.add("typical_force", forces_.typical());
}

}  // namespace stiction::viewer
