// A robot that is pushed about for a long time: does everything stay finite and certified, does memory grow?
//
//     bench_endurance FILE [--steps N] [--keyframe NAME] [--force F] [--every N] [--dt S] [--seed K]
//
// Every so many steps the first body of the first tree is pushed for a tenth of that time by a force of random
// direction and size up to F, at a random point near its origin. Controls stay those of the keyframe, so servos hold
// its pose. After every tenth of the steps, for which a line is printed, the robot is put back on its feet.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

#include "stiction/io/mjcf/mjcf.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

struct Options {
  std::string file, keyframe;
  long steps = 1000000;
  int every = 500;
  double force = 200.0, time_step = 0.0;
  unsigned seed = 1;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto value = [&]() -> std::string {
      if (k + 1 == argc) throw std::invalid_argument(word + " needs a value");
      return argv[++k];
    };
    if (word == "--steps") {
      options.steps = std::stol(value());
    } else if (word == "--keyframe") {
      options.keyframe = value();
    } else if (word == "--force") {
      options.force = std::stod(value());
    } else if (word == "--every") {
      options.every = std::max(10, std::stoi(value()));
    } else if (word == "--dt") {
      options.time_step = std::stod(value());
    } else if (word == "--seed") {
      options.seed = static_cast<unsigned>(std::stoul(value()));
    } else if (word.starts_with("-") || !options.file.empty()) {
      throw std::invalid_argument("unknown argument " + word);
    } else {
      options.file = word;
    }
  }
  if (options.file.empty()) throw std::invalid_argument("no file given");
  return options;
}

double resident_megabytes() {
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / 1e6;
}

class Pusher {
 public:
  explicit Pusher(const Options& options) : options_(options), random_(options.seed) {}

  void before_step(long step, Simulator& simulator) {
    const long phase = step % options_.every;
    if (phase == options_.every / 10) simulator.clear_external_forces();
    if (phase != 0) return;
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    const Vector3 force = options_.force * Vector3(unit(random_), unit(random_), 0.3 * unit(random_));
    const Vector3 arm = 0.1 * Vector3(unit(random_), unit(random_), unit(random_));
    simulator.add_external_force(0, force, simulator.body_pose(0).position + arm);
  }

 private:
  const Options& options_;
  std::mt19937 random_;
};

void start(Simulator& simulator, const Options& options) {
  if (options.keyframe.empty()) {
    simulator.reset();
  } else {
    simulator.reset(simulator.model().find_keyframe(options.keyframe));
  }
}

int main_(int argc, char** argv) {
  const Options options = parse(argc, argv);
  Simulator simulator(load_mjcf(options.file).model, {.time_step = options.time_step});
  start(simulator, options);
  Pusher pusher(options);
  long not_certified = 0;
  double worst = 0.0, deepest = 0.0, first_memory = 0.0;
  const std::clock_t begin = std::clock();
  std::printf("%12s %12s %14s %12s %12s %12s\n", "steps", "us/step", "not certified", "worst eps", "deepest, m",
              "memory, MB");
  for (long k = 0; k < options.steps; ++k) {
    pusher.before_step(k, simulator);
    const StepReport& report = simulator.step();
    not_certified += report.certified() ? 0 : 1;
    worst = std::max(worst, report.residuals.eps_nat);
    deepest = std::max(deepest, report.largest_penetration);
    const State& state = simulator.state();
    if (!std::isfinite(state.q.sum() + state.v.sum()))
      throw std::runtime_error("not finite after step " + std::to_string(k));
    if (k == options.steps / 10) first_memory = resident_megabytes();
    if ((k + 1) % (options.steps / 10) == 0) {
      std::printf("%12ld %12.3f %14ld %12.1e %12.1e %12.2f\n", k + 1,
                  1e6 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(k + 1),
                  not_certified, worst, deepest, resident_megabytes());
      std::fflush(stdout);
      start(simulator, options);
    }
  }
  const double growth = resident_megabytes() - first_memory;
  std::printf("memory grew by %.2f MB since the first tenth\n", growth);
  return growth < 1.0 ? 0 : 1;
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) {
  try {
    return stiction::main_(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_endurance: %s\n", e.what());
    return 2;
  }
}
