// Any bytes are a URDF file: the reader either returns a model or throws std::invalid_argument.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "stiction/io/urdf/urdf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const bool is_lenient : {false, true}) {
    try {
      stiction::load_urdf_string(text,
                                 {.prefix = "p_",
                                  .base = is_lenient ? stiction::BaseKind::floating : stiction::BaseKind::as_in_file,
                                  .sandbox = true,
                                  .repair_inertia = is_lenient,
                                  .meshes_as_terrain = true},
                                 "/nonexistent");
    } catch (const std::invalid_argument&) {
      // refused with a message, as it should be
    }
  }
  return 0;
}
