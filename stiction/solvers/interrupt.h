// How a caller stops a solve, or a step, from outside: from a signal handler, another thread, or a function that is
// asked now and then.
//
// Solvers look once per sweep, before a factorisation, and, where that takes long, inside of it. What they return then
// has the status `interrupted` and the best iterate so far.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace stiction {

class Interrupt {
 public:
  Interrupt() = default;
  // `poll` is asked by the thread that makes this object, and by no other one, at most every `interval`, the first time
  // so long after the first check: what ends sooner never asks. Where it says true everybody stops. It must not throw.
  explicit Interrupt(std::function<bool()> poll, std::chrono::milliseconds interval = std::chrono::milliseconds(20))
      : poll_(std::move(poll)), interval_(interval), owner_(std::this_thread::get_id()) {}
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }  // also in a signal handler
  void clear() noexcept { requested_.store(false, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

  // The same after asking `poll`, where that is due.
  bool check() {
    if (requested()) return true;
    if (!poll_ || std::this_thread::get_id() != owner_) return false;
    const auto now = std::chrono::steady_clock::now();
    const bool is_first = last_ == std::chrono::steady_clock::time_point{};
    if (!is_first && now - last_ < interval_) return false;
    last_ = now;
    if (is_first) return false;
    if (poll_()) request();
    return requested();
  }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);  // or a signal handler could not set it
  std::atomic<bool> requested_{false};
  std::function<bool()> poll_;
  std::chrono::steady_clock::duration interval_{};
  std::chrono::steady_clock::time_point last_{};
  std::thread::id owner_;
};

// For loops whose turns take too little time to look in each of them: looks after so much work, in a unit of the loop.
class InterruptedWork {
 public:
  InterruptedWork(Interrupt* interrupt, double work_between) : interrupt_(interrupt), work_between_(work_between) {}
  bool stops_after(double work) {
    if (interrupt_ == nullptr || (done_ += work) < work_between_) return false;
    done_ = 0.0;
    return interrupt_->check();
  }

 private:
  Interrupt* interrupt_;
  double work_between_, done_ = 0.0;
};

}  // namespace stiction
