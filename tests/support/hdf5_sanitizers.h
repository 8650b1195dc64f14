// What the sanitizers are to overlook in HDF5 1.10, for programs that give it damaged files. Included by one source of
// each: it defines the options of the whole program.
#pragma once

// The library asks for absurd sizes when a malformed file says so, and copes with the refusal. (Our own code would ask
// by operator new, which still ends the program.)
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}

// It reads a few bytes too far in damaged headers,
extern "C" const char* __asan_default_suppressions() {
  return "interceptor_via_lib:libhdf5";
}

// and loses some memory when it gives up on a file.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}
