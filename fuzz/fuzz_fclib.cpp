// Any bytes are a file: the readers either return a problem or throw std::invalid_argument.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "stiction/contact/judge.h"
#include "stiction/io/fclib.h"
#include "stiction/io/lcp.h"
#include "stiction/io/sequence.h"

namespace {

template <class Read>
void try_reading(const stiction::hdf5::File& file, const Read& read) {
  try {
    read(file);
  } catch (const std::invalid_argument&) {
    // refused with a message, as it should be
  }
}

}  // namespace

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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto file = stiction::hdf5::File::from_image({reinterpret_cast<const std::byte*>(data), size});
    try_reading(file, [](const auto& f) {
      const auto contents = stiction::read_fclib(f, stiction::FclibGlobal::condensed);
      stiction::judge(contents.problem, stiction::VectorX::Zero(contents.problem.num_rows()));
    });
    try_reading(file, [](const auto& f) { stiction::read_fclib(f, stiction::FclibGlobal::factored); });
    try_reading(file, [](const auto& f) { stiction::read_sequence(f); });
    try_reading(file, [](const auto& f) { stiction::read_lcp(f); });
  } catch (const std::invalid_argument&) {
    // not an HDF5 file
  }
  return 0;
}
