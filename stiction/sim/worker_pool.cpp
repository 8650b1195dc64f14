#include "stiction/sim/worker_pool.h"

#include <utility>

namespace stiction {

WorkerPool::WorkerPool(int threads) {
  for (int k = 1; k < threads; ++k) threads_.emplace_back([this] { serve(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// The lock is held on entry and on return, but not while a piece runs.
void WorkerPool::take_pieces(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const int k = next_++;
    ++running_;
    lock.unlock();
    std::exception_ptr error;
    try {
      work_(context_, k);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --running_;
    if (error && (failed_ < 0 || k < failed_)) {
      failed_ = k;
      error_ = error;
    }
  }
  if (running_ == 0) end_.notify_all();
}

void WorkerPool::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    begin_.wait(lock, [this] { return stop_ || next_ < count_; });
    if (stop_) return;
    take_pieces(lock);
  }
}

void WorkerPool::run(int count, Work work, void* context) {
  if (threads_.empty() || count <= 1) {
    for (int k = 0; k < count; ++k) work(context, k);
    return;
  }
  std::unique_lock lock(mutex_);
  work_ = work;
  context_ = context;
  count_ = count;
  next_ = 0;
  failed_ = -1;
  error_ = nullptr;
  begin_.notify_all();
  take_pieces(lock);
  end_.wait(lock, [this] { return next_ >= count_ && running_ == 0; });
  count_ = next_ = 0;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace stiction
