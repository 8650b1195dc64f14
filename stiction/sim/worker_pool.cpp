#include "stiction/sim/worker_pool.h"

#include <unistd.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace stiction {

// The threads and what they share.
struct WorkerPool::Crew {
  explicit Crew(int threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void serve();
  void take_pieces(std::unique_lock<std::mutex>& lock);
  void run(int count, Work work, void* context);
  void dismiss();

  const int process = ::getpid();
  std::mutex mutex;
  std::condition_variable begin, end;
  std::vector<std::thread> members;
  Work current = nullptr;
  void* shared = nullptr;
  int num_pieces = 0, next = 0, running = 0;
  bool stop = false;
  int failed = -1;
  std::exception_ptr error;
};

WorkerPool::Crew::Crew(int threads) {
  try {
    members.reserve(static_cast<std::size_t>(threads) - 1);
    for (int k = 1; k < threads; ++k) members.emplace_back([this] { serve(); });
  } catch (const std::system_error& reason) {
    const std::size_t started = members.size() + 1;
    dismiss();
    throw std::runtime_error("worker pool: of " + std::to_string(threads) + " threads only " + std::to_string(started) +
                             " could be started: " + reason.code().message());
  } catch (...) {
    dismiss();
    throw;
  }
}

WorkerPool::Crew::~Crew() {
  dismiss();
}

void WorkerPool::Crew::dismiss() {
  {
    const std::lock_guard lock(mutex);
    stop = true;
  }
  begin.notify_all();
  for (std::thread& member : members) member.join();
  members.clear();
}

// The lock is held on entry and on return, but not while a piece runs.
void WorkerPool::Crew::take_pieces(std::unique_lock<std::mutex>& lock) {
  while (next < num_pieces) {
    const int k = next++;
    ++running;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      current(shared, k);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    --running;
    if (thrown && (failed < 0 || k < failed)) {
      failed = k;
      error = thrown;
    }
  }
  if (running == 0) end.notify_all();
}

void WorkerPool::Crew::serve() {
  std::unique_lock lock(mutex);
  while (true) {
    begin.wait(lock, [this] { return stop || next < num_pieces; });
    if (stop) return;
    take_pieces(lock);
  }
}

void WorkerPool::Crew::run(int count, Work work, void* context) {
  std::unique_lock lock(mutex);
  current = work;
  shared = context;
  num_pieces = count;
  next = 0;
  failed = -1;
  error = nullptr;
  begin.notify_all();
  take_pieces(lock);
  end.wait(lock, [this] { return next >= num_pieces && running == 0; });
  num_pieces = next = 0;
  if (error) std::rethrow_exception(std::exchange(error, nullptr));
}

WorkerPool::WorkerPool(int threads) : num_threads_(threads) {
  if (threads > 1) crew_ = std::make_unique<Crew>(threads);
}

WorkerPool::~WorkerPool() {
  leave_parents_crew();
}

// In a forked child nobody serves, and to wait for the threads, or to destroy what they seemed to wait on, would take
// for ever. What is left of the parent's crew stays where it is.
void WorkerPool::leave_parents_crew() {
  if (crew_ && crew_->process != ::getpid()) [[maybe_unused]]
    Crew* const left = crew_.release();
}

void WorkerPool::run(int count, Work work, void* context) {
  if (num_threads_ <= 1 || count <= 1) {
    for (int k = 0; k < count; ++k) work(context, k);
    return;
  }
  leave_parents_crew();
  if (!crew_) crew_ = std::make_unique<Crew>(num_threads_);
  crew_->run(count, work, context);
}

}  // namespace stiction
