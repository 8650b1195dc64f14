// Any bytes are a recording, and any bytes are a model: the readers either return something whole or throw
// std::invalid_argument. A model that is returned can be simulated.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "stiction/io/model_storage.h"
#include "stiction/io/recording.h"

namespace {

using namespace stiction;

void read_all(const RecordingReader& reader) {
  std::vector<std::int64_t> begin;
  reader.times();
  reader.step_numbers();
  reader.positions();
  reader.velocities();
  reader.controls();
  reader.reports();
  reader.contacts(0, -1, begin);
  for (const std::int64_t after : reader.saved_steps()) reader.saved_state(after);
  SimulatorSettings settings = reader.settings();
  settings.threads = 1;
  Simulator simulator(reader.model(), settings);
}

template <class Read>
void try_reading(const Read& read) {
  try {
    read();
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
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  try_reading([&] { read_all(RecordingReader::from_image({bytes, bytes + size})); });
  try_reading([&] { model_to_bytes(*model_from_bytes({bytes, size})); });
  return 0;
}
