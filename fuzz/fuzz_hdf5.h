// What the targets that read HDF5 share. Included by one source of each target: it defines the sanitizers' options.
#pragma once

#include <stdexcept>

// Refused with a message, as it should be, or read.
template <class Read>
void try_reading(const Read& read) {
  try {
    read();
  } catch (const std::invalid_argument&) {
  }
}

// The library asks for absurd sizes when a malformed file says so, and copes with the refusal.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}

// HDF5 1.10 itself reads a few bytes too far in damaged headers.
extern "C" const char* __asan_default_suppressions() {
  return "interceptor_via_lib:libhdf5";
}

// It loses some memory of its own when it gives up on a file.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}
