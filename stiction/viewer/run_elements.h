// The elements of a page that hold one run: blocks of frames, and the columns of its steps.
//
//     RunElements run(model, time_step, out, "run-2-");
//     for (…) run.add(number, q, v, contacts, report);
//     run.write_rest(out);           // "run-2-frames-0" … are there already; the last block and "run-2-steps"
//     run.describe(json);            // what the page must be told of them
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/viewer/frame_block.h"
#include "stiction/viewer/json_text.h"
#include "stiction/viewer/step_columns.h"

namespace stiction::viewer {

void write_element(std::ostream& out, std::string_view id, std::string_view text);
void write_element(std::ostream& out, std::string_view id, std::span<const std::uint8_t> bytes);  // packed

// Forces of contacts, thinned out where they are many: the page chooses the length of its arrows by them.
class ForceSample {
 public:
  void add(const Contact& contact);
  double typical() const;  // most forces are below; 0: there are none

 private:
  static constexpr std::size_t capacity = 1 << 16;
  std::vector<double> values_;
  std::int64_t count_ = 0, stride_ = 1;
};

class RunElements {
 public:
  // Model and stream must live as long; `prefix` is put before every id.
  RunElements(const Model& model, double time_step, std::ostream& out, std::string prefix = "");

  // A step that has no frame still counts in what was dissipated so far.
  void skip(const StepReport& report) { dissipated_ += report.dissipated; }
  void add(std::int64_t number, VectorView q, VectorView v, std::span<const Contact> contacts,
           const StepReport& report);
  // What has not been written yet; further steps may be added afterwards, and the rest written again elsewhere.
  void write_rest(std::ostream& out) const;

  std::int64_t num_frames() const { return num_frames_; }
  std::int64_t num_uncertified() const { return num_uncertified_; }
  // The members "num_frames", "blocks", "typical_force".
  void describe(JsonText& json) const;

 private:
  void write_block(std::ostream& out) const;

  std::ostream& out_;
  std::string prefix_;
  FrameBlock block_;
  StepColumns steps_;
  ForceSample forces_;
  std::vector<double> block_sizes_;
  double dissipated_ = 0.0;
  std::int64_t num_frames_ = 0, num_uncertified_ = 0;
};

}  // namespace stiction::viewer
