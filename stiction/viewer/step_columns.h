// What the timeline of the page shows: the report of every frame's step, one column per quantity.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stiction/sim/step_report.h"
#include "stiction/viewer/column_codec.h"

namespace stiction::viewer {

class StepColumns {
 public:
  StepColumns();

  // `dissipated`: by friction since the start, J.
  void add(std::int64_t step, const StepReport& report, double dissipated);
  static std::span<const std::string_view> names();
  Bytes encode() const;  // columns in the order of names()

 private:
  std::vector<std::vector<float>> columns_;
};

}  // namespace stiction::viewer
