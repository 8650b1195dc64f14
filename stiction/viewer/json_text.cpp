#include "stiction/viewer/json_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace stiction::viewer {
namespace {

// Length of the UTF-8 sequence at the start of `text`; 0: there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xC2 && lead < 0xE0 ? 2 : (lead & 0xF0U) == 0xE0 ? 3 : 4;
  if (length == 4 && (lead < 0xF0 || lead > 0xF4)) return 0;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  return length;
}

}  // namespace

void JsonText::begin(std::string_view name) {
  if (!first_) text_ += ',';
  first_ = false;
  if (name.empty()) return;
  quote(name);
  text_ += ':';
}

void JsonText::quote(std::string_view value) {
  text_ += '"';
  while (!value.empty()) {
    const std::size_t length = sequence_length(value);
    const char c = value[0];
    if (length == 0) {
      text_ += "\\ufffd";
    } else if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '"' || c == '\\')) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      text_ += escaped;
    } else {
      text_ += value.substr(0, length);
    }
    value.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

void JsonText::number(double value) {
  if (!std::isfinite(value)) {
    text_ += "null";
    return;
  }
  char digits[32];
  text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

JsonText& JsonText::begin_object(std::string_view name) {
  begin(name);
  text_ += '{';
  first_ = true;
  return *this;
}

JsonText& JsonText::end_object() {
  text_ += '}';
  first_ = false;
  return *this;
}

JsonText& JsonText::begin_array(std::string_view name) {
  begin(name);
  text_ += '[';
  first_ = true;
  return *this;
}

JsonText& JsonText::end_array() {
  text_ += ']';
  first_ = false;
  return *this;
}

JsonText& JsonText::add(std::string_view name, double value) {
  begin(name);
  number(value);
  return *this;
}

JsonText& JsonText::add(std::string_view name, std::string_view value) {
  begin(name);
  quote(value);
  return *this;
}

JsonText& JsonText::add(std::string_view name, std::span<const double> values) {
  begin_array(name);
  for (const double value : values) add({}, value);
  return end_array();
}

}  // namespace stiction::viewer
