#include "stiction/io/loaded_model.h"

#include <stdexcept>

#include "stiction/math/refuse.h"

namespace stiction {

LoadedModel build_loaded(const ModelBuilder& builder, std::vector<IgnoredElement> ignored, const std::string& where) {
  try {
    return {builder.build(), std::move(ignored)};
  } catch (const std::invalid_argument& e) {
    refuse(where, ": ", e.what());
  }
}

}  // namespace stiction
