// Any text is a file: the reader of SDF either returns a model or throws std::invalid_argument.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "stiction/io/sdf/sdf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const bool lenient : {false, true}) {
    stiction::LoadOptions options;
    options.sandbox = true;  // nothing outside the folder is read
    options.repair_inertia = options.meshes_as_terrain = lenient;
    options.base = lenient ? stiction::BaseKind::floating : stiction::BaseKind::as_in_file;
    try {
      stiction::load_sdf_string(text, options, "/nowhere");
    } catch (const std::invalid_argument&) {
      // refused with a message, as it should be
    }
  }
  return 0;
}
