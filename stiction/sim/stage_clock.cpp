#include "stiction/sim/stage_clock.h"

#include <chrono>

namespace stiction {
namespace {

#if defined(__x86_64__)
std::uint64_t now() {
  return __builtin_ia32_rdtsc();
}
double calibrate() {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t first = now();
  std::chrono::duration<double> passed{};
  do {
    passed = std::chrono::steady_clock::now() - begin;
  } while (passed.count() < 2e-3);
  return passed.count() / static_cast<double>(now() - first);
}
double seconds_per_tick() {
  static const double scale = calibrate();
  return scale;
}
#else
std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
double seconds_per_tick() {
  using Period = std::chrono::steady_clock::period;
  return static_cast<double>(Period::num) / Period::den;
}
#endif

}  // namespace

void StageClock::begin(StepReport& report) {
  report.seconds.fill(0.0);
  last_ = now();
}

void StageClock::add(StepStage stage, StepReport& report) {
  const std::uint64_t time = now();
  report.seconds[static_cast<int>(stage)] += static_cast<double>(time - last_) * seconds_per_tick();
  last_ = time;
}

}  // namespace stiction
