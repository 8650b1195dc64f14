#include "tests/support/test_files.h"

namespace stiction::testing {

std::string scene_file(std::string_view name) {
  return std::string(STICTION_SCENES "/").append(name);
}

std::string data_file(std::string_view name) {
  return std::string(STICTION_TEST_DATA "/").append(name);
}

}  // namespace stiction::testing
