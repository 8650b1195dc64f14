// A fixed set of threads that share out independent pieces of work. Which thread takes which piece has no influence on
// the result: pieces write to places of their own.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace stiction {

class WorkerPool {
 public:
  explicit WorkerPool(int threads);  // the caller's thread counts as one
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Calls work(context, k) for k = 0 … count − 1, and returns when all are done. Of several exceptions that of the
  // smallest k is thrown again. No allocation.
  using Work = void (*)(void* context, int k);
  void run(int count, Work work, void* context);

  template <class Function>
  void for_each(int count, Function&& function) {
    run(count, [](void* context, int k) { (*static_cast<std::remove_reference_t<Function>*>(context))(k); }, &function);
  }

 private:
  void serve();
  void take_pieces(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  std::vector<std::thread> threads_;
  Work work_ = nullptr;
  void* context_ = nullptr;
  int count_ = 0, next_ = 0, running_ = 0;
  bool stop_ = false;
  int failed_ = -1;
  std::exception_ptr error_;
};

}  // namespace stiction
