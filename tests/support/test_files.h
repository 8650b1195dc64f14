// Files that tests read. Where they are is known to one source alone: so no other object depends on where the
// repository lies, and ccache shares them over checkouts.
#pragma once

#include <string>
#include <string_view>

namespace stiction::testing {

std::string scene_file(std::string_view name);  // in scenes/; "" names the folder
std::string data_file(std::string_view name);   // in tests/data/

}  // namespace stiction::testing
