// What being looked at costs a simulation: CPU time of the thread that steps, with and without a live view, in turns in
// one run, and whether the states at the end are the same to the last bit.
//
//     bench_live_view SCENE [STEPS] [TURNS] [TIME_STEP]
//
// With a view a client on loopback reads every frame that it gets. Steps are made as fast as they go, and frames are
// taken at 60 Hz of wall time, as in a page.
#include "stiction/viewer/live_view.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "../tests/viewer/web_socket_client.h"
#include "stiction/io/load.h"

namespace {

using namespace stiction;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t hash_of(const State& state) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const std::byte byte : state.to_bytes()) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211ull;
  return hash;
}

struct Run {
  double seconds = 0.0;  // of CPU
  std::uint64_t hash = 0;
  long frames = 0;
  double megabytes = 0.0;
};

Run run_alone(const std::shared_ptr<const Model>& model, const SimulatorSettings& settings, int steps) {
  Simulator simulator(model, settings);
  const double begin = thread_seconds();
  for (int k = 0; k < steps; ++k) simulator.step();
  return {thread_seconds() - begin, hash_of(simulator.state())};
}

Run run_viewed(const std::shared_ptr<const Model>& model, const SimulatorSettings& settings, int steps) {
  Simulator simulator(model, settings);
  std::mutex turn;
  LiveViewSettings how;
  how.running = false;
  LiveView view(simulator, turn, how);
  Run run;
  WebSocketClient client(view.port(), view.address().substr(view.address().find('=') + 1));
  client.receive_text("\"type\":\"model\"");
  std::thread reader([&] {
    for (auto message = client.receive(); message.opcode >= 0; message = client.receive()) {
      run.frames += message.opcode == 2 ? 1 : 0;
      run.megabytes += 1e-6 * static_cast<double>(message.data.size());
    }
  });
  const double begin = thread_seconds();
  for (int k = 0; k < steps; ++k) {
    const std::lock_guard lock(turn);
    view.step();
  }
  run.seconds = thread_seconds() - begin;
  run.hash = hash_of(simulator.state());
  view.close();
  reader.join();
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_live_view SCENE [STEPS] [TURNS] [TIME_STEP]\n");
    return 2;
  }
  const int steps = argc > 2 ? std::atoi(argv[2]) : 1000, turns = argc > 3 ? std::atoi(argv[3]) : 5;
  SimulatorSettings settings;
  settings.time_step = argc > 4 ? std::atof(argv[4]) : 0.0;
  const auto model = load_model(argv[1]).model;
  std::vector<double> alone, viewed, ratios;
  Run last;
  bool same = true;
  for (int k = 0; k < turns; ++k) {
    const Run a = run_alone(model, settings, steps);
    last = run_viewed(model, settings, steps);
    alone.push_back(a.seconds), viewed.push_back(last.seconds), ratios.push_back(last.seconds / a.seconds);
    same = same && a.hash == last.hash;
  }
  const auto median = [](std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
  };
  std::printf("%s: %d bodies, %d steps, %d turns\n", argv[1], model->num_bodies(), steps, turns);
  std::printf("CPU time of the stepping thread, median: alone %.3f s, viewed %.3f s; ratio %.3f (%.3f to %.3f)\n",
              median(alone), median(viewed), median(ratios), *std::min_element(ratios.begin(), ratios.end()),
              *std::max_element(ratios.begin(), ratios.end()));
  std::printf("frames in the last turn: %ld, %.2f MB; states at the end: %s\n", last.frames, last.megabytes,
              same ? "the same bits" : "DIFFERENT");
  return same ? 0 : 1;
}
