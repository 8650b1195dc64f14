#include "stiction/sim/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "stiction/sim/simulator.h"
#include "tests/sim/worlds.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/sanitized.h"

namespace stiction {
namespace {

// Every piece runs once, and what it wrote is seen by the caller; runs follow each other without a pause.
TEST(WorkerPool, EveryPieceRunsOnce) {
  for (const int threads : {1, 2, 4, 9}) {
    WorkerPool pool(threads);
    for (int round = 0; round < 300; ++round) {
      const int count = round % 17;
      std::vector<int> calls(static_cast<std::size_t>(count), 0);
      pool.for_each(count, [&](int k) { calls[static_cast<std::size_t>(k)] += 1 + k; });
      for (int k = 0; k < count; ++k) ASSERT_EQ(calls[k], 1 + k) << threads << " threads, round " << round;
    }
  }
}

TEST(WorkerPool, SeveralThreadsTakePart) {
  WorkerPool pool(2);
  std::atomic<int> inside = 0;
  // Each piece waits for the other: with one thread this would never end.
  pool.for_each(2, [&](int) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 2);
}

// Of several exceptions the first by number, whichever thread was quicker; the pool works on afterwards.
TEST(WorkerPool, FirstExceptionIsThrownAgain) {
  WorkerPool pool(4);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> calls = 0;
    std::string message;
    try {
      pool.for_each(20, [&](int k) {
        ++calls;
        if (k % 7 == 3) throw std::runtime_error("piece " + std::to_string(k));
      });
    } catch (const std::runtime_error& e) {
      message = e.what();
    }
    EXPECT_EQ(message, "piece 3");
    EXPECT_EQ(calls, 20);
    pool.for_each(5, [&](int) { ++calls; });
    EXPECT_EQ(calls, 25);
  }
}

TEST(WorkerPool, DoesNotAllocate) {
  WorkerPool pool(3);
  std::vector<double> out(50, 0.0);
  pool.for_each(50, [&](int k) { out[k] = k; });
  const testing::AllocationGuard guard;
  pool.for_each(50, [&](int k) { out[k] += k; });
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(out[49], 98.0);
}

std::shared_ptr<const Model> heaps(int num_heaps) {
  ModelBuilder builder;
  testing::add_ground(builder, 0.5);
  const Geometry shapes[] = {Box{{0.05, 0.06, 0.04}}, Sphere{0.05}, Capsule{0.03, 0.04}, Cylinder{0.05, 0.04}};
  for (int h = 0; h < num_heaps; ++h)
    for (int k = 0; k < 4; ++k)
      testing::add_free(builder, std::to_string(h) + "/" + std::to_string(k), shapes[(h + k) % 4], 1.0 + k,
                        Pose(Vector3(1.0 * h, 0.01 * k, 0.06 + 0.12 * k)), 0.5);
  return builder.build();
}

// Simulators in threads of their own share nothing but the model, which nobody writes to. Each has workers besides.
TEST(Simulator, ManyInThreadsShareOneModel) {
  const auto model = heaps(5);
  const auto run = [&](int threads) {
    Simulator simulator(model, {.time_step = 2e-3, .threads = threads});
    simulator.step(150);
    return simulator.state().to_bytes();
  };
  const auto expected = run(1);
  std::vector<std::vector<std::byte>> found(3);
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k) threads.emplace_back([&, k] { found[k] = run(1 + k); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& bytes : found) EXPECT_EQ(bytes, expected);
}

// What a forked child says with its exit code; 99 where it did not end by itself within a minute.
template <class Work>
int exit_code_of_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    int code = 98;
    try {
      code = work();
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

// The address space ends before the stacks of so many threads do.
TEST(WorkerPool, ThreadsThatCannotBeStartedAreTold) {
  if (testing::sanitized) GTEST_SKIP() << "sanitizers need their address space";
  const int code = exit_code_of_child([] {
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = std::size_t{3} << 30;
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
    for (int round = 0; round < 3; ++round) {  // what was started is joined and gives its place back
      try {
        const WorkerPool pool(1024);
        return 2;
      } catch (const std::runtime_error& error) {
        const std::string message = error.what();
        if (message.find("of 1024 threads only") == std::string::npos) return 3;
        if (message.find("only 1 could") != std::string::npos) return 4;
      }
      WorkerPool few(2);
      int sum = 0;
      std::mutex mutex;
      few.for_each(10, [&](int k) {
        const std::lock_guard lock(mutex);
        sum += k;
      });
      if (sum != 45) return 5;
    }
    try {
      const Simulator simulator(testing::box_on_slope(0.5, 0.1), {.time_step = 1e-3, .threads = 1024});
      return 6;
    } catch (const std::runtime_error&) {
    }
    return 0;
  });
  EXPECT_EQ(code, 0);
}

TEST(WorkerPool, ForkedChildrenHaveThreadsOfTheirOwn) {
  auto pool = std::make_unique<WorkerPool>(2);
  std::atomic<int> calls = 0;
  pool->for_each(10, [&](int) { ++calls; });
  const auto in_child = [&](bool works) {
    return exit_code_of_child([&] {
      if (works) {
        std::atomic<int> inside = 0;  // each piece waits for the other: one thread would not do
        pool->for_each(2, [&](int) {
          ++inside;
          while (inside < 2) std::this_thread::yield();
        });
        if (inside != 2) return 1;
      }
      pool.reset();
      return 0;
    });
  };
  EXPECT_EQ(in_child(true), 0);
  EXPECT_EQ(in_child(false), 0);
  pool->for_each(10, [&](int) { ++calls; });  // the parent's are still there
  EXPECT_EQ(calls, 20);
}

TEST(WorkerPool, SimulatorsGoOnInForkedChildren) {
  ModelBuilder builder;
  testing::add_ground(builder, 0.5);
  for (int k = 0; k < 4; ++k) {
    testing::add_free(builder, "b" + std::to_string(k), Box{{0.1, 0.1, 0.1}}, 1.0, Pose(Vector3(k, 0.0, 0.15)), 0.5);
  }
  Simulator simulator(builder.build(), {.time_step = 1e-3, .threads = 3});
  simulator.step(200);
  const State state = simulator.state();
  simulator.step(100);
  const auto end = simulator.state().to_bytes();
  simulator.set_state(state);
  EXPECT_EQ(exit_code_of_child([&] {
              simulator.step(100);
              const bool same = simulator.state().to_bytes() == end;
              const Simulator gone = std::move(simulator);
              return same ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace stiction
