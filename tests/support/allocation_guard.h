// Counts heap allocations of this thread, by new and by malloc, so that a test can show that a second solve makes none.
#pragma once

namespace stiction::testing {

class AllocationGuard {
 public:
  AllocationGuard();
  long count() const;  // allocations since construction

 private:
  long start_;
};

// While it lives, one allocation of this thread fails: the one after `after` that succeed. With sanitizers none does.
class FailingAllocation {
 public:
  explicit FailingAllocation(long after);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
};

}  // namespace stiction::testing
