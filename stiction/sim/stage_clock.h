// Wall time by stage: the processor's counter, scaled to seconds once. A reading takes some 20 ns, and a step of a
// small robot has twenty stages in 2 µs: only every so many steps are timed.
#pragma once

#include <cstdint>

#include "stiction/sim/step_report.h"

namespace stiction {

class StageClock {
 public:
  // Begins a step: the first one is timed, then every `period`-th.
  void start(int period, StepReport& report) {
    is_timed_ = untimed_ == 0;
    untimed_ = is_timed_ ? period - 1 : untimed_ - 1;
    if (is_timed_) begin(report);
  }
  // The time since the last call belongs to this stage, which may come more than once.
  void stop(StepStage stage, StepReport& report) {
    if (is_timed_) add(stage, report);
  }

 private:
  void begin(StepReport& report);
  void add(StepStage stage, StepReport& report);  // out of line: most steps do not come there

  std::uint64_t last_ = 0;
  int untimed_ = 0;  // steps until the next one that is timed
  bool is_timed_ = false;
};

}  // namespace stiction
