// A fixed set of threads that share out independent pieces of work. Which thread takes which piece has no influence on
// the result: pieces write to places of their own.
//
// A forked child has no threads but the one that forked: the pool starts others there when it is first used.
#pragma once

#include <memory>
#include <type_traits>

namespace stiction {

class WorkerPool {
 public:
  // The caller's thread counts as one. Throws std::runtime_error where the system does not give so many; none is left
  // running then.
  explicit WorkerPool(int threads);
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
  struct Crew;
  void leave_parents_crew();

  int num_threads_;
  std::unique_ptr<Crew> crew_;  // none where there is one thread
};

}  // namespace stiction
