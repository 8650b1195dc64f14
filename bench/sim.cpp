// Steps an MJCF file and tells where the time goes: for profiling, and beside bench/peers.py.
//
//     bench_sim FILE [--steps N] [--repeat R] [--dt S] [--keyframe NAME] [--control U] [--solver NAME] [--tolerance E]
//               [--no-judge] [--no-warm-start] [--no-hold-sticking] [--explicit-turning] [--no-recheck] [--baumgarte B]
//               [--threads T] [--ignored] [--checksum]
//
// Steps per second of CPU time, the best of R runs from the same start; microseconds per stage; the judge's worst
// residual and the steps that it did not certify. Stages are measured in wall time, so steps that another process
// interrupted (four times the median) are left out of them. --checksum: of every bit of the states and residuals on the
// way, in a run of its own: two builds that print the same one have taken the same steps.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "stiction/io/mjcf/mjcf.h"
#include "stiction/sim/simulator.h"

namespace stiction {
namespace {

constexpr int num_stages = static_cast<int>(StepStage::count);
using Stages = std::array<double, num_stages>;  // s

struct Options {
  std::string file, keyframe;
  int steps = 10000, repeat = 3;
  double control = 0.0;
  bool show_ignored = false, checksum = false;
  SimulatorSettings settings;
};

struct Run {
  double cpu = 0.0;  // s
  Stages stages{};
  double contacts = 0.0, islands = 0.0, iterations = 0.0, deepest = 0.0;
  double worst = 0.0;
  long failed = 0;
};

Options parse(int argc, char** argv) {
  Options options;
  const auto value = [&](int& k) -> std::string {
    if (k + 1 >= argc) throw std::invalid_argument(std::string(argv[k]) + " needs a value");
    return argv[++k];
  };
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--steps") {
      options.steps = std::stoi(value(k));
    } else if (word == "--repeat") {
      options.repeat = std::stoi(value(k));
    } else if (word == "--dt") {
      options.settings.time_step = std::stod(value(k));
    } else if (word == "--keyframe") {
      options.keyframe = value(k);
    } else if (word == "--control") {
      options.control = std::stod(value(k));
    } else if (word == "--solver") {
      options.settings.solver = value(k);
    } else if (word == "--tolerance") {
      options.settings.tolerance = std::stod(value(k));
    } else if (word == "--baumgarte") {
      options.settings.constraints.baumgarte = std::stod(value(k));
    } else if (word == "--threads") {
      options.settings.threads = std::stoi(value(k));
    } else if (word == "--no-judge") {
      options.settings.judge = false;
    } else if (word == "--no-hold-sticking") {
      options.settings.constraints.hold_sticking = false;
    } else if (word == "--explicit-turning") {
      options.settings.implicit_turning = false;
    } else if (word == "--no-recheck") {
      options.settings.recheck = false;
    } else if (word == "--no-warm-start") {
      options.settings.warm_start = false;
    } else if (word == "--checksum") {
      options.checksum = true;
    } else if (word == "--ignored") {
      options.show_ignored = true;
    } else if (word[0] != '-' && options.file.empty()) {
      options.file = word;
    } else {
      throw std::invalid_argument("unknown argument " + word);
    }
  }
  if (options.file.empty())
    throw std::invalid_argument("usage: bench_sim FILE [options]; see the top of bench/sim.cpp");
  return options;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Stages undisturbed_mean(const std::vector<Stages>& steps) {
  const auto total = [](const Stages& step) { return std::accumulate(step.begin(), step.end(), 0.0); };
  std::vector<double> totals;
  for (const Stages& step : steps) totals.push_back(total(step));
  std::nth_element(totals.begin(), totals.begin() + totals.size() / 2, totals.end());
  const double bound = 4.0 * totals[totals.size() / 2];
  Stages mean{};
  int count = 0;
  for (const Stages& step : steps) {
    if (total(step) > bound) continue;
    for (int s = 0; s < num_stages; ++s) mean[s] += step[s];
    ++count;
  }
  for (double& x : mean) x /= count;
  return mean;
}

void begin(Simulator& simulator, const Options& options) {
  const Model& model = simulator.model();
  if (options.keyframe.empty()) {
    simulator.reset();
    simulator.set_control(VectorX::Constant(static_cast<Eigen::Index>(model.actuators.size()), options.control));
  } else {
    simulator.reset(model.find_keyframe(options.keyframe));
  }
}

Run run(Simulator& simulator, const Options& options) {
  begin(simulator, options);
  Run run;
  std::vector<Stages> stages;  // of steps that were timed: the others repeat the last one
  stages.reserve(options.steps / options.settings.timed_every + 1);
  const double start = cpu_seconds();
  for (int k = 0; k < options.steps; ++k) {
    const StepReport& report = simulator.step();
    if (stages.empty() || report.seconds[0] != stages.back()[0]) stages.push_back(report.seconds);
    run.contacts += report.num_contacts, run.islands += report.num_islands, run.iterations += report.iterations;
    run.deepest = std::max(run.deepest, report.largest_penetration);
  }
  run.cpu = cpu_seconds() - start;
  run.stages = undisturbed_mean(stages);
  run.worst = simulator.worst_residual();
  run.failed = simulator.num_uncertified_steps();
  return run;
}

// FNV-1a.
std::uint64_t checksum(Simulator& simulator, const Options& options) {
  std::uint64_t sum = 0xcbf29ce484222325;
  const auto add = [&](double x) {
    sum ^= std::bit_cast<std::uint64_t>(x);
    sum *= 0x100000001b3;
  };
  begin(simulator, options);
  for (int k = 0; k < options.steps; ++k) {
    const StepReport& report = simulator.step();
    for (const VectorX* x : {&simulator.state().q, &simulator.state().v}) std::for_each(x->begin(), x->end(), add);
    for (const double x : {report.residuals.eps_nat, report.energy_error, report.largest_gap_error}) add(x);
  }
  return sum;
}

void print(const Run& run, const Options& options) {
  const double n = options.steps;
  std::printf("%.0f steps/s  %.3f us/step  contacts %.2f  islands %.2f  iterations %.2f  deepest %.3g m\n", n / run.cpu,
              1e6 * run.cpu / n, run.contacts / n, run.islands / n, run.iterations / n, run.deepest);
  std::printf("worst residual %.2e  not certified %ld of %d steps\n", run.worst, run.failed, options.steps);
  for (int s = 0; s < num_stages; ++s) {
    const std::string name(to_string(static_cast<StepStage>(s)));
    std::printf("  %-14s %9.3f us\n", name.c_str(), 1e6 * run.stages[s]);
  }
}

int main_(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const LoadedModel loaded = load_mjcf(options.file);
  if (options.show_ignored) {
    for (const IgnoredElement& i : loaded.ignored) std::printf("ignored %s: %s\n", i.element.c_str(), i.reason.c_str());
  }
  const Model& model = *loaded.model;
  std::printf("%s: %d bodies, %d velocities, %zu shapes, %zu loops\n", options.file.c_str(), model.num_bodies(),
              model.num_velocities(), model.shapes.size(), model.loops.size());
  Simulator simulator(loaded.model, options.settings);
  Run best;
  for (int r = 0; r < options.repeat; ++r) {
    const Run next = run(simulator, options);
    if (r == 0 || next.cpu < best.cpu) best = next;
  }
  print(best, options);
  if (options.checksum) {
    std::printf("checksum %016llx\n", static_cast<unsigned long long>(checksum(simulator, options)));
  }
  return 0;
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) {
  try {
    return stiction::main_(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_sim: %s\n", e.what());
    return 2;
  }
}
