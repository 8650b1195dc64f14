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

}  // namespace stiction::testing
