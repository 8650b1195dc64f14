// How every room turns bad input away: std::invalid_argument whose message names argument, index and value.
#pragma once

#include <sstream>
#include <stdexcept>

namespace stiction {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream message;
  message.precision(17);
  (message << ... << parts);
  throw std::invalid_argument(message.str());
}

}  // namespace stiction
