// How every room turns bad input away: std::invalid_argument whose message names argument, index and value.
#pragma once

#include <array>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace stiction {

// Writes one part of a message. Numbers as few digits as read back the same: 0.1 and 2e-09.
template <class Part>
void print_part(std::ostream& out, const Part& part) {
  if constexpr (std::is_floating_point_v<Part>) {
    std::array<char, 32> text;
    const char* end = std::to_chars(text.data(), text.data() + text.size(), part).ptr;
    out.write(text.data(), end - text.data());
  } else {
    out << part;
  }
}

template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream out;
  (print_part(out, parts), ...);
  return out.str();
}

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  throw std::invalid_argument(message(parts...));
}

// A setting that is outside its range:  require(eta > 0.0, "eta", eta, "positive")
template <class Value>
void require(bool holds, std::string_view name, const Value& value, std::string_view range) {
  if (!holds) refuse(name, " is ", value, "; it must be ", range);
}

}  // namespace stiction
