// The runs of a comparison side by side in one HTML file: time and camera linked, the step at which each run parts from
// the first one marked. docs/comparing.md is the guide.
//
//     ComparisonPage page(comparison, {.title = "heavy on light"});
//     for (…) { comparison.step(); page.append(comparison); }
//     page.save("stack.html", comparison);
//
// The page is that of page.h with other data: "model" and "meshes" once, "comparison" (JSON: what each run is and what
// it broke), and for run k "run-k-steps", "run-k-frames-j" and "run-k-distance", one column.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stiction/sim/comparison.h"

namespace stiction {

struct ComparisonPageSettings {
  std::string title;       // empty: "Comparison"
  std::int64_t every = 1;  // every so many steps are one frame, of all runs the same

  void validate() const;  // throws std::invalid_argument naming setting, value and range
};

struct ComparisonPageSummary {
  std::int64_t num_frames = 0;  // of the first run
  std::int64_t num_bytes = 0;   // of the page
};

class ComparisonPage {
 public:
  // Before the first step. Frames are packed as they come, in memory.
  explicit ComparisonPage(const Comparison& comparison, const ComparisonPageSettings& settings = {});
  ~ComparisonPage();
  ComparisonPage(ComparisonPage&&) noexcept;
  ComparisonPage& operator=(ComparisonPage&&) noexcept;

  void append(const Comparison& comparison);  // after every step
  // Throws std::invalid_argument where there was no step, or no file can stand there; std::runtime_error where the disk
  // is full. Steps can be appended afterwards too.
  ComparisonPageSummary write(std::ostream& out, const Comparison& comparison) const;
  ComparisonPageSummary save(const std::string& path, const Comparison& comparison) const;

 private:
  struct Run;
  ComparisonPageSettings settings_;
  std::vector<std::unique_ptr<Run>> runs_;
};

}  // namespace stiction
