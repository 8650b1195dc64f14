#include "allocation_guard.h"

#include <cstddef>
#include <cstdlib>

namespace {
thread_local long allocations = 0;
}

// The sanitizers bring their own allocator; with them the guard counts nothing and reports zero.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(STICTION_SANITIZED)
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  ++allocations;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : 12;
}
}
#endif

namespace stiction::testing {

AllocationGuard::AllocationGuard() : start_(allocations) {}
long AllocationGuard::count() const {
  return allocations - start_;
}

}  // namespace stiction::testing
