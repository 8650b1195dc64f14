// Any bytes are a recording, and any bytes are a model: the readers either return something whole or throw
// std::invalid_argument. A model that is returned can be simulated.
#include <cstddef>
#include <cstdint>

#include "fuzz_hdf5.h"
#include "stiction/io/recording/model_storage.h"
#include "stiction/io/recording/recording.h"

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
  reader.joint_forces();
  for (std::int64_t k = 0; k < reader.num_steps(); ++k) reader.external_forces(k);
  for (const std::int64_t after : reader.saved_steps()) reader.saved_state(after);
  SimulatorSettings settings = reader.settings();
  settings.threads = 1;
  Simulator simulator(reader.model(), settings);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  try_reading([&] { read_all(RecordingReader::from_image({bytes, bytes + size})); });
  try_reading([&] { model_to_bytes(*model_from_bytes({bytes, size})); });
  return 0;
}
