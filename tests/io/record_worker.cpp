// The process that kill_test.py kills.
//
//     record_worker run PATH           records for ever: begins PATH, or goes on with it
//     record_worker check PATH FROM    simulates again from the full state after FROM steps and compares every step
//     with
//                                      the file; prints how many steps are complete
//     record_worker race PATH          waits for a line, tries to begin PATH and says "won" or why not; who won waits
//                                      for a second line, records 30 steps, closes and says "done"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "stiction/io/recording/recording.h"
#include "tests/io/recorded_worlds.h"

namespace {

using namespace stiction;

const SimulatorSettings settings{.time_step = 2e-3};
const RecordingSettings blocks{.steps_per_block = 10};

const StepReport& step(Simulator& simulator) {
  VectorX control(1);
  control[0] = std::sin(5.0 * simulator.state().time);
  simulator.set_control(control);
  return simulator.step();
}

// Set once, before the first step: whoever goes on must find them in the file.
Simulator begin() {
  Simulator simulator(testing::tumbling_pile(3), settings);
  simulator.set_joint_force(VectorX::LinSpaced(simulator.model().num_velocities(), -0.02, 0.03));
  simulator.add_external_force(0, {0.3, 0.1, 0.0}, {0.0, 0.0, 0.2}, {0.0, 0.01, 0.0});
  return simulator;
}

// Closes and goes on every now and then, so that kills meet these too.
[[noreturn]] void run(const std::string& path) {
  const bool exists = std::filesystem::exists(path);
  Simulator simulator = exists ? RecordingReader(path).resume() : begin();
  RecordingWriter writer =
      exists ? RecordingWriter::continue_at_end(path, simulator, blocks) : RecordingWriter(path, simulator, blocks);
  std::cout << "recording" << std::endl;
  for (int k = 1;; ++k) {
    writer.append(simulator, step(simulator));
    if (k % 1500 == 0) {
      writer.close();
      writer = RecordingWriter::continue_at_end(path, simulator, blocks);
    }
  }
}

int check(const std::string& path, std::int64_t from) {
  const RecordingReader reader(path);
  const std::int64_t count = reader.num_steps() - from;
  if (count < 0) {
    std::cout << "there were " << from << " steps before, now there are " << reader.num_steps() << std::endl;
    return 1;
  }
  Simulator simulator = reader.resume(from);
  const auto q = reader.positions(from), v = reader.velocities(from), control = reader.controls(from);
  const auto times = reader.times(from);
  const auto reports = reader.reports(from);
  std::vector<std::int64_t> begin;
  const auto contacts = reader.contacts(from, -1, begin);
  const auto& saved = reader.saved_steps();
  for (std::int64_t k = 0; k < count; ++k) {
    const StepReport& report = step(simulator);
    const State& state = simulator.state();
    const auto now = simulator.contacts();
    bool same = times[k] == state.time && control(k, 0) == state.control[0] &&
                std::memcmp(q.row(k).data(), state.q.data(), sizeof(double) * state.q.size()) == 0 &&
                std::memcmp(v.row(k).data(), state.v.data(), sizeof(double) * state.v.size()) == 0 &&
                reports[k].residuals.eps_nat == report.residuals.eps_nat &&
                begin[k + 1] - begin[k] == static_cast<std::int64_t>(now.size());
    for (std::size_t i = 0; same && i < now.size(); ++i) same = contacts[begin[k] + i].impulse == now[i].impulse;
    const std::int64_t after = from + k + 1;
    if (std::binary_search(saved.begin(), saved.end(), after)) {
      same = same && reader.saved_state(after).to_bytes() == state.to_bytes();
    }
    if (!same) {
      std::cout << "step " << from + k << " is not what it was" << std::endl;
      return 1;
    }
  }
  if (saved.back() != reader.num_steps()) {
    std::cout << "the last full state is after " << saved.back() << " of " << reader.num_steps() << std::endl;
    return 1;
  }
  std::cout << reader.num_steps() << std::endl;
  return 0;
}

int race(const std::string& path) {
  Simulator simulator = begin();
  std::string line;
  std::cout << "ready" << std::endl;
  std::getline(std::cin, line);
  try {
    RecordingWriter writer(path, simulator, blocks);
    std::cout << "won" << std::endl;
    std::getline(std::cin, line);
    for (int k = 0; k < 30; ++k) writer.append(simulator, step(simulator));
    writer.close();
    std::cout << "done" << std::endl;
  } catch (const std::exception& error) {
    std::cout << error.what() << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 2 ? argv[1] : "";
  try {
    if (verb == "run") run(argv[2]);
    if (verb == "race") return race(argv[2]);
    if (verb == "check" && argc > 3) return check(argv[2], std::stoll(argv[3]));
  } catch (const std::exception& error) {
    std::cout << error.what() << std::endl;
    return 1;
  }
  std::cout << "record_worker run PATH | check PATH FROM | race PATH" << std::endl;
  return 2;
}
