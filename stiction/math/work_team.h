// Threads that work on one thing for a while, in phases of microseconds: the leader says run(count, work), and whoever
// is free takes pieces. Which thread takes which piece has no influence on the result: the pieces of a phase write to
// places of their own, and phases follow one another.
//
// A team owns no threads. Those of a pool call serve() while the leader works; one that comes late, or is not given a
// processor, costs nothing, because the leader takes what nobody else does.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace stiction {

class WorkTeam {
 public:
  WorkTeam() = default;
  WorkTeam(const WorkTeam&) = delete;
  WorkTeam& operator=(const WorkTeam&) = delete;

  // Members: until dismiss().
  void serve() {
    int idle = 0;
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (true) {
      if (is_over(ticket)) return;
      if (left(ticket) > 0) {
        take(ticket);
        idle = 0;
        ticket = ticket_.load(std::memory_order_acquire);
        continue;
      }
      if (++idle < spins) {
        pause();
      } else {
        ticket_.wait(ticket, std::memory_order_acquire);
        idle = 0;
      }
      ticket = ticket_.load(std::memory_order_acquire);
    }
  }

  // The leader, alone. Calls work(context, k) for k = 0 … count − 1 and returns when all are done; count < 2³⁰. Work
  // must not throw.
  using Work = void (*)(void* context, int k);
  void run(int count, Work work, void* context) {
    if (count <= 0) return;
    work_ = work;
    context_ = context;
    count_ = count;
    done_.store(0, std::memory_order_relaxed);
    ++phase_;
    ticket_.store(make_ticket(phase_, count), std::memory_order_release);
    ticket_.notify_all();
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (left(ticket) > 0) {
      take(ticket);
      ticket = ticket_.load(std::memory_order_acquire);
    }
    for (int done = done_.load(std::memory_order_acquire), idle = 0; done < count;
         done = done_.load(std::memory_order_acquire)) {
      if (++idle < spins) {
        pause();
      } else {
        done_.wait(done, std::memory_order_acquire);
      }
    }
  }

  template <class Function>
  void for_each(int count, Function&& function) {
    run(count, [](void* context, int k) { (*static_cast<std::remove_reference_t<Function>*>(context))(k); }, &function);
  }

  // The leader: members return from serve(), now and later.
  void dismiss() {
    ticket_.store(over, std::memory_order_release);
    ticket_.notify_all();
  }

 private:
  static constexpr int spins = 2000;
  static constexpr std::uint64_t over = ~std::uint64_t{0};

  // Phase and pieces that nobody has taken yet in one word, so that a piece is taken of the phase that was seen.
  static std::uint64_t make_ticket(std::uint32_t phase, int count) {
    return (std::uint64_t{phase & 0x7fffffffU} << 32) | static_cast<std::uint32_t>(count);
  }
  static bool is_over(std::uint64_t ticket) { return ticket == over; }
  static int left(std::uint64_t ticket) { return static_cast<int>(ticket & 0xffffffffU); }
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  // work_, context_ and count_ are those of the ticket once a piece of it is taken: the leader waits for that piece.
  void take(std::uint64_t ticket) {
    if (!ticket_.compare_exchange_strong(ticket, ticket - 1, std::memory_order_acq_rel)) return;
    const int count = count_;
    work_(context_, count - left(ticket));
    if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == count) done_.notify_all();
  }

  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<int> done_{0};
  Work work_ = nullptr;
  void* context_ = nullptr;
  int count_ = 0;
  std::uint32_t phase_ = 0;
};

// With a team its members take pieces; without one the caller does them all, in order.
template <class Function>
inline void for_each_piece(WorkTeam* team, int count, Function&& function) {
  if (team != nullptr && count > 1) {
    team->for_each(count, function);
  } else {
    for (int k = 0; k < count; ++k) function(k);
  }
}

}  // namespace stiction
