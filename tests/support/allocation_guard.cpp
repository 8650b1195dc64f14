#include "allocation_guard.h"

#include <cstddef>
#include <cstdlib>

namespace {
thread_local long allocations = 0;
thread_local long failing = -1;  // allocations that still succeed before one fails; negative: none fails

[[maybe_unused]] bool may_allocate() {
  ++allocations;
  return failing < 0 || failing-- != 0;
}
}  // namespace

// The sanitizers bring their own allocator; with them the guard counts nothing and reports zero.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(STICTION_SANITIZED)
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
  return may_allocate() ? __libc_malloc(size) : nullptr;
}
void* calloc(size_t count, size_t size) {
  return may_allocate() ? __libc_calloc(count, size) : nullptr;
}
void* realloc(void* old, size_t size) {
  return may_allocate() ? __libc_realloc(old, size) : nullptr;
}
void* aligned_alloc(size_t alignment, size_t size) {
  return may_allocate() ? __libc_memalign(alignment, size) : nullptr;
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  *out = may_allocate() ? __libc_memalign(alignment, size) : nullptr;
  return *out ? 0 : 12;
}
}
#endif

namespace stiction::testing {

AllocationGuard::AllocationGuard() : start_(allocations) {}
long AllocationGuard::count() const {
  return allocations - start_;
}

FailingAllocation::FailingAllocation(long after) {
  failing = after;
}
FailingAllocation::~FailingAllocation() {
  failing = -1;
}

}  // namespace stiction::testing
