#include "stiction/math/work_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace stiction {
namespace {

// Phases of any size follow each other without a pause: every piece runs once, and what it wrote the leader and the
// pieces of the next phase see.
TEST(WorkTeam, EveryPieceOfEveryPhaseRunsOnce) {
  for (const int members : {0, 1, 3}) {
    WorkTeam team;
    std::vector<std::thread> threads;
    for (int k = 0; k < members; ++k) threads.emplace_back([&team] { team.serve(); });
    std::vector<long> sums(40, 0), before;
    for (int phase = 0; phase < 3000; ++phase) {
      const int count = phase % 41;
      before = sums;
      // A neighbour's number of the last phase: wrong where a piece starts before that is over.
      team.for_each(count, [&](int k) { sums[k] += 1 + before[(k + 1) % 40]; });
      for (int k = 0; k < 40; ++k) {
        ASSERT_EQ(sums[k], before[k] + (k < count ? 1 + before[(k + 1) % 40] : 0)) << members << " members, phase " << phase;
      }
      for (long& sum : sums) sum %= 1000;
    }
    team.dismiss();
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(WorkTeam, MembersTakePart) {
  WorkTeam team;
  std::thread member([&team] { team.serve(); });
  std::atomic<int> inside = 0;
  // Each piece waits for the other: alone the leader would never end.
  team.for_each(2, [&](int) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 2);
  team.dismiss();
  member.join();
}

// As where a pool's thread comes when all is done.
TEST(WorkTeam, WhoComesLateReturns) {
  WorkTeam team;
  int calls = 0;
  team.for_each(3, [&](int) { ++calls; });
  team.dismiss();
  team.serve();
  EXPECT_EQ(calls, 3);
}

TEST(WorkTeam, WithoutOneTheCallerDoesAllInOrder) {
  std::vector<int> order;
  for_each_piece(nullptr, 4, [&](int k) { order.push_back(k); });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace stiction
