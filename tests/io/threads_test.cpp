// What several threads may do at once: record and read recordings, read models, solve one problem. The thread sanitizer
// (preset tsan) looks for races here; without it the results are compared.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "stiction/io/load.h"
#include "stiction/io/mjcf/mjcf.h"
#include "stiction/io/recording/recording.h"
#include "stiction/problem_files/fclib.h"
#include "stiction/solvers/solver.h"
#include "tests/io/recorded_worlds.h"
#include "tests/support/test_files.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

template <class Function>
void in_threads(int count, Function function) {
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k) threads.emplace_back([&, k] { function(k); });
  for (std::thread& thread : threads) thread.join();
}

// Two simulations record, and a third thread reads one of the files while it grows.
TEST(Threads, RecordAndRead) {
  const fs::path folder = fs::temp_directory_path() / ("stiction-threads-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string paths[] = {(folder / "0.h5").string(), (folder / "1.h5").string()};
  const auto model = testing::tumbling_pile(6);
  constexpr int num_steps = 120;
  std::atomic<bool> has_begun = false, is_done = false;
  std::int64_t seen = 0;
  in_threads(3, [&](int k) {
    if (k == 2) {
      while (!has_begun) std::this_thread::yield();
      RecordingReader reader(paths[0]);
      while (!is_done) {
        reader.refresh();
        seen = std::max(seen, reader.positions().rows());
      }
      return;
    }
    Simulator simulator(model, {.time_step = 2e-3, .threads = 2});
    RecordingWriter recording(paths[k], simulator, {.steps_per_block = 10});
    if (k == 0) has_begun = true;
    for (int i = 0; i < num_steps; ++i) recording.append(simulator, simulator.step());
    recording.close();
    if (k == 0) is_done = true;
  });
  EXPECT_LE(seen, num_steps);
  const RecordingReader one(paths[0]), two(paths[1]);
  ASSERT_EQ(one.num_steps(), num_steps);
  EXPECT_EQ(one.positions(), two.positions());
  EXPECT_EQ(one.velocities(), two.velocities());
  fs::remove_all(folder);
}

// One problem, which nobody writes to, and a solver for each thread.
TEST(Threads, EverySolverOnOneProblem) {
  const FclibProblem read = read_fclib(testing::scene_file("fclib/NESpheres_10_1.hdf5"));
  for (const std::string_view name : solver_names()) {
    SCOPED_TRACE(name);
    ContactSolution found[3];
    in_threads(3, [&](int k) {
      const auto solver = make_solver(name);
      solver->set_option("max_iterations", 50);
      found[k].impulse = VectorX::Zero(read.problem.num_rows());
      solver->solve(read.problem, found[k]);
    });
    EXPECT_EQ(found[0].impulse, found[1].impulse);
    EXPECT_EQ(found[0].impulse, found[2].impulse);
  }
}

// Readers of all formats at once; MuJoCo's error handlers belong to the whole process.
TEST(Threads, ReadModels) {
  std::vector<std::string> files = {testing::scene_file("cassie/cassie_v2.sdf")};
  if (has_mjcf()) {
    files.push_back(testing::scene_file("quadruped.xml"));
    files.push_back(testing::scene_file("humanoid/humanoid.xml"));
  }
  int num_bodies[6] = {}, num_refused[6] = {};
  in_threads(6, [&](int k) {
    for (int round = 0; round < 3; ++round) {
      num_bodies[k] += load_model(files[(k + round) % files.size()]).model->num_bodies();
      try {
        load_mjcf_string("<mujoco><worldbody><body><nonsense/></body></worldbody></mujoco>");
      } catch (const std::exception&) {
        ++num_refused[k];
      }
    }
  });
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(num_bodies[k], num_bodies[0]) << k;
    EXPECT_EQ(num_refused[k], 3) << k;
  }
}

}  // namespace
}  // namespace stiction
