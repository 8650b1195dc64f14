// Any bytes are a file of weights or of contact samples: the readers succeed or throw std::invalid_argument, and take
// no memory that the bytes do not pay for. What was read is evaluated, and written again and read with the same result.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "stiction/learning/contact_networks.h"
#include "stiction/learning/contact_samples.h"
#include "stiction/learning/perceptron_file.h"
#include "stiction/learning/safetensors.h"

namespace {

template <class Make>
void try_making(const Make& make) {
  try {
    make();
  } catch (const std::invalid_argument&) {
    // refused with a message, as it should be
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  try_making([&] {
    const stiction::TensorFile file = stiction::parse_safetensors(bytes, "file");
    const auto again = stiction::parse_safetensors(stiction::to_safetensors(file), "again");
    if (again.tensors.size() != file.tensors.size()) std::abort();
    try_making([&] {
      const stiction::Perceptron network = stiction::take_perceptron(file, "", "file");
      network.evaluate(stiction::VectorX::Zero(network.num_inputs()));
    });
  });
  try_making([&] { stiction::ContactNetworks::from_bytes(bytes, "networks"); });
  try_making([&] { stiction::ContactData::from_bytes(bytes, "samples"); });
  return 0;
}
