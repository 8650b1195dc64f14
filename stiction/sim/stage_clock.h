// Wall time by stage: the processor's counter, scaled to seconds once. A reading takes some 12 ns, and a step of a
// small robot has eight of them in less than 2 µs: only every so many steps are timed.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "stiction/sim/step_report.h"

namespace stiction {

class StageClock {
 public:
  // Begins a step: the first one is timed, then every `period`-th.
  void start(int period, StepReport& report) {
    is_timed_ = untimed_ == 0;
    untimed_ = is_timed_ ? period - 1 : untimed_ - 1;
    if (!is_timed_) return;
    report.seconds.fill(0.0);
    last_ = now();
  }
  // The time since the last call belongs to this stage, which may come more than once.
  void stop(StepStage stage, StepReport& report) {
    if (!is_timed_) return;
    const std::uint64_t time = now();
    report.seconds[static_cast<int>(stage)] += static_cast<double>(time - last_) * seconds_per_tick();
    last_ = time;
  }

 private:
#if defined(__x86_64__)
  static std::uint64_t now() { return __builtin_ia32_rdtsc(); }
  static double seconds_per_tick() {
    static const double scale = calibrate();
    return scale;
  }
  static double calibrate() {
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t first = __builtin_ia32_rdtsc();
    std::chrono::duration<double> passed{};
    do {
      passed = std::chrono::steady_clock::now() - begin;
    } while (passed.count() < 2e-3);
    return passed.count() / static_cast<double>(__builtin_ia32_rdtsc() - first);
  }
#else
  static std::uint64_t now() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  static double seconds_per_tick() {
    using Period = std::chrono::steady_clock::period;
    return static_cast<double>(Period::num) / Period::den;
  }
#endif
  std::uint64_t last_ = 0;
  int untimed_ = 0;  // steps until the next one that is timed
  bool is_timed_ = false;
};

}  // namespace stiction
